/** What an operation returns of its responses, and the next step after a rejection. */
import type { Operation } from '../../nodes/ConversationalMessaging/runner/operation.ts';
import { allFields, planned } from '../../nodes/ConversationalMessaging/runner/operation.ts';
import { ItemResults, type ItemResult } from '../../nodes/ConversationalMessaging/runner/output.ts';
import { prepare } from '../../nodes/ConversationalMessaging/runner/prepare.ts';
import { serviceOf } from '../api/service.mts';
import { field, parametersOf } from '../parameters/parameters.mts';
import { jsonOf } from './outputs.mts';

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
		const { run } = prepare({ ...operation, errorHint }, parameters);
		await expect(run(serviceOf(() => 409).client, [])).rejects.toMatchObject({
			description: 'Try another one.',
		});
	},
);

test('an operation that deletes returns that it did, whatever the response', async () => {
	const { client } = serviceOf(() => ({ data: { id: 's1' } }));
	const remove: Operation = { ...get, endpoint: 'DELETE /segments/{id}', result: 'deleted' };
	const { run } = prepare(remove, parametersOf(FIELDS, {}));
	expect(await run(client, [])).toStrictEqual([{ json: { deleted: true } }]);
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
		const { run } = prepare(
			{ ...list, result, pageSize: size },
			parametersOf(FIELDS, { returnAll: true }),
		);
		expect(jsonOf(await run(client, []))).toStrictEqual([{ id: 1 }]);
		expect(queries).toStrictEqual([query]);
	},
);

test('a list with several requests has the rows of all, each once, up to the limit', async () => {
	const rows: Record<string, unknown[]> = {
		a: [{ id: 1 }, { no: 'id' }],
		b: [{ id: 1 }],
		c: [{ id: 3 }, { no: 'id' }],
	};
	const forms = (limit: Record<string, unknown>) => {
		const { client, queries } = serviceOf(({ waId }) => ({ data: rows[waId as string] }));
		const operation: Operation = {
			...list,
			request: () => ['a', 'b', 'c'].map((waId) => ({ query: { waId } })),
		};
		return {
			queries,
			read: async () =>
				await prepare(operation, parametersOf(FIELDS, { returnAll: false, ...limit })).run(
					client,
					[],
				),
		};
	};
	const all = forms({ returnAll: true });
	expect(await all.read()).toStrictEqual(
		[{ id: 1 }, { no: 'id' }, { id: 3 }].map((json) => ({ json })),
	);
	expect(all.queries).toStrictEqual(['a', 'b', 'c'].map((waId) => ({ waId })));
	expect(await forms({ limit: 2 }).read()).toHaveLength(2);
});

test('a list that is the same for two items gives each item its own rows', async () => {
	const { client, requests } = serviceOf(() => ({ data: [{ contact: { name: 'Ann' } }] }));
	const parameters = () => parametersOf(FIELDS, { returnAll: true });
	const [one, two] = await Promise.all([
		prepare(list, parameters()).run(client, []),
		prepare(list, parameters()).run(client, []),
	]);
	expect(requests).toHaveLength(1);
	expect(two).toStrictEqual(one);
	expect(jsonOf(two)[0]!.contact).not.toBe(jsonOf(one)[0]!.contact);
});

describe('selected fields', () => {
	const selecting = (names: string, operation: Operation) =>
		prepare(
			operation,
			parametersOf(allFields(operation), { options: { outputFieldNames: names } }),
		);
	const answering = (...rows: object[]) => serviceOf(() => ({ data: rows }));

	test('that no record has are shown to the user, each once', async () => {
		const { client, notices } = answering({ id: 1 }, { id: 2, name: 'A' });
		expect(await selecting('nam, id, name, stat', get).run(client, [])).toStrictEqual([
			{ json: { id: 1 } },
			{ json: { id: 2, name: 'A' } },
		]);
		expect(notices).toStrictEqual([
			'No returned item has the field nam. Check its name.',
			'No returned item has the field stat. Check its name.',
		]);
	});

	test('keep the places and errors of a batch whose items have results of their own', async () => {
		const thrown = new Error('no');
		const each = (...results: ItemResult[]) =>
			planned<string>({
				...common,
				endpoint: 'GET /tickets/{id}',
				prepare: () => '',
				run: async () => new ItemResults(results),
			});
		const { client, notices } = answering();
		const some = each({ output: { json: { id: 1, name: 'A' } } }, { thrown }, undefined);
		expect(await selecting('id', some).run(client, [])).toStrictEqual(
			new ItemResults([{ output: { json: { id: 1 } } }, { thrown }, undefined]),
		);
		expect(notices).toStrictEqual([]);
		// Without a record, nothing is known about its fields.
		await selecting('nam', each({ thrown })).run(client, []);
		expect(notices).toStrictEqual([]);
	});

	test('are those of the item that a wait returns, too', async () => {
		const waiting = planned<string>({
			...common,
			endpoint: 'GET /tickets/{id}',
			prepare: () => '',
			run: async () => ({
				outputs: [{ json: { id: 1, name: 'A' } }],
				wait: async () => [{ json: { id: 1, name: 'B' } }],
			}),
		});
		const result = await selecting('name', waiting).run(answering().client, []);
		if (!('wait' in result)) throw new Error('There is no wait');
		expect(result.outputs).toStrictEqual([{ json: { name: 'A' } }]);
		expect(await result.wait()).toStrictEqual([{ json: { name: 'B' } }]);
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
