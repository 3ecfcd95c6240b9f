import { MAX_IN_FLIGHT } from '../api/rateLimiter';
import { forEachConcurrent } from '../api/concurrency';
import type { Baseline } from './baseline';
import { isArchive, orderIn } from './baseline';
import { diff, movesOf } from './diff';
import { keyOf } from './keys';
import type { Limits } from './limits';
import type { ListedPage, Lister } from './lister';
import type { Observation } from './observation';
import { toldTotal, withPages } from './observation';
import type { ReadRow } from './order';
import { pagesToSearch } from './order';
import type { Subscription } from './subscription';

/** How many pages a poll without changes reads to find out where records left or entered before. */
const PLACED_AT_REST = 4;

/** What a search of the archives brought. */
export interface Searched {
	observation: Observation;
	/** Statuses of which the total is taken as it is: it is explained, or everything that could explain it was read. */
	settled: Map<string, number>;
}

/**
 * Totals must add up: each record has exactly one status, and every list says how long it is. As long as the known
 * moves explain the totals, nothing has to be searched. An archive that is longer than they explain holds records that
 * were not seen yet, and those are searched for, within a budget; the next poll goes on.
 *
 * An archive that is shorter is no reason to search: whoever left it turns up where it went, or was deleted.
 */
export async function searchArchives(
	lister: Lister,
	{ source, partitions }: Subscription,
	baseline: Baseline,
	observed: Observation,
	limits: Limits,
): Promise<Searched> {
	const archives = partitions.filter(({ status }) => observed.archives.has(status));
	let observation = observed;
	let budget = baseline.backfill.is === 'running' ? 0 : limits.searchPages;
	let placing = PLACED_AT_REST;
	for (;;) {
		const changes = diff(baseline, observation, source);
		const moves = movesOf(baseline, changes, observation);
		const entered = new Set(changes.map(({ id }) => id));
		const sums = archives.flatMap((partition) => {
			const { status } = partition;
			const total = toldTotal(observation, status);
			if (total === undefined) return [];
			const surplus = total - (baseline.counts[status] ?? total) - (moves.get(status) ?? 0);
			return [{ partition, total, surplus }];
		});
		const pagesOf = ({ partition: { status }, total }: (typeof sums)[number]): number[] => {
			const { rows, size } = readRows(observation, status, entered);
			const isUnread = (page: number): boolean =>
				!observation.pages.some((read) => read.status === status && read.number === page);
			return pagesToSearch(orderIn(baseline, status), rows, total, size).filter(isUnread);
		};
		const probes = sums
			.filter(({ surplus }) => surplus > 0)
			.map((sum) => ({ partition: sum.partition, pages: pagesOf(sum) }));
		let next = probes
			.flatMap(({ partition, pages }) => pages.map((page) => ({ partition, page })))
			.slice(0, Math.min(budget, MAX_IN_FLIGHT));
		if (next.length === 0 && budget > 0 && archives.length > 1) {
			// Where records left or entered is found out as well: otherwise they would hide those that do so later.
			const isMoved = (status: string): boolean =>
				(moves.get(status) ?? 0) !== 0 ||
				orderIn(baseline, status).total !== (baseline.counts[status] ?? 0);
			if (changes.length === 0) budget = Math.min(budget, placing);
			const moved = sums.filter(({ partition }) => isMoved(partition.status));
			next = moved
				.flatMap((sum) => pagesOf(sum).map((page) => ({ partition: sum.partition, page })))
				.slice(0, Math.min(budget, MAX_IN_FLIGHT));
			placing -= next.length;
		}
		if (next.length === 0 || lister.failure) {
			// A search that spent all it may and found nothing is given up: the rotation will come by.
			const isHopeful = (status: string): boolean =>
				budget > 0 || changes.some((change) => change.status === status);
			const open = new Set(
				probes
					.filter(({ pages, partition }) => pages.length > 0 && isHopeful(partition.status))
					.map(({ partition }) => partition.status),
			);
			// What is missing in one archive may be in another one whose total this poll does not know.
			const knowsTotals = partitions.every(
				({ status }) =>
					!isArchive(baseline, status) || toldTotal(observation, status) !== undefined,
			);
			const isOver = open.size === 0 && knowsTotals && baseline.backfill.is !== 'running';
			const settled = sums.filter(
				({ surplus, partition }) =>
					!lister.failure && (isOver || (surplus > 0 && !open.has(partition.status))),
			);
			return {
				observation,
				settled: new Map(settled.map(({ partition, total }) => [partition.status, total])),
			};
		}
		budget -= next.length;
		const pages: ListedPage[] = [];
		await forEachConcurrent(next, MAX_IN_FLIGHT, async ({ partition, page }) => {
			const listed = await lister.page(page, partition);
			if (listed) pages.push(listed);
		});
		observation = withPages(observation, pages);
	}
}

/** The rows of one list that were read in this poll, by their rank. */
export function readRows(
	{ pages }: Observation,
	status: string,
	entered: ReadonlySet<string>,
): { rows: Map<number, ReadRow>; size: number } {
	const rows = new Map<number, ReadRow>();
	let size = 1;
	for (const page of pages) {
		if (page.status !== status) continue;
		size = page.size;
		page.records.forEach(({ id }, i) => {
			rows.set((page.number - 1) * size + i, { key: keyOf(id), entered: entered.has(id) });
		});
	}
	return { rows, size };
}
