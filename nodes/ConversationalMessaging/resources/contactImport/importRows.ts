import { namesText } from '../../parameters/values';
import type { ImportField } from './importColumns';
import { IG_ID, layoutOf, NAME, WA_ID } from './importColumns';

/** What an input item contributes to the import that all items make. */
export interface ImportInput {
	/** Its index in the input, from 0. */
	itemIndex: number;
	/** Its values with their fields; empty fields are left out. */
	cells: [ImportField, string][];
}

/** An item that cannot be imported: what happened, and what to do. */
interface RejectedInput {
	/** Its position among the inputs. */
	position: number;
	message: string;
	description: string;
}

/** The rows of the file. */
interface ImportRows {
	columns: string[];
	rows: Record<string, string>[];
	/** The positions of the inputs without any value, which are left out. */
	empty: number[];
	rejected: RejectedInput[];
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
): ImportRows {
	const fields = usedFields(inputs);
	const layout = layoutOf(template, [...fields.values()]);
	const columnOf = new Map<string, string>();
	for (const [index, [key, { column }]] of [...fields].entries()) {
		const found = layout.columnOf[index] ?? (more ? column : undefined);
		if (found !== undefined) columnOf.set(key, found);
	}
	const made: ImportRows = { columns: [], rows: [], empty: [], rejected: [] };
	const used = new Set(layout.columns);
	for (const [position, { cells }] of inputs.entries()) {
		const row = rowOf(cells, columnOf, layout.columns);
		if (cells.length === 0) made.empty.push(position);
		else if ('message' in row) made.rejected.push({ position, ...row });
		else {
			for (const [column] of row.cells) used.add(column);
			made.rows.push(Object.fromEntries(row.cells));
		}
	}
	return { ...made, columns: [...used] };
}

/** The values of an item by their columns, or why they cannot be imported. */
function rowOf(
	cells: ImportInput['cells'],
	columnOf: Map<string, string>,
	columns: string[],
): { cells: Map<string, string> } | Omit<RejectedInput, 'position'> {
	const homeless = cells.filter(([field]) => !columnOf.has(fieldKey(field)));
	if (homeless.length > 0) {
		return {
			message: `The service’s import template has no column for ${homeless.map(([{ label }]) => label).join(', ')}`,
			description: `Its columns are ${namesText(columns)}. Enter values under these names in More Columns and clear the other fields, or add the option Send Columns Not in Template.`,
		};
	}
	const row = new Map<string, string>();
	for (const [field, value] of cells) {
		const column = columnOf.get(fieldKey(field)) as string;
		if ((row.get(column) ?? value) !== value) {
			return {
				message: `Two fields have different values for the column ${column}`,
				description: 'Clear one of them.',
			};
		}
		row.set(column, value);
	}
	return { cells: row };
}

/** The node's own field and a user's column with the same name are two fields. */
const fieldKey = ({ label, column }: ImportField): string => `${label}\n${column}`;

/** The node's own fields, used or not, and the columns that the user named. */
function usedFields(inputs: ImportInput[]): Map<string, ImportField> {
	const fields = new Map([NAME, WA_ID, IG_ID].map((field) => [fieldKey(field), field]));
	for (const { cells } of inputs) for (const [field] of cells) fields.set(fieldKey(field), field);
	return fields;
}
