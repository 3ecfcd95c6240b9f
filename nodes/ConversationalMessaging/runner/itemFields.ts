import type { IExecuteFunctions } from 'n8n-workflow';
import { namesText } from '../parameters/values';

/** How many items are looked at: later ones seldom have other fields. */
const MAX_ITEMS = 100;

/** The names of the fields that the input items have, for messages. */
export function itemFields(n8n: IExecuteFunctions): string[] {
	const items = n8n.getInputData().slice(0, MAX_ITEMS);
	return [...new Set(items.flatMap(({ json }) => Object.keys(json)))];
}

/** "name, phone", for a message about what the items have. */
export const itemFieldsText = (n8n: IExecuteFunctions): string =>
	namesText(itemFields(n8n)) || 'no fields';

/** An expression that reads a field of the item: `{{ $json.phone }}`. */
export const expressionFor = (field: string): string =>
	/^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(field)
		? `{{ $json.${field} }}`
		: `{{ $json[${JSON.stringify(field)}] }}`;
