import { readCsvHeader } from '../nodes/ConversationalMessaging/api/csv.ts';
import type { Names } from './names.mts';
import { isOk, type ListReading, type Reading } from './service.mts';
import { count, say, join, type Shown } from './shown.mts';
import { whyNot } from './observe.mts';

export type CsvColumns =
	| { columns: string[]; seen?: undefined }
	| { columns?: undefined; seen: Shown };

/** A file that a list leads to. */
export interface CsvObserved {
	list: ListReading;
	reading?: Reading;
	file?: CsvColumns;
}

/** The header row of a file, as the nodes read it, or why there is none. */
export async function columnsOf(reading: Reading): Promise<CsvColumns> {
	if (!isOk(reading)) return { seen: whyNot(reading) };
	const { text = '', json } = reading.response ?? {};
	if (json !== undefined && typeof json === 'object') return { seen: say`JSON instead of CSV` };
	if (/^\s*</.test(text)) return { seen: say`HTML instead of CSV` };
	const { columns } = await readCsvHeader(piece(text)).catch(() => ({ columns: [] }));
	return columns.length === 0 ? { seen: say`an empty file` } : { columns };
}

async function* piece(text: string): AsyncGenerator<Uint8Array> {
	yield new TextEncoder().encode(text);
}

/**
 * Columns as a report shows them. A first row that is not certainly a header row is data, and nothing of it is shown.
 *
 * @param isCertain whether one of the columns was recognized
 */
export function shownColumns(
	columns: string[],
	names: Names,
	isCertain = false,
): { isHeader: boolean; seen: Shown } {
	const isHeader = isCertain || isHeaderRow(columns, names);
	const shown = isHeader
		? say`: ${join(columns.map((column) => names.column(column)))}`
		: say`, and the first row is not a header row`;
	return {
		isHeader,
		seen: say`${count(columns.length, 'column')}${shown}`,
	};
}

/** Whether at least half of the cells consist of words that names of columns usually consist of, and none is a number or an address. */
const isHeaderRow = (columns: string[], names: Names): boolean =>
	!columns.some((column) => /@|\d{5}/.test(column)) &&
	columns.filter((column) => names.isUsual(column)).length * 2 >= columns.length;
