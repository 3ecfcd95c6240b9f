import { forEachConcurrent } from '../api/concurrency';
import { MAX_PAGES, readUntilNothingNew } from '../api/pages';
import type { Limits } from './limits';
import { READS_AT_ONCE } from './limits';
import type { Memory } from './memory';
import { isComplete } from './memory';
import type { Reader } from './reader';
import type { Seen } from './seen';
import type { ListedPage, Partition, StatusSource } from './sources/source';
import { pageCount } from './sources/source';

/** The maximum number of readings of a list that is not known yet, until two of them show the same records. */
const MOST_READINGS = 3;

/** A list that was read in full. */
interface Reading {
	pages: ListedPage[];
	/** Whether no record can be missing: it took one request, or was read twice with the same result. */
	isSteady: boolean;
}

/**
 * Reads every list that is short enough to be read in full in every poll: of a short list of all records, everything;
 * of a longer one, the lists of those statuses that are short. Of the others, it reads the first page, but those that
 * are known to be long are left out.
 */
export async function readShortLists(
	reader: Reader,
	memory: Memory,
	limits: Limits,
	seen: Seen,
): Promise<void> {
	const { layout, partitions } = reader.source;
	if (layout === 'recent') {
		await readRecent(reader, seen);
		return;
	}
	if (layout === 'pages' && memory.size <= limits.wholePages * memory.pageSize)
		if (await readWhole(reader, memory, limits, seen)) return;
	const unknown = partitions.filter(({ status }) => memory.lists[status] === undefined);
	await readFirstPages(reader, unknown, seen);
	const short =
		layout === 'pages'
			? pickShort(seen.firstPages, reader.source, limits)
			: new Set(seen.firstPages.keys());
	await forEachConcurrent(unknown, READS_AT_ONCE, async (list) => {
		const { status } = list;
		const first = seen.firstPages.get(status);
		if (!first) return;
		if (!short.has(status)) seen.long.add(status);
		else addReading(seen, status, await readRest(reader, first, list, !isComplete(memory, status)));
	});
}

/** Reads the first page of each list that is known to be long. */
export async function readLongLists(reader: Reader, memory: Memory, seen: Seen): Promise<void> {
	if (seen.readInFull === 'all') return;
	const { partitions } = reader.source;
	const known = partitions.filter(({ status }) => memory.lists[status] !== undefined);
	await readFirstPages(reader, known, seen);
	for (const { status } of known) if (seen.firstPages.has(status)) seen.long.add(status);
}

/**
 * The lists to read in full: the shortest ones, as many as the additional pages allow.
 *
 * @param firstPages of the lists to choose from, by status
 */
export function pickShort(
	firstPages: ReadonlyMap<string, ListedPage>,
	source: StatusSource,
	{ extraPages }: Limits,
): Set<string> {
	let left = extraPages;
	const cost = (page: ListedPage): number => (pageCount(page) ?? 1) - 1;
	const short = [...firstPages]
		.sort(([, one], [, other]) => cost(one) - cost(other))
		.filter(([status, page]) => {
			// Without a total, a list that keeps growing is not read to its end.
			if (pageCount(page) === undefined && source.isTerminal(status)) return false;
			left -= cost(page);
			return left >= 0;
		});
	return new Set(short.map(([status]) => status));
}

/** The long lists without those that have become short enough to be read in full by the next poll. */
export function withoutShort(
	lists: Memory['lists'],
	{ source }: Reader,
	{ firstPages }: Seen,
	limits: Limits,
): Memory['lists'] {
	const short = pickShort(firstPages, source, limits);
	return Object.fromEntries(Object.entries(lists).filter(([status]) => !short.has(status)));
}

/** The recent records, in one request. Those before them are never shown, so every record that appears is new. */
async function readRecent(reader: Reader, seen: Seen): Promise<void> {
	const page = await reader.page(1);
	if (!page) return;
	seen.add([page]);
	seen.steady = 'all';
	if (page.length < page.size) seen.readInFull = 'all';
}

/** @returns whether the list of all records was read in full */
async function readWhole(
	reader: Reader,
	memory: Memory,
	limits: Limits,
	seen: Seen,
): Promise<boolean> {
	const first = await reader.page(1);
	if (!first) return false;
	seen.add([first]);
	if (!showsAll([first]) || (pageCount(first) ?? Infinity) > limits.wholePages) return false;
	const reading = await readRest(reader, first, undefined, memory.complete !== 'all');
	if (!reading) return false;
	seen.add(reading.pages);
	if (!showsAll(reading.pages)) return false;
	seen.readInFull = 'all';
	if (reading.isSteady) seen.steady = 'all';
	return true;
}

/** Whether every row is a record with a status. Of other rows, only the list that is filtered by their status shows it. */
const showsAll = (pages: ListedPage[]): boolean =>
	pages.every(({ length, records }) => length === records.length);

async function readFirstPages(reader: Reader, lists: Partition[], seen: Seen): Promise<void> {
	await forEachConcurrent(lists, READS_AT_ONCE, async (list) => {
		const first = await reader.page(1, list);
		if (!first) return;
		seen.add([first]);
		seen.firstPages.set(list.status, first);
	});
}

function addReading(seen: Seen, status: string, reading: Reading | undefined): void {
	if (!reading) return;
	seen.add(reading.pages);
	if (seen.readInFull !== 'all') seen.readInFull.add(status);
	if (reading.isSteady && seen.steady !== 'all') seen.steady.add(status);
}

/**
 * Reads the pages of a list after the first one.
 *
 * @param untilSteady whether to read several pages again until a reading shows nothing new: a record that was missed while
 *   rows shifted would look new to the next poll
 * @returns undefined if a page could not be read
 */
async function readRest(
	reader: Reader,
	first: ListedPage,
	list: Partition | undefined,
	untilSteady: boolean,
): Promise<Reading | undefined> {
	const pages = await readAfter(reader, first, list);
	if (!pages) return undefined;
	if (pages.length === 1 && first.length >= (first.total ?? 0)) return { pages, isSteady: true };
	for (let reading = 2; untilSteady && reading <= MOST_READINGS; reading++) {
		const known = idsOn(pages).size;
		const again = await reader.page(1, list);
		const latest = again && (await readAfter(reader, again, list));
		if (!latest) return undefined;
		pages.push(...latest);
		if (idsOn(pages).size === known && haveOneTotal(latest)) return { pages, isSteady: true };
	}
	return { pages, isSteady: false };
}

/** All pages of a list from its first one on; undefined if one could not be read. */
async function readAfter(
	reader: Reader,
	first: ListedPage,
	list: Partition | undefined,
): Promise<ListedPage[] | undefined> {
	const pages = [first];
	const read = async (number: number): Promise<ListedPage | undefined> => {
		const page = await reader.page(number, list);
		if (page) pages.push(page);
		return page;
	};
	const count = pageCount(first);
	if (count === undefined) {
		const last = await readUntilNothingNew(idsOn(pages), async (number) => {
			const page = await read(number);
			return page && [...idsOn([page])];
		});
		return last === undefined ? undefined : pages;
	}
	const most = Math.min(count, MAX_PAGES);
	const others = Array.from({ length: most - 1 }, (_, i) => i + 2);
	await forEachConcurrent(others, READS_AT_ONCE, async (number) => void (await read(number)));
	return pages.length === most ? pages : undefined;
}

const idsOn = (pages: ListedPage[]): Set<string> =>
	new Set(pages.flatMap(({ records }) => records.map(({ id }) => id)));

const haveOneTotal = (pages: ListedPage[]): boolean =>
	new Set(pages.map(({ total }) => total)).size === 1;
