import { shown } from '../../api/access/shown';
import { clock } from '../../api/base/clock';
import { READS_AT_ONCE } from '../limits';
import type { Cursor, LongList, Memory } from './memory';
import { diff, isKnown, MOST_PASSES, newCursor, newLongList } from './memory';
import type { PageResult } from './reader';
import { isPage, lastPage, readAtOnce } from './reader';
import { isSame } from './records';
import type { ListedPage, ObservedRecord, Partition } from './sources/source';
import type { SourcePoll } from './sourcePoll';

/** What reading on led to. */
export interface ReadOn extends Pick<Memory, 'cursor'> {
	long: Record<string, LongList>;
	/** Records of lists that are not known yet. They are remembered silently. */
	others: ObservedRecord[];
	/** Whether every total is explained. */
	isExplained: boolean;
}

/** No list is longer, even if a service goes on for ever. */
const MOST_PAGES = 10_000;

/**
 * Reads the long lists on, at the cursor, page by page. How many pages, depends on what is needed:
 *
 * - **fill:** a list is not known and has quick passes left. Only such lists are read then, after everything else that uses
 *   the token. A list is known after a pass that showed nothing unknown; two at least, because rows shift while it is read;
 * - **search:** the total of a known list is unexplained. Each record has one status and every list returns its total, so a
 *   higher one shows that a record entered the list, and a lower one that a record left it, to another list or for good. What
 *   all lists, from the cursor around to the cursor, do not explain becomes their drift;
 * - **otherwise** one page, for what no total shows, or one for which a list is not known.
 *
 * A page that the service rejects is left out, and so is one that fails in two polls. The pages behind it do not wait.
 */
export async function readOn(poll: SourcePoll): Promise<ReadOn> {
	const { reader, memory, limits } = poll;
	const way = new Way(poll);
	if (way.lists.length === 0 || reader.isOver) return way.left();
	const before = way.unexplained();
	const isExplained = [...before.values()].every((count) => count === 0);
	const isNewSearch = [...before].some(
		([status, count]) => count !== memory.long[status]?.unexplained,
	);
	if (isExplained) way.cursor.left = 0;
	else if (isNewSearch) way.cursor.left = way.pagesOfAll();
	const isSearch = way.cursor.left > 0;

	const hasTried = !isSearch && (await way.tryGap());
	if (way.isFilling) await way.read(limits.fillPages);
	else if (isSearch) {
		const grown = [...before].flatMap(([status, count]) => (count > 0 ? [status] : []));
		const read = isNewSearch ? await way.readGrown(grown, limits.searchPages - 1) : 0;
		const isFound = (): boolean => [...way.unexplained().values()].every((count) => count === 0);
		await way.read(limits.searchPages - read, isFound);
	} else if (!hasTried) await way.read(1);
	return way.settle(isSearch);
}

/** The cursor's way in one poll. */
class Way {
	readonly cursor: Cursor;

	private readonly long: Record<string, LongList>;

	private readonly others = new Map<string, ObservedRecord>();

	private readonly lastPages = new Map<string, number>();

	private readonly counts: ReadonlyMap<string, number>;

	/** The long lists, in their order. */
	readonly lists: Partition[];

	constructor(private readonly poll: SourcePoll) {
		const { reader, memory, seen } = poll;
		this.cursor = { ...memory.cursor };
		this.long = {};
		this.counts = seen.readInFull === 'all' ? new Map() : memory.records.counts;
		if (seen.readInFull !== 'all')
			for (const { status } of reader.source.partitions) {
				const isRead = seen.firstPages.has(status);
				const before = memory.long[status];
				if (before && (!isRead || seen.long.has(status))) this.long[status] = before;
				else if (seen.long.has(status)) this.long[status] = this.newlyLong(status);
			}
		this.lists = reader.source.partitions.filter(({ status }) => {
			const first = seen.firstPages.get(status);
			if (!this.long[status] || !first) return false;
			this.lastPages.set(status, Math.min(lastPage([first]), MOST_PAGES));
			return true;
		});
	}

	/**
	 * A list that was short until now, so its records are known by ID. What is known by key left it unnoticed while it was long
	 * before, such as records that were deleted: its drift.
	 */
	private newlyLong(status: string): LongList {
		const { memory } = this.poll;
		const ids = [...memory.records.ids.values()].filter((each) => each === status).length;
		return newLongList(isKnown(memory, status), ids - (this.counts.get(status) ?? 0));
	}

	get isFilling(): boolean {
		return this.lists.some((list) => this.isToBeFilled(list));
	}

	pagesOfAll(): number {
		return this.lists.reduce((sum, { status }) => sum + this.lastPageOf(status), 0);
	}

