import fc from 'fast-check';
import type { Endpoint } from '../../nodes/ConversationalMessaging/api/endpoint.ts';
import { recordOf, recordNames } from '../../nodes/ConversationalMessaging/api/response/record.ts';
import { resources } from '../../nodes/ConversationalMessaging/resources/index.ts';
import { outputOf } from '../../nodes/ConversationalMessaging/runner/output.ts';

/** What they return is the result of an action, not a record. */
const NOT_ONE_RECORD: Endpoint[] = ['POST /templates/sync'];

const IMPORT = ['import', 'importJob', 'contactImport'];
const BROADCAST = ['broadcast', 'campaign'];

describe('the ID of an import job', () => {
	const record = { importId: 'j1', status: 'queued' };
	test.each([
		['bare in data', { success: true, data: record }],
		['under job', { success: true, data: { job: record } }],
		['under import', { success: true, data: { import: record } }],
		['under importJob', { success: true, data: { importJob: record, message: 'Queued' } }],
		['in a list of one', { success: true, data: [record] }],
		['without an envelope', record],
		['beside data that is null', { success: true, data: null, job: record }],
	])('is found %s', (_place, json) => {
		expect(recordOf(json, IMPORT)).toMatchObject({ id: 'j1', status: 'queued' });
	});

	test.each(['id', '_id', 'importId', 'importJobId', 'jobId'])('may be called %s', (name) => {
		expect(recordOf({ data: { [name]: ' j1 ' } }, IMPORT).id).toBe('j1');
		expect(recordOf({ data: { job: { [name]: 42 } } }, IMPORT).id).toBe('42');
	});
});

test.each([
	['none', { data: { status: 'queued' } }, undefined],
	['empty', { data: { id: ' ' } }, undefined],
	['null', { data: { id: null, jobId: 'j' } }, 'j'],
	['an object', { data: { id: { a: 1 } } }, undefined],
	['the kind’s own before a queue’s', { data: { jobId: 'queue', broadcastId: 'b' } }, 'b'],
	['the record’s before a queue’s', { data: { jobId: 'queue', broadcast: { id: 'b' } } }, 'b'],
	['the record’s before its job’s', { data: { id: 'b', job: { id: 'queue' } } }, 'b'],
	['its own name before its job’s ID', { data: { broadcastId: 'b', job: { id: 'queue' } } }, 'b'],
	['a list of two is no record', { data: [{ id: 'a' }, { id: 'b' }] }, undefined],
	['another kind’s ID is none', { data: { templateId: 't', segment: { id: 's' } } }, undefined],
])('the ID of a broadcast is read from a response: %s', (_name, json, id) => {
	expect(recordOf(json, BROADCAST).id).toBe(id);
});

test.each([
	['of the record', { data: { id: 'a', status: 'queued', job: { status: 'done' } } }, 'queued'],
	['of its job, where it has none', { data: { id: 'a', job: { status: 'queued' } } }, 'queued'],
	['of the job, not of the response', { status: 'success', job: { status: 'queued' } }, 'queued'],
	[
		'of what surrounds it, where it has none',
		{ data: { status: 'queued', job: { id: 1 } } },
		'queued',
	],
	['called state', { data: { job: { state: 'active' } } }, 'active'],
	['none', { data: { job: { id: 1 } } }, undefined],
])('the status is read from a response: %s', (_name, json, status) => {
	expect(recordOf(json, BROADCAST).status).toBe(status);
});

test.each<[which: string, json: unknown, record: object]>([
	['the one under its name', { data: { note: 'x', job: { total: 5 } } }, { total: 5 }],
	['what is there, otherwise', { data: { status: 'x', job: 7 } }, { status: 'x', job: 7 }],
])('of a response without an ID, the record is %s', (_which, json, record) => {
	expect(recordOf(json, BROADCAST).record).toStrictEqual(record);
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
		['POST /contacts/import', IMPORT],
		['GET /contacts/imports/{id}', IMPORT],
		['POST /contacts/{id}/fields', ['field', 'customField', 'contactField']],
		['PUT /segments/{id}/members', ['segment']],
		['POST /chats/{id}/assign', ['chat', 'conversation']],
		['POST /messages', ['message']],
		['POST /templates', ['template']],
		['GET /broadcasts/{id}', BROADCAST],
		['PUT /tickets/{id}', ['ticket']],
		['POST /tickets/{id}/notes', ['note', 'ticketNote']],
		['GET /channels/{id}', ['channel', 'orgChannel']],
		['GET /organization', ['organization']],
	])('%s: in data, or there under one of %j', (endpoint, names) => {
		expect(recordNames(endpoint)).toStrictEqual(names);
		const others = { others: [{ body: 'n' }] };
		for (const name of names) {
			for (const data of [record, { [name]: record }, { [name]: [record] }])
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
		['a key of both', { ticket: { id: 1, status: 'OPEN' }, status: 'ok' }],
		['a record of its own', { id: 1, ticket: { id: 2 } }],
		['its ID under the kind’s name', { ticketId: 1, ticket: { id: 2 } }],
		['no ID', { ticket: { title: 'T' }, isNew: true }],
		['another kind', { contact: { id: 1 } }],
		['a list of two', { ticket: [{ id: 1 }, { id: 2 }] }],
		['nothing', {}],
		['null', { ticket: null }],
	])('nothing is lost or mistaken with %s', (_name, data) => {
		expect(output(data, 'GET /tickets/{id}')).toStrictEqual([{ json: data }]);
	});

	test.each([
		{ isActive: true, contact: { id: 'c' } },
		{ active: true, session: { id: 's', agentId: 'a' } },
		{ active: false, session: null },
	])('the status of a session stays as it is: %j', (data) => {
		expect(output(data, 'GET /chats/session')).toStrictEqual([{ json: data }]);
	});
});
