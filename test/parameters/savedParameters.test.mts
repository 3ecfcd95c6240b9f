import type { IExecuteFunctions } from 'n8n-workflow';
import { SavedParameters } from '../../nodes/ConversationalMessaging/parameters/savedParameters.ts';
import { NODE } from '../support/node.mts';

/** The items for which n8n evaluates a parameter that was saved like this, while it is read for two items. */
function evaluatedFor(saved: unknown): number[] {
	const items: number[] = [];
	const context = {
		getNode: () => ({ ...NODE, parameters: { field: saved } }),
		getNodeParameter: (_name: string, item: number) => void items.push(item),
	};
	const parameters = SavedParameters.ofAction(context as unknown as IExecuteFunctions);
	for (const item of [0, 5]) parameters.resolve('field', item);
	return items;
}

test.each<[saved: unknown]>([['a=b'], [{ mode: 'id', value: 'a' }], [[1, { b: 'a' }]], [null]])(
	'a parameter without an expression, %j, is evaluated once for all items',
	(saved) => {
		expect(evaluatedFor(saved)).toStrictEqual([0]);
	},
);

test.each<[saved: unknown]>([['=a'], [{ mode: 'id', value: '=a' }], [[1, { b: ['=a'] }]]])(
	'a parameter with an expression, %j, is evaluated for each item',
	(saved) => {
		expect(evaluatedFor(saved)).toStrictEqual([0, 5]);
	},
);
