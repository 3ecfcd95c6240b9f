import type { INodeExecutionData, NodeApiError } from 'n8n-workflow';
import { shown } from '../../api/access/shown';
import { errorToReport, QUIET_FAILURES } from '../failures';
import type { Limits } from '../limits';
import { LIMITS } from '../limits';
import type { Log } from '../reports';
import { Reports } from '../reports';
import { readOn } from './cursor';
import { eventItem, passes } from './events';
import { existingItems } from './existing';
import { readLongFirstPages, readShortLists, withShort } from './lists';
import { lookUp, readDetails, selectMissing } from './lookups';
import type { Change, Memory } from './memory';
import { diff, emptyMemory, remember } from './memory';
import { Reader } from './reader';
import type { Checkpoint, Identity } from './saved';
import { Seen } from './seen';
import type { SourcePoll } from './sourcePoll';
import type { Requests, Subscription } from './sources/source';

/** The result of a poll for one source. */
export interface PollResult {
	checkpoint: Checkpoint;
	items: INodeExecutionData[];
	/** To be thrown if no source has events. */
	error?: NodeApiError;
}

/** The checkpoint of the last poll, and what else a poll needs to know of it. */
interface Before {
	saved?: Checkpoint;
	/** Whether there may have been later polls: n8n does not save the state of a poll without events. */
	isRestored?: boolean;
	/** Whether the node has no memory of any event yet. */
	isEmpty?: boolean;
}

/**
 * The least share of the seen records that must be known for a new token to belong to the same organization. Not just
 * one record: of 100,000, a foreign one has the key of another once in a few thousand cases.
 */
const SAME_ORGANIZATION = 0.02;

/**
 * Polls one source.
 *
 * A checkpoint of another scope is kept until a poll in the new scope could read all lists, and replaced then. So is one of
 * another token, unless the records show that it belongs to the same organization: then the poll goes on from it.
 */
export async function pollSource(
	requests: Requests,
	subscription: Subscription,
	identity: Identity,
	{ saved, isRestored = false, isEmpty = false }: Before,
	log: Log,
	limits: Limits = LIMITS,
): Promise<PollResult> {
	const { source, scope, filter } = subscription;
	const before = saved?.scope === identity.scope ? saved : undefined;
	// A changed filter applies from this poll on: earlier changes must pass the old one too.
	const filters = before ? [filter, before.filter] : [filter];
	const isWanted = (change: Change): boolean => filters.every((each) => passes(change, each));
	const reports = new Reports(log, saved?.reported);
	const isFirst = isEmpty || saved?.isFirst === true;
	const compareWith = async (memory: Memory): Promise<Compared> => {
		const reader = new Reader(requests, source, scope);
		return await compare(
			{ reader, subscription, memory, seen: new Seen(), reports, limits },
			isWanted,
			isFirst && subscription.fromExisting,
		);
	};
	const start = emptyMemory();
	const last = saved?.memory && {
		...saved.memory,
		isRestored: isRestored || saved.memory.isRestored,
	};
	const known = before && last;
	let compared = await compareWith(known ?? start);
	const isForeign =
		known !== undefined &&
		before?.token !== identity.token &&
		compared.recognized < SAME_ORGANIZATION;
	const isOther = isForeign && !compared.isOver;
	if (isOther) compared = await compareWith(start);
	const { memory, changes, existing, failure, isOver } = compared;
	const failures = failure ? (saved?.failures ?? 0) + 1 : 0;
	if (failure)
		reports.begins(
			'lists',
			shown`Not all ${source.noun}s could be read, so changes are emitted later. ${failure.message}`,
			shown`All ${source.noun}s could be read again.`,
		);
	else reports.ends('lists');
	const error = failure && errorToReport(failure, failures);
	if (isOver && (!known || isForeign)) {
		// This poll does not count: the next one starts from the same checkpoint.
		const kept = {
			...(saved ?? { ...identity, filter }),
			...(last && { memory: last }),
			...(isFirst && { isFirst }),
		};
		const { reported } = reports;
		return { checkpoint: { ...kept, failures, reported }, items: [], error };
	}
	if (saved?.memory && (!known || isOther))
		reports.once(
			shown`The trigger starts over with the ${source.noun}s, because its filters, its credential or the organization has changed. What changed before this poll is not emitted.`,
		);
	return {
		checkpoint: {
			...identity,
			// The old filter still applies until all lists could be read.
			filter: isOver && before ? before.filter : filter,
			failures,
			reported: reports.reported,
			memory,
		},
		items: [
			...existing,
			...changes.map((change) => eventItem(source, change, memory.epoch, memory.polls)),
		],
		error,
	};
}

/** The result of comparing one source with the memory of the last poll. */
interface Compared {
	memory: Memory;
	/** The changes that become events, with full records if wanted. */
	changes: Change[];
	/** The events of the records that the first poll has found, if they are wanted. */
	existing: INodeExecutionData[];
	/** Why the poll is incomplete. The next one continues. */
	failure?: NodeApiError;
	/** Whether the first page of a list could not be read: the service is out of order. */
	isOver: boolean;
	/** The share of the seen records that were known before, from 0 to 1; 1 if the lists were empty then. */
	recognized: number;
}

