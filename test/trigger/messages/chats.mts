import type { IDataObject } from 'n8n-workflow';
import type { Page } from '../../../nodes/ConversationalMessaging/api/reads/pages.ts';
import type {
	ChatPage,
	MessageService,
} from '../../../nodes/ConversationalMessaging/trigger/messages/service.ts';
import {
	UNLIMITED,
	type EventBudget,
} from '../../../nodes/ConversationalMessaging/trigger/budget.ts';
import { failure } from '../histories.mts';

export interface Message {
	id: string;
	inbound: boolean;
	/** The time that it shows, in milliseconds since the epoch. */
	at: number;
	/** When the service stored it. */
	stored: number;
}

export interface Chat {
	id: string;
	/** The WhatsApp ID of its customer. */
	waId: string;
	/** The newest first. */
	messages: Message[];
	/** When a page of the list showed it, when its messages were requested with success, and when all of them may have been read. */
	listed: number[];
	requested: number[];
	reads: number[];
	/** When it began to match the user's filter, and no longer did; the latest last. */
	matching: { from: number; to?: number }[];
	/** Changes with whatever the row shows. */
	version: number;
	/** The number of messages that it ever had. */
	made: number;
	/** When it was created. */
	created: number;
	/** When it was last active, as its place in the list shows it. */
	active: number;
	agent: string;
}

/** How a service shows what is new. */
export interface Habits {
	/** Whether the row of a chat changes with its messages; `always differ`: in every response. */
	rows: 'show' | 'silent' | 'some silent' | 'always differ';
	order: 'activity' | 'newest' | 'oldest';
	/** Whether the list shows how many pages it has, and if not, what is after the last one. */
	pages: 'shown' | 'unknown' | 'unknown, and the last one again and again';
	/** What is after the last page of a history. */
	afterEnd: 'nothing' | 'its last page';
	/** Whether a history is in the order of the times that messages show, or in that in which they were stored. */
	history: 'by time' | 'as stored';
	/** Whether pages of a history have rows that they do not show: they are shorter than requested. */
	hidesRows: boolean;
	/** Whether a history shows how many rows it has. */
	total: boolean;
	/** How a message shows its time; `local`: as text without an offset. */
	times: 'milliseconds' | 'whole seconds' | 'local';
	/** How a message shows who wrote it; `addresses`: with display names that say the opposite. */
	writer: 'direction' | 'addresses';
	/** Whether the messages of each chat are numbered from 1. */
	numbersMessages: boolean;
	/** Rows of a page of chats, and the most messages of a response. */
	pageSize: number;
	/** The number of requests in a window of the rate limit; undefined if it is not reported. */
	windowSize?: number;
	/** By how much the clock of the service is ahead, in milliseconds. */
	aheadMs: number;
	/** Whether its responses have a `Date` header. */
	date: boolean;
	/** By how much the times of messages from agents are further ahead, in milliseconds. */
	agentsAheadMs: number;
	/** Whether the row of a chat contains its last message, if rows change with messages. */
	lastMessage: boolean;
	/** Whether the row of a chat shows when it was created. */
	created: boolean;
}

export const HABITS: Habits = {
	rows: 'show',
	order: 'newest',
	pages: 'shown',
	afterEnd: 'nothing',
	history: 'by time',
	hidesRows: false,
	total: false,
	times: 'milliseconds',
	writer: 'direction',
	numbersMessages: false,
	pageSize: 100,
	aheadMs: 0,
	date: true,
	agentsAheadMs: 0,
	lastMessage: false,
	created: false,
};

const BUSINESS = '12025550100';

/** Chats and their messages as the document describes them, without HTTP. */
export class FakeChats implements MessageService {
	/** The newest first. */
	readonly list: Chat[] = [];

	budget: EventBudget = UNLIMITED;

	/** The requests of the current poll. */
	readonly sent: string[] = [];

	/** For each request of the first page of the list in the current poll, whether it was answered. */
	readonly answered: boolean[] = [];

