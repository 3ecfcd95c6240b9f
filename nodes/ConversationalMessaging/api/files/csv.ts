import type { ParseResult } from 'papaparse';
import { Parser, unparse } from './papaparse';
import { inTurns } from '../base/concurrency';
import { ownValue } from '../response/response';

/** Rows of a CSV by its header row. */
export interface CsvTable {
	columns: string[];
	rows: Record<string, string>[];
}

/** What a file contains. */
interface CsvContent extends CsvTable {
	/** Whether it has characters that could not be read, as �. */
	isDamaged: boolean;
}

/** A file in pieces: bytes, split anywhere. */
type CsvPieces = AsyncIterable<Uint8Array>;

/** Why a file cannot be read as CSV, as a text for the user. */
export class CsvError extends Error {}

/**
 * Reads a CSV with a header row (RFC 4180: quotes, doubled quotes, line breaks inside quotes), piece by piece, so that
 * the file is never in memory as a whole. Commas, semicolons or tabs separate the cells, whichever is the most frequent
 * in the header row.
 *
 * No value is dropped. A column without a name, and a cell beyond the header row, is named by its position
 * (`column3`); a name that occurs twice gets a number (`name_2`).
 *
 * @param charset the encoding, as its response names it; a byte order mark comes first, and UTF-8 last
 * @throws CsvError if a quote is never closed, a row is too long or has too many cells, its rows have far fewer cells
 *   than its header row, or the encoding is unknown
 * @throws whatever the pieces throw
 */
export async function readCsv(pieces: CsvPieces, charset?: string): Promise<CsvContent> {
	const rows: Record<string, string>[] = [];
	let columns: Columns | undefined;
	let isDamaged = false;
	for await (const batch of batchesIn(pieces, charset)) {
		({ isDamaged } = batch);
		for (const cells of batch.cellsOfRows) {
			if (columns) rows.push(columns.rowFrom(cells));
			else columns = new Columns(cells);
		}
	}
	return { columns: columns?.named ?? [], rows, isDamaged };
}

/** The header row of a CSV. */
export interface CsvHeader {
	/** As the file has them. */
	columns: string[];
	/** What separates the cells. */
	separator: string;
}

/** The header row of a CSV, without columns if the file is empty. Reads nothing after it. */
export async function readCsvHeader(pieces: CsvPieces, charset?: string): Promise<CsvHeader> {
	for await (const { cellsOfRows, separator } of batchesIn(pieces, charset)) {
		const [columns] = cellsOfRows;
		if (columns) return { columns, separator };
	}
	return { columns: [], separator: SEPARATORS[0] };
}

/**
 * The number of rows of a CSV without its header row.
 *
 * @throws CsvError if a quote is never closed, or if its encoding is neither UTF-8 nor shown by a byte order mark
 * @throws whatever the pieces throw
 */
export async function countRows(pieces: CsvPieces): Promise<number> {
	let count = 0;
	for await (const { cellsOfRows } of batchesIn(pieces)) count += cellsOfRows.length;
	return Math.max(0, count - 1);
}

/** Writes rows as CSV with a header row, with quotes where needed. A cell that a row does not have is empty. */
export async function writeCsv(
	{ columns, rows }: CsvTable,
	separator: string = SEPARATORS[0],
): Promise<string> {
	const lineOf = (cells: string[]) => unparse([cells], { delimiter: separator });
	const lines = [lineOf(columns)];
	for await (const row of inTurns(rows))
		lines.push(lineOf(columns.map((column) => ownValue(row, column) ?? '')));
	return lines.join('\r\n');
}

/** What may separate the cells, the usual one first. */
const SEPARATORS = [',', ';', '\t'] as const;

/** The longest row, in characters: it is in memory as a whole. */
export const MAX_ROW_LENGTH = 16 * 1024 * 1024;

/** As many columns as a spreadsheet has. */
export const MAX_COLUMNS = 16_384;

/** Rows that a piece of a file completes. */
interface RowBatch {
	cellsOfRows: string[][];
	separator: string;
	/** Whether the file has had characters that could not be read. */
	isDamaged: boolean;
}

