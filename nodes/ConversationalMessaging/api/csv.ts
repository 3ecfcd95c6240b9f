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
		Papa.parse<string[]>(firstLineFirst(stream), {
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
 * The same stream, whose first piece is the first line: Papa Parse guesses the line ending from the first piece, and
 * guesses wrong where that ends in the middle of a line, a line ending, or a quoted cell.
 */
function firstLineFirst(stream: FileStream): FileStream {
	return (stream as unknown as Composable<string>).compose(async function* (pieces) {
		let head: string | undefined = '';
		for await (const piece of pieces) {
			if (head === undefined) {
				yield piece;
				continue;
			}
			head += piece;
			const end = firstLineEnd(head);
			if (end === undefined) continue;
			yield head.slice(0, end);
			if (end < head.length) yield head.slice(end);
			head = undefined;
		}
		if (head) yield head;
	}) as FileStream;
}

/** Where the second line begins; undefined while that cannot be told. */
function firstLineEnd(text: string): number | undefined {
	let quoted = false;
	for (let index = 0; index < text.length - 1; index++) {
		const char = text[index];
		if (char === '"') quoted = !quoted;
		if (quoted) continue;
		if (char === '\n') return index + 1;
		if (char === '\r') return index + (text[index + 1] === '\n' ? 2 : 1);
	}
	return undefined;
}

/** A cell that a line does not have is empty, as it would be in a spreadsheet. */
function rowOf(columns: string[], cells: string[]): Record<string, string> {
	return Object.fromEntries(columns.map((column, index) => [column, cells[index] ?? '']));
}
