import type { INode, INodeExecutionData, NodeOperationError } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import { sentAt } from '../../api/chatMessage';
import { clock } from '../../api/clock';
import { forEachConcurrent } from '../../api/concurrency';
import { errorToReport } from '../failures';
import { READS_AT_ONCE } from '../limits';
import type { MessageBaseline, TrackedChat } from './baseline';
import type { MessageCheckpoint } from './checkpoint';
import type { ChannelNumbers } from './counts';
import { afterPoll, afterReading, countsOf, showNoNews } from './counts';
import type { ReadChat } from './evidence';
import { arrivedSince, checkOrder, checkRows, rowsOn } from './evidence';
import type { ChatReading, KnownHistory } from './history';
import type { ChatNews } from './items';
import { directionText, itemsOf, shownDirections } from './items';
import type { MessageLimits } from './limits';
import { CLOCK_MARGIN_MS, MESSAGE_LIMITS } from './limits';
import type { ListedChat, Listing } from './listing';
import { listChats } from './listing';
import { NO_ORDER } from './listOrder';
import { directionError, tooLong, watchedInTurn } from './texts';
import { Reads } from './reads';
import { markOf, volatileFields } from './rows';
import type { SelectedChat, Selection } from './selection';
import { selectChats } from './selection';
import type { MessageService } from './service';
import type { MessageSubscription } from './subscription';

/** Where a poll runs. */
export interface PollContext {
	node: INode;
	/** Writes a line to n8n's log. */
	log: (message: string) => void;
}

export interface MessagePollResult {
	checkpoint: MessageCheckpoint;
	items: INodeExecutionData[];
	/** To be thrown if nothing has events. */
	error?: NodeApiError | NodeOperationError;
}

/**
 * Polls for new messages.
 *
 * @param scope what the baseline belongs to: a checkpoint with another scope is ignored, and a new baseline is taken
 * @param saved the checkpoint of the last poll
 */
export async function pollMessages(
	service: MessageService,
	subscription: MessageSubscription,
	scope: string,
	saved: MessageCheckpoint | undefined,
	context: PollContext,
	limits: MessageLimits = MESSAGE_LIMITS,
): Promise<MessagePollResult> {
	const before = saved?.scope === scope ? saved : undefined;
	const reads = new Reads(service, limits);
	const known = before?.baseline;
	const { baseline, read, rejection } = await readMessages(
		reads,
		subscription,
		known,
		context,
		limits,
	).catch((error: unknown): Compared => {
		if (!(error instanceof NodeApiError)) throw error;
		return { baseline: known, read: [], rejection: error };
	});
	const failure = rejection ?? reads.failure;
	const failures = failure ? (before?.failures ?? 0) + 1 : 0;
	const setting = directionText(subscription);
	const wasShown = known?.shownFor === setting;
	const { isShown, isLasting, example } = shownDirections(
		read.map(({ chat, reading }) => ({ chat, messages: reading.messages })),
		subscription,
	);
	const shownFor = wasShown || isLasting ? setting : undefined;
	// Until it is known which messages are from customers, nothing is emitted, and nothing counts as read.
	if (subscription.from === 'customers' && example && !wasShown && !isShown) {
		const error = directionError(context.node, example, subscription.direction);
		return { checkpoint: before ?? { scope, failures }, items: [], error };
	}
	return {
		checkpoint: { scope, failures, baseline: baseline && { ...baseline, shownFor } },
		// What the first poll finds was there before.
		items: known ? newsOf(read).flatMap((one) => itemsOf(one, subscription)) : [],
		error: failure && errorToReport(failure, failures),
	};
}

/** The chats with new messages, by the time of the first one. */
function newsOf(read: readonly ReadChat[]): ChatNews[] {
	const firstTime = ({ news }: ChatNews): number => (news[0] && sentAt(news[0])) ?? 0;
	return read
		.map(({ chat, reading }) => ({ chat, news: reading.news }))
		.filter(({ news }) => news.length > 0)
		.sort((one, other) => firstTime(one) - firstTime(other));
}

