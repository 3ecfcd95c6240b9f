/** What an operation sends once its parameters are read. */
import type { Operation } from '../../nodes/ConversationalMessaging/runner/operation.ts';
import { allFields, planned } from '../../nodes/ConversationalMessaging/runner/operation.ts';
import {
	ItemResults,
	type ItemResult,
	type Output,
	type RunResult,
} from '../../nodes/ConversationalMessaging/runner/output.ts';
import { OperationContext } from '../../nodes/ConversationalMessaging/runner/operationContext.ts';
import { prepare } from '../../nodes/ConversationalMessaging/runner/prepare.ts';
import { serviceOf } from '../api/service.mts';
import { choices, field, parametersOf } from '../parameters/parameters.mts';

const FIELDS = [
	field('ticketId'),
	field('status', { type: 'options', options: choices('OPEN', 'CLOSED') }),
	field('returnAll', { type: 'boolean', default: false }),
	field('limit', { type: 'number', default: 50 }),
];

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
	orderingKey: (parameters) => parameters.text('ticketId'),
	request: (parameters) => ({ path: { id: parameters.required('ticketId') } }),
	errorHint: (status) => (status === 409 ? 'Try another one.' : undefined),
};

const remove: Operation = {
	...common,
	endpoint: 'DELETE /segments/{id}',
	result: 'deleted',
	request: () => ({ path: { id: 's1' } }),
};

const list = {
	...common,
	action: 'Get many tickets',
	endpoint: 'GET /tickets' as const,
	rowsName: 'tickets',
	request: (parameters: ReturnType<typeof parametersOf>) => ({
		query: { status: parameters.option('status') },
	}),
};

const preparedWith = (operation: Operation, values: Record<string, unknown> = {}) =>
	prepare(operation, parametersOf(FIELDS, { limit: 50, returnAll: false, ...values }));

/** A service with three tickets on one page. */
const tickets = () =>
	serviceOf(() => ({ data: [{ id: 1 }, { id: 2 }, { id: 3 }], meta: { total: 3, totalPages: 1 } }));

describe('an operation with one request', () => {
	test('sends its request and returns the record', async () => {
		const service = serviceOf(() => ({ data: { ticket: { id: 't1' } } }));
		const prepared = preparedWith(get, { ticketId: 't1' });
		expect(prepared.orderingKey).toBe('t1');
		expect(prepared.batch).toBeUndefined();
		expect(service.requests).toEqual([]);
		expect(await prepared.run(service.client, [])).toEqual([{ json: { id: 't1' } }]);
		expect(service.requests).toEqual([['GET /tickets/t1']]);
	});

	test('reads its parameters before anything is sent', () => {
		expect(() => preparedWith(get)).toThrow('ticketId is empty');
	});

	test('has its own next step for a rejection', async () => {
		const { run } = preparedWith(get, { ticketId: 't1' });
		await expect(run(serviceOf(() => 409).client, [])).rejects.toMatchObject({
			description: 'Try another one.',
		});
	});

	test('that deletes returns that it did, whatever the response', async () => {
		const service = serviceOf(() => ({ data: { id: 's1' } }));
		expect(await preparedWith(remove).run(service.client, [])).toEqual([
			{ json: { deleted: true } },
		]);
		expect(service.requests).toEqual([['DELETE /segments/s1']]);
	});
});

describe('a list', () => {
	test.each([
		['pages', undefined, [{ page: '1', limit: '200' }]],
		['pages', 100, [{ page: '1', limit: '100' }]],
		['rows', undefined, [{}]],
		['history', undefined, [{ take: '200' }]],
		['history', 100, [{ take: '100' }]],
	] as const)('of the kind %s with a page size of %s', async (result, pageSize, queries) => {
		const service = tickets();
		const operation: Operation = { ...list, result, pageSize };
		const { run } = preparedWith(operation, { returnAll: true });
		expect(await run(service.client, [])).toEqual([1, 2, 3].map((id) => ({ json: { id } })));
		expect(service.queries).toEqual(queries);
	});

	test('returns as many rows as Limit says, with its filters', async () => {
		const service = tickets();
		const { run } = preparedWith({ ...list, result: 'pages' }, { limit: 2, status: 'OPEN' });
		expect(await run(service.client, [])).toHaveLength(2);
		expect(service.queries).toEqual([{ status: 'OPEN', page: '1', limit: '2' }]);
	});

	test.each([
		['the same', {}, {}, 1],
		['another limit', { limit: 1 }, { limit: 2 }, 2],
		['all instead of a limit', { limit: 1 }, { returnAll: true }, 2],
		['another filter', { status: 'OPEN' }, { status: 'CLOSED' }, 2],
	])('is fetched once for two items if it is the same: %s', async (_name, one, two, requests) => {
		const service = tickets();
		for (const values of [one, two])
			await preparedWith({ ...list, result: 'rows' }, values).run(service.client, []);
		expect(service.requests).toHaveLength(requests);
	});

	test('with several requests has the rows of all, each once, up to the limit', async () => {
		const rows: Record<string, unknown[]> = {
			a: [{ id: 1 }, { no: 'id' }],
			b: [{ id: 1 }],
			c: [{ id: 3 }, { no: 'id' }],
		};
		const forms = (limit: Record<string, unknown>) => {
			const { client, queries } = serviceOf(({ waId }) => ({ data: rows[waId as string] }));
			const operation: Operation = {
				...list,
				result: 'rows',
				request: () => ['a', 'b', 'c'].map((waId) => ({ query: { waId } })),
			};
			return { queries, read: async () => await preparedWith(operation, limit).run(client, []) };
		};
		const all = forms({ returnAll: true });
		expect(await all.read()).toEqual(
			[{ id: 1 }, { no: 'id' }, { id: 3 }].map((json) => ({ json })),
		);
		expect(all.queries).toEqual(['a', 'b', 'c'].map((waId) => ({ waId })));
		expect(await forms({ limit: 2 }).read()).toHaveLength(2);
	});

	test('that is the same for two items gives each item its own rows', async () => {
		const { client } = serviceOf(() => ({ data: [{ contact: { name: 'Ann' } }] }));
		const [one, two] = await Promise.all(
			[1, 2].map(async () => await preparedWith({ ...list, result: 'rows' }).run(client, [])),
		);
		expect(two).toEqual(one);
		const contactIn = (result: RunResult) => (result as Output[])[0]!.json.contact;
		expect(contactIn(two!)).not.toBe(contactIn(one!));
	});

	test('of another endpoint is another list', async () => {
		const service = tickets();
		await preparedWith({ ...list, result: 'rows' }).run(service.client, []);
		const other = { ...list, result: 'rows', endpoint: 'GET /users' } as const;
		await preparedWith(other).run(service.client, []);
		expect(service.requests).toEqual([['GET /tickets'], ['GET /users']]);
	});

	test('has its own next step for a rejection', async () => {
		const operation: Operation = { ...list, result: 'rows', errorHint: () => 'Try another one.' };
		await expect(
			preparedWith(operation).run(serviceOf(() => 409).client, []),
		).rejects.toMatchObject({ description: 'Try another one.' });
	});
});

