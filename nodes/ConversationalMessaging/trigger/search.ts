import { forEachConcurrent } from '../api/concurrency';
import type { Baseline } from './baseline';
import { isArchive } from './baseline';
import type { Change } from './diff';
import { diff, countDeltas } from './diff';
import type { Limits } from './limits';
import { READS_AT_ONCE } from './limits';
import type { ListedPage, Lister } from './lister';
import type { Observation } from './observation';
import { rowsOf, withPages } from './observation';
import { pagesToSearch } from './order';
import type { Partition } from './sources/source';
import type { Subscription } from './subscription';

/** The number of pages that a poll without changes reads to determine where records left or entered earlier. */
const PAGES_AT_REST = 4;

/** The result of a search of the archives. */
export interface Searched {
	observation: Observation;
	/** What changed, by everything that was observed. */
	changes: Change[];
	/**
	 * The totals of archives that become the expected ones: they are explained, or everything that could explain them
	 * was read.
	 */
	settled: ReadonlyMap<string, number>;
	/** Those of them that contain more records than were found. */
	givenUp: ReadonlySet<string>;
	/** Where the search of the others continues: the last page that was read in order. */
	sweeps: Readonly<Record<string, number>>;
}

/** The expected state of one archive, as far as this poll knows. */
interface ArchiveState {
	partition: Partition;
	/** The total of its list. */
	total: number;
	/** By how many records it is longer than the known changes explain. */
	surplus: number;
	/**
	 * Whether it shows an unknown record that counts as old. That may be why it is longer: nothing else must be
	 * considered as the reason later.
	 */
	hasUnknown: boolean;
	/** Whether records left or entered it, possibly at ranks that are not known yet. */
	hasUncertainRanks: boolean;
	/** Unread pages that may contain unexplained records, the most promising first. */
	pages: number[];
	/** Unread pages behind those that earlier polls and this one read in order. */
	sweep: number[];
}

/** A page of an archive to read next. */
interface Probe {
	partition: Partition;
	page: number;
}

/**
 * Totals must add up: each record has exactly one status, and every list returns its total. As long as the known
 * changes explain the totals, nothing needs to be searched. An archive that is longer contains records that were not
 * seen yet.
 *
 * They are searched for, within a budget; the next poll continues. A shorter archive is no reason to search: a record
 * that left it is found in its new list, or was deleted.
 */
export async function searchArchives(
	lister: Lister,
	{ source, partitions }: Subscription,
	baseline: Baseline,
	observed: Observation,
	limits: Limits,
): Promise<Searched> {
	let observation = withPages(observed, await readPages(lister, readAgain(observed, partitions)));
	let budget = baseline.backfill.is === 'running' ? 0 : limits.searchPages;
	let budgetAtRest = PAGES_AT_REST;
	// Halving finds few records quickly. Many, or those in a list whose order is not known, are found page by page.
	let halvings = Math.ceil(budget / 2);
	// A search that is under way goes on first: a poll that ends early would otherwise read the same pages again.
	let continuing = Math.ceil(budget / 2);
	for (;;) {
		const changes = diff(baseline, observation, source);
		const states = archiveStates(baseline, observation, changes, partitions);
		const longer = states.filter(({ surplus }) => surplus > 0);
		const underWay = longer.filter(
			({ partition: { status } }) => (baseline.sweeps[status] ?? 0) > 0,
		);
		let probes = probesOf(underWay, 'sweep').slice(0, Math.min(budget, continuing));
		continuing -= probes.length;
		if (probes.length === 0) {
			probes = probesOf(longer, 'pages').slice(0, Math.min(budget, halvings));
			halvings -= probes.length;
		}
		if (probes.length === 0) probes = probesOf(longer, 'sweep').slice(0, budget);
		if (probes.length === 0 && states.length > 1) {
			// Unknown ranks would hide records that leave or enter there later.
			const most = changes.length > 0 ? budget : Math.min(budget, budgetAtRest);
			const uncertain = states.filter(({ hasUncertainRanks }) => hasUncertainRanks);
			probes = probesOf(uncertain, 'pages').slice(0, most);
			budgetAtRest -= probes.length;
		}
		if (probes.length === 0 || lister.failure) {
			return resultOf(baseline, observation, states, changes, partitions, lister.failure);
		}
		budget -= probes.length;
		observation = withPages(observation, await readPages(lister, probes));
	}
}