	/** By how many records each known long list differs from what is known, after the changes so far. */
	unexplained(): Map<string, number> {
		const { memory, seen, subscription } = this.poll;
		const expected = new Map<string, number>();
		const add = (status: string | undefined, count: number): void => {
			if (status !== undefined) expected.set(status, (expected.get(status) ?? 0) + count);
		};
		for (const { known, status } of diff(memory, seen, subscription)) {
			add(known, -1);
			add(status, 1);
		}
		for (const id of seen.dropped.keys()) add(memory.records.statusOf(id), -1);
		const found = new Map<string, number>();
		for (const { status } of this.lists) {
			const total = seen.totalOf(status);
			const { drift } = this.stateOf(status);
			const count = (this.counts.get(status) ?? 0) + (expected.get(status) ?? 0) + drift;
			if (total !== undefined && isKnown(memory, status)) found.set(status, total - count);
		}
		return found;
	}

	/**
	 * In every other poll, tries one page for which a list is not known, instead of reading on: once it can be read, the list is
	 * filled.
	 *
	 * @returns whether it did
	 */
	async tryGap(): Promise<boolean> {
		const list = this.lists.find(({ status }) => {
			const { isKnown: isKnownNow, passes, gap } = this.stateOf(status);
			return !isKnownNow && passes === 0 && gap > 0;
		});
		// At random, because nothing counts polls.
		if (!list || this.isFilling || clock.random() < 0.5) return false;
		const { status } = list;
		const page = await this.poll.reader.cursorPage(this.stateOf(status).gap, list, true);
		if (isPage(page)) this.change(status, () => ({ passes: MOST_PASSES, gap: 0 }));
		return true;
	}

	/**
	 * Reads lists that have grown, apart from the cursor: all their pages if that many may be read, otherwise the last one, where
	 * some services show new records.
	 *
	 * @returns the number of pages
	 */
	async readGrown(statuses: readonly string[], most: number): Promise<number> {
		let left = most;
		const lists = this.lists.filter(({ status }) => statuses.includes(status));
		for (const list of lists) {
			const last = this.lastPageOf(list.status);
			if (last === 1 || last === MOST_PAGES || left === 0) continue;
			const from = last - 1 <= left ? 2 : last;
			left -= last - from + 1;
			const read = async (number: number): Promise<PageResult> =>
				await this.poll.reader.cursorPage(number, list, false);
			for (const page of await readAtOnce(from, last - from + 1, read))
				if (isPage(page)) this.take(page, list.status);
		}
		return most - left;
	}

	/**
	 * Reads up to so many pages. If that ends in the middle of a fill, the next poll reads the last page again, because rows may
	 * shift onto it.
	 */
	async read(most: number, isFound: () => boolean = () => false): Promise<void> {
		const { cursor, isFilling } = this;
		const { status, page } = cursor;
		const { passes } = this.stateOf(status);
		await this.readPages(most, isFilling, isFound);
		const isSamePass = cursor.status === status && this.stateOf(status).passes === passes;
		const hasBegunHere = isSamePass && cursor.page <= page + 1;
		if (isFilling && this.isFilling && !cursor.hasFailed && cursor.page > 1 && !hasBegunHere)
			cursor.page--;
	}

	private async readPages(most: number, isFilling: boolean, isFound: () => boolean): Promise<void> {
		const { cursor } = this;
		let left = most;
		for (let atOnce = 1; left > 0 && !isFound(); atOnce = READS_AT_ONCE) {
			const list = this.listAtCursor(isFilling);
			if (!list) return;
			const ahead = this.lastPageOf(list.status) - cursor.page + 1;
			if (ahead <= 0) {
				this.endPass(list);
				continue;
			}
			const searched = cursor.left > 0 && !isFilling ? cursor.left : Infinity;
			const count = Math.min(ahead, left, searched, atOnce);
			const results = await readAtOnce(
				cursor.page,
				count,
				async (number) => await this.readPage(number, list, isFilling),
			);
			left -= count;
			for (const result of results) {
				if (cursor.page > this.lastPageOf(list.status)) break;
				if (!this.step(result, list)) return;
			}
			if (cursor.page > this.lastPageOf(list.status)) this.endPass(list);
			if (searched < Infinity && cursor.left === 0) return;
		}
	}

	/** Every poll reads the first page of each list, so instead of it, that of all records, which shows other statuses. */
	private async readPage(
		number: number,
		list: Partition,
		isBackground: boolean,
	): Promise<PageResult> {
		const { reader } = this.poll;
		const isRead = number === 1 && this.stateOf(list.status).isKnown;
		return await reader.cursorPage(number, isRead ? undefined : list, isBackground);
	}

	/** @returns whether the cursor goes on in this poll */
	private step(result: PageResult, { status }: Partition): boolean {
		const { cursor } = this;
		if (result === 'ended') return false;
		if (isPage(result)) this.take(result, status);
		else {
			this.report(status);
			if (result === 'failed' && !cursor.hasFailed) {
				cursor.hasFailed = true;
				// Until it can be read, its rows may shift onto pages that were read before.
				cursor.isClean = false;
				return false;
			}
			cursor.hasGap = true;
			this.change(status, ({ gap }) => ({ gap: gap || cursor.page }));
			// Without a total, it may be behind the last page.
			if (this.lastPageOf(status) === MOST_PAGES) this.lastPages.set(status, cursor.page);
		}
		cursor.page++;
		cursor.hasFailed = false;
		cursor.left = Math.max(0, cursor.left - 1);
		return true;
	}