/**
 * The rows of a CSV in batches. Empty lines are skipped. Rows end in CRLF or LF, even mixed, or all of them in CR.
 * A CR at the end of the last cell of a row is part of the line end, even in quotes.
 *
 * @throws CsvError if a quote is never closed, or a row is too long or has too many cells
 */
async function* batchesIn(pieces: CsvPieces, charset?: string): AsyncGenerator<RowBatch> {
	let text = '';
	let isDamaged = false;
	let format: Format | undefined;
	let rescanAt = 0;
	let count = 0;
	for await (const more of textsIn(pieces, charset)) {
		text += more;
		isDamaged ||= more.includes('\uFFFD');
		// Without a byte order mark, UTF-16 has a zero in each character of the western alphabets.
		if (more.includes('\u0000')) throw new CsvError('it is in UTF-16, or is not a text file');
		// A row longer than a piece is scanned again when the text has doubled, not with every piece, so that the
		// time stays linear in the length of the file.
		if (text.length < rescanAt) continue;
		format ??= formatOf(text, true);
		const { data, end } = format ? parseRows(text, format, true) : NOTHING;
		text = text.slice(end);
		rescanAt = end === 0 ? Math.min(text.length * 2, MAX_ROW_LENGTH) : 0;
		const cellsOfRows = filledRows(data, count);
		count += cellsOfRows.length;
		if (end === 0 && text.length >= MAX_ROW_LENGTH)
			throw new CsvError(`row ${count + 1} is too long, or a quote in it is never closed`);
		if (format) yield { cellsOfRows, separator: format.delimiter, isDamaged };
	}
	format ??= formatOf(text, false) as Format;
	const { data, isUnclosed } = parseRows(text, format, false);
	const cellsOfRows = filledRows(data, count);
	if (isUnclosed)
		throw new CsvError(`a quote in row ${count + cellsOfRows.length} is never closed`);
	yield { cellsOfRows, separator: format.delimiter, isDamaged };
}

type Decoder = InstanceType<typeof TextDecoder>;

/** The text of a file, in pieces, without its byte order mark. */
async function* textsIn(pieces: CsvPieces, charset?: string): AsyncGenerator<string> {
	// Joins characters that were split between pieces.
	let decoder: Decoder | undefined;
	let beginning = Buffer.alloc(0);
	for await (const piece of pieces) {
		if (decoder) {
			yield decoder.decode(piece, { stream: true });
			continue;
		}
		beginning = Buffer.concat([beginning, piece]);
		if (beginning.length < MARK_BYTES) continue;
		decoder = decoderOf(beginning, charset);
		yield decoder.decode(beginning, { stream: true });
	}
	yield decoder ? decoder.decode() : decoderOf(beginning, charset).decode(beginning);
}

/** How byte order marks begin, in hexadecimal. */
const MARKS: Record<string, string> = { efbb: 'utf-8', fffe: 'utf-16le', feff: 'utf-16be' };

const MARK_BYTES = 2;

/** @throws CsvError for an encoding that is unknown */
function decoderOf(beginning: Buffer, charset = 'utf-8'): Decoder {
	try {
		return new TextDecoder(MARKS[beginning.toString('hex', 0, MARK_BYTES)] ?? charset);
	} catch {
		// The name is unknown.
	}
	throw new CsvError(`it is in ${charset}, an encoding that cannot be read`);
}

/** How the rows of a file are written. */
interface Format {
	delimiter: string;
	/** A CR before a LF is removed later: line ends may be mixed. */
	newline: '\n' | '\r';
}

/** As the first line shows it; undefined if the text is a part of a file, and may end before its first line does. */
function formatOf(text: string, isPart: boolean): Format | undefined {
	const start = text.trimStart();
	const [line, header = '', carriageReturn] = LINE.exec(start) ?? [];
	if (isPart && line?.length === start.length) return undefined;
	const outsideQuotes = header.replace(/"[^"]*"/g, '');
	const times = (separator: string) => outsideQuotes.split(separator).length;
	const delimiter = SEPARATORS.reduce<string>(
		(best, separator) => (times(separator) > times(best) ? separator : best),
		SEPARATORS[0],
	);
	return { delimiter, newline: carriageReturn ? '\r' : '\n' };
}

