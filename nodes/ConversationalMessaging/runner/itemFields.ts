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
	namesText(itemFields(n8n).map(visible)) || 'no fields';

/** What begins many files in UTF-8. n8n leaves it in the name of the first column, where nobody sees it. */
const MARK = '\uFEFF';

const visible = (field: string): string =>
	field.startsWith(MARK)
		? `${field} (after an invisible byte order mark: exclude it in Extract from File)`
		: field;

/** An expression that reads a field of the item: `{{ $json.phone }}`. */
export const expressionFor = (field: string): string =>
	/^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(field)
		? `{{ $json.${field} }}`
		: `{{ $json[${JSON.stringify(field).replace(MARK, String.raw`\ufeff`)}] }}`;
