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

/** A list of so many pages is read whole in every poll. */
const SMALL_PAGES = 4;

/** From so many pages of parts on, the head of the list and the last page of the longest part take turns. */
const MANY_PAGES = 5;

/** How many pages are read in search of new records that the head of the list does not show. */
const SEARCHED_PAGES = 6;

/** The whole list, as far as it is not divided. */
const WHOLE: Part = { query: {}, status: '' };

/** A part of the list whose first page was read. */
interface Opened {
	part: Part;
	total?: number;
	/** The other pages; undefined when the first one did not tell, and pages have to be tried one by one. */
	rest?: number[];
}

/** Everything that one poll saw of the records of one kind. */
export class Look {
	private readonly sightings = new Map<string, Sighting>();

	/** Statuses of which every record was listed. */
	private readonly listed = new Set<string>();

	/** Whether every record was listed. */
	everything = false;

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
		return new Set([...this.sightings.keys()].map(keyOf));
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
		return this.seen.filter(({ id }) => !memory.known.has(keyOf(id))).length;
	}

	/** Reads the first page of a part. Returns undefined when it did not come. */
	async open(part: Part): Promise<Opened | undefined> {
		const page = await this.readPage(part, 1);
		if (!page) return undefined;
		const { meta, rows } = page;
		const rest = pagesAfterFirst(meta, rows.length, this.kind.pageSize, 'all');
		const isLast = rest === undefined && rows.length < this.kind.pageSize;
		return { part, total: meta.total, rest: isLast ? [] : rest };
	}

	/**
	 * Reads the other pages of a part.
	 *
	 * @param leaveOut how many pages at the end to leave out
	 * @returns whether all of the part was read
	 */
	async finish({ part, rest }: Opened, leaveOut = 0): Promise<boolean> {
		if (rest) {
			const wanted = rest.slice(0, rest.length - leaveOut);
			await inParallel(
				wanted,
				MAX_IN_FLIGHT,
				async (page) => void (await this.readPage(part, page)),
			);
		} else {
			await this.readUntilNothingNew(part);
		}
		const all = leaveOut === 0 && !this.failure;
		if (all && part !== WHOLE) this.listed.add(part.status);
		return all;
	}

	/** Reads one page and keeps what it shows. After something went wrong, nothing more is asked for. */
	async readPage(part: Part, page: number, limit = this.kind.pageSize): Promise<Page | undefined> {
		if (this.failure) return undefined;
		const found = await this.try(
			async () => await this.reader.page({ ...part.query, page, limit }),
		);
		for (const sighting of sightingsIn(found?.rows ?? [], this.kind, part))
			this.sightings.set(sighting.id, sighting);
		return found;
	}

	/** Reads what has no pages. */
	async readRecent(): Promise<void> {
		const limit = this.kind.pageSize;
		const found = await this.try(async () => await this.reader.page({ limit }));
		if (!found) return;
		for (const sighting of sightingsIn(found.rows, this.kind, WHOLE))
			this.sightings.set(sighting.id, sighting);
		this.everything = found.rows.length < (found.meta.limit ?? limit);
	}

	/** @throws what will not be better at the next poll, such as a rejected token */
	async try<T>(read: () => Promise<T>): Promise<T | undefined> {
		return await read().catch((error: unknown) => {
			if (!isTransient(error)) throw error;
			this.failure ??= error;
			return undefined;
		});
	}

	private async readUntilNothingNew(part: Part): Promise<void> {
		for (let page = 2; page <= MAX_PAGES; page++) {
			const before = this.sightings.size;
			const found = await this.readPage(part, page);
			if (!found || this.sightings.size === before) return;
		}
	}
}

/**
 * Looks at all records of a kind that can have changed, in as few requests as that takes.
 *
 * A list of a few pages is read whole. Of a longer one, the parts where records still move are read in full, and the
 * head of the whole list, where new records turn up. What the list's length says is missing there is searched for.
 *
 * @param memory what is known so far; undefined at the first poll
 */
export async function look(reader: Reader, kind: Kind, memory?: Memory): Promise<Look> {
	const result = new Look(reader, kind);
	if (kind.layout === 'recent') await result.readRecent();
	else if (kind.layout === 'parts') await lookAtParts(result, 0);
	else await lookAtPages(result, memory);
	return result;
}

async function lookAtPages(result: Look, memory?: Memory): Promise<void> {
	const small = Math.max(SMALL_PAGES, (memory?.partPages ?? 0) + 1);
	const wasLong = memory !== undefined && (memory.total ?? Infinity) > small * result.kind.pageSize;
	result.takesTurns = wasLong && memory.partPages >= MANY_PAGES;
	if (result.takesTurns && memory.turn % 2 === 1) {
		await lookAtParts(result, 0);
		return;
	}
	const head = await result.open(WHOLE);
	if (!head) return;
	result.total = head.total;
	result.pages = head.rest && head.rest.length + 1;
	if (result.pages !== undefined && result.pages <= small) {
		result.everything = await result.finish(head);
		result.partPages = result.pagesOfParts();
		return;
	}
	await lookAtParts(result, result.takesTurns ? 1 : 0);
	if (memory) await search(result, head, memory);
}

/** @param leaveOut how many pages to leave out at the end of the longest part */
async function lookAtParts(result: Look, leaveOut: number): Promise<void> {
	const parts = await Promise.all(result.kind.parts.map(async (part) => await result.open(part)));
	const opened = parts.filter((part) => part !== undefined);
	const pagesOf = ({ rest = [] }: Opened): number => rest.length + 1;
	result.partPages = opened.reduce((sum, part) => sum + pagesOf(part), 0);
	const longest = opened.reduce<Opened | undefined>(
		(most, part) => (most && pagesOf(most) >= pagesOf(part) ? most : part),
		undefined,
	);
	const leftOut = (part: Opened): number => (part === longest && pagesOf(part) > 1 ? leaveOut : 0);
	await Promise.all(opened.map(async (part) => await result.finish(part, leftOut(part))));
}

/**
 * Searches for new records that have ended already and that the head of the list does not show: many at once, or in
 * a list that begins with the oldest. The order of lists is undocumented; their length tells that something is missing.
 */
async function search(result: Look, { rest = [], total }: Opened, memory: Memory): Promise<void> {
	if (total === undefined || memory.total === undefined || !memory.whole) return;
	const growth = total - memory.total;
	// From both ends: the second page, the last one, the third one, the last but one.
	const order = rest.flatMap((page, i) => [page, rest[rest.length - 1 - i] ?? page]);
	for (const page of [...new Set(order)].slice(0, SEARCHED_PAGES)) {
		if (result.failure || result.strangers(memory) >= growth) return;
		await result.readPage(WHOLE, page);
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
