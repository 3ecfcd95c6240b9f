import { clock } from '../../api/clock';
import { READS_AT_ONCE } from '../limits';
import type { MessageBaseline } from './baseline';
import { newMessages, readChats } from './chatReads';
import type { ReadChat } from './evidence';
import type { Reads } from './reads';
import type { PollRun } from './run';
import type { SelectedChat, Selection } from './selection';

/**
 * Reads chats in turn: a few, to check whether rows can be relied on; or as many as a poll may read, if rows are not
 * relied on, or if the counts imply messages that were not found. It ends once as many are found as exact counts imply,
 * or when the time is up.
 *
 * @param urgent what was read of the chats that are not read in turn
 * @param until when to end, in milliseconds since the epoch
 */
export async function readInTurn(
	run: PollRun,
	baseline: MessageBaseline,
	{ chats, inTurn, audits, left }: Selection,
	urgent: readonly ReadChat[],
	{ isCheck, isPart, until }: { isCheck: boolean; isPart: boolean; until: number },
): Promise<{ read: ReadChat[]; cursor: number; isRoundOver: boolean }> {
	const { reads, limits } = run;
	const { counts, method, cursor } = baseline;
	const { owed, proofs } = counts?.isExact === true ? counts : { owed: 0, proofs: 0 };
	const isKnown = owed > 0 && !isCheck && (method === 'rows' || proofs >= limits.proofs);
	const read: ReadChat[] = [];
	const hasMore = method === 'turns' || owed > 0;
	const isEnough = (): boolean =>
		!hasMore ||
		clock.now() >= until ||
		(isKnown && owed <= newMessages(urgent) + newMessages(read));
	let next = 0;
	while (next < inTurn.length && !reads.isInterrupted && !reads.areAllRejected) {
		const more = next < audits ? audits : isEnough() ? 0 : Math.min(READS_AT_ONCE, reads.remaining);
		if (more <= 0) break;
		read.push(...(await readChats(run, baseline, inTurn.slice(next, next + more))));
		next += more;
	}
	const done = countDone(reads, inTurn, read);
	const lastInTurn = inTurn[done - 1]?.chat.key ?? cursor;
	if (isPart) {
		const isRoundOver = done === inTurn.length;
		return { read, cursor: isRoundOver ? 0 : lastInTurn, isRoundOver };
	}
	// If more chats changed than a poll can read, the next poll continues with these.
	const isTurnOfOthers = left > 0 && !reads.isInterrupted;
	const last = isTurnOfOthers ? (chats.at(-1)?.chat.key ?? cursor) : lastInTurn;
	return { read, cursor: last, isRoundOver: last <= cursor };
}

/**
 * How many of the chats, from the first one, were read. The next poll begins after them. If every poll is interrupted
 * because the service is slow, it would otherwise read the same chats again and again.
 *
 * Chats for which the service failed count only if they are the first ones: the service may fail for these only, and would
 * interrupt every poll.
 */
function countDone(
	reads: Reads,
	inTurn: readonly SelectedChat[],
	read: readonly ReadChat[],
): number {
	const ids = new Set(read.map(({ chat }) => chat.id));
	const isDone = (id: string): boolean => ids.has(id) || reads.isRejected(id);
	const countWhile = (is: (id: string) => boolean): number => {
		const end = inTurn.findIndex(({ chat }) => !is(chat.id));
		return end < 0 ? inTurn.length : end;
	};
	return countWhile(isDone) || countWhile((id) => isDone(id) || reads.isSuspect(id));
}
