import type { IDataObject } from 'n8n-workflow';
import { clock } from '../../nodes/ConversationalMessaging/api/base/clock.ts';
import { UNLIMITED } from '../../nodes/ConversationalMessaging/trigger/budget.ts';
import type {
	Requests,
	StatusSource,
} from '../../nodes/ConversationalMessaging/trigger/status/sources/source.ts';
import { failure } from './histories.mts';

export interface Row {
	id: string;
	status: string;
	agent: string;
	/** When it was created or last changed. */
	updated: number;
	/** When it was created, as it shows it: in milliseconds since the epoch. */
	created: number;
}

/** What was there before the first poll was created a day before it. */
const DAY_MS = 86_400_000;

/** The order of lists; `updated` changes with every update. */
export type Order = 'newest' | 'oldest' | 'updated';

/** Of the records of each event: those that the document lists, and others. */
export const STATUSES: Record<string, string[]> = {
	ticketStatusChanged: ['OPEN', 'IN_PROGRESS', 'RESOLVED', 'CLOSED', 'ON_HOLD'],
	broadcastStatusChanged: ['SCHEDULED', 'QUEUED', 'PROCESSING', 'COMPLETED', 'FAILED'],
	importJobStatusChanged: ['queued', 'processing', 'completed', 'failed'],
	chatEscalationChanged: ['ESCALATED', 'NOT_ESCALATED'],
	templateStatusChanged: ['PENDING', 'APPROVED', 'REJECTED', 'PAUSED'],
	contactAddedToSegment: ['S1', 'S2', 'S3'],
};

/** The contact of a chat, which has two. */
const contactOf = (chatId: string): string => `K${Math.ceil(Number(/\d+$/.exec(chatId)) / 2)}`;

function nameOf(query: IDataObject, id?: string): string {
	const { page, limit: _limit, ...rest } = query as Record<string, string | number | boolean>;
	const filters = { ...rest, ...(id !== undefined && { status: id }) };
	const names = Object.entries(filters).map(([name, value]) =>
		name === 'status' ? String(value) : `${name}=${String(value)}`,
	);
	return `${names.join('&') || 'all'}${page === undefined ? '' : `:${String(page)}`}`;
}

/**
 * Lists of records as the document describes them, without HTTP: filters, pages that shift while records are created
 * and deleted, details by ID. Anything can happen between two requests.
 */
export class FakeService {
	/** The newest first. */
	rows: Row[] = [];

	/**
	 * The requests of the current poll: `all:2` is page 2 of all records, `CLOSED:1` page 1 of the closed ones, `get:R1` one
	 * record.
	 */
	requests: string[] = [];

	/** Rows on a full page, if the service has a smaller maximum than the one it repeats in `meta`. */
	cap = Infinity;

	/** Whether responses have `meta`. */
	hasMeta = true;

	/** Rows that totals include, although no list shows them. */
	hidden = 0;

	/** The pages that lists reject, and the status of the rejection. */
	rejectedPages?: { from: number; to?: number; status: number };

	/** The status with which a page such as `all:3` is rejected; undefined if it is not. */
	onPage: (name: string) => number | undefined = () => undefined;

	/** Whether a record contains its agent as a record of its own, a chat its contact by ID, and a contact its segments. */
	isNested = false;

	/** Whether a record shows its status. */
	showsStatus = true;

	/** Whether a chat shows whether it is escalated, but nothing by which the chats of its contact can be listed. */
	showsEscalation = false;

	/** Whether it shows its agent. */
	showsAgent = true;

	/** Whether a record shows when it was created. */
	showsCreated = true;

	/** Whether its responses have a `Date` header, and by how much its clock is ahead of n8n's, in milliseconds. */
	date = true;
	aheadMs = 0;

	/** Of a list without pages: how many records it shows, the newest ones in its order. */
	window = Infinity;

	/** Called before each request of a poll, with its number from 1. May throw. */
	onRequest: (request: number) => void = () => undefined;

	/** IDs whose details are rejected, and the status of the rejection. */
	readonly rejected = new Map<string, number>();

	/** The statuses since the poll began of each record that changed or was deleted. */
	private readonly changed = new Map<string, Set<string>>();

	private readonly lists = new Map<string, Row[]>();

	private readonly byId = new Map<string, Row>();

	/** The number of records that were ever made. */
	made = 0;

	private time = 0;

	/** Whether a record was deleted. Without a total, its place in a list without pages may be that of an old one. */
	hasDeleted = false;

	/** The time at which the poll began; 0 before the first one. */
	private begun = 0;

	constructor(
		private readonly source: StatusSource,
		public order: Order = 'newest',
		private readonly name = 'R',
	) {}

	private now(): number {
		return clock.now() + this.aheadMs;
	}

	make(status: string, agent = 'A1'): Row {
		return this.makeAll([status], agent)[0]!;
	}

	/** @param statuses of the oldest first */
	makeAll(statuses: string[], agent = 'A1'): Row[] {
		const made = statuses.map((status) => {
			const updated = ++this.time;
			// In their order, even if they are made at the same time.
			const created = this.now() - (this.begun === 0 ? DAY_MS : 0) + ++this.made;
			const row = { id: `${this.name}${this.made}`, status, agent, updated, created };
			this.byId.set(row.id, row);
			return row;
		});
		this.rows = [...made.toReversed(), ...this.rows];
		this.lists.clear();
		return made;
	}

