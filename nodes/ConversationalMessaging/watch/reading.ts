import type { IDataObject } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import { isRecord, statusOf } from '../api/answer';
import { MAX_IN_FLIGHT } from '../api/gate';
import type { Page } from '../api/pages';
import { idOf, MAX_PAGES, pagesAfterFirst } from '../api/pages';
import { inParallel } from '../api/parallel';
import type { Kind, Part, Reader, Sighting } from './kind';
import type { Memory } from './memory';
import { keyOf } from './memory';

/** The whole list, as far as it is not divided. */
export const WHOLE: Part = { query: {}, status: '' };

/** How often a list of several pages is read at the first look, at most, until it holds still. */
const FIRST_READINGS = 3;

/** A part of the list whose first page was read. */
export interface Opened {
	part: Part;
	/** The other pages; undefined when the first one did not tell, and pages have to be tried one by one. */
	rest?: number[];
	/** How long it is said to be; several values when that changed while it was read. */
	totals: Set<number>;
	ids: Set<string>;
}

/** Rows that shift while a list is read can pass unseen. They did not, if all pages agree on its length and bring as many. */
export const isSteady = ({ totals, ids }: Opened): boolean =>
	totals.size === 0 || (totals.size === 1 && ids.size >= Math.max(...totals));

/** Everything that one poll saw of the records of one kind. */
export class Look {
	/** By the keys of their records. */
	private readonly sightings = new Map<string, Sighting>();

	/** Statuses of which every record was listed. */
	private readonly listed = new Set<string>();

	/** Whether every page of the whole list was read. */
	everything = false;

	/** Whether no record can have passed unseen meanwhile. */
	steady = false;

	/** How long the whole list is. */
	total?: number;

	/** How many pages the whole list has; undefined when it was not looked at. */
	pages?: number;

	/** How many pages the parts took. */
	partPages = 0;

	/** Whether the list is so long that parts of it take turns. */
	takesTurns = false;

	/** What kept it from seeing all, if something did. What was seen is certain all the same. */
	failure?: NodeApiError;

	constructor(
		private readonly reader: Reader,
		readonly kind: Kind,
	) {}

	get seen(): Sighting[] {
		return [...this.sightings.values()];
	}

	get keys(): Set<string> {
		return new Set(this.sightings.keys());
	}

	/** Whether a known record would have been seen, if it still stood at this status. */
	wasListed(status: string): boolean {
		return this.everything || this.listed.has(status);
	}

	/** Whether no list shows the records of this status alone: the service has statuses that are not documented. */
	cannotBeListed(status: string): boolean {
		return !this.everything && !this.kind.parts.some((part) => part.status === status);
	}

	/** How many pages the parts would take, by what was seen. */
	pagesOfParts(): number {
		const counts = this.kind.parts.map(
			({ status }) => this.seen.filter((sighting) => sighting.status === status).length,
		);
		const pages = counts.map((count) => Math.max(1, Math.ceil(count / this.kind.pageSize)));
		return pages.reduce((sum, count) => sum + count, 0);
	}

	/** How many of the records are not known. */
	strangers(memory: Memory): number {
		return [...this.sightings.keys()].filter((key) => !memory.known.has(key)).length;
	}

	/** Reads the first page of a part. Returns undefined when it did not come. */
	async open(part: Part): Promise<Opened | undefined> {
		const opened: Opened = { part, totals: new Set(), ids: new Set() };
		const page = await this.readPage(opened, 1);
		if (!page) return undefined;
		const { meta, rows } = page;
		opened.rest = pagesAfterFirst(meta, rows.length, this.kind.pageSize, 'all');
		if (!opened.rest && rows.length < this.kind.pageSize) opened.rest = [];
		return opened;
	}

