import { countOf } from '../../../parameters/values';
import type { CsvFile } from '../../../runner/csvUpload';
import type { OperationContext } from '../../../runner/operationContext';
import type { CsvScan } from '../csvFile';
import { readColumns, scanCsv, withoutSkippedRows } from '../csvFile';
import type { NumberSet } from '../numberSet';
import type { PhoneColumn, TemplateCsv } from '../phoneColumn';
import { findPhoneColumn } from '../phoneColumn';
import type { BroadcastPlan } from '../plan';
import type { Preparation, PreparedAudience } from './preparedAudience';
import { NO_COUNTS, toOf } from './preparedAudience';

/**
 * The file itself, byte for byte, or without the rows that are left out. Without a guard that needs its rows, Create does
 * not read it.
 */
export async function fromCsvFile(
	context: OperationContext,
	{ guards }: BroadcastPlan,
	file: CsvFile,
	template: TemplateCsv,
	excluded: NumberSet | undefined,
	{ reject, forPreview }: Preparation,
): Promise<PreparedAudience> {
	const { skipRepeated, maxRecipients } = guards;
	const leavesOut = skipRepeated || excluded !== undefined;
	if (!forPreview && !leavesOut && maxRecipients === undefined)
		return { content: { mode: 'csv', file }, counts: NO_COUNTS, first: [], warnings: [] };
	const phone = await findPhoneColumn(await readColumns(context, file.content), template);
	const rules = { phoneColumn: phone.name, skipRepeated, excluded };
	const own = forPreview ? await template.columns() : undefined;
	const scan = await scanCsv(context, file.content, rules, own);
	const blocker = blockerIn(scan, phone, excluded !== undefined);
	if (blocker && leavesOut) reject(context.invalid(blocker.message, blocker.description));
	const isWhole = scan.sent.rows === scan.rows || scan.unreadable !== undefined;
	return {
		content: {
			mode: 'csv',
			file: isWhole ? file : await withoutSkippedRows(context, file, rules, scan),
		},
		counts: {
			...NO_COUNTS,
			sent: scan.unreadable === undefined ? scan.sent.rows : undefined,
			repeated: scan.repeated,
			skipsRepeated: skipRepeated,
			excluded: scan.excluded,
			invalid: scan.invalid,
			invalidValues: scan.invalidRows.map(({ value }) => value),
		},
		first: scan.first.map((row) => ({ to: toOf(row, phone.name), row })),
		columns: { given: scan.columns, template: own },
		warnings: [
			...(forPreview ? separatorWarnings(scan) : []),
			// If rows are to be left out, it has been rejected above.
			...(blocker && !leavesOut ? [`${blocker.message}.`] : []),
			...warningsAbout(scan, skipRepeated, blocker !== undefined),
			...emptyCellWarnings(scan),
		],
	};
}

/** Why rows of a file cannot be left out. */
function blockerIn(
	{ unreadable, columns, invalid, invalidRows }: CsvScan,
	{ name, candidates }: PhoneColumn,
	excludes: boolean,
): { message: string; description: string } | undefined {
	if (unreadable !== undefined)
		return {
			message: `The CSV file cannot be read: ${unreadable}`,
			description: 'Nothing was sent. Save the file as CSV in UTF-8, with commas.',
		};
	if (candidates.length > 0)
		return {
			message: `Several columns of the CSV file may contain the phone numbers: ${candidates.join(', ')}`,
			description:
				'Nothing was sent. Remove or rename the columns that the template does not need. If it needs all of them, rename its variables, or turn off Skip Repeated Numbers and remove Exclude Segment.',
		};
	if (name === undefined)
		return {
			message: `The CSV file has no column with a name such as phone: ${columns.join(', ') || 'it is empty'}`,
			description:
				'Nothing was sent. Rename the column that contains the phone numbers to "phone".',
		};
	// The service could still deliver to such a number, and its contact may be excluded.
	if (excludes && invalid > 0)
		return {
			message: `${countOf(invalid, 'row')} of the CSV file without a valid phone number cannot be compared with Exclude Segment: ${listedRows(invalidRows)}`,
			description: 'Nothing was sent. Write phone numbers with country code and no leading 0.',
		};
	return undefined;
}

const listedRows = (rows: CsvScan['invalidRows']): string =>
	rows.map(({ row, value }) => `${JSON.stringify(value)} (row ${row})`).join(', ');

function warningsAbout(scan: CsvScan, skipsRepeated: boolean, isBlocked: boolean): string[] {
	const { repeated, invalid, invalidRows, punctuated } = scan;
	return [
		...(!isBlocked && invalid > 0
			? [
					`Rows of the CSV file without a valid phone number: ${invalid}. The first: ${listedRows(invalidRows)}.`,
				]
			: []),
		...(punctuated > 0
			? [
					`In ${countOf(punctuated, 'row')} of the CSV file, the phone number contains spaces or other characters. It is sent unchanged, and the service may reject it.`,
				]
			: []),
		...(repeated > 0 && !skipsRepeated
			? [
					`In ${countOf(repeated, 'row')} of the CSV file, the phone number is that of an earlier row. To send to each number once, turn on Skip Repeated Numbers.`,
				]
			: []),
	];
}

/** Create does not warn: the service accepts the file, or rejects it. */
function separatorWarnings({ separator }: CsvScan): string[] {
	if (separator === ',') return [];
	const signs = separator === ';' ? 'semicolons' : 'tabs';
	return [
		`The CSV file separates its columns with ${signs}. The service does not document which separators it accepts: if it rejects the file, save it with commas.`,
	];
}

const emptyCellWarnings = ({ emptyCells }: CsvScan): string[] =>
	emptyCells
		.filter(({ count }) => count > 0)
		.map(({ column, count, rows }) => {
			const numbers = `${rows.length === 1 ? 'row' : 'rows'} ${rows.join(', ')}`;
			const more = count > rows.length ? ', …' : '.';
			return `In ${countOf(count, 'row')} of the CSV file, the column "${column}" is empty: ${numbers}${more}`;
		});
