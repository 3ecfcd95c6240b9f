import { rowKey } from '../../api/reads/pages';
import type { Cursor, Memory } from './memory';
import { type ListInPoll, type PagesRead, type SourcePoll, Pages } from './pages';
import type { List, ObservedRecord } from './sources/source';

/** What one poll has read of the lists of one source until now. */
export class Reading {
	readonly lists: List[];
	/** The lists whose first page was read, the shortest ones first. */
	inPoll: ListInPoll[] = [];
	readonly pages: Pages;
	readonly seen: ReadonlyMap<string, ObservedRecord>;
	/** Remembered records that are to be forgotten. */
	readonly gone = new Map<string, 'deleted' | 'outOfScope'>();
	/** The hashes of others that are. */
	readonly absent = new Set<number>();
	/** The statuses of the lists of which every record is known. */
	readonly known: Set<string>;
	/** Those of the lists that records have entered which are not remembered: any, or only those that do not show their creation. */
	readonly entered = new Map<string, 'any' | 'undated'>();
	readonly totals: Record<string, number> = {};
	cursor: Cursor;

	constructor(
		readonly poll: SourcePoll,
		readonly memory: Memory,
	) {
		const { source, filter } = poll.subscription;
		this.pages = new Pages(poll, memory);
		this.seen = this.pages.seen;
		this.lists = source.lists(filter.statuses);
		const statuses = this.lists.map(({ status }) => status);
		this.known = new Set(statuses.filter((status) => memory.known.has(status)));
		this.cursor = memory.cursor;
	}

	/** The statuses of the lists that were not read in full yet. */
	get unread(): string[] {
		const windows = this.inPoll.filter(({ kind }) => kind === 'window');
		return this.lists
			.filter((list) => !windows.some((each) => each.list === list))
			.map(({ status }) => status)
			.filter((status) => !this.known.has(status));
	}

	/** The statuses of the other lists whose last reading showed only what was remembered, and of those that are unclear. */
	get quiet(): string[] | undefined {
		const lists = this.inPoll.filter(
			({ list, kind, quiet }) => kind === 'unclear' || (quiet > 0 && !this.known.has(list.status)),
		);
		return lists.length > 0 ? lists.map(({ list }) => list.status) : undefined;
	}

	readonly listOf = (status: string): List | undefined =>
		this.lists.find((list) => list.status === status) ??
		this.lists.find((list) => list.status === '');

	/** Whether records of a status are looked up once their list does not show them any more. */
	readonly isFollowed = (status: string): boolean => {
		const list = this.listOf(status);
		const inPoll = this.inPoll.find((each) => each.list === list);
		return inPoll !== undefined && inPoll.kind !== 'long';
	};

	ofKind(kind: ListInPoll['kind']): ListInPoll[] {
		return this.inPoll.filter((each) => each.kind === kind);
	}

	/** Reads these pages of a list. If nothing else shows its length, the pages up to its end do. */
	async read(each: ListInPoll, from: number, to: number): Promise<PagesRead> {
		const read = await this.pages.read(each, from, to);
		if (each.pages === Infinity && read.ended === 'atEnd')
			this.totals[each.list.status] = (read.next - 1) * this.poll.subscription.source.pageSize;
		return read;
	}

	/** Reads a list in full; with `to`, as far as this page. @returns whether all of its pages were read */
	async readInFull(each: ListInPoll, { from = 2, to = each.pages } = {}): Promise<boolean> {
		const { ended, hasGaps, rows, unknown } = await this.read(each, from, to);
		const isInFull = ended === 'atEnd' && !hasGaps;
		// What has entered the list since the last poll hides nothing else.
		if (isInFull && ((from === 1 && unknown === 0) || each.unknown <= each.grown)) each.quiet++;
		if (isInFull) {
			each.rows = from === 1 ? rows : [...each.first.rows.map((row) => rowKey(row)), ...rows];
			this.poll.reports.ends(`pages ${each.list.status}`);
		}
		return isInFull;
	}

	/** Remembered records that their list does not show any more, although all of it was read. */
	get missing(): string[] {
		const read = new Set(
			this.inPoll
				.filter(({ kind, rows }) => rows !== undefined || kind === 'window')
				.map(({ list }) => list),
		);
		return [...this.memory.keys].flatMap(([key, status]) => {
			const list = this.listOf(status);
			return list && read.has(list) && !this.seen.has(key) ? [key] : [];
		});
	}
}
