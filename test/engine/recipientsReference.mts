/**
 * Who receives a broadcast, a second time, slow and obvious, from docs/jobs/send-a-broadcast.md. It shares no code with
 * the node.
 */
import { identity } from './syncReference.mts';

/** A member of a segment. Contacts on Instagram have no WhatsApp ID, those of other channels neither. */
export interface Member {
	waId: string | null;
	igId: string | null;
}

export interface Campaign {
	audience: 'list' | 'items' | 'csv' | 'csvItems' | 'segment';
	/** The entered numbers, those of the items, or those in the rows of a file. */
	numbers: string[];
	/** Of CSV From Input Items: what else is in the row of each number. */
	names: string[];
	/** The members of the segment that is the audience. */
	members: Member[];
	/** Those of each of Exclude Segments; undefined without it. */
	excluded?: Member[][];
	isDynamic: boolean;
	allowIncompleteExclusion: boolean;
	skipRepeated: boolean;
	maxRecipients?: number;
}

/** What the service is sent; 'stops' if it is sent nothing. */
export type Sent =
	| 'stops'
	| { mode: 'segment' }
	| { mode: 'list'; recipients: string[] }
	/** @property isFile whether it is the user's own file, sent as it is */
	| { mode: 'csv'; rows: [number: string, name: string][]; isFile: boolean };

/** What identifies a member: undefined if its number has no country code, or is none. */
function identityOf(waId: string): string | undefined {
	if (isUserId(waId)) return identity(waId);
	const digits = digitsOf(waId);
	return /^[1-9]\d{6,14}$/.test(digits) ? identity(digits) : undefined;
}

const isUserId = (text: string): boolean => /^[A-Z]{2}\./i.test(text);
/** Two zeros are a plus. */
const digitsOf = (number: string): string => number.replace(/[ +/()-]/g, '').replace(/^00/, '');

/** All ways to write a number of Mexico, Argentina or Brazil. */
function waysToWrite(number: string): string[] {
	const short = identity(number);
	return [
		number,
		short,
		short.replace(/^52(\d{10})$/, '521$1'),
		short.replace(/^54(\d{10})$/, '549$1'),
		short.replace(/^(55\d\d)([6-9]\d{7})$/, '$19$2'),
	];
}

/** Whether one of two different numbers may be the other without its country code. */
function mayBeTheSame(one: string, other: string): boolean {
	if (isUserId(one) || isUserId(other) || identityOf(one) === identityOf(other)) return false;
	return waysToWrite(digitsOf(one)).some((a) =>
		waysToWrite(digitsOf(other)).some((b) => a.endsWith(b) || b.endsWith(a)),
	);
}

const unique = <T,>(list: T[], keyOf: (entry: T) => string): T[] =>
	list.filter((entry, index) => list.findIndex((each) => keyOf(each) === keyOf(entry)) === index);

export function sentOf(campaign: Campaign): Sent {
	const { audience, members, excluded, maxRecipients = Infinity } = campaign;
	const guarded = excluded !== undefined;
	const asEntered = (text: string) => (isUserId(text) ? text : digitsOf(text));
	let rows = campaign.numbers.map((number, index): [string, string] => [
		asEntered(number),
		campaign.names[index] ?? '',
	]);

	if (audience === 'csv') {
		if (guarded || campaign.skipRepeated || rows.length > maxRecipients) return 'stops';
		return rows.length === 0 && maxRecipients < Infinity
			? 'stops'
			: { mode: 'csv', rows, isFile: true };
	}
	if (audience === 'segment' && !guarded)
		return maxRecipients === 0 || members.length > maxRecipients ? 'stops' : { mode: 'segment' };
	if (audience === 'segment') {
		// Somebody without a comparable number may be excluded.
		const numbers = members.flatMap(({ waId }) => waId ?? []);
		rows = numbers.filter((waId) => identityOf(waId) !== undefined).map((waId) => [waId, '']);
	}

	const identities = (excluded ?? [])
		.flat()
		.flatMap(({ waId }) => (waId && identityOf(waId)) ?? []);
	const idOf = ([number]: [string, string]) => identityOf(number)!;
	if (audience === 'csvItems') rows = unique(rows, String);
	rows = rows.filter((row) => !identities.includes(idOf(row)));
	if (audience !== 'csvItems' || campaign.skipRepeated) rows = unique(rows, idOf);

	const isUncertain = ({ waId, igId }: Member) => {
		if (waId === null) return igId === null;
		return identityOf(waId) === undefined || rows.some(([number]) => mayBeTheSame(number, waId));
	};
	const showsNobody = campaign.isDynamic && excluded?.some((members) => members.length === 0);
	const isIncomplete = guarded && (showsNobody || excluded.flat().some(isUncertain));
	if (isIncomplete && !campaign.allowIncompleteExclusion) return 'stops';
	if (rows.length === 0 || rows.length > maxRecipients) return 'stops';
	if (audience === 'csvItems') return { mode: 'csv', rows, isFile: false };
	return { mode: 'list', recipients: rows.map(([number]) => number) };
}
