import { shown } from '../../api/access/shown';
import { forEachConcurrent } from '../../api/base/concurrency';
import { type Page, rowKey, MAX_PAGES, pageCount } from '../../api/reads/pages';
import { concernsAll, isBehindEnd, requestError } from '../failures';
import { type Limits, READS_AT_ONCE } from '../limits';
import type { Reports } from '../reports';
import { type Memory, rememberedStatus } from './memory';
import { observedIn, readListPage } from './records';
import type { List, ObservedRecord, Requests, Subscription } from './sources/source';

export interface SourcePoll {
	requests: Requests;
	subscription: Subscription;
	reports: Reports;
	limits: Limits;
}

export interface ListInPoll {
	list: List;
	first: Page;
	/** The number of its pages; Infinity if the service does not show it. */
	pages: number;
	/**
	 * Short: every poll reads it in full. Long: in parts. Window: it has no pages, and does not show all of its records. Unclear: it
	 * shows no rows, which the next poll has to confirm.
	 */
	kind: 'short' | 'long' | 'window' | 'unclear';
	/** Once all of its pages were read in this poll: what its rows are recognized by, in their order. */
	rows?: readonly string[];
	/** How many records were neither remembered nor seen before, and by how many its total has grown since the last poll. */
	unknown: number;
	grown: number;
	/** In how many readings in a row, over all polls, all of its records were remembered, but for as many as it has grown by. */
	quiet: number;
}

export interface PagesRead {
	/** Why it ended: at the last page that was wanted, at the end of the list, or because nothing more may be sent. */
	ended: 'asWanted' | 'atEnd' | 'early';
	/** Whether a page could not be read. */
	hasGaps: boolean;
	/** The first page that was not requested. */
	next: number;
	/** What the rows of its pages are recognized by, in their order. */
	rows: string[];
	/** How many records were neither remembered nor seen before. */
	unknown: number;
}

/** Reads pages of the lists of one source in one poll, and keeps what they show. A page that cannot be read holds up no other. */
export class Pages {
	/** The records that this poll has seen, by their keys. Of one that was seen twice, the later row counts. */
	readonly seen = new Map<string, ObservedRecord>();
	/** When the first page and the last one were sent, by the service's clock; undefined if nothing shows it. */
	sentAt: { first?: number; last?: number } = {};
	/** How many requests are kept for the cursor: whatever else there is to read, it comes to every page. */
	kept = 0;
	/** Whether no other request can succeed in this poll. */
	private isOver = false;
	/** Whether there was not enough for all that was to be sent. */
	private isShort = false;
	private hasContradictions = false;
	/** Of the rows that show no ID or no status, the first two. */
	private readonly others: unknown[] = [];

	constructor(
		private readonly poll: SourcePoll,
		private readonly memory: Memory,
	) {}

	/** How many requests may be sent beyond those that are kept. */
	get left(): number {
		return this.poll.requests.budget.left - this.kept;
	}

	/** Whether another request may be sent. To be asked before each. */
	mayRead(): boolean {
		if (this.isOver) return false;
		const may = this.left > 0 && this.poll.requests.budget.take();
		this.isShort ||= !may;
		return may;
	}

	/** The first row, if all show no ID or no status. A single one is a broken record, and holds up no other event. */
	get unrecognized(): unknown {
		const areAll = this.seen.size === 0 && !this.hasContradictions;
		return areAll && this.others.length > 1 ? this.others[0] : undefined;
	}

	/** No other request can succeed in this poll. */
	stop(): void {
		this.isOver = true;
	}

