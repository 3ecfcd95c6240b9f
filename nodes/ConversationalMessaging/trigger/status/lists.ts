import { forEachConcurrent } from '../../api/base/concurrency';
import type { Limits } from '../limits';
import { READS_AT_ONCE } from '../limits';
import type { Memory } from './memory';
import { isKnown } from './memory';
import { isPage, lastPage, readAtOnce } from './reader';
import type { ListedPage, Partition } from './sources/source';
import { pageCount } from './sources/source';
import type { SourcePoll } from './sourcePoll';

/** The maximum number of readings of a list that is not known, until two in a row show the same records. */
const MOST_READINGS = 3;

/** What was read of a list. */
interface Reading {
	pages: ListedPage[];
	/** Whether all its pages were read. */
	isFull: boolean;
	/** Whether no record can be missing: it took one request, or was read twice with the same result. */
	isKnown: boolean;
}

/**
 * Reads the short lists: of few records, the list of all; of more, the lists of those statuses that fit into the additional
 * pages. Of the other lists, it reads the first page, but leaves out those that are known to be long.
 *
 * What can be read is kept, also if a page fails: absence from such a list means nothing then.
 */
export async function readShortLists(poll: SourcePoll): Promise<void> {
	const { reader, memory, seen, limits } = poll;
	const { layout, partitions, pageSize } = reader.source;
	if (layout === 'recent') {
		await readRecent(poll);
		return;
	}
	if (layout === 'pages' && memory.size <= limits.wholePages * pageSize)
		if (await readWhole(poll)) return;
	const candidates = partitions.filter(({ status }) => memory.long[status]?.isShort !== false);
	await readFirstPages(poll, candidates);
	const short =
		layout === 'pages'
			? pickShort(seen.firstPages, limits)
			: new Set(candidates.map(({ status }) => status));
	await forEachConcurrent(candidates, READS_AT_ONCE, async (list) => {
		const { status } = list;
		const first = seen.firstPages.get(status);
		if (!first) return;
		if (!short.has(status)) {
			seen.long.add(status);
			return;
		}
		const reading = await readRest(poll, first, list, !isKnown(memory, status));
		seen.add(reading.pages);
		if (!reading.isFull) reader.listIsIncomplete();
		else if (seen.readInFull !== 'all') seen.readInFull.add(status);
		if (reading.isKnown && seen.known !== 'all') seen.known.add(status);
	});
}

/** Reads the first page of each list that is long. */
export async function readLongFirstPages(poll: SourcePoll): Promise<void> {
	const { reader, memory, seen } = poll;
	if (seen.readInFull === 'all') return;
	const { partitions } = reader.source;
	const long = partitions.filter(({ status }) => memory.long[status]?.isShort === false);
	await readFirstPages(poll, long);
	for (const { status } of long) if (seen.firstPages.has(status)) seen.long.add(status);
}

/**
 * The lists to read in full: the shortest ones, as many as the additional pages allow. Without a total, a list with more than
 * one page is long.
 *
 * @param firstPages of the lists to choose from, by status
 */
function pickShort(
	firstPages: ReadonlyMap<string, ListedPage>,
	{ extraPages }: Limits,
): Set<string> {
	let left = extraPages;
	const short = [...firstPages]
		.map(([status, page]) => ({ status, extra: (pageCount(page) ?? Infinity) - 1 }))
		.filter(({ extra }) => extra <= extraPages)
		.sort((one, other) => one.extra - other.extra)
		.filter(({ extra }) => {
			left -= extra;
			return left >= 0;
		});
	return new Set(short.map(({ status }) => status));
}

/** Marks the long lists that have become short enough to be read in full by the next poll. */
export function withShort({ seen, limits }: SourcePoll, long: Memory['long']): Memory['long'] {
	const short = pickShort(seen.firstPages, limits);
	return Object.fromEntries(
		Object.entries(long).map(([status, list]) => [status, { ...list, isShort: short.has(status) }]),
	);
}

