import { NodeApiError } from 'n8n-workflow';
import { shown } from '../../api/access/shown';
import { clock } from '../../api/base/clock';
import { forEachConcurrent } from '../../api/base/concurrency';
import type { Page } from '../../api/reads/pages';
import { pageCount, SMALLEST_PAGE } from '../../api/reads/pages';
import { invalid } from '../../api/errors';
import { isNotFound } from '../failures';
import { READS_AT_ONCE } from '../limits';
import type { Cursor, Memory, PollReading } from './memory';
import type { ListInPoll, PagesRead, SourcePoll } from './pages';
import { Pages } from './pages';
import { createdAt, lookUp, readRecords } from './records';
import type { List, LookupResult, ObservedRecord } from './sources/source';

/** In a list that is not known, rows may shift while it is read. So it is read until a reading shows nothing new, at most so often. */
const MOST_READINGS = 3;

/** In how many polls in a row a list is read in full to become known; then only in some. */
const FIRST_POLLS = 3;

/**
 * Reads the lists of one source in one poll, and what left them:
 *
 * - the first page of every list. If one cannot be read, the poll fails;
 * - short lists in full: the shortest ones, as many as fit into some pages. What is missing there is looked up;
 * - long lists: in full if their number of records has changed, or if they are not known yet; otherwise a share at the cursor,
 *   so that each page is read once in eleven polls.
 *
 * A record that cannot be read holds up no other.
 */
export class Reading implements PollReading {
	readonly lists: List[];

	readonly seen: ReadonlyMap<string, ObservedRecord>;

	readonly gone = new Map<string, 'deleted' | 'outOfScope'>();

	readonly known: Set<string>;

	readonly totals: Record<string, number> = {};

	cursor: Cursor;

	private inPoll: ListInPoll[] = [];

	private readonly pages: Pages;

	constructor(
		private readonly poll: SourcePoll,
		private readonly memory: Memory,
	) {
		const { source, filter } = poll.subscription;
		this.pages = new Pages(poll, memory);
		this.seen = this.pages.seen;
		this.lists = source.lists(filter.statuses);
		const statuses = this.lists.map(({ status }) => status);
		this.known = new Set(statuses.filter((status) => memory.known.has(status)));
		this.cursor = memory.cursor;
	}

	/**
	 * @throws NodeApiError if the first page of a list cannot be read
	 * @throws NodeOperationError if a list cannot be watched
	 */
	async read(): Promise<this> {
		await this.readFirstPages();
		for (const each of this.inPoll) if (each.isShort) await this.readInFull(each);
		await this.lookUpMissing();
		await this.readLongLists();
		this.pages.reportContradictions();
		return this;
	}

	readonly listOf = (status: string): List | undefined =>
		this.lists.find((list) => list.status === status) ??
		this.lists.find((list) => list.status === '');

	readonly isShort = (status: string): boolean => this.inPollOf(status)?.isShort === true;

	private inPollOf(status: string): ListInPoll | undefined {
		const list = this.listOf(status);
		return this.inPoll.find((each) => each.list === list);
	}

	private async readFirstPages(): Promise<void> {
		const { source } = this.poll.subscription;
		const firsts: (Page | NodeApiError)[] = [];
		await forEachConcurrent(this.lists, READS_AT_ONCE, async (list, i) => {
			firsts[i] = await this.pages
				.request(list, 1, false)
				.catch((error: unknown) => this.withoutList(list, error));
		});
		const missing = firsts.filter((first) => first instanceof NodeApiError);
		if (missing[0] && missing.length === this.lists.length) throw missing[0];
		this.inPoll = this.lists.flatMap((list, i) => {
			const first = firsts[i];
			if (!first || first instanceof NodeApiError) return [];
			const { length } = first.rows;
			const shown = source.hasPages ? pageCount(first.meta, length) : 1;
			const pages = shown ?? (length < SMALLEST_PAGE ? 1 : Infinity);
			return [{ list, first, pages, isShort: false, isComplete: pages === 1 }];
		});
		for (const { list, first, pages } of this.inPoll) {
			const isNew = this.memory.totals[list.status] === undefined;
			const refusal = isNew ? source.refusal?.(first) : undefined;
			if (refusal) throw invalid(this.poll.node, ...refusal);
			this.pages.add(first, list);
			this.poll.reports.ends(`list ${list.status}`);
			// If nothing shows its length, it counts as a long one.
			const most = Math.min(first.rows.length * pages, Number.MAX_SAFE_INTEGER);
			this.totals[list.status] = first.meta.total ?? most;
		}
		this.chooseShort();
	}

