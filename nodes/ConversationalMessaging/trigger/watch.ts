import type { IDataObject, NodeApiError } from 'n8n-workflow';
import { fillLongLists } from './fill';
import type { Limits } from './limits';
import { readLongLists, readShortLists, withoutShort } from './lists';
import { lookUp, readDetails, selectGone } from './lookups';
import type { Change, Memory } from './memory';
import { diff, remember } from './memory';
import type { Reader } from './reader';
import { rotate } from './rotation';
import { searchLongLists } from './search';
import { Seen } from './seen';
import type { Subscription } from './sources/source';

/** The result of comparing one source with the memory of the last poll. */
export interface Watched {
	memory: Memory;
	/** The changes that become events, with full records if wanted. */
	changes: Change[];
	/** Why the poll is incomplete. The next one continues. */
	failure?: NodeApiError;
	/** Whether a list could not be read, rather than some records only. */
	isPartial: boolean;
	/** The share of the seen records that were known before, from 0 to 1; 1 if the lists were empty then. */
	recognized: number;
}

/**
 * Compares one source with memory. Only the returned memory must be kept.
 *
 * After the failure of a list, nothing more is requested, and what was seen counts. In an empty memory nothing is known,
 * so the first poll has no changes.
 *
 * @param isWanted whether a change becomes an event
 * @throws NodeApiError if the next poll could not read the lists either
 */
export async function watch(
	reader: Reader,
	subscription: Subscription,
	memory: Memory,
	isWanted: (change: Change) => boolean,
	limits: Limits,
): Promise<Watched> {
	const { source, scope, details } = subscription;
	const implied = source.impliedPreviousStatus?.(scope) ?? null;
	const seen = new Seen();
	const differences = (): Change[] => diff(memory, seen, source, implied);
	const full = new Map<string, IDataObject | undefined>();
	const readRecords = async (): Promise<void> => {
		if (details) await readDetails(reader, differences().filter(isWanted), seen, full);
	};
	await readShortLists(reader, memory, limits, seen);
	await lookUp(reader, subscription, selectGone(memory, seen, subscription, limits), seen);
	// After the look-ups, so that the totals include the records that these found.
	await readLongLists(reader, memory, seen);
	// What these showed does not wait for the pages that follow.
	await readRecords();
	const next = await rotate(reader, memory, seen);
	const lists = await searchLongLists(reader, memory, seen, implied, limits);
	await readRecords();

	const all = differences();
	const wanted = all.filter(isWanted);
	// A change whose record could not be fetched remains a difference, which the next poll finds again.
	const withheld = new Set(wanted.map(({ id }) => id).filter((id) => details && !full.get(id)));
	const changes = wanted
		.filter(({ id }) => !withheld.has(id))
		.map((change) => ({ ...change, record: full.get(change.id) ?? change.record }));

	const remembered = remember(
		memory,
		{
			seen,
			changes: all.filter(({ id }) => !withheld.has(id)),
			withheld,
			lists: withoutShort(lists, reader, seen, limits),
			next,
			pageSize: reader.served ?? source.pageSize,
		},
		source,
	);
	const polls = memory.polls + (changes.length > 0 ? 1 : 0);
	return {
		memory: await fillLongLists(reader, { ...remembered, polls }, seen, limits),
		changes,
		failure: reader.failure,
		isPartial: reader.isOver,
		recognized: recognizedIn(memory, seen),
	};
}

function recognizedIn({ records, size }: Memory, seen: Seen): number {
	if (size === 0) return 1;
	const ids = [...seen.records.keys(), ...seen.outOfScope];
	return ids.filter((id) => records.statusOf(id) !== undefined).length / Math.max(1, ids.length);
}
