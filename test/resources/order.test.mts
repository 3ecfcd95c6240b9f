/** Which items of a node run one after another: those that change the same record, however it is written. */
import type { INodeParameters } from 'n8n-workflow';
import {
	allFields,
	type Operation,
	orderingKeyOf,
} from '../../nodes/ConversationalMessaging/runner/operation.ts';
import { fixtureOf } from '../fixtures/index.mts';
import { operations } from '../support/operationList.mts';
import { parametersOf } from '../support/parameters.mts';

const keyOf = (operation: Operation, values: INodeParameters): string | undefined =>
	orderingKeyOf(operation)?.(parametersOf(allFields(operation), values));

const ordered = operations.flatMap(([name, resource, operation]) => {
	const { order } = fixtureOf(resource, operation.value);
	return order ? [[name, operation, order] as const] : [];
});

test.each(ordered)(
	'%s: items for one record are in order, those for others are not',
	(_name, operation, [same, other]) => {
		const [key, ...keys] = same.map((values) => keyOf(operation, values));
		expect(key).toStrictEqual(expect.stringMatching(/./));
		expect(keys).toStrictEqual(keys.map(() => key));
		if (other) expect(keyOf(operation, other)).not.toBe(key);
	},
);

test('tickets without a contact need no order', () => {
	const [, , create] = operations.find(([name]) => name === 'ticket: create')!;
	expect(keyOf(create, {})).toBeUndefined();
});

test('every operation that writes has an order, except those that make a job of all items', () => {
	const writing = operations.filter(([, , { endpoint }]) => !endpoint.startsWith('GET '));
	const names = new Set(ordered.map(([name]) => name));
	expect(writing.map(([name]) => name).filter((name) => !names.has(name))).toStrictEqual([
		'broadcast: create',
		'contactImport: start',
	]);
});
