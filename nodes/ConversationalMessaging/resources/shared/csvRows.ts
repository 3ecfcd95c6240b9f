import type { NodeOperationError } from 'n8n-workflow';
import { shown } from '../../api/access/shown';
import { inTurns } from '../../api/base/concurrency';
import { readWhatsAppId, type NumberCountry } from '../../parameters/customer';
import { type ReadResult, isBlank } from '../../parameters/values';
import type { OperationContext } from '../../runner/operationContext';
import { type Cell, type Column, type Layout, invalidCell, readCell } from './csvColumns';

/** What an input item contributes to a CSV that all items make. */
export interface ItemCells {
	/** The item's index in the input, from 0. */
	itemIndex: number;
	cells: Cell[];
	/** Where its numbers without a country code are from. */
	country?: NumberCountry;
}

interface CsvRules {
	layout: Layout;
	/** The column for phone numbers: what the user maps to it is read as one. */
	numbers: Column;
	/** An item has a row if it has a value for one of these. */
	required: readonly Column[];
	/** Why it has none otherwise. */
	lacking: NodeOperationError;
	/** The same if the template lacks columns for its values; undefined if they get extra ones. */
	noColumn?: (columns: Column[]) => NodeOperationError;
}

/** The values of an item by their columns. */
export type CsvRow = Record<string, string>;

/**
 * The rows of items in the columns of a template, and in extra ones.
 *
 * @throws NodeOperationError for an item that cannot have a row, unless the node continues on fail
 */
export async function csvRows(
	context: Pick<OperationContext, 'failItem' | 'invalid'>,
	inputs: readonly ItemCells[],
	rules: CsvRules,
): Promise<{ columns: string[]; rows: CsvRow[] }> {
	const { columns, columnOf } = rules.layout;
	const all = new Set(columns);
	const rows: CsvRow[] = [];
	// What the user named is required only if it is known to be the template's column.
	const required = rules.required.map(columnOf);
	const isRequired = ([column, value]: Cell): boolean =>
		!isBlank(value) &&
		(rules.required.includes(column) || required.includes(columnOf(column) ?? ''));
	for await (const [position, input] of inTurns(inputs.entries())) {
		const row = input.cells.some(isRequired) ? rowOf(context, input, rules) : rules.lacking;
		if (row instanceof Map) {
			for (const column of row.keys()) all.add(column);
			rows.push(Object.fromEntries(row));
		} else context.failItem(position, row);
	}
	return { columns: [...all], rows };
}

function rowOf(
	context: Pick<OperationContext, 'invalid'>,
	input: ItemCells,
	{ layout, numbers, noColumn }: CsvRules,
): Map<string, string> | NodeOperationError {
	const numberColumn = layout.columnOf(numbers);
	const row = new Map<string, string>();
	const missing: Column[] = [];
	for (const [column, value] of input.cells) {
		const name = layout.columnOf(column) ?? (noColumn ? undefined : column.name);
		if (name === undefined) {
			if (!isBlank(value)) missing.push(column);
			continue;
		}
		const reading = column.isNumber ? readCell(value) : readNamed(value, name, numberColumn, input);
		if (reading.value === undefined) return invalidCell(context, name, value, reading);
		const known = row.get(name) || reading.value;
		if (reading.value !== '' && reading.value !== known) {
			return context.invalid(
				shown`Two fields have different values for the column ${name}`,
				'Clear one of them.',
			);
		}
		row.set(name, known);
	}
	return noColumn && missing.length > 0 ? noColumn(missing) : row;
}

/**
 * A value for a column that the user named. In the template's column for phone numbers, it is read as one. If nobody knows which
 * column that is, the one with the same number is.
 */
function readNamed(
	value: unknown,
	column: string,
	numberColumn: string | undefined,
	{ cells, country }: ItemCells,
): ReadResult<string> {
	if (isBlank(value)) return { value: '' };
	if (column === numberColumn) return readWhatsAppId(value, country);
	const [, number] = numberColumn ? [] : (cells.find(([{ isNumber }]) => isNumber) ?? []);
	const isSame = number !== undefined && readWhatsAppId(value, country).value === number;
	return readCell(isSame ? number : value);
}
