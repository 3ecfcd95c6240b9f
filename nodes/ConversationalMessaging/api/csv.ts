/** Rows of a CSV by its header row. */
export interface CsvTable {
	columns: string[];
	rows: Record<string, string>[];
}

/** A file in pieces: bytes in UTF-8, split anywhere. */
export type CsvPieces = AsyncIterable<Uint8Array>;

/** Why a file cannot be read as CSV, as a text for the user. */
export class CsvError extends Error {}

/**
 * Reads a CSV with a header row (RFC 4180: commas, quotes, doubled quotes, line breaks inside quotes), piece by
 * piece, so that the file is never in memory as a whole.
 *
 * No value is dropped. A column without a name, and a cell beyond the header row, is named by its position
 * (`column3`); a name that occurs twice gets a number (`name_2`).
 *
 * @throws CsvError if a quote is never closed
 * @throws whatever the pieces throw
 */
export async function readCsv(pieces: CsvPieces): Promise<CsvTable> {
	const rows: Record<string, string>[] = [];
	let columns: Columns | undefined;
	for await (const batch of rowsOf(pieces)) {
		for (const cells of batch) {
			if (columns) rows.push(recordOf(columns, cells));
			else columns = new Columns(cells);
		}
	}
	return { columns: columns?.first(0) ?? [], rows };
}

/** The unchanged header row of a CSV; [] without one. Reads nothing after it. */
export async function readCsvHeader(pieces: CsvPieces): Promise<string[]> {
	for await (const [header] of rowsOf(pieces)) {
		if (header) return header;
	}
	return [];
}

/**
 * The number of rows of a CSV without its header row. Commas, semicolons or tabs separate the cells, whichever is the most
 * frequent in the first line.
 *
 * @throws CsvError if a quote is never closed, or if it is not in UTF-8
 * @throws whatever the pieces throw
 */
export async function countRows(pieces: CsvPieces): Promise<number> {
	let count = 0;
	for await (const rows of rowsOf(pieces, 'detect')) {
		// UTF-16 has a zero in each character of the western alphabets.
		if (count === 0 && rows[0]?.join('').includes('\u0000'))
			throw new CsvError('it is in UTF-16, or is not a text file');
		count += rows.length;
	}
	return Math.max(0, count - 1);
}

/** Writes rows as CSV with a header row, with quotes where needed. A cell that a row does not have is empty. */
export function writeCsv({ columns, rows }: CsvTable): string {
	const lines = rows.map((row) => columns.map((column) => row[column] ?? ''));
	return [columns, ...lines].map((cells) => cells.map(quoted).join(',')).join('\r\n');
}