/** The first pages of archives in which a lookup found a record: their total was read before and may not include it. */
function readAgain({ archives, records, inFull }: Observation, partitions: Partition[]): Probe[] {
	const entered = new Set([...inFull].map((id) => records.get(id)?.status));
	return partitions
		.filter(({ status }) => archives.has(status) && entered.has(status))
		.map((partition) => ({ partition, page: 1 }));
}

function archiveStates(
	baseline: Baseline,
	observation: Observation,
	changes: Change[],
	partitions: Partition[],
): ArchiveState[] {
	const deltas = countDeltas(baseline, changes, observation);
	const entered = new Set(changes.map(({ id }) => id));
	return partitions.flatMap((partition) => {
		const { status } = partition;
		const list = observation.archives.has(status)
			? rowsOf(observation, status, entered)
			: undefined;
		if (!list) return [];
		const { total } = list;
		const known = baseline.counts[status] ?? total;
		const delta = deltas.get(status) ?? 0;
		const order = baseline.orders[status] ?? { marks: [], total: known };
		const isUnread = (page: number): boolean =>
			!observation.pages.some((read) => read.status === status && read.number === page);
		const swept = baseline.sweeps[status] ?? 0;
		const last = Math.ceil(total / list.size);
		const behind = Array.from({ length: Math.max(0, last - swept) }, (_, i) => swept + 1 + i);
		return [
			{
				partition,
				total,
				surplus: total - known - delta,
				hasUnknown: [...list.rows.values()].some(
					({ id }) => !entered.has(id) && !baseline.tracked.find(id, status),
				),
				hasUncertainRanks: delta !== 0 || order.total !== known,
				pages: pagesToSearch(order, list).filter(isUnread),
				sweep: behind.filter(isUnread),
			},
		];
	});
}

/** The pages to read next, of several archives: at most as many as are read in parallel. */
const probesOf = (states: ArchiveState[], which: 'pages' | 'sweep'): Probe[] =>
	states
		.flatMap((state) => state[which].map((page) => ({ partition: state.partition, page })))
		.slice(0, READS_AT_ONCE);

async function readPages(lister: Lister, probes: Probe[]): Promise<ListedPage[]> {
	const pages: ListedPage[] = [];
	await forEachConcurrent(probes, READS_AT_ONCE, async ({ partition, page }) => {
		const listed = await lister.page(page, partition);
		if (listed) pages.push(listed);
	});
	return pages;
}

/** Confirms the totals of archives whose search has ended: everything is explained, or nothing is left to read. */
function resultOf(
	baseline: Baseline,
	observation: Observation,
	states: ArchiveState[],
	changes: Change[],
	partitions: Partition[],
	failure: unknown,
): Searched {
	const { backfill, sweeps } = baseline;
	const unsettled = {
		observation,
		changes,
		settled: new Map<string, number>(),
		givenUp: new Set<string>(),
	};
	if (backfill.is === 'running') return { ...unsettled, sweeps };
	// Records that enter while a list is read in order may be on pages already read: after a find, it starts over.
	const isOpen = ({ surplus, sweep, hasUnknown, partition: { status } }: ArchiveState): boolean =>
		surplus > 0 &&
		!hasUnknown &&
		(sweep.length > 0 || changes.some((change) => change.status === status));
	const nextSweeps = Object.fromEntries(
		states.filter(isOpen).map(({ partition, sweep }) => [partition.status, (sweep[0] ?? 1) - 1]),
	);
	if (failure) return { ...unsettled, sweeps: { ...sweeps, ...nextSweeps } };
	const stateOf = (status: string): ArchiveState | undefined =>
		states.find(({ partition }) => partition.status === status);
	// A record that is missing in one archive may be in another one that is still being searched, or whose total is
	// unknown.
	const isOver =
		!states.some(isOpen) &&
		partitions.every(({ status }) => !isArchive(baseline, status) || stateOf(status));
	const settled = states.filter((state) => isOver || (state.surplus > 0 && !isOpen(state)));
	const givenUp = settled.filter(({ surplus }) => surplus > 0);
	return {
		observation,
		changes,
		settled: new Map(settled.map(({ partition, total }) => [partition.status, total])),
		givenUp: new Set(givenUp.map(({ partition }) => partition.status)),
		sweeps: nextSweeps,
	};
}
