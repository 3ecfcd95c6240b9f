import type { CsvRow } from '../../api/csv';
import { CsvError, latin1Bytes, latin1ToText, rawRows, separatorOf } from '../../api/csv';
import type { FileContent } from '../../api/files';
import { readWhatsAppId } from '../../parameters/phone';
import { isBlank } from '../../parameters/values';
import type { CsvFile } from '../../runner/csvUpload';
import type { OperationContext } from '../../runner/operationContext';
import { columnNamed } from './csvColumns';
import type { NumberSet } from './numberSet';
import { RecipientFilter, type Verdict } from './recipientFilter';

/** Who is left out of a CSV file. */
export interface CsvRules {
	/** The column with the phone numbers; undefined leaves nobody out. */
	phoneColumn?: string;
	/** Whether a number is sent to once, by its first row. */
	skipRepeated: boolean;
	/** The numbers to leave out. */
	excluded?: NumberSet;
}

/** What a CSV file contains. */
export interface CsvScan {
	/** The header row, as text. */
	columns: string[];
	/** What separates its cells: a comma, a semicolon or a tab. */
	separator: string;
	/** Rows that are sent without a value in a column of the template, by column. */
	emptyCells: EmptyCells[];
	/** Data rows, whether sent or left out. */
	rows: number;
	/** Rows whose number occurs in an earlier row, whether it is a valid one or not. */
	repeated: number;
	/** Rows whose number is excluded. */
	excluded: number;
	/** Rows that are sent without a valid phone number. */
	invalid: number;
	/** The first of them: the row's number in the file, counted from the header row as 1, and the value. */
	invalidRows: { row: number; value: string }[];
	/** Rows that are sent and whose phone number has spaces or other characters in it. */
	punctuated: number;
	/** What is sent: the header row and all rows but those that were left out. */
	sent: { rows: number; bytes: number };
	/** The first rows that are sent. */
	first: Record<string, string>[];
	/** Why the file cannot be read to its end. */
	unreadable?: string;
}

export interface EmptyCells {
	column: string;
	/** Its position in the row. */
	index: number;
	/** How many rows. */
	count: number;
	/** The first of them, counted from the header row as 1. */
	rows: number[];
}

const MAX_LISTED_ROWS = 10;
const FIRST_ROWS = 3;

/** Bytes per piece of a file that is sent without some rows. */
const PIECE = 65_536;

/** The header row of a CSV file, as text; [] without one, or if it cannot be read. */
export const readColumns = async (
	context: OperationContext,
	content: FileContent,
): Promise<string[]> =>
	await context
		.readFile(content, async (pieces) => {
			for await (const [header] of rawRows(pieces))
				if (header) return header.cells.map(latin1ToText);
			return [];
		})
		.catch((error: unknown) => {
			if (error instanceof CsvError) return [];
			throw error;
		});

/**
 * Reads a CSV file, piece by piece, without changing it.
 *
 * @param template the columns of the template's own CSV, in which every recipient may need a value
 */
export async function scanCsv(
	context: OperationContext,
	content: FileContent,
	rules: CsvRules,
	template: string[] = [],
): Promise<CsvScan> {
	const scan: CsvScan = {
		columns: [],
		separator: ',',
		emptyCells: [],
		rows: 0,
		repeated: 0,
		excluded: 0,
		invalid: 0,
		invalidRows: [],
		punctuated: 0,
		sent: { rows: 0, bytes: 0 },
		first: [],
	};
	await context
		.readFile(content, async (pieces) => {
			for await (const rows of judgedRows(pieces, rules)) {
				for (const row of rows) count(scan, row, template, rules.phoneColumn);
			}
		})
		.catch((error: unknown) => {
			if (!(error instanceof CsvError)) throw error;
			scan.unreadable = error.message;
		});
	const text = scan.columns.join('');
	if (text.includes('\u0000')) scan.unreadable = 'it is in UTF-16, or is not a text file';
	return scan;
}