/** Spaces at the ends are quoted too, because many readers drop them otherwise. */
function quoted(cell: string): string {
	return /[",\r\n\uFEFF]|^\s|\s$/.test(cell) ? `"${cell.replace(/"/g, '""')}"` : cell;
}

/**
 * The rows of a CSV, in batches: those that a piece completes. Empty lines are skipped.
 *
 * @param separates the code of the character between cells; `detect`: the one that the first line has most of
 */
async function* rowsOf(
	pieces: CsvPieces,
	separates: number | 'detect' = COMMA,
): AsyncGenerator<string[][]> {
	// Joins characters that were split between pieces, and drops a byte order mark.
	const decoder = new TextDecoder();
	let separator = separates === 'detect' ? undefined : separates;
	let text = '';
	let rescanAt = 0;
	let count = 0;
	for await (const piece of pieces) {
		text += decoder.decode(piece, { stream: true });
		// A row longer than a piece is scanned again when the text has doubled, not with every piece, so that the
		// time stays linear in the length of the file.
		if (text.length < rescanAt) continue;
		// Not an empty line before the header row, which may have a piece of its own.
		if (separator === undefined && !/[\r\n]/.test(text.trimStart())) {
			rescanAt = text.length * 2;
			continue;
		}
		separator ??= separatorIn(text);
		const { rows, length } = completeRows(text, separator);
		text = text.slice(length);
		rescanAt = length === 0 ? text.length * 2 : 0;
		count += rows.length;
		yield rows;
	}
	text += decoder.decode();
	// The last row may have no line break. An additional one makes an empty line, which is skipped.
	const end = `${text}\n`;
	const { rows, length } = completeRows(end, separator ?? separatorIn(text));
	yield rows;
	if (length === end.length) return;
	throw new CsvError(`a quote in row ${count + rows.length + 1} is never closed`);
}

/** What separates the cells of a header row: a comma, unless semicolons or tabs are more frequent. */
function separatorIn(text: string): number {
	const line = /^[^\r\n]*/.exec(text.trimStart())?.[0].replace(/"[^"]*"/g, '') ?? '';
	const times = (code: number) => line.split(String.fromCharCode(code)).length;
	return [COMMA, SEMICOLON, TAB].reduce((best, code) => (times(code) > times(best) ? code : best));
}

/**
 * The rows at the beginning of a text that are certainly complete.
 *
 * Rows end in CRLF, LF or CR, even mixed, as in files that were joined from others.
 *
 * @returns the rows and `length`, the number of characters that they take up
 */
function completeRows(text: string, separator: number): { rows: string[][]; length: number } {
	const rows: string[][] = [];
	let cells: string[] = [];
	let length = 0;
	for (let start = 0; ; ) {
		const isQuoted = text[start] === '"';
		const close = isQuoted ? closingQuote(text, start + 1, separator) : start;
		if (close === -1) break;
		const end = separatorFrom(text, close, separator);
		if (end === -1) break;
		cells.push(
			isQuoted ? text.slice(start + 1, close).replace(/""/g, '"') : text.slice(start, end),
		);
		start = end + 1;
		if (text.charCodeAt(end) === separator) continue;
		if (text[end] === '\r') {
			// May be the first half of a CRLF.
			if (start === text.length) break;
			if (text[start] === '\n') start++;
		}
		if (cells.length > 1 || cells[0] !== '') rows.push(cells);
		cells = [];
		length = start;
	}
	return { rows, length };
}

/**
 * Where a quoted cell ends: at a quote with only spaces between it and the next separator. Any other quote belongs to
 * the cell, whether it is correctly doubled or not.
 *
 * @returns -1 if the end is not in the text
 */
function closingQuote(text: string, from: number, separator: number): number {
	for (let quote = text.indexOf('"', from); quote !== -1; ) {
		let next = quote + 1;
		if (text[next] === '"') {
			quote = text.indexOf('"', next + 1);
			continue;
		}
		while (text[next] === ' ') next++;
		if (separatorFrom(text, next, separator, next + 1) === next) return quote;
		quote = text.indexOf('"', next);
	}
	return -1;
}

const COMMA = 0x2c;
const SEMICOLON = 0x3b;
const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;

/** The next separator or line break; -1 if there is none before `end`. */
function separatorFrom(text: string, start: number, separator: number, end = text.length): number {
	for (let index = start; index < end; index++) {
		const code = text.charCodeAt(index);
		if (code === separator || code === LF || code === CR) return index;
	}
	return -1;
}

/** A cell that a line does not have is empty. */
function recordOf(columns: Columns, cells: string[]): Record<string, string> {
	const record: Record<string, string> = {};
	columns.first(lengthWithoutEmptyEnd(cells)).forEach((name, index) => {
		const value = cells[index] ?? '';
		if (name !== '__proto__') record[name] = value;
		// For `__proto__`: here it is an ordinary key, which an assignment would not create.
		else Object.defineProperty(record, name, { value, enumerable: true, writable: true });
	});
	return record;
}

/** Some programs end every row but the header with a comma. */
function lengthWithoutEmptyEnd(cells: string[]): number {
	let length = cells.length;
	while (cells[length - 1] === '') length--;
	return length;
}

/** The names of columns: those of the header row, made unique, and of cells beyond it. */
class Columns {
	private readonly known = new Map<number, string[]>();

	constructor(private readonly header: string[]) {}

	/** The names of the header row, and of more columns if a row has more. */
	first(count: number): string[] {
		const width = Math.max(count, this.header.length);
		const names = this.known.get(width) ?? uniqueNames(this.header, width);
		this.known.set(width, names);
		return names;
	}
}

function uniqueNames(header: string[], width: number): string[] {
	const taken = new Set(header);
	const given = new Map<string, number>();
	return Array.from({ length: width }, (_, index) => {
		const name = header[index] || `column${index + 1}`;
		let times = (given.get(name) ?? 0) + 1;
		while (times > 1 && (taken.has(`${name}_${times}`) || given.has(`${name}_${times}`))) times++;
		given.set(name, times);
		if (times === 1) return name;
		given.set(`${name}_${times}`, 1);
		return `${name}_${times}`;
	});
}
