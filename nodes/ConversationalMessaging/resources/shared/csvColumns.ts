import type { INodeProperties, NodeOperationError } from 'n8n-workflow';
import { textField } from '../../descriptions/basicFields';
import { entriesField } from '../../descriptions/entries';
import { shown } from '../../api/access/shown';
import type { Parameters } from '../../parameters/parameters';
import {
	type ReadResult,
	formatValue,
	isBlank,
	readText,
	readVerbatim,
	withText,
} from '../../parameters/values';

/** A column of a CSV that is made from items, as the user or a field of the node names it. */
export interface Column {
	/** As the user wrote it, perhaps in another spelling; that of a field, if there is no template. */
	name: string;
	/** The name of the field on screen. */
	field?: string;
	/** Other usual names of a field's column, in small letters and digits, the most certain first. */
	synonyms?: readonly string[];
	/** Whether its values have been read as phone numbers. */
	isNumber?: boolean;
}

/** A value for a column, as it was entered. */
export type Cell = [column: Column, value: unknown];

/** A field where the user maps values to columns of a template. */
export const columnsField = (
	texts: Pick<INodeProperties, 'displayName' | 'name' | 'description'>,
): INodeProperties =>
	entriesField({
		...texts,
		noun: 'Column',
		saved: 'column',
		title: '$collection.item.value.name',
		values: [
			textField('Name', 'name', { description: 'Name of the column in the service’s template' }),
			textField('Value', 'value', {
				description:
					'Value for the column, usually an expression that reads a field of the input item',
			}),
		],
	});

/** What such a field has. @throws NodeOperationError for a value without a column, or one that no cell can have */
export function readColumns(parameters: Parameters, field: string): Cell[] {
	return parameters.groups(field).flatMap((entry): Cell[] => {
		const value = entry.raw('value');
		const name = readText(entry.raw('name')).value ?? '';
		if (name === '' && value === undefined) return [];
		if (name === '') {
			throw parameters.invalid(
				shown`A value under ${parameters.label(field)} has no column name`,
				'Enter the name of the column.',
			);
		}
		const reading = readCell(value);
		if (reading.value !== undefined) return [[{ name }, reading.value]];
		throw invalidCell(parameters, name, value, reading);
	});
}

/** A value as a cell: '' if it is empty. */
export const readCell = (value: unknown): ReadResult<string> =>
	isBlank(value) ? { value: '' } : withText(readVerbatim(value));

/** The error for a value that a column cannot have. */
export const invalidCell = (
	reader: Pick<Parameters, 'invalid'>,
	column: string,
	value: unknown,
	{ expected = '', because }: ReadResult<string>,
): NodeOperationError =>
	reader.invalid(
		shown`The column ${column} expects ${expected}, but got ${formatValue(value)}${because === undefined ? '' : `: ${because}`}`,
		'Check the value, or the expression that returns it.',
	);

export interface Layout {
	columns: string[];
	/** What a column is called there; undefined if the template does not have it. */
	columnOf: (column: Column) => string | undefined;
}

/**
 * Finds columns in the header row of a template: by name, else in another spelling, else under another usual name. The names are
 * undocumented, so the service's own template decides (API document, `GET /contacts/import-template` and
 * `GET /broadcasts/csv-template`). What could be either of two columns is neither.
 */
export function layoutOf(columns: string[]): Layout {
	const exact = new Set(columns);
	const spelled = byKey(columns, letters);
	const bare = byKey(columns, withoutBrackets);
	const columnOf: Layout['columnOf'] = ({ name, synonyms = [] }) => {
		if (exact.has(name)) return name;
		const found = [letters(name), ...synonyms].map((key) => spelled.get(key) ?? bare.get(key));
		// Never without brackets on both sides: "Body (1)" is not "body (2)".
		found.push(spelled.get(withoutBrackets(name)));
		return found.find((column) => column !== undefined);
	};
	return { columns, columnOf };
}

/** The columns by what their names have in common with other spellings; undefined for what several have. */
function byKey(columns: string[], keyOf: (column: string) => string) {
	const found = new Map<string, string | undefined>();
	for (const column of columns) {
		const key = keyOf(column);
		if (key !== '') found.set(key, found.has(key) ? undefined : column);
	}
	return found;
}

/** Whether two names are the same, but for case, spaces and signs. */
export const isSameColumn = (one: string, other: string): boolean =>
	one === other || (letters(one) !== '' && letters(one) === letters(other));

/** "WhatsApp ID *" as "whatsappid". */
const letters = (text: string): string =>
	text
		.normalize('NFKC')
		.toLowerCase()
		.replace(/[^\p{L}\p{N}]/gu, '');

/** "Phone (with country code)" as "phone". */
const withoutBrackets = (text: string): string =>
	letters(text.replace(/\([^()]*\)|\[[^[\]]*\]/g, ''));
