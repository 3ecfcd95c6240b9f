import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import type { Endpoint } from '../../nodes/ConversationalMessaging/api/endpoint.ts';
import { requireRecord } from '../../nodes/ConversationalMessaging/api/reads/record.ts';
import { jsonOf, outputOf } from '../../nodes/ConversationalMessaging/runner/output.ts';
import { serviceOf } from '../support/service.mts';

const output = (json: unknown) =>
	outputOf({ status: 200, headers: {}, text: '', json }, 'GET /templates').map(jsonOf);

describe('the output items of a response', () => {
	test.each<[name: string, json: unknown, items: unknown[]]>([
		['a record', { success: true, data: { id: 't1' } }, [{ id: 't1' }]],
		['a record under its name', { data: { template: { id: 't1' } } }, [{ id: 't1' }]],
		['a list', { data: [{ id: 't1' }, { id: 't2' }] }, [{ id: 't1' }, { id: 't2' }]],
		['a list of values', { data: ['a', 7] }, [{ data: 'a' }, { data: 7 }]],
		// Every input item must have at least one output item.
		['an empty list', { data: [] }, [{ data: [] }]],
		['text', { data: 'queued' }, [{ data: 'queued' }]],
		['nothing', { success: true, data: null }, [{ data: null }]],
	])('%s', (_name, json, items) => {
		expect(output(json)).toStrictEqual(items);
	});
});

describe('what is asked first stands first in n8n’s table', () => {
	const order = (json: IDataObject, addedFields?: IDataObject) =>
		Object.keys(jsonOf({ json, addedFields })).join(' ');

	test.each<[what: string, order: string, json: string, added?: string]>([
		[
			'a broadcast that was waited for',
			'id name status succeeded statistics channelId waitResult',
			'channelId statistics status name id',
			'waitResult succeeded',
		],
		[
			'a ticket',
			'id title status contactId ticketNumber',
			'contactId title status ticketNumber id',
		],
		[
			'a contact',
			'id name waId customFieldValues customName igId',
			'id name customName waId igId customFieldValues',
		],
		[
			'a chat',
			'id contact lastMessageAt channel channelId contactId',
			'id channel channelId contactId contact lastMessageAt',
		],
		['a row of an import that failed', 'error row phone', 'row phone error'],
		['a preview', 'ready name recipients', 'name ready recipients'],
		['an item of a sync', 'result name key', 'name key result'],
		['other fields, in their order', 'b a', 'b a'],
	])('%s: %s', (_what, expected, json, added = '') => {
		const fields = (names: string) =>
			Object.fromEntries(names.split(' ').map((name) => [name, name]));
		expect(order(fields(json), added === '' ? undefined : fields(added))).toBe(expected);
	});

	test('a key __proto__ is a field as any other', () => {
		const json = JSON.parse('{ "x": 1, "__proto__": { "a": 1 }, "id": 2 }') as IDataObject;
		expect(JSON.stringify(jsonOf({ json }))).toBe('{"x":1,"__proto__":{"a":1},"id":2}');
	});

	test('nothing is dropped or changed', () => {
		fc.assert(
			fc.property(
				fc.dictionary(fc.string(), fc.anything()),
				fc.dictionary(fc.string(), fc.anything()),
				(json, added) => {
					const all = jsonOf({ json: json as IDataObject, addedFields: added as IDataObject });
					expect(all).toStrictEqual({ ...json, ...added });
				},
			),
		);
	});
});

test.each<[lacks: boolean, endpoint: Endpoint, json: unknown]>([
	...[null, [], {}, 'x', { ticket: null }, [{ id: 1 }], { ticket: {} }, { data: { id: 1 } }].map(
		(data): [boolean, Endpoint, unknown] => [true, 'GET /tickets/{id}', { data }],
	),
	[true, 'GET /tickets/{id}', { result: { id: 1 } }],
	[true, 'GET /tickets/{id}', { message: 'x' }],
	[false, 'GET /tickets/{id}', { data: { id: 1 } }],
	...[null, {}, { session: null }].map((data): [boolean, Endpoint, unknown] => [
		false,
		'GET /chats/session',
		{ data },
	]),
	[false, 'POST /tickets', { data: null }],
])('a record is missing: %s, from %s with %j', (lacks, endpoint, json) => {
	const { client } = serviceOf(() => undefined);
	const read = () =>
		requireRecord(client, { endpoint, action: 'A' }, { status: 200, headers: {}, text: '', json });
	if (lacks) expect(read).toThrow('A: the response contains no record');
	else expect(read).not.toThrow();
});
