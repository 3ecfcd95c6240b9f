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

const ofAction = (parameters: Record<string, unknown>) => {
	const { context, evaluated } = contextOf(parameters);
	const saved = SavedParameters.ofAction(context as unknown as IExecuteFunctions);
	return { saved, evaluated };
};

test.each<[saved: unknown]>([['a'], [{ mode: 'id', value: 'a' }], [['a', { b: 1 }]], [undefined]])(
	'a parameter without an expression, %j, is resolved once for all items',
	(value) => {
		const { saved, evaluated } = ofAction({ field: value });
		expect([saved.resolve('field', 0), saved.resolve('field', 5)]).toEqual([
			'field 0  1',
			'field 0  1',
		]);
		// With a fallback: without one, n8n throws if the parameter is missing.
		expect(evaluated).toEqual([['field', 0, null]]);
	},
);

test('a parameter with an expression is resolved for each item', () => {
	const { saved } = ofAction({ field: ['a', { b: { c: '={{ $json.a }}' } }] });
	expect([saved.resolve('field', 0), saved.resolve('field', 5)]).toEqual([
		'field 0  1',
		'field 5  2',
	]);
});

test('those of a trigger are resolved without an item', () => {
	const { context, evaluated } = contextOf({ field: 'a' });
	SavedParameters.ofTrigger(context as unknown as IPollFunctions).resolve('field');
	expect(evaluated).toEqual([['field', null]]);
});

test('a parameter is returned as it was saved, with its expression', () => {
	const { saved } = ofAction({ field: '={{ $json.a }}' });
	expect([saved.raw('field'), saved.raw('other')]).toEqual(['={{ $json.a }}', undefined]);
});

test.each([
	['=a', true],
	['a=b', false],
	[[1, '=a'], true],
	[{ a: { b: ['=c'] } }, true],
	[null, false],
])('%j has an expression: %j', (value, expected) => {
	expect(hasExpression(value)).toBe(expected);
});
