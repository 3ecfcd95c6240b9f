import { NodeApiError } from 'n8n-workflow';
import { shown } from '../../api/access/shown';
import { forEachConcurrent } from '../../api/base/concurrency';
import type { Page } from '../../api/reads/pages';
import { identity, MAX_PAGES, pageCount } from '../../api/reads/pages';
import { concernsAll, isNotFound } from '../failures';
import type { Limits } from '../limits';
import { READS_AT_ONCE } from '../limits';
import type { Reports } from '../reports';
import type { Memory } from './memory';
import { rememberedStatus } from './memory';
import { observedIn } from './records';
import type { List, ObservedRecord, Requests, Subscription } from './sources/source';

/** What a poll of one source has in common. */
export interface SourcePoll {
	requests: Requests;
	subscription: Subscription;
	reports: Reports;
	limits: Limits;
}

/** A list in one poll. */
export interface ListInPoll {
	list: List;
	first: Page;
	/** The number of its pages; Infinity if the service does not show it. */
	pages: number;
	/** Short: every poll reads it in full. Long: in parts. Window: it has no pages, and does not show all of its records. */
	kind: 'short' | 'long' | 'window';
	/** Once all of its pages were read in this poll: what its rows are recognized by, in their order. */
	rows?: readonly string[];
	/** How many of its records were neither remembered nor seen before. */
	unknown: number;
}

/** What reading some pages led to. */
interface PagesRead {
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

/** What a poll may still send: anything, nothing in bulk, or nothing, because the rate limit or the time is used up. */
type Sending = 'anything' | 'notInBulk' | 'nothing';

/** Reads pages of the lists of one source in one poll, and keeps what they show. A page that cannot be read holds up no other. */
export class Pages {
	/** The records that this poll has seen, by their keys. Of one that was seen twice, the later row counts. */
	readonly seen = new Map<string, ObservedRecord>();

	/** When the first page and the last one were sent, by the service's clock; undefined if nothing shows it. */
	sentAt: { first?: number; last?: number } = {};

	/** How many requests are kept for the cursor: whatever else there is to read, it comes to every page. */
	kept = 0;

	private sending: Sending = 'anything';

	/** Whether there was not enough for all that was to be sent. */
	private isShort = false;

	private hasContradictions = false;

	constructor(
		private readonly poll: SourcePoll,
		private readonly memory: Memory,
	) {}

	/** How many requests may be sent beyond those that are kept. */
	get left(): number {
		return this.poll.requests.budget.left - this.kept;
	}

	/** Whether another request may be sent. To be asked before each. @param isBulk see `Requests` */
	mayRead(isBulk: boolean): boolean {
		if (this.sending === 'nothing' || (isBulk && this.sending !== 'anything')) return false;
		const may = this.left > 0 && this.poll.requests.budget.take();
		this.isShort ||= !may;
		return may;
	}

	/** No other request, or none in bulk, can succeed in this poll. */
	stop(isBulk: boolean): void {
		if (!isBulk) this.sending = 'nothing';
		else if (this.sending === 'anything') this.sending = 'notInBulk';
	}

	/**
	 * Reads these pages of a list, as far as it has them.
	 *
	 * @param keep the keys of the records that matter; by default, all do
	 */
	async read(
		each: ListInPoll,
		from: number,
		to: number,
		isBulk: boolean,
		keep?: ReadonlySet<string>,
	): Promise<PagesRead> {
		const rows: string[] = [];
		const known = new Set(each.first.rows.map(identity));
		const last = Math.min(to, MAX_PAGES);
		let [next, unknown] = [from, 0];
		let [isAtEnd, isStopped, hasGaps] = [false, false, false];
		let empty: number | undefined;
		while (next <= last && !isAtEnd && !isStopped) {
			// A service that ignores pages returns all rows for each: page 2 shows that, before many are requested.
			const isTried = each.pages === Infinity && next <= 2;
			const count = Math.min(isTried ? 3 - next : READS_AT_ONCE, last - next + 1);
			const numbers = Array.from({ length: count }, (_, i) => next + i);
			const pages: (Page | 'failed' | 'notSent')[] = [];
			await forEachConcurrent(numbers, READS_AT_ONCE, async (number, i) => {
				pages[i] = await this.readPage(each, number, isBulk);
			});
			for (const [i, page] of pages.entries()) {
				isStopped ||= page === 'notSent';
				if (!isStopped) next++;
				hasGaps ||= page === 'failed';
				if (typeof page === 'string') continue;
				if (page.rows.length === 0) {
					// If the number of pages is known, others may follow.
					isAtEnd ||= each.pages === Infinity;
					empty ??= numbers[i];
					continue;
				}
				if (empty !== undefined && !isAtEnd) {
					hasGaps = true;
					this.reportPage(each.list, empty, 'The service returned no rows.');
				}
				// If it has grown meanwhile, what was on its last page may be on the next one now.
				const shownPages = pageCount(page.meta, each.first.rows.length) ?? 0;
				each.pages = Math.max(each.pages, shownPages);
				const { size } = known;
				const identities = page.rows.map(identity);
				for (const row of identities) known.add(row);
				// Behind a last page that nothing shows, some services return it, or the first one, again.
				isAtEnd ||= each.pages === Infinity && next > 2 && known.size === size;
				rows.push(...identities);
				unknown += this.add(page, each.list, keep);
			}
		}
		isAtEnd ||= next > each.pages;
		const ended = isStopped ? 'early' : isAtEnd ? 'atEnd' : 'asWanted';
		return { ended, hasGaps, next, rows, unknown };
	}

	private async readPage(
		{ list, pages }: ListInPoll,
		number: number,
		isBulk: boolean,
	): Promise<Page | 'failed' | 'notSent'> {
		if (!this.mayRead(isBulk)) return 'notSent';
		return await this.request(list, number, isBulk).catch((error: unknown) => {
			if (!(error instanceof NodeApiError)) throw error;
			// Without a total, nothing else shows which page is the last one.
			if (pages === Infinity && isNotFound(error)) return { rows: [], meta: {} };
			if (concernsAll(error)) {
				this.stop(isBulk);
				return 'notSent';
			}
			this.reportPage(list, number, error.message);
			return 'failed';
		});
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
	async request(list: List, page: number, isBulk = false): Promise<Page> {
		const { requests, subscription } = this.poll;
		const { source, scope } = subscription;
		const number = source.hasPages ? { page } : {};
		const query = { ...scope, ...list.query, ...number, limit: source.pageSize };
		const found = await requests.page(query, { path: list.path, isBulk });
		this.sentAt = { first: this.sentAt.first ?? found.sentAt, last: found.sentAt };
		return found;
	}

	/** @returns how many of its records were neither remembered nor seen before */
	add(page: Page, list: List, keep?: ReadonlySet<string>): number {
		let unknown = 0;
		for (const row of page.rows) {
			const observed = observedIn(row, list, page, this.poll.subscription);
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