/** The recent records, in one request. Those before them are never shown, so every record that appears is new. */
async function readRecent({ reader, seen }: SourcePoll): Promise<void> {
	const page = await reader.page(1);
	if (!isPage(page)) return;
	seen.add([page]);
	seen.known = 'all';
	if (page.length < page.size) seen.readInFull = 'all';
}

/** @returns whether the list of all records was read in full */
async function readWhole(poll: SourcePoll): Promise<boolean> {
	const { reader, memory, seen, limits } = poll;
	const first = await reader.page(1);
	if (!isPage(first)) return false;
	seen.add([first]);
	if (!showsAll([first]) || (pageCount(first) ?? Infinity) > limits.wholePages) return false;
	const {
		pages,
		isFull,
		isKnown: isKnownNow,
	} = await readRest(poll, first, undefined, memory.known !== 'all');
	seen.add(pages);
	if (!isFull || !showsAll(pages)) return false;
	seen.readInFull = 'all';
	if (isKnownNow) seen.known = 'all';
	return true;
}

/** Whether every row is a record with a status. Of other rows, only the list that is filtered by their status shows it. */
const showsAll = (pages: ListedPage[]): boolean =>
	pages.every(({ length, records }) => length === records.length);

async function readFirstPages({ reader, seen }: SourcePoll, lists: Partition[]): Promise<void> {
	await forEachConcurrent(lists, READS_AT_ONCE, async (list) => {
		const first = await reader.page(1, list);
		if (!isPage(first)) return;
		seen.add([first]);
		seen.firstPages.set(list.status, first);
	});
}

/**
 * Reads the pages of a list after the first one.
 *
 * @param untilKnown whether to read several pages again until a reading shows nothing new: a record that was missed while
 *   rows shifted would look new to the next poll
 */
async function readRest(
	poll: SourcePoll,
	first: ListedPage,
	list: Partition | undefined,
	untilKnown: boolean,
): Promise<Reading> {
	const rest = await readFrom(2, [first], poll, list);
	const { pages } = rest;
	if (!rest.isFull) return { pages, isFull: false, isKnown: false };
	if (pages.length === 1 && first.length >= (first.total ?? 0))
		return { pages, isFull: true, isKnown: true };
	for (let reading = 2; untilKnown && reading <= MOST_READINGS; reading++) {
		const before = idsOn(pages).size;
		const again = await readFrom(1, [], poll, list);
		pages.push(...again.pages);
		if (!again.isFull) return { pages, isFull: false, isKnown: false };
		if (idsOn(pages).size === before && haveOneTotal(again.pages))
			return { pages, isFull: true, isKnown: true };
	}
	return { pages, isFull: true, isKnown: false };
}

/** Reads a list from a page to its last one, without those that cannot be read. @param before the pages before that one */
async function readFrom(
	page: number,
	before: readonly ListedPage[],
	{ reader, limits }: SourcePoll,
	list: Partition | undefined,
): Promise<Omit<Reading, 'isKnown'>> {
	const pages = [...before];
	let isFull = true;
	for (let next = page; ; ) {
		// Without a total, a service could go on for ever.
		const end = lastPage(pages);
		const last = Math.min(end, pages.at(-1)?.total === undefined ? limits.searchPages : Infinity);
		if (next > last) return { pages, isFull: isFull && end <= last };
		const count = Math.min(last - next + 1, next === 1 ? 1 : READS_AT_ONCE);
		const read = await readAtOnce(next, count, async (number) => await reader.page(number, list));
		pages.push(...read.filter(isPage));
		next += count;
		if (read.every(isPage)) continue;
		isFull = false;
		if (reader.isOver || last === Infinity || pages.at(-1)?.total === undefined)
			return { pages, isFull };
	}
}

const idsOn = (pages: ListedPage[]): Set<string> =>
	new Set(pages.flatMap(({ records }) => records.map(({ id }) => id)));

const haveOneTotal = (pages: ListedPage[]): boolean =>
	new Set(pages.map(({ total }) => total)).size === 1;
