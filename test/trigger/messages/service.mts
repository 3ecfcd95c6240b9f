import { NodeApiError } from 'n8n-workflow';
import type { IDataObject, INode } from 'n8n-workflow';
import type {
	ChatPage,
	MessageService,
} from '../../../nodes/ConversationalMessaging/trigger/messages/service.ts';

export interface Message {
	id: string;
	inbound: boolean;
	at: number;
}

export interface Chat {
	id: string;
	/** The newest first. */
	messages: Message[];
	/** Changes with whatever the row shows. */
	version: number;
	/** When it was last active, as its place in the list shows it. */
	active: number;
	agent: string;
}

/** How a service shows what is new. */
export interface Habits {
	/** `lies`: rows do not change with messages; `fetchedAt`: every row differs in every response. */
	rows: 'tell' | 'lie' | 'some lie' | 'fetchedAt' | 'lie and fetchedAt';
	order: 'activity' | 'newest' | 'oldest';
	/** `stuck`: a number that never changes; `late`: it changes with the next message but one. */
	counts: 'exact' | 'late' | 'stuck' | 'none';
	/** Whether the list shows how many pages it has, and if not, what is after the last one. Shown if it is not set. */
	pages?: 'shown' | 'unknown' | 'unknown, and the last one again and again';
	history: 'newest first' | 'oldest first' | 'repeats its last page';
	hasTimes: boolean;
	/** Rows of a page of chats, and the most messages of a response. */
	pageSize: number;
	/** The number of requests in a window of the rate limit; undefined if it is not reported. */
	windowSize?: number;
}

export const HABITS: Habits = {
	rows: 'tell',
	order: 'newest',
	counts: 'none',
	history: 'newest first',
	hasTimes: true,
	pageSize: 100,
};

const NODE = { id: 'node', name: 'Trigger', type: 'trigger', typeVersion: 1 } as INode;

export const outage = (status = 503): NodeApiError => {
	const message = `Status ${status}`;
	return new NodeApiError(NODE, { message }, { message, httpCode: String(status) });
};

/** Chats and their messages as the document describes them, without HTTP. */
export class FakeChats implements MessageService {
	/** The newest first. */
	readonly list: Chat[] = [];

	/** The requests of the current poll. */
	requests: string[] = [];

	/** Called before each request of a poll, with its number from 1. May throw. */
	onRequest: (request: number) => void = () => undefined;

	/** IDs of chats whose messages cannot be read, and the status. */
	readonly failing = new Map<string, number>();

	/** Whether the responses to requests that are under way at once arrive in reverse order. */
	isReversed = false;

	/** By how much the clock of the service differs, in milliseconds. */
	clockAheadMs = 0;

	/** IDs of messages that are stored, and counted in rows, but not returned yet. */
	readonly delayed = new Set<string>();

	/** The IDs of channels. Each counts all messages. */
	channelIds = ['ch1'];

	private made = 0;

	/** All messages that were ever stored. */
	private stored = 0;

	private lied = false;

	constructor(
		readonly habits: Habits,
		private readonly now: () => number,
		/** The agent in the user's filter; undefined for all chats. */
		private readonly agent?: string,
	) {}

	get windowSize(): number | undefined {
		return this.habits.windowSize;
	}

	makeChat(): Chat {
		const id = `c${++this.made}`;
		const chat = { id, messages: [], version: 0, active: this.now(), agent: 'A1' };
		this.list.unshift(chat);
		return chat;
	}

	/** @param isShown whether the row of its chat shows it; if it is not set, by the habits of this service */
	addMessage(chat: Chat, inbound = true, isShown = this.showsNext()): Message {
		const id = `m${++this.made}`;
		const message = { id, inbound, at: this.now() + this.clockAheadMs + (this.made % 1_000) };
		chat.messages.unshift(message);
		this.stored++;
		if (isShown) this.touch(chat);
		if (isShown) chat.active = this.now() + this.made / 1e6;
		return message;
	}

	private showsNext(): boolean {
		const { rows } = this.habits;
		this.lied = !this.lied;
		return !rows.startsWith('lie') && !(rows === 'some lie' && this.lied);
	}

	/** Changes the row without news. */
	touch(chat: Chat): void {
		chat.version++;
	}

	begin(): void {
		this.requests = [];
	}

	/** The counts of channels become smaller, e.g. because messages were deleted. */
	uncount(messages: number): void {
		this.stored -= messages;
	}

	async channels(): Promise<string[]> {
		this.request('channels');
		return await Promise.resolve(this.habits.counts === 'none' ? [] : this.channelIds);
	}

	async counts(channelId: string): Promise<number[]> {
		this.request(`count ${channelId}`);
		const { counts } = this.habits;
		if (counts === 'none') return [];
		const shown = { exact: this.stored, late: this.stored >> 1, stuck: 7 }[counts];
		return await Promise.resolve([shown]);
	}

	async chats(page: number): Promise<ChatPage> {
		this.request(`chats ${page}`);
		const { pageSize, rows: habit, pages = 'shown' } = this.habits;
		for (let wait = this.isReversed ? 20 - page : 0; wait > 0; wait--) await Promise.resolve();
		const all = this.ordered().filter(({ agent }) => !this.agent || agent === this.agent);
		const count = Math.ceil(all.length / pageSize);
		const number = pages.endsWith('again') ? Math.min(page, count) : page;
		const shown = all.slice((number - 1) * pageSize, number * pageSize);
		const fetchedAt = habit.endsWith('fetchedAt') ? { fetchedAt: ++this.made } : {};
		return await Promise.resolve({
			chats: shown.map(({ id, version }) => ({
				id,
				row: { id, version, contact: { id: `p-${id}` }, ...fetchedAt },
			})),
			length: shown.length,
			pages: pages === 'shown' ? count : undefined,
		});
	}

	async messages(
		chatId: string,
		take: number,
		cursor?: string,
	): Promise<IDataObject[] | undefined> {
		this.request(`messages ${chatId}${cursor === undefined ? '' : ` ${cursor}`}`);
		const status = this.failing.get(chatId);
		if (status === 404) return undefined;
		if (status !== undefined) throw outage(status);
		const chat = this.list.find(({ id }) => id === chatId);
		if (!chat) return undefined;
		const { history, hasTimes, pageSize } = this.habits;
		const returned = chat.messages.filter(({ id }) => !this.delayed.has(id));
		const all = history === 'oldest first' ? returned.toReversed() : returned;
		const size = Math.min(take, Math.max(4, pageSize));
		const after = cursor === undefined ? 0 : all.findIndex(({ id }) => id === cursor) + 1;
		if (cursor !== undefined && after === 0) throw outage(400);
		const isPastEnd = after >= all.length && history === 'repeats its last page';
		const from = isPastEnd ? Math.max(0, all.length - size) : after;
		return await Promise.resolve(
			all.slice(from, from + size).map(({ id, inbound, at }) => ({
				id,
				direction: inbound ? 'INBOUND' : 'OUTBOUND',
				text: `Text of ${id}`,
				...(hasTimes && { createdAt: new Date(at).toISOString() }),
			})),
		);
	}

	private request(text: string): void {
		this.requests.push(text);
		this.onRequest(this.requests.length);
	}

	private ordered(): Chat[] {
		if (this.habits.order === 'newest') return this.list;
		if (this.habits.order === 'oldest') return this.list.toReversed();
		return this.list.toSorted((one, other) => other.active - one.active);
	}
}
