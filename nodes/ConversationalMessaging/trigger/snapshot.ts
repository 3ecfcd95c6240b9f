import { MAX_PAGES, readUntilNothingNew } from '../api/pages';
import { forEachConcurrent } from '../api/concurrency';
import type { Baseline } from './baseline';
import { isArchive, sizeOf } from './baseline';
import type { Limits } from './limits';
import { READS_AT_ONCE } from './limits';
import type { ListedPage, Lister } from './lister';
import { idsOn } from './lister';
import type { Partition, StatusSource } from './sources/source';

/**
 * How reliably a list was read completely. Rows shift between pages while records are created and deleted, and one of
 * them can be missed.
 *
 * - `certain`: in one request, or twice with the same records
 * - `consistent`: all pages have the same total, and together that many records. A record can still have been missed if
 *   another one left and a third one was added meanwhile
 * - `shifting`: a record may have been missed
 */
export type Reading = 'certain' | 'consistent' | 'shifting';

/** What one poll listed. */
export interface Snapshot {
	/**
	 * Each list's pages in the order in which they were read. Lists are read in parallel: a record that moved meanwhile
	 * can be in two of them, and either can be the last one.
	 */
	pages: ListedPage[];
	/** Statuses whose list was read completely. */
	complete: ReadonlyMap<string, Reading>;
	/** Statuses whose list is too long for that. */
	archives: ReadonlySet<string>;
	/** How reliably the whole list was read; undefined if it was not read completely. */
	whole?: Reading;
}

/** The maximum number of readings of a list of several pages in the first poll, until it is stable. */
const FIRST_READINGS = 3;

/** In one of this many polls of a long list, the first page of the whole list is read instead of the archive page. */
const HEAD_EVERY = 10;

/** A list that was at least partly read. */
interface Listing {
	partition?: Partition;
	pages: ListedPage[];
}

/**
 * Lists everything that may have changed, in as few requests as possible: a short list completely; of a longer one,
 * each status whose list is short, and one page of each archive.
 *
 * @param baseline undefined in the first poll
 */
export async function takeSnapshot(
	lister: Lister,
	partitions: Partition[],
	baseline: Baseline | undefined,
	limits: Limits,
): Promise<Snapshot> {
	const { layout } = lister.source;
	if (layout === 'recent') return await listRecent(lister);
	if (layout === 'filtered') return await listFiltered(lister, partitions, !baseline);
	return await listPages(lister, partitions, baseline, limits);
}

async function listRecent(lister: Lister): Promise<Snapshot> {
	const page = await lister.page(1);
	const whole = page && page.length < page.size ? 'certain' : undefined;
	return { pages: page ? [page] : [], complete: new Map(), archives: new Set(), whole };
}

/**
 * One list after the other: a record in two of them belongs to the last one. So the first lists are certain only once
 * the last one was read completely.
 */
async function listFiltered(
	lister: Lister,
	partitions: Partition[],
	isFirst: boolean,
): Promise<Snapshot> {
	const listings: Listing[] = [];
	const complete = new Map<string, Reading>();
	for (const partition of partitions) {
		const listing = await listPage(lister, 1, partition);
		const reading = listing && (await listAll(lister, listing, isFirst));
		if (reading) complete.set(partition.status, reading);
		if (listing) listings.push(listing);
	}
	const last = partitions.at(-1)?.status ?? '';
	const certain = listings.filter(
		({ partition }) => partition?.status === last || complete.has(last),
	);
	return { pages: certain.flatMap(({ pages }) => pages), complete, archives: new Set() };
}

async function listPages(
	lister: Lister,
	partitions: Partition[],
	baseline: Baseline | undefined,
	limits: Limits,
): Promise<Snapshot> {
	const { wholePages } = limits;
	const mayBeShort = !baseline || sizeOf(baseline) <= wholePages * baseline.pageSize;
	const all = mayBeShort ? await listPage(lister, 1) : undefined;
	if (all && (pageCount(all) ?? Infinity) <= wholePages) {
		const whole = await listAll(lister, all, !baseline);
		const complete = new Map<string, Reading>();
		if (whole) for (const { status } of partitions) complete.set(status, whole);
		return { pages: all.pages, complete, archives: new Set(), whole };
	}
	const byStatus = await listByStatus(lister, partitions, baseline, limits);
	return { ...byStatus, pages: [...(all?.pages ?? []), ...byStatus.pages] };
}

async function listByStatus(
	lister: Lister,
	partitions: Partition[],
	baseline: Baseline | undefined,
	limits: Limits,
): Promise<Snapshot> {
	const rotation = baseline && rotationPage(baseline, partitions);
	let head: Listing | undefined;
	const listings: Listing[] = [];
	await forEachConcurrent(partitions, READS_AT_ONCE, async (partition) => {
		const page = partition.status === rotation?.status ? rotation.page : 1;
		if (page === 'head') head = await listPage(lister, 1);
		const listing = page === 'head' ? undefined : await listPage(lister, page, partition);
		if (listing) listings.push(listing);
	});
	const short = shortLists(listings, lister.source, limits.extraPages);
	const complete = new Map<string, Reading>();
	await forEachConcurrent(short, READS_AT_ONCE, async (listing) => {
		const reading = await listAll(lister, listing, !baseline);
		if (reading) complete.set(listing.partition?.status ?? '', reading);
	});
	const long = listings.filter((listing) => !short.includes(listing));
	return {
		pages: [...(head?.pages ?? []), ...long, ...short].flatMap((list) =>
			'pages' in list ? list.pages : [list],
		),
		complete,
		archives: new Set(long.map(({ partition }) => partition?.status ?? '')),
	};
}

