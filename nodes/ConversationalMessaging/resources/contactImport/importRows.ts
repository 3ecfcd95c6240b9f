import { isBlank } from '../../parameters/values';
import type { BatchItem, RejectedItems, Settings, UnusableValue } from '../../runner/oldBatch';
import { differingSetting, itemNumbers, unusableValues } from '../../runner/oldBatch';
import type { ImportField } from './importColumns';
import { IG_ID, layoutOf, NAME, WA_ID } from './importColumns';

/** What an input item contributes to the import that all items make. */
export interface ImportInput {
	/** Its index in the input, from 0. */
	itemIndex: number;
	/** Its values with their fields; empty fields are left out. */
	cells: [ImportField, string][];
	/** Values that their fields cannot accept. */
	unusable: UnusableValue[];
	/** What must be the same for all items, by the names on screen. */
	settings: Settings;
}

/** Why there is no import: what happened, and what to do. */
export interface Rejection {
	message: string;
	description: string;
}

/** The rows of the file. */
export interface ImportRows {
	columns: string[];
	rows: Record<string, string>[];
	/** Items without any value, which are left out. */
	empty: number[];
}

const ONE_FOR_ALL =
	'All input items make one import, so use the same value for all of them, e.g. from the first item of an earlier node.';

/** Checks whether the items can be one import: the same settings, and values that their columns can accept. */
export function checkImport(items: BatchItem<ImportInput>[]): RejectedItems[] {
	const all = items.map(({ index, input }) => ({ index, ...input }));
	const difference = differingSetting(all, ONE_FOR_ALL);
	if (difference) return [difference];
	return unusableValues(all);
}

/**
 * The rows of the items in the columns of the service's import template.
 *
 * @param template the columns of the template; undefined if it could not be read
 * @param more whether values without a column in the template get an extra one
 */
export function importRows(
	template: string[] | undefined,
	inputs: ImportInput[],
	more: boolean,
): ImportRows | Rejection {
	const filled = inputs.filter(({ cells }) => cells.length > 0);
	if (filled.length === 0) {
		return {
			message: 'No input item has a value for any column',
			description: 'Check the expressions in Name, WhatsApp ID, Instagram ID and More Columns.',
		};
	}
	const fields = fieldsIn(filled);
	const layout = layoutOf(
		template,
		[...fields.values()].map(({ field }) => field),
	);
	const columnOf = new Map([...fields.keys()].map((key, index) => [key, layout.columnOf[index]]));
	const others = [...fields].filter(
		([key, { items }]) => items.length > 0 && columnOf.get(key) === undefined,
	);
	if (others.length > 0 && !more) {
		const used = others.map(([, field]) => field);
		return withoutColumn(used, layout.columns);
	}
	for (const [key, { field }] of others) columnOf.set(key, field.column);

	const rows: Record<string, string>[] = [];
	for (const { itemIndex, cells } of filled) {
		const row = new Map<string, string>();
		for (const [field, value] of cells) {
			const column = columnOf.get(keyOf(field)) as string;
			if ((row.get(column) ?? value) !== value) return twice(column, itemIndex);
			row.set(column, value);
		}
		rows.push(Object.fromEntries(row));
	}
	const columns = [...layout.columns, ...new Set(others.map(([, { field }]) => field.column))];
	const empty = inputs.filter(({ cells }) => cells.length === 0);
	return { columns, rows, empty: empty.map(({ itemIndex }) => itemIndex) };
}

interface UsedField {
	field: ImportField;
	/** The items that have a value for it. */
	items: number[];
}

/** The node's own field and a user's column with the same name are two fields. */
const keyOf = ({ label, column }: ImportField): string => `${label}\n${column}`;

/** The node's own fields, used or not, and the columns that the user named. */
function fieldsIn(inputs: ImportInput[]): Map<string, UsedField> {
	const fields = new Map<string, UsedField>();
	for (const field of [NAME, WA_ID, IG_ID]) fields.set(keyOf(field), { field, items: [] });
	for (const { itemIndex, cells } of inputs) {
		for (const [field] of cells) {
			const known = fields.get(keyOf(field));
			if (known) known.items.push(itemIndex);
			else fields.set(keyOf(field), { field, items: [itemIndex] });
		}
	}
	return fields;
}

function withoutColumn(fields: UsedField[], columns: string[]): Rejection {
	const named = fields.map(({ field, items }) => `${field.label} (${itemNumbers(items)})`);
	return {
		message: `The service’s import template has no column for ${named.join(', ')}`,
		description: `Its columns are ${columns.join(', ')}. Enter values under these names in More Columns and clear the other fields, or add the option Send Columns Not in Template.`,
	};
}

function twice(column: string, itemIndex: number): Rejection {
	return {
		message: `Two fields have different values for the column ${column} (item ${itemIndex})`,
		description: 'Clear one of them. Item numbers start at 0.',
	};
}

/** Reads a value for a column: text unchanged, a number or a boolean as text. */
export function addCell(
	input: ImportInput,
	field: ImportField,
	value: unknown,
	read: (value: unknown) => { value?: string; expected?: string },
): void {
	if (isBlank(value)) return;
	const reading = read(value);
	if (reading.value !== undefined) input.cells.push([field, reading.value]);
	else {
		const expected = reading.expected ?? 'another value';
		input.unusable.push({ label: field.label, expected, value });
	}
}
