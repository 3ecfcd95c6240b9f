import type { Shown } from '../../api/access/shown';
import { shown } from '../../api/access/shown';
import { inTurns } from '../../api/base/concurrency';
import type { NumberCountry } from '../../parameters/customer';
import { readWhatsAppId } from '../../parameters/customer';
import type { ReadResult } from '../../parameters/values';
import { formatValue, namesText } from '../../parameters/values';
import type { ImportField, Layout } from './importColumns';
import { IG_ID, layoutOf, OWN_FIELDS, WA_ID } from './importColumns';

/** What an input item contributes to the import that all items make. */
export interface ImportInput {
	/** Its index in the input, from 0. */
	itemIndex: number;
	/** Its values with their fields; empty fields are left out. */
	cells: [ImportField, string][];
	/** Where its numbers without a country code are from. */
	country?: NumberCountry;
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
	/** Those of other inputs without a WhatsApp ID and an Instagram ID: no contact can be made of them. */
	withoutId: number[];
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
	const made: ImportRows = { columns: [], rows: [], empty: [], withoutId: [], rejected: [] };
	const used = new Set(layout.columns);
	// What the user named is an ID only if it is known to be the template's column for it.
	const idColumns = ID_FIELDS.map(layout.columnOf);
	const isId = (field: ImportField): boolean =>
		ID_FIELDS.includes(field) || idColumns.includes(layout.columnOf(field) ?? '');
	for await (const [position, input] of inTurns(inputs.entries())) {
		const row = rowOf(input, layout, more);
		if (input.cells.length === 0) made.empty.push(position);
		else if (!input.cells.some(([field]) => isId(field))) made.withoutId.push(position);
		else if ('message' in row) made.rejected.push({ position, ...row });
		else {
			for (const [column] of row.cells) used.add(column);
			made.rows.push(Object.fromEntries(row.cells));
		}
	}
	return { ...made, columns: [...used] };
}

const ID_FIELDS: readonly ImportField[] = [WA_ID, IG_ID];

/** The values of an item by their columns, or why they cannot be imported. */
function rowOf(
	input: ImportInput,
	{ columns, columnOf }: Layout,
	more: boolean,
): { cells: Map<string, string> } | Omit<RejectedInput, 'position'> {
	const row = new Map<string, string>();
	const homeless: string[] = [];
	for (const [field, entered] of input.cells) {
		const column = columnOf(field) ?? (more ? field.column : undefined);
		if (column === undefined) {
			homeless.push(field.label);
			continue;
		}
		const isOwn = OWN_FIELDS.includes(field);
		const reading = isOwn ? { value: entered } : readNamed(entered, column, columnOf(WA_ID), input);
		if (reading.value === undefined) {
			const reason = reading.because === undefined ? '' : `: ${reading.because}`;
			return {
				message: shown`The column ${column} expects ${reading.expected}, but got ${formatValue(entered)}${reason}`,
				description: shown`Check the value, or the expression that returns it.`,
			};
		}
		if ((row.get(column) ?? reading.value) !== reading.value) {
			return {
				message: shown`Two fields have different values for the column ${column}`,
				description: shown`Clear one of them.`,
			};
		}
		row.set(column, reading.value);
	}
	if (homeless.length === 0) return { cells: row };
	const hasId = ID_FIELDS.some(({ label }) => homeless.includes(label));
	return {
		message: shown`The service’s import template has no column for ${homeless.join(', ')}`,
		description: shown`Its columns are ${namesText(columns)}. Enter values under these names in More Columns ${hasId ? 'too, keep the ID, and add the option Send Columns Not in Template, or send a CSV File' : 'and clear the other fields, or add the option Send Columns Not in Template'}.`,
	};
}

/**
 * A value for a column that the user named. In the template's column for phone numbers, it is read as WhatsApp ID is. If nobody
 * knows which column that is, the one with the same number is.
 *
 * @param numberColumn the template's column for phone numbers; undefined if it has an unknown name
 */
function readNamed(
	entered: string,
	column: string,
	numberColumn: string | undefined,
	{ cells, country }: ImportInput,
): ReadResult<string> {
	if (column === numberColumn) return readWhatsAppId(entered, country);
	const [, number] = numberColumn ? [] : (cells.find(([field]) => field === WA_ID) ?? []);
	const isSame = number !== undefined && readWhatsAppId(entered, country).value === number;
	return { value: isSame ? number : entered };
}
