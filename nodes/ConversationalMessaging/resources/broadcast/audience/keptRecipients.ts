import { shown } from '../../../api/access/shown';
import { inTurns } from '../../../api/base/concurrency';
import { type CsvHeader, writeCsv } from '../../../api/files/csv';
import { countOf, formatValue, isBlank, listed } from '../../../parameters/values';
import { customerId } from '../../../phone/customerId';
import { csvText } from '../../../runner/itemFile';
import type { OperationContext } from '../../../runner/operationContext';
import type { CsvRow } from '../../shared/csvRows';
import { ALLOW_INCOMPLETE_EXCLUSION, EXCLUDE_SEGMENTS, type Guards } from '../guards';
import type { Audience, Recipient, Recipients } from './audience';
import type { ExcludedSegment } from './exclusion';
import type { Member } from './readMembers';

/**
 * The audience without members of Exclude Segments, and without those who have been among the recipients before.
 *
 * @throws NodeOperationError if a recipient may be a member of Exclude Segments, unless the user allows it
 */
export async function keptRecipients(
	context: OperationContext,
	{ recipients, csv, ...found }: Recipients,
	exclusion: readonly ExcludedSegment[],
	guards: Guards,
): Promise<Audience> {
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
	let inSeveral = 0;
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
		if (segments.length > 1) inSeveral++;
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
			...(inSeveral > 0
				? [`${inSeveral} of these ${inSeveral === 1 ? 'is' : 'are'} in several segments`]
				: []),
		],
	};
}

/**
 * Checks that no recipient can be a member of Exclude Segments. What cannot be taken back is not sent in doubt.
 *
 * @param recipients the addresses of those who are left
 * @returns a note about members who may be among them, if the user allows that
 * @throws NodeOperationError if there are such members, and the user does not allow it
 */
async function checkExclusion(
	context: OperationContext,
	exclusion: readonly ExcludedSegment[],
	recipients: readonly string[],
	{ allowsIncompleteExclusion }: Guards,
): Promise<string[]> {
	const all = exclusion.flatMap((segment) => segment.members);
	const incomparable = all.filter(({ isUncertain }) => isUncertain).map(({ shown }) => shown);
	// Somebody may be in several of them.
	const possible = await possibleRecipients(all, recipients);
	const uncertain = [...new Set([...incomparable, ...possible])];
	if (uncertain.length === 0) return [];
	const members = `${countOf(uncertain.length, 'member')} of ${EXCLUDE_SEGMENTS}`;
	const names = listed(uncertain, formatValue);
	if (allowsIncompleteExclusion) {
		return [
			`${members} may receive the broadcast, because they cannot be compared with the recipients: ${names}`,
		];
	}
	throw context.invalid(
		shown`${members} cannot be compared with the recipients: ${names}`,
		`Nothing was sent, because they might receive the broadcast. Give each a WhatsApp ID with country code, or add the option ${ALLOW_INCOMPLETE_EXCLUSION}.`,
	);
}

/** The members whose number may be a recipient's: one of the two may lack its country code, or have a 0 after it. */
async function possibleRecipients(
	members: readonly Member[],
	recipients: readonly string[],
): Promise<Set<string>> {
	if (members.length === 0) return new Set();
	const memberOf = new Map<string, string>();
	for await (const { id, shown } of inTurns(members))
		if (id?.kind === 'phoneNumber')
			for (const spelling of id.spellings) memberOf.set(spelling, shown);
	const found = new Set<string>();
	const recipientSpellings = new Set<string>();
	for await (const recipient of inTurns(recipients)) {
		const id = customerId(recipient);
		if (id.kind !== 'phoneNumber') continue;
		for (const spelling of id.spellings) recipientSpellings.add(spelling);
		for (const ending of id.endings) {
			const member = memberOf.get(ending);
			if (member !== undefined) found.add(member);
		}
	}
	for await (const { id, shown } of inTurns(members))
		if (id?.kind === 'phoneNumber' && id.endings.some((ending) => recipientSpellings.has(ending)))
			found.add(shown);
	return found;
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