/** A line, and the CR that ends it, if that is not the first half of a CRLF. */
const LINE = /^([^\r\n]*)(?:(\r)(?!\n)|\r?\n|$)/;

/** @param before how many rows the file has before these. @throws CsvError if one has too many cells */
function filledRows(data: string[][], before: number): string[][] {
	const filled = data.filter((cells) => cells.length > 1 || cells[0] !== '');
	const wide = filled.findIndex((cells) => cells.length > MAX_COLUMNS);
	if (wide < 0) return filled;
	throw new CsvError(
		`row ${before + wide + 1} has more than ${MAX_COLUMNS.toLocaleString('en-US')} columns`,
	);
}

/** Rows at the beginning of a text. */
interface ParsedRows {
	data: string[][];
	/** How many characters they take up. */
	end: number;
	/** Whether a quote has no second one. */
	isUnclosed: boolean;
}

const NOTHING: ParsedRows = { data: [], end: 0, isUnclosed: false };

/** @param isPart whether more text may follow: then the last row may be incomplete, and is left out */
function parseRows(text: string, format: Format, isPart: boolean): ParsedRows {
	const { data, errors, meta } = new Parser(format).parse(text, 0, isPart) as ParseResult<string[]>;
	for (const cells of data) {
		const last = cells.length - 1;
		if (cells[last]?.endsWith('\r')) cells[last] = cells[last].slice(0, -1);
	}
	return {
		data,
		end: meta.cursor,
		isUnclosed: errors.some(({ code }) => code === 'MissingQuotes'),
	};
}

/** Some programs end every row but the header with a separator. */
function lengthWithoutEmptyEnd(cells: string[]): number {
	let length = cells.length;
	while (cells[length - 1] === '') length--;
	return length;
}

/** A file of kilobytes with a long header row and short rows would otherwise become gigabytes of empty cells. */
export const MAX_MISSING_CELLS = 5_000_000;

/** The names of columns: those of the header row, made unique, and of cells beyond it. */
class Columns {
	private readonly names: string[] = [];

	private readonly inHeader: Set<string>;

	/** How often a name was given. */
	private readonly given = new Map<string, number>();

	/** How many cells of the header row the rows until now did not have. */
	private missing = 0;

	constructor(private readonly header: string[]) {
		this.inHeader = new Set(header);
		this.nameUpTo(header.length);
	}

	/** Those of the header row. */
	get named(): string[] {
		return this.names.slice(0, this.header.length);
	}

	/** A cell that a line does not have is empty. @throws CsvError if the lines lack too many */
	rowFrom(cells: string[]): Record<string, string> {
		this.missing += Math.max(0, this.header.length - cells.length);
		if (this.missing > MAX_MISSING_CELLS)
			throw new CsvError('its rows have far fewer cells than its header row');
		const width = Math.max(this.header.length, lengthWithoutEmptyEnd(cells));
		this.nameUpTo(width);
		const row: Record<string, string> = {};
		for (let index = 0; index < width; index++) {
			const name = this.names[index] as string;
			const value = cells[index] ?? '';
			if (name !== '__proto__') row[name] = value;
			// For `__proto__`: here it is an ordinary key, which an assignment would not create.
			else Object.defineProperty(row, name, { value, enumerable: true, writable: true });
		}
		return row;
	}

	private nameUpTo(width: number): void {
		while (this.names.length < width) {
			const index = this.names.length;
			const name = this.header[index] || `column${index + 1}`;
			let times = (this.given.get(name) ?? 0) + 1;
			const isTaken = (other: string) => this.inHeader.has(other) || this.given.has(other);
			while (times > 1 && isTaken(`${name}_${times}`)) times++;
			this.given.set(name, times);
			const unique = times === 1 ? name : `${name}_${times}`;
			this.given.set(unique, Math.max(1, this.given.get(unique) ?? 0));
			this.names.push(unique);
		}
	}
}
