import { NodeApiError } from 'n8n-workflow';
import type { IDataObject, INode } from 'n8n-workflow';
import type { Kind, Reader } from '../../dist/nodes/ConversationalMessaging/watch/kind.js';

export interface Row {
	id: string;
	status: string;
}

const NODE = { id: 'node', name: 'Trigger', type: 'trigger', typeVersion: 1 } as INode;

export const outage = (status = 503): NodeApiError =>
	new NodeApiError(NODE, { message: 'Out of service' }, { httpCode: String(status) });

/**
 * Lists of records as the document describes them, without HTTP: filters, pages that shift while records come and go,
 * details by ID. Everything can happen between two requests.
 */
export class FakeService {
	/** The newest first. */
	rows: Row[] = [];

	/** The requests of the current poll, as texts. */
	requests: string[] = [];

	/** Called before each request of a poll, with its number from 1. May throw. */
	onRequest: (request: number) => void = () => undefined;

	/** Where each record stood since the poll began. */
	readonly stoodAt = new Map<string, Set<string>>();

	private made = 0;

	constructor(
		private readonly kind: Kind,
		/** In which order lists come. */
		public oldestFirst = false,
	) {}

	make(status: string): Row {
		const row = { id: `R${++this.made}`, status };
		this.rows.unshift(row);
		this.noteDown(row);
		return row;
	}

	change(row: Row, status: string): void {
		row.status = status;
		this.noteDown(row);
	}

	delete(row: Row): void {
		this.rows.splice(this.rows.indexOf(row), 1);
	}

	/** A poll begins: what follows is what it can see. */
	begin(): void {
		this.requests = [];
		this.stoodAt.clear();
		for (const row of this.rows) this.noteDown(row);
	}

	readonly reader: Reader = {
		page: async (query) => {
			this.request(`list ${JSON.stringify(query)}`);
			return await Promise.resolve(this.page(query));
		},
		record: async (id) => {
			this.request(`get ${id}`);
			const row = this.rows.find((candidate) => candidate.id === id);
			return await Promise.resolve(row && this.view(row));
		},
	};

	private request(text: string): void {
		this.requests.push(text);
		this.onRequest(this.requests.length);
	}

	private page({ status, needsEscalation, contactId, page = 1, limit = 20 }: IDataObject) {
		const ordered = this.oldestFirst ? [...this.rows].reverse() : this.rows;
		const kept = ordered.filter(
			(row) =>
				(status === undefined || row.status === status) &&
				(needsEscalation === undefined || (row.status === 'ESCALATED') === needsEscalation) &&
				(contactId === undefined || `contact of ${row.id}` === contactId),
		);
		const size = Math.min(Number(limit), this.kind.pageSize);
		const start = (Number(page) - 1) * size;
		const meta = { total: kept.length, limit: size, totalPages: Math.ceil(kept.length / size) };
		return { rows: kept.slice(start, start + size).map((row) => this.view(row)), meta };
	}

	/** A chat does not tell whether it is escalated. */
	private view({ id, status }: Row): IDataObject {
		return this.kind.layout === 'parts'
			? { id, contact: { id: `contact of ${id}` } }
			: { id, status };
	}

	private noteDown({ id, status }: Row): void {
		const statuses = this.stoodAt.get(id) ?? new Set();
		this.stoodAt.set(id, statuses.add(status));
	}
}