/**
 * The poll: reads the lists, and compares them with memory. In an empty memory nothing is known, so the first poll has no
 * changes. With Start From, it has the records that exist then.
 *
 * If nothing changes, a poll of up to five pages requests these. Of more records, it requests the first page of each status,
 * up to three further pages of short lists, and one page at the cursor: 5 to 8 requests for tickets, with four statuses, and
 * 8 to 11 for broadcasts, with seven.
 *
 * @param isWanted whether a change becomes an event
 * @param fromExisting whether existing records do, in an empty memory
 */
async function compare(
	poll: SourcePoll,
	isWanted: (change: Change) => boolean,
	fromExisting: boolean,
): Promise<Compared> {
	const { reader, subscription, memory, seen } = poll;
	const { source, details } = subscription;
	const readWantedDetails = async (): Promise<void> => {
		if (details) await readDetails(poll, diff(memory, seen, subscription).filter(isWanted));
	};

	await readShortLists(poll);
	await lookUp(poll, selectMissing(poll));
	// After the look-ups, so that the totals include the records that these found.
	await readLongFirstPages(poll);
	// The events so far do not wait for the pages that follow.
	await readWantedDetails();
	const { long, cursor, others, isExplained } = await readOn(poll);
	await readWantedDetails();

	const found = diff(memory, seen, subscription);
	const isInDetail = (change: Change): boolean =>
		!details || !isWanted(change) || seen.inDetail.has(change.id);
	const { left, withheld } = leaveToNextPoll(
		poll,
		found.filter((change) => !isInDetail(change)),
	);
	const settled = found.filter(({ id }) => !left.has(id));
	const changes = settled.filter(isWanted);
	const after = remember(
		memory,
		{
			...{ seen, changes: settled, left, withheld, others, cursor },
			long: withShort(poll, long),
			isSettled: isExplained && left.size === 0 && reader.failure === undefined,
		},
		source,
	);
	reportLong(poll, after);
	const existing =
		fromExisting && !reader.isOver ? await existingItems(poll, { long, others }) : [];
	return {
		existing,
		memory: { ...after, polls: memory.polls + (changes.length > 0 ? 1 : 0) },
		changes,
		failure: reader.failure,
		isOver: reader.isOver,
		recognized: recognizedIn(memory, seen),
	};
}

/**
 * A change whose record could not be fetched remains a difference, which the next poll finds again. If fetching fails in the
 * fifth poll in a row, the change is emitted with what the list shows.
 *
 * @param changes without details
 */
function leaveToNextPoll(
	{ reader, memory, reports }: SourcePoll,
	changes: readonly Change[],
): { left: ReadonlySet<string>; withheld: number } {
	const { noun } = reader.source;
	const failed = changes.filter(({ id }) => reader.hasGivenUp('detail', id));
	const failure = reader.failureOf('detail');
	if (failure)
		reports.begins(
			'details',
			shown`A changed ${noun} could not be fetched in full. The event comes with what the list shows, after ${QUIET_FAILURES + 1} such polls at the latest. ${failure.message}`,
			shown`No changed ${noun} waits to be fetched in full any more.`,
		);
	else if (!reader.isOver) reports.ends('details');
	const withheld = failed.length > 0 ? memory.withheld + 1 : reader.isOver ? memory.withheld : 0;
	const emitted = new Set(withheld > QUIET_FAILURES ? failed.map(({ id }) => id) : []);
	const left = changes.flatMap(({ id }) => (emitted.has(id) ? [] : [id]));
	return { left: new Set(left), withheld: Math.min(withheld, QUIET_FAILURES + 1) };
}

/**
 * While long lists are read for the first time, and if they cannot be, some events are missing. What a page of a long list
 * delayed ends if the list is long no more.
 */
function reportLong({ reader, reports }: SourcePoll, { long }: Memory): void {
	const { noun, partitions } = reader.source;
	for (const { status } of partitions) if (!long[status]) reports.ends(`pages ${status}`);
	const unknown = Object.keys(long).filter((status) => !long[status]?.isKnown);
	if (unknown.length > 0)
		reports.begins(
			'unknown',
			shown`Not all ${noun}s with the status ${unknown.join(', ')} have been read yet. Until then, new ones are not emitted, and reopened ones come without their previous status.`,
			shown`All ${noun}s have been read.`,
		);
	else reports.ends('unknown');
}

/** Records that exist, but no longer match the filters, are recognized too. */
function recognizedIn({ records, size }: Memory, seen: Seen): number {
	if (size === 0) return 1;
	const outOfScope = [...seen.dropped].filter(([, why]) => why === 'outOfScope').map(([id]) => id);
	const ids = [...seen.records.keys(), ...outOfScope];
	return ids.filter((id) => records.statusOf(id) !== undefined).length / Math.max(1, ids.length);
}
