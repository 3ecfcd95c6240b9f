import { clock } from '../api/clock';
import type { Baseline } from './baseline';
import { hasArchives, passOf, unknownChanges } from './baseline';
import { countsAfter } from './counts';
import type { Findings } from './findings';
import type { Limits } from './limits';
import { ordersAfter } from './listOrders';
import type { Observation } from './observation';
import { rowsOf } from './observation';
import type { Snapshot } from './snapshot';
import type { ObservedRecord, StatusSource } from './sources/source';
import { isListed } from './sources/source';
import type { Edit, TrackedRecord } from './tracked';
import { isSame, TrackedRecords } from './tracked';

/** The baseline from the first poll. Nothing in it counts as a change. */
export function firstBaseline(
	observation: Observation,
	source: StatusSource,
	limits: Limits,
): Baseline {
	const empty: Baseline = {
		// A clock that was set back must not repeat an earlier epoch.
		epoch: `${clock.now().toString(36)}${Math.floor(clock.random() * 36 ** 4).toString(36)}`,
		tracked: new TrackedRecords(),
		counts: {},
		exact: [],
		orders: {},
		backfill: source.layout === 'pages' ? passOf(1) : { is: 'complete' },
		eventfulPolls: 0,
		rotation: 0,
		pageSize: source.pageSize,
		sweeps: {},
		cursors: { left: 0, unlisted: 0 },
	};
	const findings: Findings = {
		observation,
		settled: new Map(),
		givenUp: new Set(),
		sweeps: {},
		cursors: empty.cursors,
		changes: [],
		withheld: new Set(),
		failed: false,
	};
	return nextBaseline(empty, findings, source, limits);
}

/** The baseline after a poll. */
export function nextBaseline(
	before: Baseline,
	findings: Findings,
	source: StatusSource,
	limits: Limits,
): Baseline {
	const { observation, changes, failed, cursors } = findings;
	// In an incomplete poll, a new record may look like a dropped one: the next poll decides.
	const isConclusive = !failed || before.backfill.is !== 'truncated';
	const exact = exactAfter(before, observation, source, isConclusive);
	const keepsId = idRule(source, observation, exact);
	const isDecided = decisionRule(before, observation, source);
	const tracked = before.tracked.with(
		editsFor(before, findings, keepsId, (record) => isConclusive && isDecided(record)),
	);
	const counts = countsAfter(before, findings, exact, tracked, source);
	return {
		...before,
		tracked,
		counts,
		exact,
		orders: ordersAfter(before, findings, counts, exact, limits),
		backfill: isConclusive && isProven(before, observation) ? { is: 'complete' } : before.backfill,
		eventfulPolls: before.eventfulPolls + (changes.length > 0 ? 1 : 0),
		rotation: before.rotation + (hasArchives(before) || observation.archives.size > 0 ? 1 : 0),
		pageSize: observation.pages.at(-1)?.size ?? before.pageSize,
		sweeps: findings.sweeps,
		cursors: failed ? before.cursors : cursors,
	};
}

/**
 * Whether every record of a list is known after it was read completely: the reading is certain, or no row shifted and
 * none of its records is unknown. Otherwise, a missed record would look new to the next poll.
 *
 * @param status the list's; undefined for the whole list
 */
function isProven({ tracked }: Baseline, observation: Observation, status?: string): boolean {
	const reading = status === undefined ? observation.whole : observation.complete.get(status);
	if (reading !== 'consistent') return reading === 'certain';
	return [...observation.records.values()].every(
		(record) =>
			(status !== undefined && record.status !== status) || tracked.find(record.id, record.status),
	);
}

/** Statuses whose list is known to be complete, and those without evidence to the contrary. */
function exactAfter(
	before: Baseline,
	observation: Observation,
	source: StatusSource,
	isConclusive: boolean,
): string[] {
	const { complete, archives, records } = observation;
	const seen = new Set(Array.from(records.values(), ({ status }) => status));
	// Of statuses without a list, those that no record has any more are left out: a service may report any text.
	const kept = before.exact.filter(
		(status) =>
			!archives.has(status) &&
			(isListed(source, status) || (source.layout !== 'pages' && seen.has(status))),
	);
	if (!isConclusive) return kept;
	const proven = isProven(before, observation)
		? [...complete.keys(), ...seen]
		: [...complete.keys()].filter((status) => isProven(before, observation, status));
	return [...new Set([...kept, ...proven])].sort();
}

/** Which records are tracked by their ID: those that must be looked up if they are not seen. */
function idRule(
	source: StatusSource,
	{ whole }: Snapshot,
	exact: string[],
): (status: string) => boolean {
	// If everything is read in every poll, a reopened record is seen.
	if (whole || source.layout !== 'pages') return (status) => !source.isTerminal(status);
	return (status) =>
		isListed(source, status) ? exact.includes(status) : !source.isTerminal(status);
}

/**
 * Whether this poll decided if an unknown record is new. Where records were dropped, that needs the list of its status:
 * a record that is seen on the first page of the whole list only is left to the next poll.
 */
function decisionRule(
	{ backfill }: Baseline,
	observation: Observation,
	source: StatusSource,
): (record: ObservedRecord) => boolean {
	if (backfill.is !== 'truncated' || observation.whole) return () => true;
	const listed = new Set<string>();
	for (const status of observation.archives)
		for (const { id } of rowsOf(observation, status, new Set())?.rows.values() ?? [])
			listed.add(id);
	return ({ id, status }) =>
		listed.has(id) || observation.complete.has(status) || !isListed(source, status);
}

function editsFor(
	before: Baseline,
	{ observation: { records, deleted, outOfScope }, changes, withheld }: Findings,
	keepsId: (status: string) => boolean,
	tracksUnknown: (record: ObservedRecord) => boolean,
): Edit[] {
	const { tracked } = before;
	const edits = new Map<string, Edit>();
	for (const { id, from, status, ordinal } of changes) {
		const to: TrackedRecord = { status, changes: ordinal, recency: 2 };
		edits.set(id, { id, from, to, keepsId: keepsId(status) });
	}
	for (const record of records.values()) {
		const { id, status } = record;
		if (edits.has(id) || withheld.has(id)) continue;
		const from = tracked.find(id, status);
		const isById = keepsId(status);
		if (!from && !tracksUnknown(record)) continue;
		if (!from)
			edits.set(id, {
				id,
				to: { status, changes: unknownChanges(before), recency: 2 },
				keepsId: isById,
			});
		else if (isSame(from.status, status) && tracked.byId.has(id) !== isById)
			edits.set(id, { id, from, to: from, keepsId: isById });
	}
	for (const [id, from] of tracked.byId)
		if (!edits.has(id) && !withheld.has(id) && !keepsId(from.status))
			edits.set(id, { id, from, to: from, keepsId: false });
	for (const id of deleted) edits.set(id, { id, from: tracked.byId.get(id) });
	for (const id of outOfScope) {
		const from = tracked.byId.get(id);
		edits.set(id, { id, from, to: edits.get(id)?.to ?? from, keepsId: false });
	}
	return [...edits.values()];
}