/** The same file without the rows that the rules leave out; otherwise byte for byte. */
export async function withoutSkippedRows(
	context: OperationContext,
	file: CsvFile,
	rules: CsvRules,
	{ sent }: CsvScan,
): Promise<CsvFile> {
	const { content } = file;
	const keptPiecesOf = (pieces: AsyncIterable<Uint8Array>) => keptPieces(pieces, rules);
	if ('stored' in content)
		return { ...file, content: { ...content, part: { size: sent.bytes, of: keptPiecesOf } } };
	const bytes = new Uint8Array(sent.bytes);
	await context.readFile(content, async (pieces) => {
		let length = 0;
		for await (const piece of keptPiecesOf(pieces)) {
			bytes.set(piece, length);
			length += piece.length;
		}
	});
	return { ...file, content: { bytes } };
}

interface JudgedRow extends CsvRow {
	verdict: Verdict | 'header';
	isSent: boolean;
	/** Whether it has no valid phone number. */
	isInvalid?: boolean;
	/** The value in the column of phone numbers. */
	phone?: string;
}

/** The rows of a file with what becomes of them. The same file and rules always have the same result. */
async function* judgedRows(
	pieces: AsyncIterable<Uint8Array>,
	{ phoneColumn, skipRepeated, excluded }: CsvRules,
): AsyncGenerator<JudgedRow[]> {
	const filter = new RecipientFilter(excluded);
	let phone: number | undefined;
	const judged = (row: CsvRow): JudgedRow => {
		if (phone === undefined) {
			phone = row.cells.findIndex((cell) => latin1ToText(cell) === phoneColumn);
			return { ...row, verdict: 'header', isSent: true };
		}
		const value = row.cells[phone] ?? '';
		// Without a column of phone numbers, nobody is left out.
		if (phone === -1) return { ...row, verdict: 'kept', isSent: true };
		const text = latin1ToText(value);
		const digits = readWhatsAppId(text).value;
		const isInvalid = digits === undefined;
		const verdict = isInvalid ? filter.judgeInvalid(text) : filter.judge(digits);
		const isSent = verdict !== 'excluded' && !(verdict === 'repeated' && skipRepeated);
		return { ...row, verdict, isSent, isInvalid, phone: value };
	};
	for await (const rows of rawRows(pieces)) yield rows.map(judged);
}

function count(scan: CsvScan, row: JudgedRow, template: string[], phoneColumn?: string): void {
	const { cells, text, verdict, isSent } = row;
	if (isSent) scan.sent.bytes += text.length;
	if (verdict === 'header') {
		scan.columns = cells.map(latin1ToText);
		scan.separator = separatorOf(text);
		scan.emptyCells = template
			.flatMap((column) => columnNamed(column, scan.columns) ?? [])
			.filter((column) => column !== phoneColumn)
			.map((column) => ({ column, index: scan.columns.indexOf(column), count: 0, rows: [] }));
		return;
	}
	scan.rows++;
	if (verdict !== 'kept') scan[verdict]++;
	if (isSent) countSent(scan, row);
}

function countSent(scan: CsvScan, { cells, isInvalid, phone }: JudgedRow): void {
	scan.sent.rows++;
	if (isInvalid) {
		scan.invalid++;
		if (scan.invalidRows.length < MAX_LISTED_ROWS)
			scan.invalidRows.push({ row: scan.rows + 1, value: latin1ToText(phone ?? '') });
	} else if (phone !== undefined && !/^\+?\d+$/.test(phone)) scan.punctuated++;
	for (const empty of scan.emptyCells) {
		if (!isBlank(cells[empty.index])) continue;
		empty.count++;
		if (empty.rows.length < MAX_LISTED_ROWS) empty.rows.push(scan.rows + 1);
	}
	if (scan.first.length < FIRST_ROWS)
		scan.first.push(
			Object.fromEntries(
				scan.columns.map((column, index) => [column, latin1ToText(cells[index] ?? '')]),
			),
		);
}

/** The rows that are sent, joined: a piece per row would be slow to send. */
async function* keptPieces(
	pieces: AsyncIterable<Uint8Array>,
	rules: CsvRules,
): AsyncGenerator<Uint8Array> {
	let text = '';
	for await (const rows of judgedRows(pieces, rules)) {
		for (const row of rows) if (row.isSent) text += row.text;
		if (text.length < PIECE) continue;
		yield latin1Bytes(text);
		text = '';
	}
	if (text !== '') yield latin1Bytes(text);
}
