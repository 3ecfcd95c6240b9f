import type { INodeExecutionData } from 'n8n-workflow';
import { shown } from '../../api/access/shown';
import { clock } from '../../api/base/clock';
import type { Found, Identity } from '../checkpoint';
import { createdAt } from '../created';
import { errorToReport, isRejectedRecord, QUIET_FAILURES, requestError } from '../failures';
import { type MessageLimits, MESSAGE_LIMITS } from '../limits';
import { type PollContext, Reports } from '../reports';
import { type Listing, readChatList } from './chatList';
import {
	type Memory,
	type MessageCheckpoint,
	type TrackedChat,
	afterList,
	afterReading,
	emptyMemory,
	FAILED,
	isAfter,
	newIn,
	TO_READ,
	withinRoom,
} from './memory';
import { type Message, itemsOf } from './message';
import { type ChatReads, readChats } from './reads';
import { orderError, recognitionText, recognize } from './recognition';
import { type ChatNews, type Polled, reportFailure, reportPoll } from './report';
import { isChanged, selectChats } from './selection';
import type { MessageService } from './service';
import { sharesOf } from './shares';
import type { MessageSubscription } from './subscription';

/**
 * Polls for new messages. A poll that fails changes nothing.
 *
 * @param identity what the memory belongs to: a checkpoint with another scope is kept until a poll in this one could read the
 *   first page of its chats, and one with another token is ignored if no chat is known
 * @param saved the checkpoint of the last poll
 */
export async function pollMessages(
	service: MessageService,
	subscription: MessageSubscription,
	identity: Identity,
	saved: MessageCheckpoint | undefined,
	{ node, log }: PollContext,
	limits: MessageLimits = MESSAGE_LIMITS,
): Promise<Found & { checkpoint: MessageCheckpoint }> {
	const before = saved?.scope === identity.scope ? saved : undefined;
	const reports = new Reports(log, saved?.reported);
	const isOtherToken = before?.token !== identity.token;
	const polled = await pollChats(service, subscription, before?.memory, isOtherToken, limits).catch(
		requestError,
	);
	if (polled instanceof Error) {
		const failures = (saved?.failures ?? 0) + 1;
		reportFailure(reports, polled);
		// Also one of another scope, which may come back.
		const checkpoint = { ...identity, ...saved, failures, reported: reports.reported };
		const hasBaseline = before?.memory !== undefined;
		return { checkpoint, items: [], error: errorToReport(polled, failures, hasBaseline) };
	}

	const { known, reads, news, memory } = polled;
	const settings = recognitionText(subscription);
	const wasShown = known?.shownFor === settings;
	const histories = reads.read.map(({ messages }) => messages);
	const isPublishing = !known || (known.shownFor !== undefined && !wasShown);
	const recognition = recognize(histories.flat(), subscription, node, isPublishing);
	const unclear = recognition.error ?? (isPublishing ? orderError(histories, node) : undefined);
	// Until it is known which messages are from customers and when they were sent, nothing counts as read.
	if (unclear && !wasShown) {
		const error = recognition.isEarly ? undefined : unclear;
		if (error)
			reports.begins(
				'recognition',
				shown`No message is emitted until messages are recognized. ${error.message}. ${error.description ?? ''}`,
				'Messages are recognized.',
			);
		const checkpoint = { ...identity, failures: 0, ...saved, reported: reports.reported };
		return { checkpoint, items: [], error };
	}
	reports.ends('recognition');

	if (saved?.memory && !known)
		reports.once(
			'The trigger starts over with the messages, because its filters, its credential or the organization has changed. Messages before this poll are not emitted.',
		);
	reportPoll(reports, polled, limits);
	const failure = failureOf(polled);
	const failures = failure ? (before?.failures ?? 0) + 1 : 0;
	// It may have tried only chats that are broken. The first poll tries more.
	const isQuiet = known && isRejectedRecord(failure) && failures <= QUIET_FAILURES;
	const hasBaseline = known !== undefined;
	const shownFor = wasShown || recognition.isLasting ? settings : undefined;
	return {
		checkpoint: {
			...identity,
			failures,
			reported: reports.reported,
			memory: { ...memory, shownFor },
		},
		// What the first poll finds was there before.
		items: known ? itemsIn(news, subscription) : [],
		error: failure && !isQuiet ? errorToReport(failure, failures, hasBaseline) : undefined,
	};
}

/** Why a poll could read no chat; undefined if it could, or there was none to read. A first poll notes all that it lists. */
const failureOf = ({ listing, reads }: Polled): ChatReads['failure'] =>
	reads.read.length > 0 ? undefined : (listing.failure ?? reads.failure);

function itemsIn(
	news: readonly ChatNews[],
	subscription: MessageSubscription,
): INodeExecutionData[] {
	const timeOf = (message: Message | undefined): number => message?.time ?? 0;
	const byTime = (one: Message, other: Message): number => timeOf(one) - timeOf(other);
	return news
		.map(({ read, fresh }) => {
			const wanted = fresh.filter(({ isWanted }) => isWanted);
			return { chat: read.chat, wanted: wanted.reverse().sort(byTime) };
		})
		.sort((one, other) => timeOf(one.wanted[0]) - timeOf(other.wanted[0]))
		.flatMap(({ chat, wanted }) => itemsOf(chat, wanted, subscription));
}

