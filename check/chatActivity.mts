import type { IDataObject } from 'n8n-workflow';
import { sentAt } from '../nodes/ConversationalMessaging/api/chatMessage.ts';
import { idOf } from '../nodes/ConversationalMessaging/api/pages.ts';
import { allPaths, timeOf, valueAt } from './observe.mts';

/** Two times of one event may be recorded this far apart, in milliseconds. */
const TOLERANCE_MS = 2_000;

/** A chat's row, and its messages, the newest at any place. */
export interface ChatWithMessages {
	row: IDataObject;
	messages: readonly IDataObject[];
	/** Whether these are all of its messages. */
	isComplete: boolean;
}

export interface ActivityKeys {
	/** Times of the newest message. */
	times: string[][];
	/** Its ID. */
	ids: string[][];
	/** The number of messages. */
	counts: string[][];
}

/** The keys of a chat's row that equal something of its newest message, in all of these chats. */
export function activityKeys(chats: readonly ChatWithMessages[], now: number): ActivityKeys {
	const paths = allPaths(
		chats.map(({ row }) => row),
		3,
	);
	const everywhere = (test: (value: unknown, chat: ChatWithMessages) => boolean) =>
		paths.filter((path) => chats.every((chat) => test(valueAt(chat.row, path), chat)));
	return {
		times: everywhere((value, chat) => {
			const time = timeOf(value, now)?.ms;
			const newest = Math.max(...chat.messages.map(timeOfMessage));
			return time !== undefined && Math.abs(time - newest) <= TOLERANCE_MS;
		}),
		ids: everywhere((value, chat) => {
			if (typeof value !== 'string' && typeof value !== 'number') return false;
			return String(value) === newestId(chat);
		}),
		counts: everywhere(
			(value, chat) =>
				chat.isComplete && typeof value === 'number' && value === chat.messages.length,
		),
	};
}

function newestId({ messages }: ChatWithMessages): string | undefined {
	return idOf(messages.toSorted((one, other) => timeOfMessage(other) - timeOfMessage(one))[0]);
}

/** As the nodes read it; 0 without one. */
const timeOfMessage = (message: IDataObject): number => sentAt(message) ?? 0;
