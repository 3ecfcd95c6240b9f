import type { IDataObject } from 'n8n-workflow';
import { readWhatsAppId } from '../../parameters/phone';
import { isBlank, readVerbatim } from '../../parameters/values';
import { listedValues } from '../../runner/oldBatch';

/** What an input item contributes if all items make one broadcast. */
export interface AudienceInput {
	/** The item's index in the input, from 0. */
	itemIndex: number;
	numbers?: string[];
	/** Values that are not phone numbers; undefined for an empty one. */
	unusable?: unknown[];
	/** The item's fields, for the columns of a CSV. */
	row?: IDataObject;
}

/** Rows of a CSV, or why there are none. */
export interface CsvRows {
	/** Without those of items that have no valid phone number. */
	rows: Record<string, string>[];
	/** The item of each row, by its index in the input. */
	itemIndexes: number[];
	/** Rows that equal an earlier one in every column, and are not among `rows`. */
	duplicates: number;
	/** Items without a valid phone number: their index and the value. */
	unusable: [index: number, value: unknown][];
	rejected?: { message: string; description: string };
}

/**
 * The fields of input items in the columns of a template's CSV. Phone numbers become digits. A row that
 * equals another in every column is sent once, so that nobody receives the same message twice.
 *
 * @param columns in their order
 * @param phoneColumn the one with the phone numbers, if it is recognized
 */
export function csvRows(
	columns: string[],
	inputs: AudienceInput[],
	phoneColumn: string | undefined,
): CsvRows {
	const items = inputs.map(({ itemIndex, row = {} }) => ({ itemIndex, row }));
	const rows = new Map<string, Record<string, string>>();
	const itemIndexes: number[] = [];
	const unusable: [number, unknown][] = [];
	let duplicates = 0;
	for (const { itemIndex, row } of items) {
		const cells = Object.fromEntries(columns.map((column) => [column, cell(row[column])]));
		if (phoneColumn !== undefined) {
			const number = readWhatsAppId(row[phoneColumn]).value;
			if (number === undefined) {
				unusable.push([itemIndex, row[phoneColumn]]);
				continue;
			}
			cells[phoneColumn] = number;
		}
		const id = JSON.stringify(columns.map((name) => cells[name]));
		if (rows.has(id)) {
			duplicates++;
			continue;
		}
		rows.set(id, cells);
		itemIndexes.push(itemIndex);
	}
	const rejected =
		lackingColumn(columns, items) ??
		unusableCell(columns, items) ??
		unusableNumbers(phoneColumn, unusable);
	return {
		rows: [...rows.values()],
		itemIndexes,
		duplicates,
		unusable,
		rejected,
	};
}

function unusableNumbers(phoneColumn = '', unusable: [index: number, value: unknown][]) {
	if (unusable.length === 0) return undefined;
	const items = unusable.length === 1 ? '1 input item' : `${unusable.length} input items`;
	return {
		message: `The field ${phoneColumn} has no valid phone number in ${items}: ${listedValues(unusable)}`,
		description:
			'Enter phone numbers with country code and no leading 0. Spreadsheets shorten long numbers: format the column as text. Item numbers start at 0.',
	};
}

type Item = { itemIndex: number; row: IDataObject };

function lackingColumn(columns: string[], items: Item[]) {
	const lacking = columns.find((column) => items.every(({ row }) => row[column] === undefined));
	if (lacking === undefined) return undefined;
	return {
		message: `No input item has the field ${lacking}`,
		description: `The template needs the fields ${columns.join(', ')}. Rename the fields in an earlier node.`,
	};
}

/** A list, an object or a date cannot be a cell: as text it would be "[object Object]". */
function unusableCell(columns: string[], items: Item[]) {
	for (const column of columns) {
		const isUnusable = (value: unknown) =>
			!isBlank(value) && readVerbatim(value).expected !== undefined;
		const entries = items
			.filter(({ row }) => isUnusable(row[column]))
			.map(({ itemIndex, row }) => [itemIndex, row[column]] as const);
		if (entries.length === 0) continue;
		return {
			message: `The field ${column} expects one value, but got ${listedValues(entries)}`,
			description: 'Set the field to text or a number in an earlier node. Item numbers start at 0.',
		};
	}
	return undefined;
}

const cell = (value: unknown): string => (isBlank(value) ? '' : (readVerbatim(value).value ?? ''));
