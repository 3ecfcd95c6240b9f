import type { INode } from 'n8n-workflow';
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
import { statusIn } from './memory';
import { observedIn } from './records';
import type { List, ObservedRecord, Requests, Subscription } from './sources/source';

/** What a poll of one source has in common. */
export interface SourcePoll {
	node: INode;
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
	/** Whether it is read in full in every poll. */
	isShort: boolean;
	/** Whether all of its pages were read in this poll. */
	isComplete: boolean;
}

/** What reading some pages led to. */
export interface PagesRead {
	/** Whether each of them could be read, up to the end of the list. */
	isComplete: boolean;
	/** The first page that was not requested. */
	next: number;
	/** Whether the list has ended before the last of them. */
	hasEnded: boolean;
	/** How many records were neither remembered nor seen before. */
	unknown: number;
}

/** Reads pages of the lists of one source in one poll, and keeps what they show. A page that cannot be read holds up no other. */
export class Pages {
	/** The records that this poll has seen, by their keys. Of one that was seen twice, the later row counts. */
	readonly seen = new Map<string, ObservedRecord>();

	/** What no more requests are sent for: the rate limit is used up, the token is rejected, or the time is up. */
	readonly isOver = { all: false, bulk: false };

	private hasContradictions = false;

	constructor(
		private readonly poll: SourcePoll,
		private readonly memory: Memory,
	) {}

	async read(each: ListInPoll, from: number, to: number, isBulk: boolean): Promise<PagesRead> {
		const result = { isComplete: true, next: from, hasEnded: false, unknown: 0 };
		const rows = new Set(each.first.rows.map(identity));
		const last = Math.min(to, MAX_PAGES);
		let empty: number | undefined;
		for (let isOver = false; result.next <= last && !result.hasEnded && !isOver; ) {
			// A service that ignores pages returns all rows for each: page 2 shows that, before many are requested.
			const isTried = each.pages === Infinity && result.next <= 2;
			const count = Math.min(isTried ? 3 - result.next : READS_AT_ONCE, last - result.next + 1);
			const numbers = Array.from({ length: count }, (_, i) => result.next + i);
			const pages: (Page | 'failed' | 'over')[] = [];
			await forEachConcurrent(numbers, READS_AT_ONCE, async (number, i) => {
				pages[i] = await this.readPage(each, number, isBulk);
			});
			for (const [i, page] of pages.entries()) {
				isOver ||= page === 'over';
				if (!isOver) result.next++;
				if (typeof page === 'string') {
					result.isComplete = false;
					continue;
				}
				if (page.rows.length === 0) {
					// If the number of pages is known, others may follow.
					result.hasEnded ||= each.pages === Infinity;
					empty ??= numbers[i];
					continue;
				}
				if (empty !== undefined && !result.hasEnded) {
					result.isComplete = false;
					this.reportPage(each.list, empty, 'The service returned no rows.');
				}
				// If it has grown meanwhile, what was on its last page may be on the next one now.
				const shownPages = pageCount(page.meta, each.first.rows.length) ?? 0;
				each.pages = Math.max(each.pages, shownPages);
				const { size } = rows;
				for (const row of page.rows) rows.add(identity(row));
				// Behind a last page that nothing shows, some services return it, or the first one, again.
				const isRepeated = each.pages === Infinity && result.next > 2 && rows.size === size;
				result.hasEnded ||= isRepeated;
				result.unknown += this.add(page, each.list);
			}
		}
		return result;
	}

	private async readPage(
		{ list, pages }: ListInPoll,
		number: number,
		isBulk: boolean,
	): Promise<Page | 'failed' | 'over'> {
		if (this.isOver.all || (isBulk && this.isOver.bulk)) return 'over';
		return await this.request(list, number, isBulk).catch((error: unknown) => {
			if (!(error instanceof NodeApiError)) throw error;
			// Without a total, nothing else shows which page is the last one.
			if (pages === Infinity && isNotFound(error)) return { rows: [], meta: {} };
			if (concernsAll(error)) {
				this.isOver[isBulk ? 'bulk' : 'all'] = true;
				return 'over';
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
	async request(list: List, page: number, isBulk: boolean): Promise<Page> {
		const { requests, subscription } = this.poll;
		const { source, scope } = subscription;
		const number = source.hasPages ? { page } : {};
		const query = { ...scope, ...list.query, ...number, limit: source.pageSize };
		return await requests.page(query, { path: list.path, isBulk });
	}

	/** @returns how many of its records were neither remembered nor seen before */
	add(page: Page, list: List): number {
		let unknown = 0;
		for (const row of page.rows) {
			const observed = observedIn(row, list, page, this.poll.subscription);
			if (observed === 'contradicts') this.hasContradictions = true;
			else if (observed) {
				if (!this.seen.has(observed.key) && statusIn(this.memory, observed.key) === undefined)
					unknown++;
				this.seen.set(observed.key, observed);
			}
		}
		return unknown;
	}

	/** To be called once all pages have been read. */
	reportContradictions(): void {
		const { reports, subscription } = this.poll;
		const { noun } = subscription.source;
		if (this.hasContradictions)
			reports.begins(
				'filter',
				shown`The service lists ${noun}s that do not match the filter of the request. The trigger leaves them out. Report this to the service’s operator.`,
				shown`The service lists only ${noun}s that match the filter of the request.`,
			);
		else reports.ends('filter');
	}
}