describe('an operation with several requests', () => {
	const join = (withBatch: boolean) =>
		planned<string, string>({
			...common,
			action: 'Join tickets',
			endpoint: 'GET /tickets/{id}',
			orderingKey: () => 'all',
			prepare: (parameters) => parameters.required('ticketId'),
			batch: (id) => (withBatch ? { key: 'one', input: `input ${id}`, perItem: [] } : undefined),
			run: async (context, id, inputs) => {
				expect(context).toBeInstanceOf(OperationContext);
				return context.outputOf(await context.send({ path: { id: [id, ...inputs].join(' ') } }));
			},
		});

	test('runs with its plan and with what the items of its batch contribute', async () => {
		const service = serviceOf(() => ({ data: { id: 't1' } }));
		const prepared = preparedWith(join(true), { ticketId: 't1' });
		// Two operations may use the same key.
		expect(prepared.batch).toEqual({ key: 'Join tickets one', input: 'input t1', settings: [] });
		expect(prepared.orderingKey).toBe('all');
		expect(await prepared.run(service.client, ['a', 'b'])).toEqual([{ json: { id: 't1' } }]);
		expect(service.requests).toEqual([['GET /tickets/t1%20a%20b']]);
	});

	test('has no batch if its plan has none', () => {
		expect(preparedWith(join(false), { ticketId: 't1' }).batch).toBeUndefined();
	});
});

describe('selected fields', () => {
	const selecting = (names: string, operation: Operation) =>
		prepare(
			operation,
			parametersOf(allFields(operation), {
				ticketId: 't1',
				options: { outputFieldNames: names },
			}),
		);
	const answering = (...rows: object[]) => serviceOf(() => ({ data: rows }));

	test('are returned of each record; one that only some records have is no reason for a notice', async () => {
		const { client, notices } = answering({ id: 1, status: 'OPEN' }, { id: 2, name: 'A' });
		expect(await selecting('id, name', get).run(client, [])).toEqual([
			{ json: { id: 1 } },
			{ json: { id: 2, name: 'A' } },
		]);
		expect(notices).toEqual([]);
	});

	test('do not include those that the node adds, which are always there', async () => {
		const added = planned<string>({
			...common,
			endpoint: 'GET /tickets/{id}',
			prepare: () => '',
			run: async () => [{ json: { id: 1, name: 'A' }, own: { sent: true } }],
		});
		const { client, notices } = answering();
		expect(await selecting('id, sent', added).run(client, [])).toEqual([
			{ json: { id: 1 }, own: { sent: true } },
		]);
		expect(notices).toEqual([]);
	});

	test('that no record has are shown to the user, each once', async () => {
		const { client, notices } = answering({ id: 1 }, { id: 2 });
		await selecting('nam, id, stat', get).run(client, []);
		expect(notices).toEqual([
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
		expect(await selecting('id', some).run(client, [])).toEqual(
			new ItemResults([{ output: { json: { id: 1 } } }, { thrown }, undefined]),
		);
		expect(notices).toEqual([]);
		// Without a record, nothing is known about its fields.
		await selecting('nam', each({ thrown })).run(client, []);
		expect(notices).toEqual([]);
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
		expect(result.outputs).toEqual([{ json: { name: 'A' } }]);
		expect(await result.wait()).toEqual([{ json: { name: 'B' } }]);
	});

	test('are offered, and used, only where records are returned', async () => {
		const silent: Operation = { ...get, returnsNoRecords: true };
		for (const operation of [remove, silent]) expect(allFields(operation)).toEqual(FIELDS);
		const fields = allFields(get);
		expect(fields.map(({ name }) => name)).toEqual([...FIELDS.map(({ name }) => name), 'options']);
		const [first, ...others] = fields;
		const own = { ...first!, name: 'options', options: [{ ...first!, displayName: 'Wait' }] };
		const names = (field: { options?: unknown[] }) =>
			(field.options as { displayName: string }[]).map(({ displayName }) => displayName);
		expect(names(allFields({ ...get, fields: [own, ...others] })[0]!)).toEqual([
			'Selected Fields',
			'Wait',
		]);
		const { client } = answering({ id: 1, name: 'A' });
		const more = { options: { outputFieldNames: 'id' } };
		expect(await preparedWith(silent, { ticketId: 't1', ...more }).run(client, [])).toEqual([
			{ json: { id: 1, name: 'A' } },
		]);
	});
});
