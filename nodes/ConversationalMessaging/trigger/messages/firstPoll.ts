import { clock } from '../../api/clock';
import type { MessageBaseline, TrackedChat } from './baseline';
import { firstCounts } from './channels';
import { readChats } from './chatReads';
import { rowsOn } from './evidence';
import { NO_HISTORIES } from './historyOrder';
import type { Listing } from './listing';
import { listChats } from './listing';
import { NO_ORDER } from './listOrder';
import { nextBaseline } from './nextBaseline';
import type { Reads } from './reads';
import { volatileFields } from './rows';
import type { Compared, PollRun } from './run';
import { readInParts, tooLong } from './texts';

/** The first poll: what is there is known, and nothing is emitted. */
export async function takeBaseline(run: PollRun): Promise<Compared> {
	const { reads, limits, log } = run;
	const startedAt = clock.now();
	const counts = await firstCounts(run);
	const listing = await listChats(reads, undefined, limits);
	if (!listing) return { read: [] };
	if (listing.part) log(readInParts(listing, reads.listPages));
	if (listing.isTooLong) log(tooLong(limits));
	const chats = new Map(listing.chats.map(({ key }): [number, TrackedChat] => [key, { mark: 0 }]));
	const empty: MessageBaseline = {
		startedAt,
		since: startedAt,
		latest: 0,
		method: 'rows',
		volatile: [],
		order: NO_ORDER,
		histories: NO_HISTORIES,
		again: [],
		idlePolls: 0,
		...(counts && { counts }),
		polls: 0,
		listings: 0,
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
	const read = await readChats(run, empty, selection.chats, () => reads.remaining <= 0);
	const volatile = await readVolatile(reads, listing);
	const findings = { listing, selection, read, now: startedAt, volatile, isPartDone: true };
	return { baseline: { ...nextBaseline(run, empty, findings), volatile }, read };
}

/** The fields that change by themselves, as the first page of the list shows when it is read once more. */
async function readVolatile(reads: Reads, { chats }: Listing): Promise<string[]> {
	if (chats.length === 0) return [];
	const before = new Map(chats.map(({ id, row }) => [id, row]));
	return volatileFields(before, await rowsOn(reads, 1));
}