interface Compared {
	/** Missing until a first poll was complete. */
	baseline?: MessageBaseline;
	read: ReadChat[];
	/** Why nothing could be read. */
	rejection?: NodeApiError;
}

/** The steps of a poll, each in its own file. */
async function readMessages(
	reads: Reads,
	subscription: MessageSubscription,
	baseline: MessageBaseline | undefined,
	context: PollContext,
	limits: MessageLimits,
): Promise<Compared> {
	if (!baseline) return await firstBaseline(reads, subscription, limits);
	const now = clock.now();
	const counted = await readCounts(reads, baseline, limits);
	if (reads.failure) return { baseline, read: [] };
	const isCheck = baseline.polls % limits.checkEvery === limits.checkEvery - 1;
	const polls = baseline.polls + 1;
	if (
		counted.counts &&
		!baseline.isPending &&
		!isCheck &&
		showNoNews(counted.counts, limits.proofs, baseline.method)
	)
		return { baseline: { ...counted, polls, since: now }, read: [] };

	const listing = await listChats(reads, counted, limits);
	if (!listing) return { baseline, read: [] };
	if (listing.isTooLong && isCheck) context.log(tooLong(limits));
	const selection = selectChats(listing, counted, reads.budget, limits);
	const urgent = await readSelected(reads, counted, selection.chats, subscription);
	const turns = { isCheck, until: now + limits.inTurnMs };
	const inTurn = await readInTurn(reads, counted, selection, urgent, turns, subscription, limits);
	const read = [...urgent, ...inTurn.read];
	const rows = await checkRows(reads, counted, listing, selection, read, limits);
	const isFailed = !reads.isComplete;
	const { volatile } = rows;
	const { cursor } = inTurn;
	const observed = { listing, selection, read, now, volatile, isFailed };
	const next = { ...nextBaseline(counted, observed, limits), polls, cursor };
	if (isFailed) return { baseline: next, read };
	const { rounds, since } = baseline;
	const isSwitched = rows.method !== baseline.method;
	if (isSwitched) context.log(watchedInTurn(listing.chats.length, reads.budget));
	return {
		baseline: {
			...next,
			...rows,
			rounds: isSwitched
				? { began: since, before: since }
				: inTurn.isRoundOver
					? { began: now, before: rounds.began }
					: rounds,
		},
		read,
	};
}

/**
 * Reads chats in turn: a few, to check whether rows can be relied on; or as many as a poll may read, if rows are not
 * relied on, or if the counts imply messages that were not found. Once as many are found as exact counts imply, it ends,
 * and at this time.
 */
async function readInTurn(
	reads: Reads,
	baseline: MessageBaseline,
	{ chats, inTurn, audits, left }: Selection,
	urgent: readonly ReadChat[],
	{ isCheck, until }: { isCheck: boolean; until: number },
	subscription: MessageSubscription,
	limits: MessageLimits,
): Promise<{ read: ReadChat[]; cursor: number; isRoundOver: boolean }> {
	const { counts, method, cursor } = baseline;
	const owed = counts?.isExact === true ? counts.owed : 0;
	const isKnown =
		owed > 0 && !isCheck && (method === 'rows' || (counts?.proofs ?? 0) >= limits.proofs);
	const most = method === 'turns' || owed > 0 ? reads.budget - chats.length : 0;
	const read: ReadChat[] = [];
	let next = 0;
	while (next < inTurn.length && !reads.failure) {
		const isEnough =
			clock.now() >= until || (isKnown && owed <= newMessages(urgent) + newMessages(read));
		const end = next < audits ? audits : isEnough ? 0 : Math.min(most, next + READS_AT_ONCE);
		if (end <= next) break;
		read.push(...(await readSelected(reads, baseline, inTurn.slice(next, end), subscription)));
		next = end;
	}
	if (reads.isInterrupted) next = countRead(reads, inTurn, read);
	const lastInTurn = inTurn[Math.min(next, inTurn.length) - 1]?.chat.key ?? cursor;
	// With more changed chats than can be read, it is their turns that count.
	const isTurnOfOthers = left > 0 && !reads.isInterrupted;
	const last = isTurnOfOthers ? (chats.at(-1)?.chat.key ?? cursor) : lastInTurn;
	return { read, cursor: last, isRoundOver: next >= inTurn.length || last <= cursor };
}