	/** Reads these pages of a list, as far as it has them. @param keep the keys of the records that matter; by default, all do */
	async read(
		each: ListInPoll,
		from: number,
		to: number,
		keep?: ReadonlySet<string>,
	): Promise<PagesRead> {
		const read: PagesRead = { ended: 'asWanted', hasGaps: false, next: from, rows: [], unknown: 0 };
		const last = Math.min(to, MAX_PAGES);
		const known = new Set(each.first.rows.map((row) => rowKey(row)));
		let empty: number | undefined;
		while (read.ended === 'asWanted' && read.next <= last) {
			const first = read.next;
			const pages = await this.readAtOnce(each, first, last);
			const notSent = pages.indexOf('notSent');
			read.next += notSent === -1 ? pages.length : notSent;
			read.hasGaps ||= pages.includes('failed');
			for (const [i, page] of pages.entries()) {
				if (typeof page === 'string') continue;
				const { size } = known;
				const rows = page.rows.map((row) => rowKey(row));
				for (const row of rows) known.add(row);
				if (each.pages === Infinity) {
					// Behind a last page that nothing shows, some services return it, or the first one, again.
					const isRepeated = first + i > 1 && known.size === size;
					if (isRepeated || rows.length === 0) read.ended = 'atEnd';
				} else if (rows.length === 0) {
					// As the number of pages is known, others may follow.
					empty ??= first + i;
				} else {
					// If it has grown meanwhile, what was on its last page may be on the next one now.
					each.pages = Math.max(each.pages, pageCount(page.meta, each.first.rows.length) ?? 0);
					read.hasGaps ||= empty !== undefined;
					if (empty !== undefined)
						this.reportPage(each.list, empty, 'The service returned no rows.');
				}
				read.rows.push(...rows);
				read.unknown += this.add(page, each.list, keep);
			}
			if (notSent !== -1) read.ended = 'early';
		}
		each.unknown += read.unknown;
		if (read.unknown > 0 && each.unknown > each.grown) each.quiet = 0;
		if (read.ended === 'asWanted' && read.next > each.pages) read.ended = 'atEnd';
		return read;
	}

	/** Reads as many pages as are read at once. */
	private async readAtOnce(
		each: ListInPoll,
		from: number,
		last: number,
	): Promise<(Page | 'failed' | 'notSent')[]> {
		// Nothing shows where it ends, or whether the service ignores pages and returns all rows for each: request as many as before.
		const most = each.pages === Infinity ? Math.max(1, from - 1) : READS_AT_ONCE;
		const count = Math.min(most, READS_AT_ONCE, last - from + 1);
		const numbers = Array.from({ length: count }, (_, i) => from + i);
		const pages: (Page | 'failed' | 'notSent')[] = [];
		await forEachConcurrent(numbers, READS_AT_ONCE, async (number, i) => {
			pages[i] = await this.readPage(each, number);
		});
		return pages;
	}

	private async readPage(
		{ list, pages }: ListInPoll,
		number: number,
	): Promise<Page | 'failed' | 'notSent'> {
		if (!this.mayRead()) return 'notSent';
		const page = await this.request(list, number).catch(requestError);
		if (!(page instanceof Error)) return page;
		// Without a total, nothing else shows which page is the last one.
		if (pages === Infinity && isBehindEnd(page)) return { rows: [], meta: {} };
		this.reportPage(list, number, page.message);
		if (!concernsAll(page)) return 'failed';
		this.stop();
		return 'notSent';
	}

	private reportPage({ status }: List, number: number, reason: string): void {
		const { reports, subscription } = this.poll;
		const which = `${status} ${subscription.source.noun}s`.trim();
		reports.begins(
			`pages ${status}`,
			shown`Page ${number} of the ${which} could not be read. Changes on it are emitted once the service returns it. ${reason}`,
			shown`All pages of the ${which} could be read again.`,
		);
	}

	/** @throws NodeApiError */
	async request(list: List, page: number): Promise<Page> {
		const { requests, subscription } = this.poll;
		const found = await readListPage(requests, subscription, list, page);
		this.sentAt = { first: this.sentAt.first ?? found.sentAt, last: found.sentAt };
		return found;
	}

	/** @returns how many of its records were neither remembered nor seen before */
	add(page: Page, list: List, keep?: ReadonlySet<string>): number {
		let unknown = 0;
		for (const row of page.rows) {
			const observed = observedIn(row, list, page, this.poll.subscription);
			if (!observed && this.others.length < 2) this.others.push(row);
			if (observed === 'contradicts') this.hasContradictions = true;
			else if (observed && keep?.has(observed.key) !== false) {
				if (
					!this.seen.has(observed.key) &&
					rememberedStatus(this.memory, observed.key) === undefined
				)
					unknown++;
				this.seen.set(observed.key, observed);
			}
		}
		return unknown;
	}

	/** To be called once all pages have been read. */
	report(): void {
		const { reports, subscription } = this.poll;
		const { noun } = subscription.source;
		if (this.isShort)
			reports.begins(
				'limit',
				shown`Half of the rate limit is not enough to read all ${noun}s that may have changed, so some changes are emitted later. If this lasts, use Filters, or choose fewer events.`,
				shown`Half of the rate limit is enough again to read all ${noun}s that may have changed.`,
			);
		else reports.ends('limit');
		if (this.hasContradictions)
			reports.begins(
				'filter',
				shown`The service lists ${noun}s that do not match the filter of the request. The trigger leaves them out. Report this to the service’s operator.`,
				shown`The service lists only ${noun}s that match the filter of the request.`,
			);
		else reports.ends('filter');
	}
}