	/** Called before each request of a poll, with its number from 1. May throw. */
	onRequest: (request: number) => void = () => undefined;

	/** IDs of chats whose messages cannot be read, and the status. */
	readonly failing = new Map<string, number>();

	/** Pages of the list that cannot be read, and the status. */
	readonly failingPages = new Map<number, number>();

	private readonly byId = new Map<string, Chat>();

	private made = 0;

	private wasSilent = false;

	/** Whether no messages can be read at all. */
	isOut = false;

	/** The chats by activity, until it changes: sorting takes most of the time of 50,000 chats. */
	private byActivity?: Chat[];

	/** What the list showed when it was put into a cache. */
	private cache?: Omit<Chat, 'reads'>[];

	constructor(
		readonly habits: Habits,
		private readonly now: () => number,
		/** The user's filter: the agent of the chats that the list shows; undefined for all chats. */
		readonly agent?: string,
		/** The beginning of the IDs of its chats. */
		private readonly prefix = 'c',
	) {}

	/** The number of requests of the current poll. */
	get requests(): number {
		return this.sent.length;
	}

	private get serverTime(): number | undefined {
		const { date, aheadMs } = this.habits;
		return date ? Math.floor((this.now() + aheadMs) / 1_000) * 1_000 : undefined;
	}

	makeChat(messages = 0, agent = 'A1'): Chat {
		const id = `${this.prefix}${++this.made}`;
		const waId = `1${2025550200 + this.made}`;
		const chat: Chat = {
			...{
				id,
				waId,
				agent,
				messages: [],
				listed: [],
				requested: [],
				reads: [],
				version: 0,
				made: 0,
			},
			...{ created: this.now(), active: this.now() },
			matching: this.matches({ agent }) ? [{ from: this.now() }] : [],
		};
		this.list.unshift(chat);
		this.byId.set(id, chat);
		this.byActivity = undefined;
		for (let i = 0; i < messages; i++) this.addMessage(chat, i % 2 === 0);
		return chat;
	}

	/** Assigns a chat to another agent, or to none. */
	assign(chat: Chat, agent: string): void {
		const [did, does] = [this.matches(chat), this.matches({ agent })];
		chat.agent = agent;
		if (does && !did) chat.matching.push({ from: this.now() });
		if (did && !does) chat.matching.at(-1)!.to = this.now();
		this.touch(chat);
	}

	private matches({ agent }: Pick<Chat, 'agent'>): boolean {
		return this.agent === undefined || agent === this.agent;
	}

	/** @param lateMs how long ago it was sent; negative if it shows a time that is ahead */
	addMessage(chat: Chat, inbound = true, lateMs = 0): Message {
		const { rows, history, aheadMs, agentsAheadMs, numbersMessages } = this.habits;
		const made = [++this.made, ++chat.made];
		const id = `m${made[numbersMessages ? 1 : 0]}`;
		const stored = this.now();
		const ahead = aheadMs + (inbound ? 0 : agentsAheadMs);
		const at = stored + ahead - lateMs + (this.made % 1_000);
		const message = { id, inbound, at, stored };
		const isFirst = (other: Message): boolean => history === 'as stored' || other.at <= at;
		const below = chat.messages.findIndex(isFirst);
		chat.messages.splice(below < 0 ? chat.messages.length : below, 0, message);
		this.wasSilent = !this.wasSilent;
		const isSilent = rows === 'silent' || (rows === 'some silent' && this.wasSilent);
		if (!isSilent) this.touch(chat);
		if (!isSilent) chat.active = this.now() + this.made / 1e6;
		this.byActivity = undefined;
		return message;
	}

	/** Changes the row of a chat. */
	touch(chat: Chat): void {
		chat.version++;
	}

	/** From now on, the list stays as it is. */
	cacheList(): void {
		this.cache = this.ordered().map((chat) => ({ ...chat, messages: [...chat.messages] }));
	}

	clearCache(): void {
		this.cache = undefined;
	}

	begin(): void {
		this.sent.length = 0;
		this.answered.length = 0;
	}

