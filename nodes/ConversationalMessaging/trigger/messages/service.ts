import type { IDataObject } from 'n8n-workflow';
import type { ServiceClient } from '../../api/client';
import type { ListRequest, Page } from '../../api/pages';
import { idOf, readPage } from '../../api/pages';
import { recordOf } from '../../api/record';
import { recordNames } from '../../api/recordNames';
import { unexpectedShapeError } from '../../api/errors';
import { findRows, isRecord } from '../../api/response';
import { send } from '../../api/send';
import { isRejectedRecord } from '../failures';
import { messageNumbers } from './counts';

/** A row of the list of chats. */
export interface ChatRow {
	id: string;
	row: IDataObject;
}

/** One page of the list of chats. */
export interface ChatPage {
	chats: ChatRow[];
	/** The number of rows, including those that are no chats. */
	length: number;
	/** The number of pages of the list; undefined if the service does not return it. */
	pages?: number;
}

/** What Message Received reads. All functions throw NodeApiError. */
export interface MessageService {
	/** The IDs of the channels; [] if they cannot be read with this token. */
	channels(): Promise<string[]>;
	/** The numbers of messages in a channel's details; [] if there are none. */
	counts(channelId: string): Promise<number[]>;
	/** One page of the chats that match the filters, from 1. */
	chats(page: number): Promise<ChatPage>;
	/** Messages of a chat, newest first, from the one after `cursor`; undefined if there is no such chat. */
	messages(chatId: string, take: number, cursor?: string): Promise<IDataObject[] | undefined>;
	/** How many requests a window of the rate limit allows; undefined while unknown. */
	readonly windowSize: number | undefined;
}

const ACTION = 'Watch messages';

/** The largest page of chats (API document, section Limits). */
export const PAGE_SIZE = 100;

/** @param filters query parameters of the list of chats */
export function messageService(client: ServiceClient, filters: IDataObject): MessageService {
	return {
		async channels() {
			const request = { endpoint: 'GET /channels', action: ACTION, rowsName: 'channels' } as const;
			const list = await unlessRejected(readPage(client, request));
			return list?.rows.flatMap((row) => idOf(row) ?? []) ?? [];
		},

		async counts(channelId) {
			const endpoint = 'GET /channels/{id}';
			const request = { endpoint, action: ACTION, path: { id: channelId } } as const;
			const response = await unlessRejected(send(client, request));
			if (!response) return [];
			return messageNumbers(recordOf(response.json, recordNames(endpoint)).record);
		},

		async chats(page) {
			const query = { ...filters, page, limit: PAGE_SIZE };
			const request = { endpoint: 'GET /chats', action: ACTION, rowsName: 'chats', query } as const;
			const response = readPage(client, request);
			// The list may have become shorter: a page after its end may be rejected.
			const found = page === 1 ? await response : await unlessRejected(response);
			const { rows, meta }: Page = found ?? { rows: [], meta: {} };
			const size = Math.max(1, Math.min(meta.limit ?? PAGE_SIZE, rows.length));
			const counted = meta.total === undefined ? undefined : Math.ceil(meta.total / size);
			return {
				chats: rows.flatMap((row) => {
					const id = idOf(row)?.trim();
					return isRecord(row) && id ? [{ id, row }] : [];
				}),
				length: rows.length,
				pages: page === 1 ? (counted ?? meta.totalPages) : undefined,
			};
		},

		async messages(chatId, take, cursor) {
			const request: ListRequest = {
				endpoint: 'GET /chats/{id}/messages',
				action: ACTION,
				rowsName: 'messages',
				path: { id: chatId },
				query: { take, ...(cursor !== undefined && { cursor }) },
				acceptStatuses: [404],
			};
			const { status, json } = await send(client, request);
			if (status === 404) return undefined;
			const found = findRows(json, ['messages']);
			if (!found) throw unexpectedShapeError(client, request);
			return found.rows.filter(isRecord);
		},

		get windowSize() {
			return client.rateLimiter.windowSize;
		},
	};
}

/** Undefined for a rejection, unless the token is rejected. */
async function unlessRejected<T>(response: Promise<T>): Promise<T | undefined> {
	return await response.catch((error: unknown) => {
		if (isRejectedRecord(error)) return undefined;
		throw error;
	});
}
