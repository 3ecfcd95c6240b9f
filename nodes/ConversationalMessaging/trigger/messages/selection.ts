import { lastMessageOf } from '../../api/response/chat';
import type { Shares } from './shares';
import type { ListedChat } from './chatList';
import { type Memory, type TrackedChat, FAILED } from './memory';
import type { MessageSubscription } from './subscription';

/** A chat that is to be read. */
export interface SelectedChat {
	chat: ListedChat;
	known: TrackedChat;
}

/** Whether the row of a chat differs from when it was read last, or the chat is to be read anyway. */
export const isChanged = ({ chat, known }: SelectedChat): boolean => known.mark !== chat.mark;

/**
 * The chats that a poll reads: those whose rows changed, quiet ones in rotation, and some that could not be read; of each, the one
 * that was read the longest time ago first. One of each kind comes first.
 *
 * @param left how many requests the poll may send
 *
 * Of those whose rows changed, half are the ones in which the customer wrote last, if rows show that: after a broadcast, an answer
 * does not wait behind thousands of deliveries, nor does anything else wait for good.
 */
export function selectChats(
	chats: Memory['chats'],
	listed: ReadonlyMap<number, ListedChat>,
	left: number,
	shares: Shares,
	subscription: MessageSubscription,
): SelectedChat[] {
	const waiting = [...chats].flatMap(([key, known]): SelectedChat[] => {
		const chat = listed.get(key);
		return chat ? [{ chat, known }] : [];
	});
	const isFailed = ({ known }: SelectedChat): boolean => known.mark === FAILED;
	const failing = waiting.filter(isFailed).slice(0, shares.failing);
	const changed = waiting.filter((one) => isChanged(one) && !isFailed(one));
	const ofOthers = left - failing.length;
	// A third, and what the changed ones leave.
	const ofQuiet = Math.max(1, Math.floor(left / 3), ofOthers - changed.length);
	const quiet = waiting.filter((one) => !isChanged(one)).slice(0, Math.min(shares.quiet, ofQuiet));
	const room = Math.max(1, ofOthers - quiet.length);
	const urgent = changed
		.filter(({ chat }) => lastMessageOf(chat.row, subscription.direction).isInbound)
		.slice(0, Math.floor(room / 2));
	const selected = [...new Set([...urgent, ...changed])].slice(0, room);
	const firsts = [changed[0], quiet[0], failing[0]];
	return [
		...new Set([
			...waiting.filter((one) => firsts.includes(one)),
			...selected,
			...quiet,
			...failing,
		]),
	];
}
