import { MAX_IN_FLIGHT } from '../api/rateLimiter';
import { MAX_PAGES, readUntilNothingNew } from '../api/pages';
import { forEachConcurrent } from '../api/concurrency';
import type { Baseline } from './baseline';
import { isArchive, sizeOf } from './baseline';
import type { Limits } from './limits';
import type { ListedPage, Lister } from './lister';
import type { Partition, StatusSource } from './sources/source';

/**
 * How well a list was read from its beginning to its end. Rows shift between pages while records come and go, and one
 * of them can pass unseen.
 *
 * - `certain`: in one request, or twice with the same records
 * - `steady`: all pages agree on the length of the list, and bring as many records. A record can still have passed
 *   unseen when another one left and a third one came meanwhile
 * - `shifting`: a record may have passed unseen
 */
export type Reading = 'certain' | 'steady' | 'shifting';

/** What one poll listed. */
export interface Snapshot {
	/** In the order in which they came. */
	pages: ListedPage[];
	/** Statuses whose list was read from beginning to end. */
	complete: ReadonlyMap<string, Reading>;
	/** Statuses whose list is too long for that. */
	archives: ReadonlySet<string>;
	/** How the whole list was read from beginning to end; undefined when it was not. */
	whole?: Reading;
}

/** How often a list of several pages is read in the first poll, at most, until it holds still. */
const FIRST_READINGS = 3;

/** In one of so many polls of a long list, the head of the whole list is read in the place of the archive page. */
const HEAD_EVERY = 10;

/** A list of which something was read. */
interface Listing {
	partition?: Partition;
	pages: ListedPage[];
}

/**
 * Lists everything that can have changed, in as few requests as that takes: a short list whole; of a longer one, each
 * status whose list is short in full, and one page of each archive.
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
 * One list after the other: a record that is in two of them belongs to the last one. So what the first lists show is
 * certain only once the last one was read in full.
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
	const mayBeShort = !baseline || sizeOf(baseline) <= wholePages * lister.source.pageSize;
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
	const rotation = baseline && rotationPage(baseline, partitions, lister.source);
	let head: Listing | undefined;
	const listings: Listing[] = [];
	await forEachConcurrent(partitions, MAX_IN_FLIGHT, async (partition) => {
		const page = partition.status === rotation?.status ? rotation.page : 1;
		if (page === 'head') head = await listPage(lister, 1);
		const listing = page === 'head' ? undefined : await listPage(lister, page, partition);
		if (listing) listings.push(listing);
	});
	const short = shortLists(listings, lister.source, limits.extraPages);
	const complete = new Map<string, Reading>();
	await forEachConcurrent(short, MAX_IN_FLIGHT, async (listing) => {
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
 * The page of an archive that this poll reads in the place of its first one. All pages of all archives take turns, so
 * that changes that leave every total as it was are found as well; now and then the head of the whole list, which shows
 * records in statuses that are not documented.
 */
export function rotationPage(
	baseline: Baseline,
	partitions: Partition[],
	{ pageSize }: StatusSource,
): { status: string; page: number | 'head' } | undefined {
	const archives = partitions
		.map(({ status }) => status)
		.filter((status) => isArchive(baseline, status));
	const pagesOf = (status: string): number =>
		Math.max(1, Math.ceil((baseline.counts[status] ?? 0) / pageSize));
	const all = archives.reduce((sum, status) => sum + pagesOf(status), 0);
	if (all === 0) return undefined;
	const { rotation } = baseline;
	const isHead = rotation % HEAD_EVERY === HEAD_EVERY - 1;
	let page = (rotation - Math.floor(rotation / HEAD_EVERY)) % all;
	for (const status of archives) {
		if (page < pagesOf(status)) return { status, page: isHead ? 'head' : page + 1 };
		page -= pagesOf(status);
	}
	return undefined;
}

/** The lists that are read in full: the shortest ones, as many as the extra pages are enough for. */
function shortLists(listings: Listing[], source: StatusSource, extraPages: number): Listing[] {
	let left = extraPages;
	const cost = (listing: Listing): number => Math.max(1, pageCount(listing) ?? 1) - 1;
	return [...listings]
		.sort((one, other) => cost(one) - cost(other))
		.filter((listing) => {
			// Where the service does not say how long a list is, one that grows for ever is not read to its end.
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
 * Reads all pages of a list that were not read yet.
 *
 * @param untilStable whether to read several pages again until a reading brings nothing new: in the first poll, a record
 *   that passed unseen would look new to the next one
 * @returns undefined when it was not read to its end
 */
async function listAll(
	lister: Lister,
	listing: Listing,
	untilStable: boolean,
): Promise<Reading | undefined> {
	let known: number | undefined;
	for (let reading = 1; ; reading++) {
		if (!(await listRest(lister, listing, reading > 1))) return undefined;
		const { size } = new Set(listing.pages.flatMap((page) => page.records.map(({ id }) => id)));
		if (listing.pages.length === 1 || size === known) return 'certain';
		if (!untilStable || reading === FIRST_READINGS)
			return isSteady(listing.pages) ? 'steady' : 'shifting';
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
		MAX_IN_FLIGHT,
		async (number) => void (await read(number)),
	);
	return lister.failure === undefined;
}

const idsOn = ({ records }: ListedPage): string[] => records.map(({ id }) => id);

/** How many pages a list has; undefined when the service does not say. */
function pageCount({ pages }: Listing): number | undefined {
	const page = pages.at(-1);
	if (page?.total !== undefined) return Math.max(1, Math.ceil(page.total / page.size));
	return page && page.length < page.size ? page.number : undefined;
}

function isSteady(pages: ListedPage[]): boolean {
	const totals = new Set(pages.flatMap(({ total }) => (total === undefined ? [] : [total])));
	const ids = new Set(pages.flatMap((page) => page.records.map(({ id }) => id)));
	return totals.size === 0 || (totals.size === 1 && ids.size >= Math.max(...totals));
}