	async chats(page: number): Promise<ChatPage> {
		if (page === 1) this.answered.push(false);
		this.request(`list ${page}`);
		const status = this.failingPages.get(page);
		if (status !== undefined) throw failure(status);
		const { pageSize, pages, rows, lastMessage, aheadMs } = this.habits;
		const all = (this.cache ?? this.ordered()).filter((chat) => this.matches(chat));
		const count = Math.max(1, Math.ceil(all.length / pageSize));
		const number = pages.endsWith('again') ? Math.min(page, count) : page;
		const shown = all.slice((number - 1) * pageSize, number * pageSize);
		if (page === 1) this.answered.splice(-1, 1, true);
		for (const { listed } of shown) listed.push(this.now());
		const fetchedAt = rows === 'always differ' ? { fetchedAt: ++this.made } : {};
		return await Promise.resolve({
			chats: shown.map(({ id, version, waId, created, messages: [last] }) => ({
				id,
				row: {
					...{ id, version, contact: { id: `p-${id}`, waId }, ...fetchedAt },
					...(this.habits.created && { createdAt: new Date(created + aheadMs).toISOString() }),
					...(lastMessage && rows === 'show' && last && { lastMessage: this.shown(last, waId) }),
				},
			})),
			pages: pages === 'shown' ? count : undefined,
			sentAt: this.serverTime,
		});
	}

	async messages(chatId: string, take: number, cursor?: string): Promise<Page> {
		this.request(`${chatId}${cursor === undefined ? '' : ` after ${cursor}`}`);
		const status = this.failing.get(chatId);
		const chat = this.byId.get(chatId);
		if (this.isOut) throw failure(503);
		// After its first page, a 404 is the end of a history.
		if (status === 404 && cursor !== undefined) throw failure(403);
		if (!chat || status !== undefined) throw failure(status ?? 404);
		const { afterEnd, hidesRows, total } = this.habits;
		// Every third row is not shown.
		const all = chat.messages.flatMap((message, i) =>
			hidesRows && i % 2 === 1 ? [message, undefined] : [message],
		);
		const after = cursor === undefined ? 0 : all.findIndex((each) => each?.id === cursor) + 1;
		if (cursor !== undefined && after === 0) throw failure(400);
		const isPastEnd = cursor !== undefined && all.slice(after).every((row) => !row);
		if (cursor === undefined) for (const at of [chat.requested, chat.reads]) at.push(this.now());
		const from = isPastEnd && afterEnd === 'its last page' ? Math.max(0, all.length - take) : after;
		const rows = all.slice(from, from + take).filter((row) => row !== undefined);
		return await Promise.resolve({
			rows: rows.map((message) => this.shown(message, chat.waId)),
			meta: total ? { total: all.length } : {},
		});
	}

	private shown({ id, inbound, at }: Message, waId: string): IDataObject {
		const { times, writer } = this.habits;
		const [from, to] = inbound ? [waId, BUSINESS] : [BUSINESS, waId];
		return {
			id,
			text: `Text of ${id}`,
			...(writer === 'direction'
				? { direction: inbound ? 'INBOUND' : 'OUTBOUND' }
				: { from, to, waId, senderName: inbound ? 'Max Business' : 'Guest House Berlin' }),
			...(times === 'milliseconds' && { createdAt: new Date(at).toISOString() }),
			...(times === 'whole seconds' && { timestamp: Math.floor(at / 1_000) }),
			...(times === 'local' && { createdAt: new Date(at).toISOString().slice(0, -1) }),
		};
	}

	private request(text: string): void {
		this.sent.push(text);
		this.onRequest(this.sent.length);
	}

	/** The chats that match the filter, in the order of the list. */
	listed(): Chat[] {
		return this.ordered().filter((chat) => this.matches(chat));
	}

	private ordered(): Chat[] {
		if (this.habits.order === 'newest') return this.list;
		if (this.habits.order === 'oldest') return this.list.toReversed();
		this.byActivity ??= this.list.toSorted((one, other) => other.active - one.active);
		return this.byActivity;
	}
}