	/**
	 * Reads the other pages of a part.
	 *
	 * @param leaveOut how many pages at the end to leave out
	 * @returns whether all of the part was read
	 */
	async finish(opened: Opened, leaveOut = 0): Promise<boolean> {
		const { part, rest } = opened;
		if (rest) {
			const wanted = rest.slice(0, rest.length - leaveOut);
			await inParallel(
				wanted,
				MAX_IN_FLIGHT,
				async (page) => void (await this.readPage(opened, page)),
			);
		} else {
			await this.readUntilNothingNew(opened);
		}
		const all = leaveOut === 0 && !this.failure;
		if (all && part !== WHOLE) this.listed.add(part.status);
		return all;
	}

	/**
	 * Reads all of a part for the first time. Several pages are read until a reading brings nothing new: a record that
	 * passed unseen, because rows shifted meanwhile, would look new to the next poll.
	 *
	 * @returns whether all of the part was read
	 */
	async finishFirst(opened: Opened): Promise<boolean> {
		let before: number | undefined;
		for (let reading = 1; ; reading++) {
			const all = await this.finish(opened);
			const isSettled = opened.rest?.length === 0 || opened.ids.size === before;
			if (!all || isSettled || reading === FIRST_READINGS) return all;
			before = opened.ids.size;
			const again = await this.open(opened.part);
			if (!again) return false;
			opened.rest = again.rest;
			opened.totals = again.totals;
			for (const id of again.ids) opened.ids.add(id);
		}
	}

	/** Reads one page and keeps what it shows. After something went wrong, nothing more is asked for. */
	async readPage(opened: Opened, page: number): Promise<Page | undefined> {
		if (this.failure) return undefined;
		const { part, totals, ids } = opened;
		const query = { ...part.query, page, limit: this.kind.pageSize };
		const found = await this.try(async () => await this.reader.page(query));
		if (found?.meta.total !== undefined) totals.add(found.meta.total);
		for (const { id } of this.keep(found?.rows ?? [], part)) ids.add(id);
		return found;
	}

	/** Reads what has no pages. */
	async readRecent(): Promise<void> {
		const limit = this.kind.pageSize;
		const found = await this.try(async () => await this.reader.page({ limit }));
		if (!found) return;
		this.keep(found.rows, WHOLE);
		this.everything = found.rows.length < (found.meta.limit ?? limit);
		this.steady = this.everything;
	}

	/** @throws what will not be better at the next poll, such as a rejected token */
	async try<T>(read: () => Promise<T>): Promise<T | undefined> {
		return await read().catch((error: unknown) => {
			if (!isTransient(error)) throw error;
			this.failure ??= error;
			return undefined;
		});
	}

	private keep(rows: unknown[], part: Part): Sighting[] {
		const found = sightingsIn(rows, this.kind, part);
		for (const sighting of found) this.sightings.set(keyOf(sighting.id), sighting);
		return found;
	}

	private async readUntilNothingNew(opened: Opened): Promise<void> {
		for (let page = 2; page <= MAX_PAGES; page++) {
			const before = this.sightings.size;
			const found = await this.readPage(opened, page);
			if (!found || this.sightings.size === before) return;
		}
	}
}

/** The rows that are records with an ID and a status; whatever else is among them is passed over. */
export function sightingsIn(rows: unknown[], kind: Kind, part: Part = WHOLE): Sighting[] {
	return rows.flatMap((row) => {
		const id = idOf(row);
		if (!isRecord(row) || id === undefined) return [];
		const own = kind.layout === 'parts' ? undefined : statusOf(row);
		const status = own === undefined ? part.status : kind.spell(own);
		return status === '' ? [] : [{ id, status, record: row as IDataObject }];
	});
}

/** Whether the next poll may go better: the rate limit, a service that is down or slow, no connection. */
export function isTransient(error: unknown): error is NodeApiError {
	if (!(error instanceof NodeApiError)) return false;
	const status = Number(error.httpCode ?? 0);
	return !(status >= 300 && status < 500) || status === 408 || status === 429;
}
