import type { ParseResult, ParseStepResult } from 'papaparse';
import { Parser, unparse } from './papaparse';
import { inTurns } from '../base/concurrency';
import { ownValue } from '../response/response';

type CsvRow = Record<string, string>;

type CsvPieces = AsyncIterable<Uint8Array>;

/** Why a file cannot be read as CSV, as a text for the user. */
export class CsvError extends Error {}

/**
 * Reads a CSV with a header row (RFC 4180: quotes, doubled quotes, line breaks inside quotes), piece by piece, so that
 * the file is never in memory as a whole. Commas, semicolons or tabs separate the cells, whichever is the most frequent
 * in the header row.
 *
 * No value is dropped. A cell that a row does not have is not in its record: empty ones would turn kilobytes, of a long
 * header row and short rows, into gigabytes.
 *
 * @throws CsvError if a quote is never closed, a row is too long, or the file is not in UTF-8
 */
export async function readCsv(pieces: CsvPieces): Promise<CsvRow[]> {
	const rows: CsvRow[] = [];
	let recordOf: ((cells: string[]) => CsvRow) | undefined;
	for await (const { cellsOfRows } of batchesIn(pieces)) {
		for (const cells of cellsOfRows) {
			if (recordOf) rows.push(recordOf(cells));
			else recordOf = recordsOf(cells);
		}
	}
	return rows;
}

export interface CsvHeader {
	/** As the file has them. */
	columns: string[];
	separator: string;
}

/** The header row of a CSV, without columns if the file is empty. Reads nothing after it. Throws like `readCsv`. */
export async function readCsvHeader(pieces: CsvPieces): Promise<CsvHeader> {
	for await (const { cellsOfRows, separator } of batchesIn(pieces)) {
		const [columns] = cellsOfRows;
		if (columns) return { columns, separator };
	}
	return { columns: [], separator: SEPARATORS[0] };
}

/** The number of rows of a CSV without its header row, in any encoding but UTF-16. Throws like `readCsv`. */
export async function countRows(pieces: CsvPieces): Promise<number> {
	let count = 0;
	for await (const { cellsOfRows } of batchesIn(pieces, false)) count += cellsOfRows.length;
	return Math.max(0, count - 1);
}

/** Writes rows as CSV with a header row, with quotes where needed. A cell that a row does not have is empty. */
export async function writeCsv(
	{ columns, rows }: { columns: string[]; rows: CsvRow[] },
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

/** The longest row, in characters: it is in memory as a whole, and parsed again with each piece of it. */
export const MAX_ROW_LENGTH = 100_000;

interface RowBatch {
	cellsOfRows: string[][];
	separator: string;
}

/**
 * The rows of a CSV in batches. Empty lines are skipped. Rows end in CRLF or LF, even mixed, or all of them in CR.
 * A CR at the end of the last cell of a row is part of the line end, even in quotes.
 */
async function* batchesIn(pieces: CsvPieces, isStrict = true): AsyncGenerator<RowBatch> {
	let text = '';
	let format: Format | undefined;
	let count = 0;
	for await (const more of textsIn(pieces, isStrict)) {
		text += more;
		format ??= formatOf(text.trimStart());
		if (format) {
			const { rows, rest } = completeRows(text, format);
			text = rest;
			const cellsOfRows = rows.map(withoutLineEnd).filter((cells) => cells.length > 1 || cells[0]);
			count += cellsOfRows.length;
			yield { cellsOfRows, separator: format.delimiter };
		}
		if (isTooLong(text, 0, text.length))
			throw new CsvError(`row ${count + 1} is too long, or a quote in it is never closed`);
	}
	if (text.trim() !== '') throw new CsvError(`a quote in row ${count + 1} is never closed`);
}

/** The rows in a text, and what is left of it: a row that may be incomplete, or one that is too long with all that follows. */
function completeRows(text: string, format: Format): { rows: string[][]; rest: string } {
	// No row of it is too long. Row by row takes three times as long.
	if (text.length <= MAX_ROW_LENGTH) {
		const { data, meta } = new Parser(format).parse(text, 0, true) as ParseResult<string[]>;
		return { rows: data, rest: text.slice(meta.cursor) };
	}
	const rows: string[][] = [];
	let end = 0;
	const step = ({ data, meta: { cursor } }: ParseStepResult<string[][]>) => {
		// Once a row is left, each after it is as well.
		if (isTooLong(text, end, cursor - 1)) return;
		end = cursor;
		rows.push(...data);
	};
	new Parser({ ...format, step }).parse(text, 0, true);
	return { rows, rest: text.slice(end) };
}

/** Whether a row is too long, without its line end, of which a CR may be there already. */
const isTooLong = (text: string, start: number, end: number): boolean =>
	end - start > MAX_ROW_LENGTH + Number(text[end - 1] === '\r');

/** The text of a file, in pieces, without a byte order mark, and with a line end after its last row. */
async function* textsIn(pieces: CsvPieces, isStrict: boolean): AsyncGenerator<string> {
	// Joins characters that were split between pieces.
	const decoder = new TextDecoder('utf-8', { fatal: isStrict });
	for await (const piece of pieces) yield decoded(decoder, piece);
	yield `${decoded(decoder)}\r\n`;
}

/** @param piece undefined after the last one */
function decoded(decoder: InstanceType<typeof TextDecoder>, piece?: Uint8Array): string {
	try {
		const text = decoder.decode(piece, { stream: piece !== undefined });
		// In UTF-16, the line ends have one.
		if (!text.includes('\u0000')) return text;
	} catch {
		// In another encoding.
	}
	throw new CsvError('it is not a text in UTF-8');
}

interface Format {
	delimiter: string;
	/** A CR before a LF is removed later: line ends may be mixed. */
	newline: '\n' | '\r';
}

/** As the first line shows it; undefined as long as that may not have ended. */
function formatOf(text: string): Format | undefined {
	const [line, header = ''] = /^([^\r\n]*)(?:\r?\n|\r(?=[^\n]))/.exec(text) ?? [];
	if (line === undefined) return undefined;
	const outsideQuotes = header.replace(/"[^"]*"/g, '');
	const times = (separator: string) => outsideQuotes.split(separator).length;
	const delimiter = SEPARATORS.reduce<string>(
		(best, separator) => (times(separator) > times(best) ? separator : best),
		SEPARATORS[0],
	);
	return { delimiter, newline: line.endsWith('\n') ? '\n' : '\r' };
}

function withoutLineEnd(cells: string[]): string[] {
	const last = cells.at(-1);
	return last?.endsWith('\r') ? [...cells.slice(0, -1), last.slice(0, -1)] : cells;
}

/**
 * Makes records of rows.
 *
 * A column has its own name or, if it has none or an earlier one has the same, one with its position: `column3`,
 * `name_3`. So has `__proto__`, which is no ordinary key of an object.
 */
function recordsOf(header: string[]): (cells: string[]) => CsvRow {
	const own = new Set(header);
	const free = new Set(header.filter((name) => name !== '' && name !== '__proto__'));
	const withPosition = (name: string, index: number): string => {
		let unique = name ? `${name}_${index + 1}` : `column${index + 1}`;
		while (own.has(unique)) unique += '_';
		return unique;
	};
	const names = header.map((name, at) => (free.delete(name) ? name : withPosition(name, at)));
	return (cells) => {
		const record: CsvRow = {};
		for (const [index, cell] of cells.entries()) {
			const name = names[index];
			// Some programs end every row but the header with a separator.
			if (name !== undefined || cell !== '') record[name ?? withPosition('', index)] = cell;
		}
		return record;
	};
}