	private report(status: string): void {
		const { reader, reports } = this.poll;
		const { noun } = reader.source;
		const { page } = this.cursor;
		reports.begins(
			`pages ${status}`,
			shown`Page ${page} of the ${status} ${noun}s could not be read. Changes on it are emitted once the service returns it. ${reader.lastFailure?.message ?? ''}`,
			shown`All pages of the ${status} ${noun}s could be read again.`,
		);
	}

	/** The list in which the cursor goes on; undefined if there is none to be filled any more. */
	private listAtCursor(isFilling: boolean): Partition | undefined {
		const lists = isFilling ? this.lists.filter((list) => this.isToBeFilled(list)) : this.lists;
		const at = lists.find(({ status }) => status === this.cursor.status);
		if (at) return at;
		const statuses = this.poll.reader.source.partitions.map(({ status }) => status);
		const isAfter = ({ status }: Partition): boolean =>
			statuses.indexOf(status) > statuses.indexOf(this.cursor.status);
		const next = lists.find(isAfter) ?? lists[0];
		if (next) this.begin(next.status);
		return next;
	}

	private begin(status: string): void {
		const isClean = this.stateOf(status).passes < MOST_PASSES;
		Object.assign(this.cursor, { ...newCursor(), left: this.cursor.left, status, isClean });
	}

	private endPass({ status }: Partition): void {
		const { cursor, poll } = this;
		const state = this.stateOf(status);
		// One page per poll does not show that nothing is unknown: between polls, rows shift onto pages that were read before.
		const isFill = state.passes > 0;
		const isKnownNow = state.isKnown || (isFill && cursor.isClean && !cursor.hasGap);
		// Without a gap, it is worth another try: records that did not fit may have been deleted.
		const again = cursor.hasGap ? 0 : MOST_PASSES;
		const passes = isKnownNow ? 0 : isFill ? state.passes - 1 : again;
		this.change(status, () => ({ isKnown: isKnownNow, passes }));
		if (!cursor.hasGap) {
			this.change(status, () => ({ gap: 0 }));
			poll.reports.ends(`pages ${status}`);
		}
		// The next list, or this one again if it is the only one.
		const next = this.lists[this.lists.findIndex((list) => list.status === status) + 1];
		this.begin((next ?? this.lists[0])?.status ?? '');
	}

	/** In a known list, differences are changes. In one that is filled, records that are not known are remembered silently. */
	private take(page: ListedPage, status: string): void {
		const { memory, seen } = this.poll;
		this.lastPages.set(status, this.lastPageAfter(page, status));
		if (page.status === undefined) {
			seen.add([page]);
			return;
		}
		const state = this.stateOf(status);
		const isFirst = state.passes === MOST_PASSES;
		const records = page.records.filter((row) => {
			const known = memory.records.statusOf(row.id, row.status);
			if (state.isKnown || seen.records.has(row.id))
				return known === undefined || !isSame(known, row.status);
			if (this.others.has(row.id)) return false;
			// With a shortened key, a record that is known with another status is probably another record when its list is read for
			// the first time.
			const isUnknown = isFirst ? !memory.records.knows(row.id, row.status) : known === undefined;
			if (!isUnknown) return known === undefined || !isSame(known, row.status);
			this.cursor.isClean = false;
			if (state.passes > 0) this.others.set(row.id, row);
			return false;
		});
		seen.add([{ ...page, records }]);
	}

	private lastPageAfter(page: ListedPage, status: string): number {
		// The list of all records has another length.
		return page.status === undefined
			? this.lastPageOf(status)
			: Math.min(lastPage([page]), MOST_PAGES);
	}

	private isToBeFilled({ status }: Partition): boolean {
		const { isKnown: isKnownNow, passes } = this.stateOf(status);
		return !isKnownNow && passes > 0;
	}

	private change(status: string, change: (state: LongList) => Partial<LongList>): void {
		const state = this.stateOf(status);
		this.long[status] = { ...state, ...change(state) };
	}

	private stateOf(status: string): LongList {
		return this.long[status] ?? newLongList(false);
	}

	private lastPageOf(status: string): number {
		return this.lastPages.get(status) ?? 1;
	}

	/** @param isSearch whether a search was on. What it leaves unexplained when it ends is drift. */
	settle(isSearch: boolean): ReadOn {
		const { cursor } = this;
		const after = this.unexplained();
		const isExplained = [...after.values()].every((count) => count === 0);
		if (isExplained) cursor.left = 0;
		// A page that shows a change which no total showed makes the totals unexplained.
		else if (!isSearch) cursor.left = this.pagesOfAll();
		const hasEnded = cursor.left === 0;
		for (const [status, count] of after) {
			const settled = hasEnded ? count : 0;
			const unexplained = count - settled;
			this.change(status, ({ drift }) => ({ drift: drift + settled, unexplained }));
		}
		return { ...this.left(), isExplained: hasEnded && !this.isFilling };
	}

	/** Without a page read in this poll, nothing else is known. */
	left(): ReadOn {
		const { long, cursor, lists } = this;
		return { long, cursor, others: [...this.others.values()], isExplained: lists.length === 0 };
	}
}
