import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { Parameters } from '../../nodes/ConversationalMessaging/parameters/parameters.ts';
import { SavedParameters } from '../../nodes/ConversationalMessaging/parameters/savedParameters.ts';
import { NODE } from './node.mts';

/** A field as its operation describes it. */
export const field = (name: string, more: Partial<INodeProperties> = {}): INodeProperties => ({
	displayName: name,
	name,
	type: 'string',
	default: '',
	...more,
});

/** Several values to choose from. */
export const choices = (...values: string[]) => values.map((value) => ({ name: value, value }));

/**
 * The parameters of an item.
 *
 * @param values what the expressions return
 * @param saved what the user saved in the node; the same, if there are no expressions
 * @param more what else the item has
 */
export function parametersOf(
	fields: INodeProperties[],
	values: Record<string, unknown>,
	saved: Record<string, unknown> = values,
	more: object = {},
): Parameters {
	const context = {
		getNode: () => ({ ...NODE, parameters: saved }),
		getNodeParameter: (name: string, _item: number, fallback: unknown) => values[name] ?? fallback,
		getInputData: () => [{ json: {} }],
		getTimezone: () => 'Europe/Berlin',
		...more,
	} as unknown as IExecuteFunctions;
	return new Parameters(context, 0, fields, SavedParameters.ofAction(context));
}
