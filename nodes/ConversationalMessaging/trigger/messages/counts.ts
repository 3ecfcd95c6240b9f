import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../../api/response';
import { isCount } from '../values';
import type { Method } from './baseline';

/**
 * The number of messages of each channel as its details show it (API document, section Other resources: aggregate
 * stats, whose names are not shown). As long as it has not changed, there are no new messages, which costs one request
 * per channel. It is relied on once it has changed with new messages several times, and no longer when new messages
 * are found without a change.
 */
export interface CountEvidence {
	/** The IDs of the channels. */
	channels: readonly string[];
	/** The numbers in the last poll. */
	numbers: ChannelNumbers;
	/** The numbers in the poll before. */
	before: ChannelNumbers;
	/** When the last poll read them, in milliseconds since the epoch. */
	readAt: number;
	/** Whether the last poll found messages that arrived since the poll before it. */
	hadNews: boolean;
	/** How often the numbers have changed with news, without exception. */
	proofs: number;
	/** Messages that the counts imply and that were not found yet; negative if more were found than the counts show. */
	owed: number;
	/** The number of chats to read before the search for them ends. */
	owedReads: number;
	/** Whether every search for messages that the counts imply found them. */
	isExact: boolean;
}

/** The numbers of messages of each channel. */
export type ChannelNumbers = readonly (readonly number[])[];

export const countsOf = (
	channels: readonly string[],
	numbers: ChannelNumbers,
	readAt: number,
): CountEvidence => ({
	channels,
	numbers,
	before: numbers,
	readAt,
	hadNews: false,
	proofs: 0,
	owed: 0,
	owedReads: 0,
	isExact: true,
});

const MAX_DEPTH = 3;

/** The numbers of messages in the details of a channel, in the order of their names; [] if there are none. */
export function messageNumbers(channel: IDataObject): number[] {
	const found: [path: string, count: number][] = [];
	const collect = (value: unknown, path: string, depth: number): void => {
		if (isRecord(value) && depth <= MAX_DEPTH)
			for (const [key, inner] of Object.entries(value)) collect(inner, `${path}.${key}`, depth + 1);
		else if (/messages?(?![a-z])|messages?count/i.test(path)) {
			const count = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
			if (isCount(count)) found.push([path, count]);
		}
	};
	collect(channel, '', 0);
	return found.sort(([one], [other]) => (one < other ? -1 : 1)).map(([, count]) => count);
}

const isSame = (one: ChannelNumbers, other: ChannelNumbers): boolean =>
	JSON.stringify(one) === JSON.stringify(other);

/** By how much the numbers have grown. Of several numbers of a channel, one is the total of others. */
function growth(before: ChannelNumbers, after: ChannelNumbers): number {
	const grown = after.map((numbers, channel) =>
		Math.max(0, ...numbers.map((number, i) => number - (before[channel]?.[i] ?? number))),
	);
	return grown.reduce((sum, one) => sum + one, 0);
}

/**
 * Whether the counts are relied on and imply that there is nothing to find.
 *
 * @param enough the number of proofs that is required
 */
export function showNoNews(
	{ before, numbers, proofs, owed, isExact }: CountEvidence,
	enough: number,
	method: Method,
): boolean {
	// In turn, one poll does not find everything: only an exact number shows when the search is over.
	const isUsable = method === 'rows' || isExact;
	return isUsable && proofs >= enough && owed <= 0 && isSame(before, numbers);
}

/**
 * The evidence after the counts were read in a poll, before anything else is read.
 *
 * News that the last poll found arrived after the poll before it had read the counts, and before this one did. So the
 * numbers of these two polls differ, even if a message arrived between two requests.
 *
 * @param read the numbers, when they were read, and how many chats there are
 */
export function afterReading(
	known: CountEvidence,
	{ numbers, readAt, chats }: { numbers: ChannelNumbers; readAt: number; chats: number },
): CountEvidence {
	const { hadNews, proofs } = known;
	const isDisproved = hadNews && isSame(known.before, numbers);
	const added = known.isExact ? growth(known.numbers, numbers) : 0;
	// A message that arrived after the counts were read was found before they showed it.
	const owed = Math.max(0, known.owed + added);
	return {
		...known,
		numbers,
		before: known.numbers,
		readAt,
		hadNews: false,
		proofs: isDisproved ? 0 : proofs + (hadNews ? 1 : 0),
		owed,
		owedReads: added > 0 ? chats : known.owedReads,
	};
}

/**
 * The evidence after a poll.
 *
 * @param found the number of new messages
 * @param recent whether some of them arrived since the last poll
 * @param reads how many chats were read
 */
export function afterPoll(
	known: CountEvidence,
	{ found, recent, reads }: { found: number; recent: boolean; reads: number },
): CountEvidence {
	const owed = known.owed - found;
	const owedReads = Math.max(0, known.owedReads - reads);
	const isGivenUp = owed > 0 && owedReads === 0;
	return {
		...known,
		hadNews: recent,
		owed: isGivenUp ? 0 : owed,
		owedReads,
		isExact: known.isExact && !isGivenUp,
	};
}
