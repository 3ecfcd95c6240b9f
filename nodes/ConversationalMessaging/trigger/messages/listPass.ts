import type { MessageBaseline, TrackedChat } from './baseline';
import type { Listing } from './listing';
import { markOf } from './rows';

/** How far a list is read that one poll may not read in full. */
export interface ListPass {
	/** The page that the next poll begins with, besides the first one. */
	page: number;
	/** When this pass through the list began, in milliseconds since the epoch. */
	began: number;
	/** The number of complete passes before. */
	passes: number;
	/** Whether every poll of this pass read what it should. */
	isComplete: boolean;
	/** Whether chats remain to be read. */
	isPending: boolean;
}

/** The first page that is read in parts. The first page of the list is read in every poll. */
export const FIRST_PART = 2;

/**
 * In so many passes, a chat that is not known was there before the first poll: rows may have shifted to pages that were
 * read already.
 */
const FIRST_PASSES = 2;

/** What a poll contributes to a pass. */
interface Part {
	/** When it began. */
	now: number;
	/** Whether it read what it should. */
	isComplete: boolean;
	/** Whether it found chats that remain to be read. */
	isPending: boolean;
	/** Whether it has done with its pages. */
	isDone: boolean;
}

type Progress = Pick<MessageBaseline, 'since' | 'isPending' | 'list'>;

/** The state after a poll that read a part of the list, up to the page before `next`; undefined if it reached the end. */
export function afterPart(
	{ since, isPending, list }: MessageBaseline,
	next: number | undefined,
	part: Part,
): Progress {
	const before = list ?? { page: FIRST_PART, began: part.now, passes: 0, ...NOTHING_FOUND };
	const pass = {
		...before,
		isComplete: before.isComplete && part.isComplete,
		isPending: before.isPending || part.isPending,
	};
	const page = part.isDone ? next : before.page;
	if (page !== undefined)
		return { since, isPending: isPending || part.isPending, list: { ...pass, page } };
	return {
		since: pass.isComplete ? pass.began : since,
		isPending: pass.isPending,
		list: { page: FIRST_PART, began: part.now, passes: pass.passes + 1, ...NOTHING_FOUND },
	};
}

const NOTHING_FOUND = { isComplete: true, isPending: false };

/** The baseline with the listed chats that were there before the first poll, although no poll has listed them yet. */
export function withFirstListed(baseline: MessageBaseline, listing: Listing): MessageBaseline {
	const { list, volatile } = baseline;
	if (!list || list.passes >= FIRST_PASSES) return baseline;
	const others = listing.chats
		.filter(({ key }) => !baseline.chats.has(key))
		.map(({ key, row }): [number, TrackedChat] => [key, { mark: markOf(row, volatile) }]);
	return { ...baseline, chats: new Map([...baseline.chats, ...others]) };
}
