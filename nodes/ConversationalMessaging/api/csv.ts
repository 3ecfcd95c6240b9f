import Papa from 'papaparse';
import type { Composable, FileStream } from './files';

/** Rows of a CSV text by its header row. */
export interface CsvTable {
	columns: string[];
	rows: Record<string, string>[];
}

/**
 * Reads a CSV text with a header row (RFC 4180: commas, quotes, doubled quotes, line breaks inside quotes). A byte
 * order mark is skipped. A column of any name, `__proto__` too, is an ordinary key of its row.
 */
export function readCsv(text: string): CsvTable {
	const { data } = Papa.parse<string[]>(text.replace(/^\uFEFF/, ''), {
		// Papa Parse would guess from the cells, and guess wrong where they hold tabs or semicolons.
		delimiter: ',',
		skipEmptyLines: true,
	});
	const [columns = [], ...lines] = data;
	return { columns, rows: lines.map((cells) => rowOf(columns, cells)) };
}

/** Writes rows as CSV with a header row, quoted where it has to be. */
export function writeCsv({ columns, rows }: CsvTable): string {
	return Papa.unparse({
		fields: columns,
		data: rows.map((row) => columns.map((column) => row[column] ?? '')),
	});
}

/**
 * Reads a CSV from a stream, row by row: the file is never in memory as a whole.
 *
 * @returns as `readCsv`
 */
export async function readCsvStream(stream: FileStream): Promise<CsvTable> {
	const rows: Record<string, string>[] = [];
	let columns: string[] | undefined;
	// Characters of several bytes may be cut by the pieces of a stream: the stream itself puts them together.
	stream.setEncoding('utf8');
	await new Promise<void>((resolve, reject) => {
		Papa.parse<string[]>(wholeFirstLine(stream), {
			delimiter: ',',
			skipEmptyLines: true,
			step({ data: cells }) {
				if (columns) rows.push(rowOf(columns, cells));
				else
					columns = cells.map((cell, index) => (index === 0 ? cell.replace(/^\uFEFF/, '') : cell));
			},
			complete: () => resolve(),
			error: reject,
		});
	});
	return { columns: columns ?? [], rows };
}

/**
 * The same stream, whose first piece has a whole line: Papa Parse guesses the line ending from it, and guesses wrong
 * where the piece ends before.
 */
function wholeFirstLine(stream: FileStream): FileStream {
	return (stream as unknown as Composable<string>).compose(async function* (pieces) {
		let first: string | undefined = '';
		for await (const piece of pieces) {
			if (first === undefined) {
				yield piece;
				continue;
			}
			first += piece;
			if (!/\n|\r[^\n]/.test(first)) continue;
			yield first;
			first = undefined;
		}
		if (first) yield first;
	}) as FileStream;
}

/** A cell that a line does not have is empty, as it would be in a spreadsheet. */
function rowOf(columns: string[], cells: string[]): Record<string, string> {
	return Object.fromEntries(columns.map((column, index) => [column, cells[index] ?? '']));
}
