import { writeCsv } from '../../api/csv';
import type { Reject } from '../../parameters/chosenTemplate';
import { countOf, isBlank } from '../../parameters/values';
import { itemNumbers } from '../batch';
import { csvText, type CsvFile } from '../csvUpload';
import type { OperationContext } from '../operationContext';
import type { Audience } from './audience';
import { rejectedNumbers, unusableIn } from './batch';
import type { CsvScan } from './csvFile';
import { scanCsv, withoutSkippedRows } from './csvFile';
import type { AudienceInput } from './csvRows';
import { csvRows } from './csvRows';
import { NumberSet } from './numberSet';
import type { BroadcastPlan } from './plan';
import { comparableNumber, RecipientFilter } from './recipientFilter';
import { readMembers, summarize } from './segmentMembers';

/** What the service is sent as the audience. */
export type AudienceContent =
	| { mode: 'segment'; segmentId: string }
	| { mode: 'list'; recipients: string[] }
	| { mode: 'csv'; file: CsvFile };

/** Who receives a broadcast, as it is sent. */
export interface PreparedAudience {
	content: AudienceContent;
	counts: RecipientCounts;
	/** The first few recipients. */
	first: { to?: string; row?: Record<string, string> }[];
	/** The columns of a CSV, and those that the template's own CSV has, if they were read. */
	columns?: { given: string[]; template?: string[] };
	/** What to check before sending. Create sends nevertheless. */
	warnings: string[];
}

export interface RecipientCounts {
	/**
	 * How many recipients the service is sent; for a segment, its members. Undefined if unknown: the service does not
	 * show it, the file cannot be read, or it is not needed.
	 */
	sent?: number;
	/** Max Recipients, if the members of a segment were counted only until there were more; `sent` is undefined then. */
	moreThan?: number;
	/** Recipients whose number an earlier one has. */
	repeated: number;
	/** Whether they are left out. */
	skipsRepeated: boolean;
	/** Rows of input items that equal an earlier one in every column. They are always left out. */
	equalRows: number;
	/** Members of the excluded segment among the recipients, who are left out. */
	excluded: number;
	/** Members of a segment without a WhatsApp ID, who are left out. */
	withoutNumber: number;
	/** Recipients whose value is not a phone number with country code. */
	invalid: number;
	/** The first of them. */
	invalidValues: unknown[];
}

/** How an audience is prepared. */
export interface Preparation {
	/** Called for what keeps the broadcast from being sent. */
	reject: Reject;
	/** Whether to find out everything for a preview, or only what is needed to send the broadcast. */
	forPreview: boolean;
}

type Template = { name: string; language: string };

/** How many of the values that are not phone numbers are kept. */
const MAX_INVALID = 10;
const FIRST = 3;

const NO_COUNTS: RecipientCounts = {
	repeated: 0,
	skipsRepeated: true,
	equalRows: 0,
	excluded: 0,
	withoutNumber: 0,
	invalid: 0,
	invalidValues: [],
};

/**
 * Prepares the audience of a broadcast, with everybody left out whom the guards leave out.
 *
 * @param inputs what the items contribute, or []
 * @throws NodeApiError if something cannot be read
 */
export async function prepareAudience(
	context: OperationContext,
	plan: BroadcastPlan,
	inputs: AudienceInput[],
	template: Template,
	preparation: Preparation,
): Promise<PreparedAudience> {
	const { audience } = plan;
	const excluded = await excludedNumbers(context, plan);
	switch (audience.kind) {
		case 'segment':
			return await fromSegment(context, plan, audience, excluded, preparation);
		case 'numbers': {
			const { numbers, unusable } = audience;
			return fromNumbers(numbers, unusable, excluded);
		}
		case 'numbersOfItems':
			return fromItems(context, plan, inputs, excluded, preparation);
		case 'csvFile': {
			const columns = preparation.forPreview ? await templateColumns(context, template) : undefined;
			const file = await audience.read();
			return await fromCsvFile(context, plan, file, columns, excluded, preparation);
		}
		case 'csvOfItems': {
			const columns = await templateColumns(context, template);
			return fromCsvItems(context, plan, inputs, columns, excluded, preparation);
		}
	}
}