/**
 * How many of the chats, from the first one, were read before the poll was interrupted. The next poll begins after them:
 * if the service is so slow that every poll is interrupted, it would otherwise never get beyond the same chats.
 */
function countRead(
	reads: Reads,
	inTurn: readonly SelectedChat[],
	read: readonly ReadChat[],
): number {
	const done = new Set(read.map(({ chat }) => chat.id));
	const missed = inTurn.findIndex(({ chat: { id } }) => !done.has(id) && !reads.isRejected(id));
	return missed < 0 ? inTurn.length : missed;
}

const newMessages = (read: readonly ReadChat[]): number =>
	read.reduce((sum, { reading }) => sum + reading.news.length, 0);

/** The first poll: what is there is known, and nothing is emitted. */
async function firstBaseline(
	reads: Reads,
	subscription: MessageSubscription,
	limits: MessageLimits,
): Promise<Compared> {
	const startedAt = clock.now();
	const counts = await firstCounts(reads, subscription, limits);
	const listing = await listChats(reads, undefined, limits);
	if (!listing) return { read: [] };
	const chats = new Map(listing.chats.map(({ key }): [number, TrackedChat] => [key, { mark: 0 }]));
	const empty: MessageBaseline = {
		startedAt,
		since: startedAt,
		latest: 0,
		method: 'rows',
		volatile: [],
		order: NO_ORDER,
		idlePolls: 0,
		...(counts && { counts }),
		polls: 0,
		cursor: 0,
		rounds: { began: startedAt, before: startedAt },
		isPending: false,
		chats,
	};
	const unread = listing.chats.map((chat) => ({ chat, reason: 'first' as const }));
	const selection = {
		chats: unread.slice(0, reads.budget),
		inTurn: [],
		audits: 0,
		changed: new Set<number>(),
		known: unread.length,
		left: 0,
	};
	const read = await readSelected(reads, empty, selection.chats, subscription);
	const volatile = await readVolatile(reads, listing);
	const isFailed = !reads.isComplete;
	const observed = { listing, selection, read, now: startedAt, volatile, isFailed };
	const baseline = nextBaseline(empty, observed, limits);
	return { baseline, read };
}

/** The fields that change by themselves, as the first page of the list shows when it is read once more. */
async function readVolatile(reads: Reads, { chats }: Listing): Promise<string[]> {
	if (chats.length === 0) return [];
	const first = new Map(chats.filter(({ page }) => page === 1).map(({ id, row }) => [id, row]));
	return volatileFields(first, await rowsOn(reads, 1));
}

/** The counts of the channels before anything else is read. */
async function firstCounts(
	reads: Reads,
	{ query }: MessageSubscription,
	limits: MessageLimits,
): Promise<MessageBaseline['counts']> {
	const filtered = query.channelId;
	const channels = typeof filtered === 'string' ? [filtered] : ((await reads.channels()) ?? []);
	if (channels.length === 0 || channels.length > limits.channels) return undefined;
	const numbers = await numbersOf(reads, channels);
	return numbers && countsOf(channels, numbers);
}

async function readCounts(
	reads: Reads,
	baseline: MessageBaseline,
	{ channels: most }: MessageLimits,
): Promise<MessageBaseline> {
	const { counts, chats } = baseline;
	if (!counts) return baseline;
	const numbers = await numbersOf(reads, counts.channels.slice(0, most));
	if (!numbers) return reads.failure ? baseline : { ...baseline, counts: undefined };
	return { ...baseline, counts: afterReading(counts, numbers, chats.size) };
}

/** @returns undefined if a channel shows no numbers: news could then be in that channel */
async function numbersOf(
	reads: Reads,
	channels: readonly string[],
): Promise<ChannelNumbers | undefined> {
	const numbers: number[][] = channels.map(() => []);
	await forEachConcurrent(channels, READS_AT_ONCE, async (channel, i) => {
		numbers[i] = (await reads.counts(channel)) ?? [];
	});
	return numbers.every((one) => one.length > 0) ? numbers : undefined;
}

