import type { NodeApiError } from 'n8n-workflow';
import { fillLongLists } from './fill';
import { readLongLists, readShortLists, withoutShort } from './lists';
import { lookUp, readDetails, selectMissing } from './lookups';
import type { Change, Memory } from './memory';
import { diff, remember } from './memory';
import { rotate } from './rotation';
import { searchLongLists } from './search';
import type { Seen } from './seen';
import type { SourcePoll } from './sourcePoll';

/** The result of comparing one source with the memory of the last poll. */
export interface Watched {
	memory: Memory;
	/** The changes that become events, with full records if wanted. */
	changes: Change[];
	/** Why the poll is incomplete. The next one continues. */
	failure?: NodeApiError;
	/** Whether the failure is that of a list, so that not everything was seen, rather than of single records. */
	listsFailed: boolean;
	/** The share of the seen records that were known before, from 0 to 1; 1 if the lists were empty then. */
	recognized: number;
}

/**
 * Compares one source with memory. Only the returned memory must be kept. In an empty memory nothing is known, so the first
 * poll has no changes.
 *
 * After the failure of a list, nothing more is requested, and what was seen counts.
 *
 * If nothing changes, a poll of up to five pages requests these. Of more records, it requests the first page of each status,
 * up to three further pages of short lists, and one page in rotation: 5 to 8 requests for tickets, with four statuses, and 8 to
 * 11 for broadcasts, with seven. One more tries again a page that could not be read while a long list was filled, as long as
 * there is such a page.
 *
 * @param isWanted whether a change becomes an event
 */
export async function watch(
	poll: SourcePoll,
	isWanted: (change: Change) => boolean,
): Promise<Watched> {
	const { reader, subscription, memory, seen } = poll;
	const { source, details } = subscription;
	const readWantedDetails = async (): Promise<void> => {
		if (details) await readDetails(poll, diff(memory, seen, subscription).filter(isWanted));
	};
	await readShortLists(poll);
	await lookUp(poll, selectMissing(poll));
	// After the look-ups, so that the totals include the records that these found.
	await readLongLists(poll);
	// The events so far do not wait for the pages that follow.
	await readWantedDetails();
	const next = await rotate(poll);
	const long = await searchLongLists(poll);
	await readWantedDetails();
	// What the fill cannot read is no failure of the poll.
	const { failure, isOver: listsFailed } = reader;

	const found = diff(memory, seen, subscription);
	// A change whose record could not be fetched remains a difference, which the next poll finds again.
	const isWithheld = (change: Change): boolean =>
		details && isWanted(change) && !seen.inDetail.has(change.id);
	const withheld = new Set(found.filter(isWithheld).map(({ id }) => id));
	const reported = found.filter(({ id }) => !withheld.has(id));
	const changes = reported.filter(isWanted);
	const findings = { seen, changes: reported, withheld, long: withoutShort(poll, long), next };
	const remembered = remember(memory, findings, source);
	const polls = memory.polls + (changes.length > 0 ? 1 : 0);
	return {
		memory: await fillLongLists(poll, { ...remembered, polls }),
		changes,
		failure,
		listsFailed,
		recognized: recognizedIn(memory, seen),
	};
}

/** Records that exist, but no longer match the filters, are recognized too. */
function recognizedIn({ records, size }: Memory, seen: Seen): number {
	if (size === 0) return 1;
	const outOfScope = [...seen.dropped].filter(([, why]) => why === 'outOfScope').map(([id]) => id);
	const ids = [...seen.records.keys(), ...outOfScope];
	return ids.filter((id) => records.statusOf(id) !== undefined).length / Math.max(1, ids.length);
}
