import type { IDataObject } from 'n8n-workflow';
import { clock } from '../../api/base/clock';
import type { ServiceClient } from '../../api/client';
import { pageQuery } from '../../api/endpoint';
import { type Page, pageCount, readPage } from '../../api/reads/pages';
import { messageId } from '../../api/response/chatMessage';
import { listedRecord } from '../../api/response/response';
import { type EventBudget, withRepeats } from '../budget';

export interface ChatRow {
	id: string;
	row: IDataObject;
}

export interface ChatPage {
	chats: ChatRow[];
	/** The number of pages of the list; undefined if the service does not return it. */
	pages?: number;
	/** By the service's clock, in milliseconds since the epoch; undefined if its `Date` header does not show it. */
	sentAt?: number;
}

/** What Message Received reads. All functions throw NodeApiError. */
export interface MessageService {
	/** One page of the chats that match the filters, from 1. */
	chats(page: number): Promise<ChatPage>;
	/**
	 * Messages of a chat, newest first, from the one after `cursor` (API document, `GET /chats/{id}/messages`).
	 *
	 * @param mostMs how long the request may take, in milliseconds
	 * @throws NodeOperationError for an ID that cannot be part of a path
	 */
	messages(chatId: string, take: number, cursor?: string, mostMs?: number): Promise<Page>;
	/** What the event may send in this poll. To be asked before each request. */
	readonly budget: EventBudget;
}

const ACTION = 'Watch messages';

const chatIn = (row: unknown) => listedRecord(row, 'GET /chats/{id}');

/** @param filters query parameters of the list of chats */
export function messageService(
	client: ServiceClient,
	filters: IDataObject,
	budget: EventBudget,
): MessageService {
	return {
		budget,

		async chats(page) {
			const query = { ...filters, ...pageQuery('GET /chats', page) };
			const request = { endpoint: 'GET /chats', action: ACTION, query } as const;
			const { rows, meta, sentAt } = await readPage(withRepeats(client, budget), request, chatIn);
			return {
				chats: rows.flatMap((row) => {
					const chat = chatIn(row);
					return chat ? [{ id: chat.id.trim(), row: chat.record }] : [];
				}),
				// The last page may have fewer rows, so only the first one shows the size of a page.
				pages: page === 1 ? pageCount(meta, rows.length) : undefined,
				sentAt,
			};
		},

		async messages(chatId, take, cursor, mostMs = Infinity) {
			const deadline = Math.min(client.deadline, clock.elapsed() + mostMs);
			const request = {
				endpoint: 'GET /chats/{id}/messages',
				action: ACTION,
				path: { id: chatId },
				query: { take, cursor },
			} as const;
			return await readPage(withRepeats({ ...client, deadline }, budget), request, messageId);
		},
	};
}
