import type { Shown } from '../../api/access/shown';
import { shown } from '../../api/access/shown';
import { inTurns } from '../../api/base/concurrency';
import { namesText } from '../../parameters/values';
import type { ImportField } from './importColumns';
import { IG_ID, layoutOf, WA_ID } from './importColumns';

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
	message: Shown;
	description: Shown;
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
export async function importRows(
	template: string[] | undefined,
	inputs: ImportInput[],
	more: boolean,
): Promise<ImportRows> {
	const layout = layoutOf(template);
	const columnOf = (field: ImportField) =>
		layout.columnOf(field) ?? (more ? field.column : undefined);
	const made: ImportRows = { columns: [], rows: [], empty: [], rejected: [] };
	const used = new Set(layout.columns);
	for await (const [position, { cells }] of inTurns(inputs.entries())) {
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

/**
 * The positions of the inputs with values, but without a WhatsApp ID and an Instagram ID: no contact can be made of them. A
 * column that the user named contains an ID only if it is known to be the template's column for it.
 */
export async function inputsWithoutId(
	template: string[] | undefined,
	inputs: ImportInput[],
): Promise<number[]> {
	const { columnOf } = layoutOf(template);
	const idFields = [WA_ID, IG_ID];
	const idColumns = idFields.flatMap((field) => columnOf(field) ?? []);
	const hasId = ({ cells }: ImportInput): boolean =>
		cells.some(([field]) => idFields.includes(field) || idColumns.includes(columnOf(field) ?? ''));
	const positions: number[] = [];
	for await (const [position, input] of inTurns(inputs.entries()))
		if (input.cells.length > 0 && !hasId(input)) positions.push(position);
	return positions;
}

/** The values of an item by their columns, or why they cannot be imported. */
function rowOf(
	cells: ImportInput['cells'],
	columnOf: (field: ImportField) => string | undefined,
	columns: string[],
): { cells: Map<string, string> } | Omit<RejectedInput, 'position'> {
	const row = new Map<string, string>();
	const homeless: string[] = [];
	for (const [field, value] of cells) {
		const column = columnOf(field);
		if (column === undefined) homeless.push(field.label);
		else if ((row.get(column) ?? value) === value) row.set(column, value);
		else {
			return {
				message: shown`Two fields have different values for the column ${column}`,
				description: shown`Clear one of them.`,
			};
		}
	}
	if (homeless.length === 0) return { cells: row };
	const hasId = [WA_ID, IG_ID].some(({ label }) => homeless.includes(label));
	return {
		message: shown`The service’s import template has no column for ${homeless.join(', ')}`,
		description: shown`Its columns are ${namesText(columns)}. Enter values under these names in More Columns ${hasId ? 'too, keep the ID, and add the option Send Columns Not in Template, or send a CSV File' : 'and clear the other fields, or add the option Send Columns Not in Template'}.`,
	};
}
