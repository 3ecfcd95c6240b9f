import type { INode, INodeExecutionData } from 'n8n-workflow';
import { shown } from '../../api/access/shown';
import { invalid } from '../../api/errors';
import { isRecord } from '../../api/response/response';
import type { Found, Identity } from '../checkpoint';
import { createdAt } from '../created';
import { errorToReport, fieldNamesText, requestError } from '../failures';
import { type Limits, LIMITS } from '../limits';
import { type PollContext, Reports } from '../reports';
import { type Change, diff, remember } from './compare';
import { eventItem, matches, passes } from './events';
import { type Memory, emptyMemory, rememberedStatus } from './memory';
import type { SourcePoll } from './pages';
import type { Reading } from './reading';
import { readLists } from './readLists';
import { readRecords } from './records';
import type { SourceCheckpoint } from './saved';
import type { ObservedRecord, Requests, Subscription } from './sources/source';

interface Before {
	saved?: SourceCheckpoint;
	/** Whether the node has no memory of any event yet. */
	isEmpty?: boolean;
}

/** The checkpoint after a poll that could not read the source, or in which it was not its turn: nothing changes. */
export const checkpointBefore = (
	{ filter }: Subscription,
	identity: Identity,
	{ saved, isEmpty = false }: Before,
): SourceCheckpoint => ({
	...(saved ?? { ...identity, filter, failures: 0 }),
	...(isEmpty && { isFirst: true }),
});

/**
 * Polls one source: reads its lists, compares them with memory, and remembers them. A poll that fails changes nothing, so the
 * next one starts from the same checkpoint.
 *
 * A checkpoint of another scope is replaced. So is one of another token, if none of the records is remembered: then the token
 * belongs to another organization.
 */
export async function pollSource(
	requests: Requests,
	subscription: Subscription,
	identity: Identity,
	state: Before,
	{ node, log }: PollContext,
	limits: Limits = LIMITS,
): Promise<Found & { checkpoint: SourceCheckpoint }> {
	const { source, filter } = subscription;
	const { saved } = state;
	const before = saved?.scope === identity.scope ? saved : undefined;
	const reports = new Reports(log, saved?.reported);
	const poll: SourcePoll = { requests, subscription, reports, limits };
	const isOtherToken = before?.token !== identity.token;
	const read = await readAll(poll, before?.memory, isOtherToken, node).catch(requestError);
	if (!('memory' in read)) {
		const checkpoint = checkpointBefore(subscription, identity, state);
		const failures = checkpoint.failures + 1;
		reports.begins(
			'lists',
			shown`Not all ${source.noun}s could be read, so changes are emitted later. ${read.message}`,
			shown`All ${source.noun}s could be read again.`,
		);
		const { reported } = reports;
		return {
			checkpoint: { ...checkpoint, failures, reported },
			items: [],
			error: errorToReport(read, failures, before?.memory !== undefined),
		};
	}
	reports.ends('lists');
	const { memory, reading } = read;
	if (saved?.memory && memory !== saved.memory)
		reports.once(
			shown`The trigger starts over with the ${source.noun}s, because its filters, its credential or the organization has changed. What changed before this poll is not emitted.`,
		);
	// A changed filter applies from this poll on: earlier changes must pass the old one too.
	const filters = before ? [filter, before.filter] : [filter];
	const changes = diff(memory, reading, subscription).filter((change) =>
		filters.every((each) => passes(change, each)),
	);
	const isFirst = state.isEmpty === true || saved?.isFirst === true;
	const existing = isFirst && subscription.fromExisting ? existingIn(reading, poll) : [];
	const itemOf = await withDetails(poll, [...existing, ...changes]);
	const after = remember(memory, reading, source, changes.length > 0);
	reportUnknown(poll, after, reading);
	return {
		checkpoint: { ...identity, filter, failures: 0, reported: reports.reported, memory: after },
		items: [
			...existing.map((row) => itemOf({ ...row, previousStatus: null }, 'existing', 0)),
			...changes.map((change) => itemOf(change, after.epoch, after.polls)),
		],
	};
}

/** @returns what was read, and the memory to compare it with: an empty one at first, and for another organization */
async function readAll(
	poll: SourcePoll,
	known: Memory | undefined,
	isOtherToken: boolean,
	node: INode,
): Promise<{ memory: Memory; reading: Reading }> {
	if (known) {
		const reading = recognized(await readLists(poll, known), node);
		if (!isOtherToken || isSameOrganization(known, reading)) return { memory: known, reading };
	}
	const memory = emptyMemory();
	return { memory, reading: recognized(await readLists(poll, memory), node) };
}

