import fc from 'fast-check';
import { recordNames, type Endpoint } from '../../nodes/ConversationalMessaging/api/endpoint.ts';
import {
	listedRecord,
	recordOf,
} from '../../nodes/ConversationalMessaging/api/response/response.ts';
import { resources } from '../../nodes/ConversationalMessaging/resources/index.ts';
import { outputOf } from '../../nodes/ConversationalMessaging/runner/output.ts';

/** What they return is the result of an action, not a record. */
const NOT_ONE_RECORD: Endpoint[] = ['POST /templates/sync'];

const IMPORT = 'GET /contacts/imports/{id}';
const BROADCAST = 'GET /broadcasts/{id}';

describe('the ID of an import job', () => {
	const record = { importId: 'j1', status: 'queued' };
	test.each([
		['bare in data', { success: true, data: record }],
		['under job', { success: true, data: { job: record } }],
		['under import', { success: true, data: { import: record } }],
		['under importJob', { success: true, data: { importJob: record, message: 'Queued' } }],
		['under import_job', { data: { import_job: record, success: true } }],
		['without an envelope', record],
	])('is found %s', (_place, json) => {
		expect(recordOf(json, IMPORT)).toMatchObject({ id: 'j1', record: { status: 'queued' } });
	});

	test.each(['id', 'importId', 'import_id', 'importJobId', 'import_job_id', 'jobId'])(
		'may be called %s',
		(name) => {
			expect(recordOf({ data: { [name]: ' j1 ' } }, IMPORT).id).toBe('j1');
			expect(recordOf({ data: { job: { [name]: 42 } } }, IMPORT).id).toBe('42');
		},
	);

	test.each([
		['in a list of one', { data: [record] }],
		['beside data that is null', { data: null, job: record }],
		['in another envelope', { data: { data: record } }],
		['under result', { result: record }],
		['under another name', { data: { item: record } }],
		['called otherwise', { data: { _id: 'j1', uuid: 'j1', ID: 'j1', contactId: 'j1' } }],
	])('is none %s', (_place, json) => {
		expect(recordOf(json, IMPORT).id).toBeUndefined();
	});
});

test.each([
	['none', { data: { status: 'queued' } }, undefined],
	['empty', { data: { id: ' ' } }, undefined],
	['null', { data: { id: null, broadcastId: 'j' } }, 'j'],
	['an object', { data: { id: { a: 1 } } }, undefined],
	['the kind’s own beside a queue’s', { data: { jobId: 'queue', broadcastId: 'b' } }, 'b'],
	['the record’s beside a queue’s', { data: { jobId: 'queue', broadcast: { id: 'b' } } }, 'b'],
	['the record’s before that of another in it', { data: { id: 'b', broadcast: { id: 'c' } } }, 'b'],
	['a list of two is no record', { data: [{ id: 'a' }, { id: 'b' }] }, undefined],
	['another kind’s ID is none', { data: { templateId: 't', segment: { id: 's' } } }, undefined],
])('the ID of a broadcast is read from a response: %s', (_name, json, id) => {
	expect(recordOf(json, BROADCAST).id).toBe(id);
});

test.each<[which: string, json: unknown, record: object]>([
	[
		'with what is beside it',
		{ data: { note: 'x', broadcast: { total: 5 } } },
		{ note: 'x', total: 5 },
	],
	['whose fields come first', { data: { id: null, broadcast: { id: 5 } } }, { id: 5 }],
	[
		'what is there, otherwise',
		{ data: { status: 'x', broadcast: 7 } },
		{ status: 'x', broadcast: 7 },
	],
	['nothing', { data: 'x' }, {}],
])('the record is the one under its name, %s', (_which, json, record) => {
	expect(recordOf(json, BROADCAST).record).toStrictEqual(record);
});

test('the names of a row are not spelled anew for each row', () => {
	const spelled = jest.spyOn(String.prototype, 'replace');
	for (let n = 0; n < 1_000; n++) listedRecord({ n }, IMPORT);
	const { length } = spelled.mock.calls;
	spelled.mockRestore();
	expect(length).toBeLessThan(20);
});

test('any JSON yields an ID that is text or none, and never throws', () => {
	fc.assert(
		fc.property(fc.jsonValue(), (json) => {
			const { id } = recordOf(json, IMPORT);
			expect(['undefined', 'string']).toContain(typeof id);
		}),
	);
});

describe('a single record is returned the same way wherever the service puts it', () => {
	const output = (data: unknown, endpoint: Endpoint) =>
		outputOf({ status: 200, headers: {}, text: '', json: { success: true, data } }, endpoint);
	const record = { id: 'r1', name: 'Ada', status: 'OPEN' };

	test.each<[Endpoint, names: string[]]>([
		['POST /contacts', ['contact']],
		// A route that begins with another route's path has a record of its own.
		['POST /contacts/import', ['import', 'importJob', 'job']],
		['GET /contacts/imports/{id}', ['import', 'importJob', 'job']],
		['POST /contacts/{id}/fields', ['field']],
		['PUT /segments/{id}/members', ['segment']],
		['POST /chats/{id}/assign', ['chat']],
		['GET /chats/session', ['session']],
		['POST /chats/session', ['session']],
		['POST /messages', ['message']],
		['POST /templates', ['template']],
		['GET /broadcasts/{id}', ['broadcast']],
		['PUT /tickets/{id}', ['ticket']],
		['POST /tickets/{id}/notes', ['note']],
		['GET /channels/{id}', ['channel']],
		['GET /organization', ['organization']],
	])('%s: in data, or there under one of %j', (endpoint, names) => {
		expect(recordNames(endpoint)).toStrictEqual(names);
		const others = { others: [{ body: 'n' }] };
		for (const name of names) {
			for (const data of [record, { [name]: record }])
				expect(output(data, endpoint)).toStrictEqual([{ json: record }]);
			expect(output({ [name]: record, ...others }, endpoint)).toStrictEqual([
				{ json: { ...record, ...others } },
			]);
		}
	});

	test('every operation that returns a record has names for it', () => {
		const without = resources
			.flatMap(({ operations }) => operations)
			.filter(({ endpoint, result }) => result === 'record' && recordNames(endpoint).length === 0)
			.map(({ endpoint }) => endpoint);
		expect(new Set(without)).toStrictEqual(new Set(NOT_ONE_RECORD));
	});

	test.each([
		['a record of its own', { id: 1, ticket: { id: 2 } }],
		['its ID under the kind’s name', { ticketId: 1, ticket: { id: 2 } }],
		['another kind', { contact: { id: 1 } }],
		['a list of two', { ticket: [{ id: 1 }, { id: 2 }] }],
		['nothing', {}],
		['null', { ticket: null }],
	])('nothing is lost or mistaken with %s', (_name, data) => {
		expect(output(data, 'GET /tickets/{id}')).toStrictEqual([{ json: data }]);
	});

	test.each([
		{ isActive: true, contact: { id: 'c' } },
		{ active: false, session: null },
	])('a status without a session stays as it is: %j', (data) => {
		expect(output(data, 'GET /chats/session')).toStrictEqual([{ json: data }]);
	});
});