async function excludedNumbers(
	context: OperationContext,
	{ guards }: BroadcastPlan,
): Promise<NumberSet | undefined> {
	if (guards.excludeSegmentId === undefined) return undefined;
	const { members } = await readMembers(context, guards.excludeSegmentId, 'Exclude Segment');
	const numbers = new NumberSet();
	for (const { digits } of members) numbers.add(comparableNumber(digits));
	return numbers;
}

/** A segment is sent as itself, or as a list of its members if some of them are excluded. */
async function fromSegment(
	context: OperationContext,
	{ guards }: BroadcastPlan,
	{ segmentId }: Extract<Audience, { kind: 'segment' }>,
	excluded: NumberSet | undefined,
	{ forPreview }: Preparation,
): Promise<PreparedAudience> {
	if (excluded) {
		const { members, withoutNumber } = await readMembers(context, segmentId, 'Segment');
		const filter = new RecipientFilter(excluded);
		const kept = members.filter(({ digits }) => filter.judge(digits) === 'kept');
		const { repeated, excluded: leftOut } = filter;
		return {
			content: { mode: 'list', recipients: kept.map(({ to }) => to) },
			counts: { ...NO_COUNTS, sent: kept.length, repeated, excluded: leftOut, withoutNumber },
			first: kept.slice(0, FIRST).map(({ to }) => ({ to })),
			warnings: [],
		};
	}
	const content = { mode: 'segment', segmentId } as const;
	const isNeeded = forPreview || guards.maxRecipients !== undefined;
	if (!isNeeded) return { content, counts: NO_COUNTS, first: [], warnings: [] };
	const summary = await summarize(context, segmentId, guards.maxRecipients);
	const { count, moreThan, isDynamic, first } = summary;
	const isUnknown = count === undefined && moreThan === undefined;
	const warnings = [
		...(isUnknown ? ['The service does not show how many members the segment has.'] : []),
		...(isDynamic ? ['The segment is dynamic: its members may change until the start.'] : []),
	];
	return {
		content,
		counts: { ...NO_COUNTS, sent: count, moreThan },
		first: first.filter(({ to }) => to !== undefined).map(({ to }) => ({ to })),
		warnings,
	};
}

function fromNumbers(
	numbers: string[],
	unusable: unknown[],
	excluded: NumberSet | undefined,
): PreparedAudience {
	const filter = new RecipientFilter(excluded);
	const recipients = numbers.filter((number) => filter.judge(number) === 'kept');
	return {
		content: { mode: 'list', recipients },
		counts: {
			...NO_COUNTS,
			sent: recipients.length,
			repeated: filter.repeated,
			excluded: filter.excluded,
			invalid: unusable.length,
			invalidValues: unusable.slice(0, MAX_INVALID),
		},
		first: recipients.slice(0, FIRST).map((to) => ({ to })),
		warnings: [],
	};
}

/** Items without a valid number reach this only in a preview: Create rejects them. */
function fromItems(
	context: OperationContext,
	{ continuesOnFail }: BroadcastPlan,
	inputs: AudienceInput[],
	excluded: NumberSet | undefined,
	{ reject }: Preparation,
): PreparedAudience {
	const unusable = unusableIn(inputs);
	const audience = fromNumbers(
		inputs.flatMap(({ numbers = [], unusable: others = [] }) => (others.length > 0 ? [] : numbers)),
		unusable.map(({ value }) => value),
		excluded,
	);
	if (unusable.length === 0) return audience;
	const { message, description } = rejectedNumbers(unusable);
	if (!continuesOnFail) reject(context.invalid(message, description));
	return { ...audience, warnings: continuesOnFail ? [message] : [] };
}

/** The file itself, byte for byte, or without the rows that are left out. */
async function fromCsvFile(
	context: OperationContext,
	{ guards }: BroadcastPlan,
	file: CsvFile,
	template: string[] | undefined,
	excluded: NumberSet | undefined,
	{ reject, forPreview }: Preparation,
): Promise<PreparedAudience> {
	const { skipRepeated, maxRecipients } = guards;
	const leavesOut = skipRepeated || excluded !== undefined;
	if (!forPreview && !leavesOut && maxRecipients === undefined)
		return { content: { mode: 'csv', file }, counts: NO_COUNTS, first: [], warnings: [] };
	const rules = { skipRepeated, excluded };
	const scan = await scanCsv(context, file.content, rules, template);
	const blocker = blockerIn(scan, excluded !== undefined);
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
		first: scan.first.map((row) => ({ to: row[scan.phoneColumn ?? ''], row })),
		columns: { given: scan.columns, template },
		warnings: [
			...(forPreview ? separatorWarnings(scan) : []),
			...warningsAbout(scan, skipRepeated, blocker?.message),
			...emptyCellWarnings(scan),
		],
	};
}