/** @param known the memory before; undefined for the first poll */
async function pollChats(
	service: MessageService,
	subscription: MessageSubscription,
	known: Memory | undefined,
	isOtherToken: boolean,
	limits: MessageLimits,
): Promise<Polled> {
	const { budget } = service;
	// It has a request of its own. If the trigger starts over in this poll, it needs another one.
	budget.spend();
	const first = await service.chats(1);
	// The header has whole seconds.
	const now = first.sentAt === undefined ? clock.now() : first.sentAt + 999;
	const start = known ?? emptyMemory(now);
	const shares = sharesOf(known, now, budget.left, limits);
	const listing = await readChatList(
		service,
		subscription,
		first,
		start.pass,
		shares.pages,
		limits.watchedPages,
	);
	if (known && isOtherToken && !isSameOrganization(known, listing))
		return await pollChats(service, subscription, undefined, false, limits);

	const listed = withListed(start, listing, !known, limits);
	const selected = selectChats(listed.chats, listing.chats, budget.left, shares, subscription);
	const reads = await readChats(service, selected, subscription, limits);
	const news = reads.read.map((read) => ({ read, fresh: newIn(read.messages, read.known) }));
	const found = known ? news.filter(({ fresh }) => fresh.length > 0) : [];
	const isSilent = found.some(
		({ read, fresh }) => !isChanged(read) && fresh.some((message) => isBeforeRow(message, now)),
	);
	const isShown = found.some(({ read }) => isChanged(read) && read.known.mark > FAILED);
	const memory: Memory = {
		...listed,
		polled: now,
		rowsShow: !isSilent && (isShown || start.rowsShow),
		chats: chatsAfter(listed.chats, reads, news, now, limits),
	};
	const after = listing.isOver ? afterList(memory, now) : memory;
	return { known, listing, reads, news, isSilent, memory: after };
}

/** One known chat is enough. If none is known or listed, nothing shows that it is another one. */
const isSameOrganization = ({ chats }: Memory, { chats: listed }: Listing): boolean =>
	chats.size * listed.size === 0 || [...listed.keys()].some((key) => chats.has(key));

/** So long before its row was read, a message must have been sent to be shown by it, in milliseconds. */
const ROW_DELAY_MS = 5_000;

/** Whether a row that was read at this time would show the message, if rows show any. */
const isBeforeRow = ({ time = 0 }: Message, now: number): boolean => time <= now - ROW_DELAY_MS;

/**
 * Adds the chats that are not known yet. The first poll only notes how their rows look. If there is no room, they replace those
 * that were not listed for the longest time and had no message since the start: these are emitted once, even if they come back.
 */
function withListed(
	memory: Memory,
	{ chats: listed, page, isWhole, isUnfiltered }: Listing,
	isFirstPoll: boolean,
	limits: MessageLimits,
): Memory {
	const chats = new Map(memory.chats);
	const { start, pass } = memory;
	const replaceable = [...chats]
		.filter(([key, { time }]) => time <= start && !listed.has(key))
		.sort(([, one], [, other]) => other.unseen - one.unseen)
		.values();
	for (const { key, mark, row } of listed.values()) {
		const known = chats.get(key);
		if (!known && chats.size >= limits.chats) {
			const [replaced] = replaceable.next().value ?? [];
			if (replaced === undefined) continue;
			chats.delete(replaced);
		}
		// A chat that was created since the start has only new messages, whatever time they show.
		const isNew = !isFirstPoll && isAfter(createdAt(row), start);
		const added = { mark: isFirstPoll ? mark : TO_READ, last: [], time: isNew ? 0 : start };
		chats.set(key, { ...(known ?? added), unseen: 0 });
	}
	return { ...memory, chats, pass: { ...pass, page, isWhole, isUnfiltered } };
}

/** The chats after a poll. Those that were read, or tried, come last. */
function chatsAfter(
	before: Memory['chats'],
	{ read, failed, isStopped }: ChatReads,
	news: readonly ChatNews[],
	now: number,
	{ active }: MessageLimits,
): Memory['chats'] {
	const chats = new Map(before);
	const keep = (key: number, after: TrackedChat): void => {
		chats.delete(key);
		chats.set(key, after);
	};
	for (const { read: one, fresh } of news) {
		const { chat, known, messages } = one;
		// A row that changed without a message: its message may be stored later.
		const isAgain = fresh.length === 0 && isChanged(one) && known.mark > FAILED;
		const mark = isAgain ? TO_READ : chat.mark;
		keep(chat.key, { ...known, ...afterReading(known, { messages, fresh }, now), mark });
	}
	// If nothing could be read, of many, it is not these chats that are broken.
	const isOutage = isStopped && read.length === 0;
	for (const { chat, known } of failed)
		keep(chat.key, isOutage ? known : { ...known, mark: FAILED });
	return withinRoom(chats, active);
}