async function readSelected(
	reads: Reads,
	baseline: MessageBaseline,
	chats: readonly SelectedChat[],
	subscription: MessageSubscription,
): Promise<ReadChat[]> {
	const read: (ReadChat | undefined)[] = [];
	await forEachConcurrent(chats, READS_AT_ONCE, async ({ chat, reason }, i) => {
		const reading = await reads.news(chat.id, knownOf(chat, baseline, subscription));
		if (!reading) return;
		const hasNews = itemsOf({ chat, news: reading.news }, subscription).length > 0;
		read[i] = { chat, reason, reading, hasNews };
	});
	return read.filter((one) => one !== undefined);
}

/** What is known of the messages of a chat; the times say what is new if no known message is left. */
function knownOf(
	{ key }: ListedChat,
	{ chats, startedAt, since, latest, method, rounds }: MessageBaseline,
	{ query }: MessageSubscription,
): KnownHistory {
	const known = chats.get(key);
	const seenBefore = Math.min(since, latest > 0 ? latest : Infinity);
	if (!known) {
		// With a filter, it may be an old chat that now matches.
		const isNew = Object.keys(query).length === 0;
		return { seen: undefined, since: seenBefore - CLOCK_MARGIN_MS, withoutTimes: isNew };
	}
	const { seen } = known;
	if (!seen) return { seen, since: startedAt, withoutTimes: false };
	if (seen.length === 0) return { seen, since: startedAt - CLOCK_MARGIN_MS, withoutTimes: true };
	return { seen, since: method === 'turns' ? rounds.before : seenBefore, withoutTimes: false };
}

/** The state after a poll; see `MessageBaseline`. */
function nextBaseline(
	baseline: MessageBaseline,
	poll: {
		listing: Listing;
		selection: Selection;
		read: readonly ReadChat[];
		now: number;
		volatile: readonly string[];
		isFailed: boolean;
	},
	limits: MessageLimits,
): MessageBaseline {
	const { listing, selection, read, now, volatile, isFailed } = poll;
	const chats = new Map(baseline.chats);
	const listed = new Set(listing.chats.map(({ key }) => key));
	for (const { key, row } of listing.chats) {
		const known = chats.get(key);
		// Fields are left out of fingerprints from now on, or it is the first one. A changed row stays changed.
		if (known && !selection.changed.has(key))
			chats.set(key, { ...known, mark: markOf(row, volatile) });
	}
	for (const { chat, reading } of read) {
		const known = chats.get(chat.key);
		if (reading.news.length > 0) chats.delete(chat.key);
		chats.set(chat.key, { mark: markOf(chat.row, volatile), seen: seenAfter(known, reading) });
	}
	// A chat that is missing once may only have shifted to a page that was read before.
	if (listing.isWhole)
		for (const key of chats.keys())
			if (!listed.has(key) && chats.size > limits.chats) chats.delete(key);
	const isComplete = !isFailed && selection.left === 0;
	const { counts } = baseline;
	return {
		...baseline,
		since: isComplete ? now : baseline.since,
		latest: read.reduce((latest, { reading }) => latestIn(reading, latest), baseline.latest),
		order: checkOrder(baseline, listing, selection, read),
		...(counts && {
			counts: afterPoll(counts, {
				found: newMessages(read),
				recent: arrivedSince(read, baseline.since),
				reads: read.length,
			}),
		}),
		isPending: !isComplete || listing.chats.some(({ key }) => !chats.get(key)?.seen),
		chats,
	};
}

/** A history that is empty now keeps what was known: otherwise everything in it would be new when it returns. */
function seenAfter(known: TrackedChat | undefined, { seen }: ChatReading): readonly number[] {
	return seen.length === 0 && known?.seen ? known.seen : seen;
}

const latestIn = ({ messages }: ChatReading, latest: number): number =>
	messages.reduce((found, message) => Math.max(found, sentAt(message) ?? 0), latest);