	change(row: Row, status: string): void {
		this.note(row);
		row.status = status;
		row.updated = ++this.time;
		this.lists.clear();
		this.note(row);
	}

	assign(row: Row, agent: string): Row {
		this.note(row);
		row.agent = agent;
		row.updated = ++this.time;
		this.lists.clear();
		return row;
	}

	delete(row: Row): void {
		this.note(row);
		this.hasDeleted = true;
		this.rows.splice(this.rows.indexOf(row), 1);
		this.byId.delete(row.id);
		this.lists.clear();
	}

	/** Marks the beginning of a poll. */
	begin(): void {
		this.requests = [];
		this.changed.clear();
		this.begun = ++this.time;
	}

	/** The statuses that a record has had since the poll began. */
	statusesOf(id: string): ReadonlySet<string> {
		const row = this.byId.get(id);
		return this.changed.get(id) ?? new Set(row ? [row.status] : []);
	}

	/** Whether a record was neither created nor changed, assigned or deleted since the poll began. */
	isConstant({ id, updated }: Row): boolean {
		return updated <= this.begun && !this.changed.has(id);
	}

	/** Whether a page shows this record, in the list of its status, or with `ofAgent` in the part that its agent has of it. */
	isReadable(row: Row, ofAgent: boolean): boolean {
		if (!this.rejectedPages) return true;
		const { from, to = Infinity } = this.rejectedPages;
		const { status, agent } = row;
		const at = this.list({ status, ...(ofAgent && { assigneeId: agent }) }).indexOf(row);
		const page = 1 + Math.floor(at / this.source.pageSize);
		return page < from || page > to;
	}

	/** Whether its list has, or may have, more records than it shows. */
	get isCut(): boolean {
		return this.rows.length >= this.window;
	}

	/** Whether its list shows this record. */
	isShown(row: Row): boolean {
		return this.window === Infinity || this.list({}).indexOf(row) < this.window;
	}

	private note({ id, status }: Row): void {
		this.changed.set(id, (this.changed.get(id) ?? new Set()).add(status));
	}

	readonly requested: Requests = {
		budget: UNLIMITED,
		page: async (query, path) => {
			const name = nameOf(query, path?.id);
			this.request(name);
			const { from = Infinity, to = Infinity, status } = this.rejectedPages ?? {};
			const page = Number(query.page ?? 1);
			const rejection = page >= from && page <= to ? status : this.onPage(name);
			if (rejection !== undefined) throw failure(rejection);
			return await Promise.resolve(this.page(query, path?.id));
		},
		record: async (id) => {
			this.request(`get:${id}`);
			const rejection = this.rejected.get(id);
			if (rejection !== undefined) throw failure(rejection);
			const row = this.byId.get(id);
			return await Promise.resolve(row && this.view(row));
		},
	};

	private request(text: string): void {
		this.requests.push(text);
		this.onRequest(this.requests.length);
	}

	private page(query: IDataObject, id?: string) {
		const { page = 1, limit = 20, ...rest } = query;
		const filters = { ...rest, ...(id !== undefined && { status: id }) };
		const kept = this.list(filters);
		const size = Math.min(Number(limit), this.source.pageSize, this.cap, this.window);
		const start = (Number(page) - 1) * size;
		const meta = {
			total: kept.length + this.hidden,
			totalPages: Math.ceil((kept.length + this.hidden) / size),
		};
		return {
			rows: kept.slice(start, start + size).map((row) => this.view(row)),
			json: { data: { id, name: `Segment ${id}` } },
			meta: this.hasMeta ? meta : {},
			...(this.date && { sentAt: Math.floor(this.now() / 1_000) * 1_000 }),
		};
	}

	private list(filters: IDataObject): Row[] {
		const name = JSON.stringify(filters);
		const known = this.lists.get(name);
		if (known) return known;
		const { status, needsEscalation, contactId, waId, assigneeId } = filters;
		const contact = contactId ?? waId;
		const kept = this.ordered().filter(
			(row) =>
				(status === undefined || row.status === status) &&
				(needsEscalation === undefined || (row.status === 'ESCALATED') === needsEscalation) &&
				(assigneeId === undefined || row.agent === assigneeId) &&
				(contact === undefined || contact === contactOf(row.id)),
		);
		this.lists.set(name, kept);
		return kept;
	}

	private ordered(): Row[] {
		if (this.order === 'newest') return this.rows;
		if (this.order === 'oldest') return [...this.rows].reverse();
		return [...this.rows].sort((one, other) => other.updated - one.updated);
	}

	/** A contact does not show in which segment of its list it is. */
	private view({ id, status, agent, created }: Row): IDataObject {
		const { event } = this.source;
		const shown = { id, ...(this.showsCreated && { createdAt: created }) };
		if (event === 'chatEscalationChanged') {
			const contact = contactOf(id);
			if (this.showsEscalation)
				return {
					...shown,
					igId: contact,
					needsEscalation: status === 'ESCALATED',
					assigneeId: agent,
				};
			return { ...shown, ...(this.isNested ? { contact: { id: contact } } : { waId: contact }) };
		}
		if (event === 'contactAddedToSegment')
			return { ...shown, segments: [this.isNested ? { id: status } : status] };
		return {
			...shown,
			...(this.showsStatus && { status }),
			...(this.showsAgent && (this.isNested ? { assignee: { id: agent } } : { assigneeId: agent })),
		};
	}
}