/** @throws NodeOperationError if all rows show no ID or no status: no event would ever be emitted */
function recognized(reading: Reading, node: INode): Reading {
	const { pages, poll } = reading;
	const row = pages.unrecognized;
	if (row === undefined) return reading;
	throw invalid(
		node,
		shown`The ${poll.subscription.source.noun}s in the service’s list show no ID or no status`,
		shown`Without them, no change can be recognized. ${isRecord(row) ? fieldNamesText('the first one', row) : ''}`,
	);
}

/** One record is enough. A foreign one has the hash of one of 20,000 others once in 200 million cases. */
function isSameOrganization(memory: Memory, { seen, gone }: Reading): boolean {
	if (seen.size + memory.keys.size + memory.hashes.size === 0) return true;
	if ([...gone.values()].includes('outOfScope')) return true;
	return [...seen.keys()].some((key) => rememberedStatus(memory, key) !== undefined);
}

/** For Start From: the records that match, the oldest first. They are remembered, so what is left out is never emitted. */
function existingIn(
	reading: Reading,
	{ subscription, reports, limits }: SourcePoll,
): ObservedRecord[] {
	const { source, filter } = subscription;
	const matching = [...reading.seen.values()]
		.filter((observed) => matches(observed, filter))
		.sort((one, other) => createdAt(one.record) - createdAt(other.record));
	const records = matching.slice(0, limits.existing);
	const areAll = reading.lists.every(({ status }) => reading.known.has(status));
	const noun = `existing ${source.noun}s`;
	const which = areAll
		? `the oldest ${records.length} of the ${matching.length} ${noun} that match`
		: `${records.length} ${noun}, because the first poll could not read all of them`;
	if (records.length < matching.length || !areAll)
		reports.once(shown`Start From emits ${which}. Read the others with Get Many.`);
	return records;
}

async function withDetails(
	{ requests, subscription, reports }: SourcePoll,
	rows: readonly ObservedRecord[],
) {
	const { source, details } = subscription;
	const isWanted = details && source.recordEndpoint !== undefined;
	// What was looked up is in full.
	const ids = isWanted ? rows.flatMap(({ id, isFull }) => (isFull ? [] : [id])) : [];
	const { budget } = requests;
	const { results, failure } = await readRecords([...new Set(ids)], budget, async (id) =>
		budget.take() ? await requests.record(id) : 'notSent',
	);
	const isUsedUp = [...results.values()].includes('notSent');
	const reason = failure?.message ?? (isUsedUp ? 'Half of the rate limit is used up.' : undefined);
	if (reason !== undefined)
		reports.begins(
			'details',
			shown`A changed ${source.noun} could not be fetched in full. Its event comes with what the list shows. ${reason}`,
			shown`Changed ${source.noun}s can be fetched in full again.`,
		);
	else if (ids.length > 0) reports.ends('details');
	return (
		row: ObservedRecord & Pick<Change, 'previousStatus'>,
		epoch: string,
		poll: number,
	): INodeExecutionData => {
		const found = results.get(row.id);
		const full = row.isFull ? row.record : found === 'notSent' ? undefined : found;
		const isFetched = isWanted ? full !== undefined : undefined;
		return eventItem(source, { ...row, record: full ?? row.record }, isFetched, epoch, poll);
	};
}

function reportUnknown(
	{ subscription, reports }: SourcePoll,
	{ isCut }: Memory,
	{ unread }: Reading,
): void {
	const { noun, showsNewRecords } = subscription.source;
	const lists = unread.join(', ');
	const which = `Not all ${noun}s${lists && ` in the list ${lists}`}`;
	const effect =
		unread.length > 0
			? `New ones are ${showsNewRecords ? 'emitted only if they show when they were created' : 'not emitted'}, and reopened ones come without their previous status.`
			: 'Some that leave their list are not noticed.';
	const end = shown`All ${noun}s are remembered.`;
	if (isCut)
		reports.begins('room', shown`${which} fit into the state of the trigger. ${effect}`, end);
	else if (unread.length > 0)
		reports.begins('unread', shown`${which} have been read yet. ${effect}`, end);
	else for (const each of ['unread', 'room']) reports.ends(each);
}
