import { forEachConcurrent } from '../../api/concurrency';
import { READS_AT_ONCE } from '../limits';
import type { MessageBaseline } from './baseline';
import type { ReadChat } from './evidence';
import type { KnownHistory } from './history';
import { knownOrder } from './historyOrder';
import { itemsOf } from './items';
import { CLOCK_MARGIN_MS } from './limits';
import type { ListedChat } from './listing';
import type { SelectedChat } from './selection';
import type { PollRun } from './run';
import type { MessageSubscription } from './subscription';

/**
 * Reads the messages of chats. Those that cannot be read are left out.
 *
 * @param isEnough called before each chat; if it returns true, the chat is not read. By default, all are read
 */
export async function readChats(
	{ reads, subscription }: PollRun,
	baseline: MessageBaseline,
	chats: readonly SelectedChat[],
	isEnough?: () => boolean,
): Promise<ReadChat[]> {
	const read: (ReadChat | undefined)[] = [];
	await forEachConcurrent(chats, READS_AT_ONCE, async ({ chat, reason }, i) => {
		if (isEnough?.()) return;
		const reading = await reads.news(chat.id, knownOf(chat, baseline, subscription));
		if (!reading) return;
		const hasNews = itemsOf({ chat, news: reading.news }, subscription).length > 0;
		read[i] = { chat, reason, reading, hasNews };
	});
	return read.filter((one) => one !== undefined);
}

/** What is known of the messages of a chat. If none of the known messages is left, times decide what is new. */
function knownOf(
	{ key }: ListedChat,
	{ chats, startedAt, since, latest, method, rounds, histories }: MessageBaseline,
	subscription: MessageSubscription,
): KnownHistory {
	const known = chats.get(key);
	const readSince = method === 'turns' ? rounds.before : startedAt;
	const common = { oldUntil: readSince - CLOCK_MARGIN_MS, order: knownOrder(histories) };
	// By the clock of the service, if it is slow.
	const newest = latest > 0 ? latest : Infinity;
	const seenBefore = Math.min(since, newest);
	if (!known) {
		const withoutTimes = isNewChat(subscription);
		return { ...common, seen: undefined, since: seenBefore - CLOCK_MARGIN_MS, withoutTimes };
	}
	const { seen } = known;
	if (!seen) return { ...common, seen, since: startedAt, withoutTimes: false };
	if (seen.length === 0) {
		const emptyAt = Math.min(startedAt, newest);
		return { ...common, seen, since: emptyAt - CLOCK_MARGIN_MS, withoutTimes: true };
	}
	return {
		...common,
		seen,
		since: method === 'turns' ? rounds.before : seenBefore,
		withoutTimes: false,
	};
}

/** Whether a chat that was not in the list before is new. With a filter, it may be an old chat that now matches. */
export const isNewChat = ({ query }: MessageSubscription): boolean =>
	Object.keys(query).length === 0;

/** The number of new messages in these chats. */
export const newMessages = (read: readonly ReadChat[]): number =>
	read.reduce((sum, { reading }) => sum + reading.news.length, 0);
