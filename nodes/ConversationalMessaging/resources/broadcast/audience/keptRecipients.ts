import { inTurns } from '../../../api/base/concurrency';
import { type CsvHeader, writeCsv } from '../../../api/files/csv';
import { countOf, isBlank } from '../../../parameters/values';
import { customerId } from '../../../phone/customerId';
import { csvText } from '../../../runner/itemFile';
import type { OperationContext } from '../../../runner/operationContext';
import type { CsvRow } from '../../shared/csvRows';
import type { Guards } from '../guards';
import type { Audience, Recipient, Recipients } from './audience';
import { type ExcludedSegment, checkExclusion, readExclusion } from './exclusion';

/**
 * The audience without members of Exclude Segments, and without those who have been among the recipients before.
 *
 * @throws NodeApiError if one of Exclude Segments cannot be read
 * @throws NodeOperationError if a recipient may be a member of Exclude Segments, unless the user allows it
 */
export async function keptRecipients(
	context: OperationContext,
	{ recipients, csv, ...found }: Recipients,
	guards: Guards,
): Promise<Audience> {
	const exclusion = await readExclusion(context, guards);
	const { kept, notes } = await leaveOut(recipients, exclusion, guards, csv?.columns);
	const addresses = kept.map(({ address }) => address);
	const uncertain = await checkExclusion(context, exclusion, addresses, guards);
	const sent = csv ? await asCsv(kept, csv) : asList(addresses);
	return {
		...sent,
		addresses,
		count: kept.length,
		leftOut: found.leftOut + recipients.length - kept.length,
		notes: [
			...notes,
			...found.notes,
			...sent.notes,
			...exclusion.flatMap((segment) => segment.notes),
			...uncertain,
		],
	};
}

/** @param columns of a CSV: several rows with the same number are a message each, unless they are equal */
async function leaveOut(
	recipients: readonly Recipient[],
	exclusion: readonly ExcludedSegment[],
	{ skipRepeated }: Guards,
	columns?: readonly string[],
): Promise<{ kept: Recipient[]; notes: string[] }> {
	const keepsRepeated = columns !== undefined && !skipRepeated;
	const kept: Recipient[] = [];
	const seen = new Set<string>();
	const rows = new Set<string>();
	const left = new Map(exclusion.map((segment) => [segment, 0]));
	let equal = 0;
	let repeated = 0;
	for await (const recipient of inTurns(recipients)) {
		const { address, row } = recipient;
		// As they are in the file: a row may lack a value where another one has an empty one.
		const text = row && JSON.stringify(columns?.map((column) => row[column] ?? ''));
		if (text !== undefined && rows.has(text)) {
			equal++;
			continue;
		}
		if (text !== undefined) rows.add(text);
		const { key } = customerId(address);
		const segments = exclusion.filter((segment) => segment.keys.has(key));
		for (const segment of segments) left.set(segment, (left.get(segment) ?? 0) + 1);
		if (segments.length === 0) {
			if (seen.has(key)) repeated++;
			if (!seen.has(key) || keepsRepeated) kept.push(recipient);
		}
		seen.add(key);
	}
	return {
		kept,
		notes: [
			...leftOutNote(equal, 'row', ' equal to an earlier one'),
			...(keepsRepeated ? repeatedNote(repeated) : leftOutNote(repeated, 'repeated recipient')),
			...[...left].flatMap(exclusionNote),
		],
	};
}

type SentAs = Pick<Audience, 'body' | 'file' | 'firstRow' | 'notes'>;

const asList = (recipients: string[]): SentAs => ({
	body: { audienceMode: 'list', recipients },
	notes: [],
});

async function asCsv(
	kept: readonly Recipient[],
	{ columns, separator }: CsvHeader,
): Promise<SentAs> {
	const rows = kept.flatMap(({ row }) => (row ? [row] : []));
	return {
		body: { audienceMode: 'csv' },
		file: csvText('audience.csv', await writeCsv({ columns, rows }, separator)),
		firstRow: rows[0],
		notes: columns.flatMap((column) => emptyCellsNote(column, rows)),
	};
}

function emptyCellsNote(column: string, rows: readonly CsvRow[]): string[] {
	const empty = rows.filter((row) => isBlank(row[column])).length;
	return empty > 0 ? [`The column ${column} has no value in ${countOf(empty, 'row')}`] : [];
}

const repeatedNote = (count: number): string[] =>
	count > 0
		? [`${countOf(count, 'row')} with the number of an earlier row: each is a message`]
		: [];

/** A segment without numbers has a note of its own. */
const exclusionNote = ([{ name, keys }, count]: [ExcludedSegment, number]): string[] =>
	count === 0 && keys.size > 0
		? [`No recipient is a member of ${name}`]
		: leftOutNote(count, 'member', ` of ${name}`);

/** "Left out 3 repeated recipients"; [] if there are none. */
export const leftOutNote = (count: number, noun: string, rest = ''): string[] =>
	count > 0 ? [`Left out ${countOf(count, noun)}${rest}`] : [];
