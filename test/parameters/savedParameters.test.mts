import type { IExecuteFunctions, IPollFunctions } from 'n8n-workflow';
import {
	hasExpression,
	SavedParameters,
} from '../../nodes/ConversationalMessaging/parameters/savedParameters.ts';
import { NODE } from '../api/node.mts';

/** A node whose parameters were saved like this. What n8n evaluates is recorded, and has its item and its count. */
function contextOf(parameters: Record<string, unknown>) {
	const evaluated: unknown[][] = [];
	const context = {
		getNode: () => ({ ...NODE, parameters }),
		getNodeParameter: (...given: unknown[]) => {
			evaluated.push(given);
			return `${given.join(' ')} ${evaluated.length}`;
		},
	};
	return { context, evaluated };
}

test.each<[saved: unknown]>([['a'], [{ mode: 'id', value: 'a' }], [['a', { b: 1 }]], [7]])(
	'a parameter without an expression, %j, is resolved once for all items',
	(saved) => {
		const { context, evaluated } = contextOf({ field: saved });
		const parameters = SavedParameters.ofAction(context as unknown as IExecuteFunctions);
		expect([parameters.resolve('field', 0), parameters.resolve('field', 5)]).toEqual([
			'field 0  1',
			'field 0  1',
		]);
		// With a fallback: without one, n8n throws if the parameter is missing.
		expect(evaluated).toEqual([['field', 0, null]]);
	},
);

test.each<[saved: unknown]>([
	['={{ $json.a }}'],
	[{ mode: 'id', value: '={{ $json.a }}' }],
	[['a', { b: { c: '={{ $json.a }}' } }]],
])('a parameter with an expression, %j, is resolved for each item', (saved) => {
	const { context, evaluated } = contextOf({ field: saved });
	const parameters = SavedParameters.ofAction(context as unknown as IExecuteFunctions);
	expect([parameters.resolve('field', 0), parameters.resolve('field', 5)]).toEqual([
		'field 0  1',
		'field 5  2',
	]);
	expect(evaluated).toHaveLength(2);
});

test('a parameter that is nothing is resolved once, too', () => {
	let count = 0;
	const context = { getNode: () => NODE, getNodeParameter: () => void count++ };
	const parameters = SavedParameters.ofAction(context as unknown as IExecuteFunctions);
	parameters.resolve('field', 0);
	parameters.resolve('field', 1);
	expect(count).toBe(1);
});

test('those of a trigger are resolved without an item', () => {
	const { context, evaluated } = contextOf({ field: 'a' });
	SavedParameters.ofTrigger(context as unknown as IPollFunctions).resolve('field');
	expect(evaluated).toEqual([['field', null]]);
});

test('a parameter is returned as it was saved, with its expression', () => {
	const { context } = contextOf({ field: '={{ $json.a }}' });
	const parameters = SavedParameters.ofAction(context as unknown as IExecuteFunctions);
	expect([parameters.raw('field'), parameters.raw('other')]).toEqual(['={{ $json.a }}', undefined]);
});

test.each([
	['=a', true],
	['a=b', false],
	['', false],
	[[1, '=a'], true],
	[[1, 'a'], false],
	[{ a: { b: ['=c'] } }, true],
	[{ a: 'b' }, false],
	[null, false],
	[undefined, false],
	[7, false],
])('%j has an expression: %j', (value, expected) => {
	expect(hasExpression(value)).toBe(expected);
});