/**
 * The page of an archive that this poll reads instead of its first one. All pages of all archives are read in
 * rotation, so that changes that leave every total unchanged are found too; sometimes it is the first page of the
 * whole list, which shows records with undocumented statuses.
 */
export function rotationPage(
	baseline: Baseline,
	partitions: Partition[],
): { status: string; page: number | 'head' } | undefined {
	const archives = partitions
		.map(({ status }) => status)
		.filter((status) => isArchive(baseline, status));
	const pagesOf = (status: string): number =>
		Math.max(1, Math.ceil((baseline.counts[status] ?? 0) / baseline.pageSize));
	const all = archives.reduce((sum, status) => sum + pagesOf(status), 0);
	const { rotation } = baseline;
	const isHead = rotation % HEAD_EVERY === HEAD_EVERY - 1;
	let page = (rotation - Math.floor(rotation / HEAD_EVERY)) % all;
	for (const status of archives) {
		if (page < pagesOf(status)) return { status, page: isHead ? 'head' : page + 1 };
		page -= pagesOf(status);
	}
	return undefined;
}

/** The lists that are read completely: the shortest ones, as many as the additional pages allow. */
function shortLists(listings: Listing[], source: StatusSource, extraPages: number): Listing[] {
	let left = extraPages;
	const cost = (listing: Listing): number => Math.max(1, pageCount(listing) ?? 1) - 1;
	return [...listings]
		.sort((one, other) => cost(one) - cost(other))
		.filter((listing) => {
			// If the service does not return a total, a list that keeps growing is not read to its end.
			if (pageCount(listing) === undefined && source.isTerminal(listing.partition?.status ?? ''))
				return false;
			left -= cost(listing);
			return left >= 0;
		});
}

async function listPage(
	lister: Lister,
	number: number,
	partition?: Partition,
): Promise<Listing | undefined> {
	const page = await lister.page(number, partition);
	return page && { partition, pages: [page] };
}

/**
 * Reads all unread pages of a list.
 *
 * @param untilStable whether to read several pages again until a reading has nothing new: after the first poll, a
 *   missed record would look new
 * @returns undefined if it was not read completely
 */
async function listAll(
	lister: Lister,
	listing: Listing,
	untilStable: boolean,
): Promise<Reading | undefined> {
	let known: number | undefined;
	for (let reading = 1; ; reading++) {
		const start = reading === 1 ? 0 : listing.pages.length;
		if (!(await listRest(lister, listing, reading > 1))) return undefined;
		const [first] = listing.pages;
		if (listing.pages.length === 1 && (first?.length ?? 0) >= (first?.total ?? 0)) return 'certain';
		const { size } = new Set(listing.pages.flatMap(idsOn));
		const pages = listing.pages.slice(start);
		const isConsistent = agreeOnTotal(pages);
		// Records may be missing: a total can include rows that the service does not return.
		if (size === known && totalsOf(pages).size <= 1) return 'certain';
		if (!untilStable || reading === FIRST_READINGS) return isConsistent ? 'consistent' : 'shifting';
		known = size;
	}
}

async function listRest(lister: Lister, listing: Listing, again: boolean): Promise<boolean> {
	const { pages, partition } = listing;
	const read = async (number: number): Promise<ListedPage | undefined> => {
		const page = await lister.page(number, partition);
		if (page) pages.push(page);
		return page;
	};
	if (again && !(await read(1))) return false;
	const count = pageCount(listing);
	if (count === undefined) {
		const seen = new Set(pages.flatMap(idsOn));
		const last = await readUntilNothingNew(seen, async (number) => {
			const page = await read(number);
			return page && idsOn(page);
		});
		return last !== undefined;
	}
	const done = new Set(again ? [1] : pages.map(({ number }) => number));
	const rest = Array.from({ length: Math.min(count, MAX_PAGES) }, (_, i) => i + 1);
	await forEachConcurrent(
		rest.filter((number) => !done.has(number)),
		READS_AT_ONCE,
		async (number) => void (await read(number)),
	);
	return lister.failure === undefined;
}

/** The number of pages of a list; undefined if the service does not return it. */
function pageCount({ pages }: Listing): number | undefined {
	const page = pages.at(-1);
	if (page?.total !== undefined) return Math.max(1, Math.ceil(page.total / page.size));
	return page && page.length < page.size ? page.number : undefined;
}

const totalsOf = (pages: ListedPage[]): Set<number> =>
	new Set(pages.flatMap(({ total }) => (total === undefined ? [] : [total])));

/** Whether all pages agree on the total, and contain as many records. */
function agreeOnTotal(pages: ListedPage[]): boolean {
	const totals = totalsOf(pages);
	const ids = new Set(pages.flatMap(idsOn));
	return totals.size === 0 || (totals.size === 1 && ids.size >= Math.max(...totals));
}
