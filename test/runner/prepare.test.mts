/** What an operation returns of its responses, and the next step after a rejection. */
import type { ServiceClient } from '../../nodes/ConversationalMessaging/api/client.ts';
import {
	type Operation,
	allFields,
	planned,
} from '../../nodes/ConversationalMessaging/runner/operation.ts';
import type { ItemResult } from '../../nodes/ConversationalMessaging/runner/output.ts';
import { serviceOf } from '../support/service.mts';
import { field, parametersOf } from '../support/parameters.mts';
import { runOne } from '../support/runOne.mts';

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

describe('selected fields', () => {
	const selecting = async (names: string, operation: Operation, client: ServiceClient) =>
		await runOne(
			operation,
			client,
			parametersOf(allFields(operation), { options: { outputFieldNames: names } }),
		);
	const answering = (...rows: object[]) => serviceOf(() => ({ data: rows }));

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