	/**
	 * A list with an ID that does not exist any more, such as a segment's, holds up no other.
	 *
	 * @throws what was thrown, with the ID if the service has no such list, if this list cannot be left out
	 */
	private withoutList({ status, path }: List, error: unknown): NodeApiError {
		if (!(error instanceof NodeApiError) || !path || !isNotFound(error)) throw error;
		const { reports, subscription } = this.poll;
		const which = shown`The service has no list of ${subscription.source.noun}s with the ID ${status}.`;
		error.description = [error.description, which].filter(Boolean).join(' ');
		const total = this.memory.totals[status];
		if (total === undefined) throw error;
		this.totals[status] = total;
		reports.begins(
			`list ${status}`,
			shown`${which} It is left out. Choose another one in the trigger.`,
			shown`The list of ${subscription.source.noun}s with the ID ${status} could be read again.`,
		);
		return error;
	}

	/** The shortest lists are short, as long as their pages beyond the first ones fit. */
	private chooseShort(): void {
		const { wholePages, mostWholePages } = this.poll.limits;
		const areAllShort = this.poll.subscription.source.otherList !== undefined;
		this.inPoll.sort((one, other) => one.pages - other.pages);
		const share = Math.floor(pagesBeyondFirst(this.inPoll) / 10);
		let left = Math.max(wholePages, Math.min(share, mostWholePages));
		for (const each of this.inPoll) {
			left -= each.pages - 1;
			each.isShort = areAllShort || left >= 0;
		}
	}

	/** Reads a list in full; with `to`, as far as this page. It is complete if that is its end. */
	private async readInFull(each: ListInPoll, from = 2, to = each.pages): Promise<PagesRead> {
		const read = await this.pages.read(each, from, to, !each.isShort);
		const isComplete = read.isComplete && (read.hasEnded || to === each.pages);
		each.isComplete ||= isComplete;
		if (isComplete) this.poll.reports.ends(`pages ${each.list.status}`);
		return { ...read, isComplete };
	}

	/** Absence alone is no change, because rows shift: what is missing in a list that was read in full is looked up. */
	private async lookUpMissing(): Promise<void> {
		const { requests, subscription, reports, limits } = this.poll;
		const { source } = subscription;
		const missing = [...this.memory.keys].flatMap(([key, status]) => {
			const isRead = this.inPollOf(status)?.isComplete === true;
			return isRead && !this.seen.has(key) ? [key] : [];
		});
		// From a random one on, so that those that cannot be read do not hold up the others for ever.
		const start = Math.floor(clock.random() * missing.length);
		const keys = [...missing.slice(start), ...missing.slice(0, start)].slice(0, limits.lookups);
		const { results, failure, isOver } = await readRecords(keys, async (key) =>
			this.pages.isOver.all ? undefined : await lookUp(requests, subscription, key),
		);
		this.pages.isOver.all ||= isOver;
		for (const [key, result] of results) this.addLookup(key, result);
		if (failure)
			reports.begins(
				'lookUps',
				shown`A ${source.noun} that left its list could not be looked up. If its status has changed, the event comes once the service returns it. ${failure.message}`,
				shown`Every ${source.noun} that left its list can be looked up again.`,
			);
		else if (keys.length === missing.length && !this.pages.isOver.all) reports.ends('lookUps');
	}

	private addLookup(key: string, result: LookupResult | undefined): void {
		if (result?.is === 'found') this.pages.seen.set(key, result.observed);
		else if (result?.is === 'deleted' || result?.is === 'outOfScope') this.gone.set(key, result.is);
	}

