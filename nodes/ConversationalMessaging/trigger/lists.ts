import { forEachConcurrent } from '../api/concurrency';
import type { Limits } from './limits';
import { READS_AT_ONCE } from './limits';
import type { Memory } from './memory';
import { isComplete } from './memory';
import type { PageResult } from './reader';
import { isPage } from './reader';
import type { Seen } from './seen';
import type { ListedPage, Partition } from './sources/source';
import { pageCount } from './sources/source';
import type { SourcePoll } from './sourcePoll';
import { sweep } from './sweep';

/** The maximum number of readings of a list that is not complete, until two in a row show the same records. */
const MOST_READINGS = 3;

/** A list that was read in full. */
interface Reading {
	pages: ListedPage[];
	/** Whether no record can be missing: it took one request, or was read twice with the same result. */
	isComplete: boolean;
}

/**
 * Reads the short lists: of few records, the list of all; of more, the lists of those statuses that fit into the additional
 * pages. Of the other lists, it reads the first page, but leaves out those that are known to be long.
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
	const candidates = partitions.filter(({ status }) => memory.long[status] === undefined);
	await readFirstPages(poll, candidates);
	const short =
		layout === 'pages'
			? pickShort(seen.firstPages, limits)
			: new Set(candidates.map(({ status }) => status));
	await forEachConcurrent(candidates, READS_AT_ONCE, async (list) => {
		const { status } = list;
		const first = seen.firstPages.get(status);
		if (!first) return;
		if (!short.has(status)) seen.long.add(status);
		else {
			const reading = await readRest(poll, first, list, !isComplete(memory, status));
			if (reading) addReading(seen, status, reading);
			else reader.listIsIncomplete();
		}
	});
}

/** Reads the first page of each list that is known to be long. */
export async function readLongLists(poll: SourcePoll): Promise<void> {
	const { reader, memory, seen } = poll;
	if (seen.readInFull === 'all') return;
	const long = reader.source.partitions.filter(({ status }) => memory.long[status] !== undefined);
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

/** The long lists without those that have become short enough to be read in full by the next poll. */
export function withoutShort({ seen, limits }: SourcePoll, long: Memory['long']): Memory['long'] {
	const short = pickShort(seen.firstPages, limits);
	return Object.fromEntries(Object.entries(long).filter(([status]) => !short.has(status)));
}

/** The recent records, in one request. Those before them are never shown, so every record that appears is new. */
async function readRecent({ reader, seen }: SourcePoll): Promise<void> {
	const page = await reader.page(1);
	if (!isPage(page)) return;
	seen.add([page]);
	seen.complete = 'all';
	if (page.length < page.size) seen.readInFull = 'all';
}

/** @returns whether the list of all records was read in full */
async function readWhole(poll: SourcePoll): Promise<boolean> {
	const { reader, memory, seen, limits } = poll;
	const first = await reader.page(1);
	if (!isPage(first)) return false;
	seen.add([first]);
	if (!showsAll([first]) || (pageCount(first) ?? Infinity) > limits.wholePages) return false;
	const reading = await readRest(poll, first, undefined, memory.complete !== 'all');
	if (!reading) return false;
	seen.add(reading.pages);
	if (!showsAll(reading.pages)) return false;
	seen.readInFull = 'all';
	if (reading.isComplete) seen.complete = 'all';
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

function addReading(seen: Seen, status: string, { pages, isComplete: isNow }: Reading): void {
	seen.add(pages);
	if (seen.readInFull !== 'all') seen.readInFull.add(status);
	if (isNow && seen.complete !== 'all') seen.complete.add(status);
}

/**
 * Reads the pages of a list after the first one.
 *
 * @param untilComplete whether to read several pages again until a reading shows nothing new: a record that was missed while
 *   rows shifted would look new to the next poll
 * @returns undefined if a page could not be read
 */
async function readRest(
	{ reader, limits }: SourcePoll,
	first: ListedPage,
	list: Partition | undefined,
	untilComplete: boolean,
): Promise<Reading | undefined> {
	// Without a total, a service could go on for ever.
	const budget = pageCount(first) === undefined ? limits.searchPages : Infinity;
	const readAll = async (page1?: ListedPage): Promise<ListedPage[] | undefined> => {
		const read = async (number: number): Promise<PageResult> =>
			number === 1 && page1 ? page1 : await reader.page(number, list);
		const { pages, end } = await sweep(read, { from: 1, budget });
		return end === 'last' ? pages : undefined;
	};
	const pages = await readAll(first);
	if (!pages) return undefined;
	if (pages.length === 1 && first.length >= (first.total ?? 0)) return { pages, isComplete: true };
	for (let reading = 2; untilComplete && reading <= MOST_READINGS; reading++) {
		const before = idsOn(pages).size;
		const again = await readAll();
		if (!again) return undefined;
		pages.push(...again);
		if (idsOn(pages).size === before && haveOneTotal(again)) return { pages, isComplete: true };
	}
	return { pages, isComplete: false };
}

const idsOn = (pages: ListedPage[]): Set<string> =>
	new Set(pages.flatMap(({ records }) => records.map(({ id }) => id)));

const haveOneTotal = (pages: ListedPage[]): boolean =>
	new Set(pages.map(({ total }) => total)).size === 1;