/** Why rows of a file cannot be left out. */
function blockerIn(
	{ unreadable, phoneColumn, columns, invalid, invalidRows }: CsvScan,
	excludes: boolean,
): { message: string; description: string } | undefined {
	if (unreadable !== undefined)
		return {
			message: `The CSV file cannot be read: ${unreadable}`,
			description: 'Nothing was sent. Save the file as CSV in UTF-8, with commas.',
		};
	if (phoneColumn === undefined)
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

function warningsAbout(scan: CsvScan, skipsRepeated: boolean, blocker?: string): string[] {
	const { repeated, invalid, invalidRows, punctuated } = scan;
	return [
		...(blocker === undefined ? [] : [`${blocker}.`]),
		...(blocker === undefined && invalid > 0
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

/** The columns of the template's own CSV. */
async function templateColumns(
	context: OperationContext,
	{ name, language }: Template,
): Promise<string[]> {
	const example = await context.download({
		endpoint: 'GET /broadcasts/csv-template',
		query: { templateName: name, templateLanguage: language },
	});
	return await context.readCsvHeader(example);
}

/** The fields of the items in the columns of the template's own CSV. */
function fromCsvItems(
	context: OperationContext,
	{ guards }: BroadcastPlan,
	inputs: AudienceInput[],
	columns: string[],
	excluded: NumberSet | undefined,
	{ reject }: Preparation,
): PreparedAudience {
	const { rows, itemIndexes, duplicates, phoneColumn, unusable, rejected } = csvRows(
		columns,
		inputs,
	);
	if (rejected) reject(context.invalid(rejected.message, rejected.description));
	const { skipRepeated } = guards;
	if (phoneColumn === undefined && (skipRepeated || excluded)) {
		reject(
			context.invalid(
				`The template’s CSV has no column with a name such as phone: ${columns.join(', ')}`,
				'Nothing was sent. Turn off Skip Repeated Numbers and remove Exclude Segment.',
			),
		);
	}
	const filter = new RecipientFilter(excluded);
	const isSent = (row: Record<string, string>) => {
		if (phoneColumn === undefined) return true;
		const verdict = filter.judge(row[phoneColumn] ?? '');
		return verdict === 'kept' || (verdict === 'repeated' && !skipRepeated);
	};
	const isSentAt = rows.map(isSent);
	const sent = rows.filter((_row, position) => isSentAt[position]);
	const indexes = itemIndexes.filter((_index, position) => isSentAt[position]);
	const given = [...new Set(inputs.flatMap(({ row = {} }) => Object.keys(row)))];
	return {
		content: { mode: 'csv', file: csvText('audience.csv', writeCsv({ columns, rows: sent })) },
		counts: {
			...NO_COUNTS,
			sent: sent.length,
			repeated: filter.repeated,
			skipsRepeated: skipRepeated,
			equalRows: duplicates,
			excluded: filter.excluded,
			invalid: unusable.length,
			invalidValues: unusable.slice(0, MAX_INVALID).map(([, value]) => value),
		},
		first: sent.slice(0, FIRST).map((row) => ({ to: row[phoneColumn ?? ''], row })),
		columns: { given, template: columns },
		warnings: [
			...(filter.repeated > 0 && !skipRepeated
				? [
						`In ${countOf(filter.repeated, 'input item')}, the phone number is that of an earlier item. To send to each number once, turn on Skip Repeated Numbers.`,
					]
				: []),
			...columns
				.filter((column) => column !== phoneColumn && given.includes(column))
				.flatMap((column) => withoutValue(column, sent, indexes)),
		],
	};
}

/** A warning about the rows without a value in a column, if there are any. */
function withoutValue(
	column: string,
	rows: Record<string, string>[],
	itemIndexes: number[],
): string[] {
	const empty = itemIndexes.filter((_index, position) => isBlank(rows[position]?.[column]));
	if (empty.length === 0) return [];
	return [
		`In ${countOf(empty.length, 'input item')}, the column "${column}" has no value: ${itemNumbers(empty)}.`,
	];
}