	private async readLongLists(): Promise<void> {
		for (const each of this.inPoll) if (!each.isShort) await this.readNewest(each);
		await this.readChanged();
		await this.readUnknown();
		await this.readAtCursor();
	}

	/** New records are on the first page or, if the service lists the oldest first, on the last one. */
	private async readNewest(each: ListInPoll): Promise<void> {
		const [top, bottom] = [each.first.rows[0], each.first.rows.at(-1)];
		if (each.pages < Infinity && createdAt(top) < createdAt(bottom))
			await this.pages.read(each, each.pages, each.pages, false);
	}

	/** A list whose number of records has changed, as far as it fits. Otherwise, the cursor comes to the change. */
	private async readChanged(): Promise<void> {
		let left = this.poll.limits.changedPages;
		for (const each of this.inPoll) {
			const { status } = each.list;
			const before = this.memory.totals[status];
			const hasChanged = before !== undefined && before !== this.totals[status];
			if (each.isShort || !hasChanged || each.pages - 1 > left) continue;
			left -= each.pages - 1;
			await this.readInFull(each);
		}
	}

	/** Until a reading shows nothing that was not seen before, what is not remembered in a list may be old. */
	private async readUnknown(): Promise<void> {
		const { fillPages, fillEvery } = this.poll.limits;
		const { unknownFor, isCut } = this.memory;
		const isDue = !isCut && (unknownFor < FIRST_POLLS || unknownFor % fillEvery === 0);
		let left = fillPages;
		for (const each of this.inPoll) {
			if (this.known.has(each.list.status)) continue;
			let isKnown = each.pages === 1;
			for (let i = 0; isDue && !isKnown && i < MOST_READINGS && left > 1; i++) {
				// Of a list whose length is not shown, as many pages as fit.
				const to = each.pages === Infinity ? left : each.pages;
				if (to > left) break;
				const { next, isComplete, unknown } = await this.readInFull(each, 1, to);
				left -= next - 1;
				isKnown = isComplete && unknown === 0;
			}
			if (isKnown) this.known.add(each.list.status);
		}
	}

	/** The other pages of the long lists, one list after another over all polls. */
	private async readAtCursor(): Promise<void> {
		const { cursorPages, cursorPolls } = this.poll.limits;
		const long = this.inPoll.filter(({ isShort }) => !isShort);
		const lists = this.lists.flatMap((list) =>
			long.filter((each) => each.list === list && !each.isComplete),
		);
		if (lists.length === 0) return;
		let left = Math.min(cursorPages, Math.ceil(pagesBeyondFirst(long) / cursorPolls));
		// If the list at the cursor was read in full in this poll, the next one follows.
		const from = this.lists.findIndex(({ status }) => status === this.cursor.status);
		let at = lists.findIndex(({ list }) => this.lists.indexOf(list) >= from);
		if (at < 0) at = 0;
		let { page, isWhole } = this.cursor;
		if (lists[at]?.list.status !== this.cursor.status) [page, isWhole] = [2, true];
		for (let turn = 0; left > 0 && turn <= lists.length; turn++) {
			const each = lists[at] as ListInPoll;
			const { status } = each.list;
			const to = Math.min(each.pages, page + left - 1);
			const read = await this.pages.read(each, page, to, true);
			isWhole &&= read.isComplete;
			left -= read.next - page;
			page = read.next;
			const isOver = this.pages.isOver.all || this.pages.isOver.bulk;
			if (!isOver && (read.hasEnded || page > each.pages)) {
				if (isWhole) this.poll.reports.ends(`pages ${status}`);
				at = (at + 1) % lists.length;
				[page, isWhole] = [2, true];
			}
			if (isOver) break;
		}
		this.cursor = { status: (lists[at] as ListInPoll).list.status, page, isWhole };
	}
}

const pagesBeyondFirst = (lists: readonly ListInPoll[]): number =>
	lists.reduce((sum, { pages }) => sum + pages - 1, 0);
