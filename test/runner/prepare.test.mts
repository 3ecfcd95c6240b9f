/** What an operation returns of its responses, and the next step after a rejection. */
import type { ServiceClient } from '../../nodes/ConversationalMessaging/api/client.ts';
import type { Operation } from '../../nodes/ConversationalMessaging/runner/operation.ts';
import { allFields, planned } from '../../nodes/ConversationalMessaging/runner/operation.ts';
import type { ItemResult } from '../../nodes/ConversationalMessaging/runner/output.ts';
import { serviceOf } from '../api/service.mts';
import { field, parametersOf } from '../parameters/parameters.mts';
import { runOne } from './runOne.mts';

const FIELDS = [field('ticketId'), field('returnAll'), field('limit')];

const common = {
	name: 'Get',
	value: 'get',
	action: 'Get ticket',
	description: 'Get a ticket',
	fields: FIELDS,
};

const get: Operation = {
	...common,
	endpoint: 'GET /tickets/{id}',
	result: 'record',
	request: () => ({ path: { id: 't1' } }),
};

const list = {
	...common,
	endpoint: 'GET /tickets',
	result: 'rows',
	rowsName: 'tickets',
	request: () => ({}),
} satisfies Operation;

test.each<Operation>([get, list])(
	'$endpoint has the next step of its operation for a rejection',
	async (operation) => {
		const errorHint = (status: number) => (status === 409 ? 'Try another one.' : undefined);
		const parameters = parametersOf(FIELDS, { limit: 50, returnAll: false });
		const run = runOne({ ...operation, errorHint }, serviceOf(() => 409).client, parameters);
		await expect(run).rejects.toMatchObject({ description: 'Try another one.' });
	},
);

test('an operation that deletes returns that it did, whatever the response', async () => {
	const { client } = serviceOf(() => ({ data: { id: 's1' } }));
	const remove: Operation = { ...get, endpoint: 'DELETE /segments/{id}', result: 'deleted' };
	expect(await runOne(remove, client, parametersOf(FIELDS, {}))).toStrictEqual([{ deleted: true }]);
});

test.each<[result: 'pages' | 'rows' | 'history', pageSize: number | undefined, query: object]>([
	['pages', undefined, { page: '1', limit: '200' }],
	['pages', 100, { page: '1', limit: '100' }],
	['history', undefined, { take: '200' }],
	['history', 100, { take: '100' }],
	['rows', undefined, {}],
])(
	'a list of the kind %s with a page size of %p is requested with %j',
	async (result, size, query) => {
		const { client, queries } = serviceOf(() => ({ data: [{ id: 1 }], meta: { total: 1 } }));
		const parameters = parametersOf(FIELDS, { returnAll: true });
		const operation = { ...list, result, pageSize: size };
		expect(await runOne(operation, client, parameters)).toStrictEqual([{ id: 1 }]);
		expect(queries).toStrictEqual([query]);
	},
);

test('a list that is the same for two items gives each item its own rows', async () => {
	const { client, requests } = serviceOf(() => ({ data: [{ contact: { name: 'Ann' } }] }));
	const parameters = () => parametersOf(FIELDS, { returnAll: true });
	const [one, two] = await Promise.all([
		runOne(list, client, parameters()),
		runOne(list, client, parameters()),
	]);
	expect(requests).toHaveLength(1);
	expect(two).toStrictEqual(one);
	expect(two[0]!.contact).not.toBe(one[0]!.contact);
});

describe('selected fields', () => {
	const selecting = async (names: string, operation: Operation, client: ServiceClient) =>
		await runOne(
			operation,
			client,
			parametersOf(allFields(operation), { options: { outputFieldNames: names } }),
		);
	const answering = (...rows: object[]) => serviceOf(() => ({ data: rows }));

	test('that no record has are shown to the user, each once', async () => {
		const { client, notices } = answering({ id: 1 }, { id: 2, name: 'A' });
		expect(await selecting('nam, id, name, stat', get, client)).toStrictEqual([
			{ id: 1 },
			{ id: 2, name: 'A' },
		]);
		expect(notices).toStrictEqual([
			'No returned item has the field nam. Check its name.',
			'No returned item has the field stat. Check its name.',
		]);
	});

	test('are those of each item of a batch whose items have results of their own', async () => {
		const each = (...results: ItemResult[]) =>
			planned<string>({
				...common,
				endpoint: 'GET /tickets/{id}',
				prepare: () => '',
				run: async () => ({ results }),
			});
		const { client, notices } = answering();
		const one = each({ output: { json: { id: 1, name: 'A' } } });
		expect(await selecting('id', one, client)).toStrictEqual([{ id: 1 }]);
		// Without a record, nothing is known about its fields.
		const failing = selecting('nam', each({ thrown: new Error('no') }), client);
		await expect(failing).rejects.toThrow('no');
		expect(notices).toStrictEqual([]);
	});

	test('are offered only where records are returned', async () => {
		const without: Operation[] = [
			{ ...get, result: 'deleted' },
			{ ...get, returnsNoRecords: true },
		];
		for (const operation of without) expect(allFields(operation)).toStrictEqual(FIELDS);
		const fields = allFields(get);
		expect(fields.map(({ name }) => name)).toStrictEqual([
			...FIELDS.map(({ name }) => name),
			'options',
		]);
		const [first, ...others] = fields;
		const own = { ...first!, name: 'options', options: [{ ...first!, displayName: 'Wait' }] };
		const names = (field: { options?: unknown[] }) =>
			(field.options as { displayName: string }[]).map(({ displayName }) => displayName);
		expect(names(allFields({ ...get, fields: [own, ...others] })[0]!)).toStrictEqual([
			'Selected Fields',
			'Wait',
		]);
	});
});
