import { decodeNumber, encodeNumber } from '../base64url';
import type { Memory, MessageCheckpoint, TrackedChat } from './memory';

/** The characters of a chat: its key, mark, passes, time, and how many messages follow; and of each of these. */
const WIDTHS = [7, 4, 1, 6, 1];
const LAST_WIDTH = 5;

/** A checkpoint in JSON. A chat has 19 characters, and 5 for each of its messages, in the order in which chats were read. */
export type Saved = Omit<MessageCheckpoint, 'memory'> & {
	memory?: Omit<Memory, 'chats'> & { chats: string };
};

export function savedOf({ memory, ...rest }: MessageCheckpoint): Saved {
	if (!memory) return rest;
	const rows = [...memory.chats].map(([key, { mark, unseen, time, last }]) => {
		const numbers = [key, mark, unseen, time, last.length];
		const texts = numbers.map((number, i) => encodeNumber(number, WIDTHS[i] ?? 0));
		return [...texts, ...last.map((hash) => encodeNumber(hash, LAST_WIDTH))].join('');
	});
	return { ...rest, memory: { ...memory, chats: rows.join('') } };
}

export function readCheckpoint({ memory, ...rest }: Saved): MessageCheckpoint {
	return memory ? { ...rest, memory: { ...memory, chats: new Map(chatsIn(memory.chats)) } } : rest;
}

function* chatsIn(text: string): Generator<[number, TrackedChat]> {
	for (let at = 0; at < text.length; ) {
		const next = (chars: number): number => decodeNumber(text.slice(at, (at += chars)));
		const [key = 0, mark = 0, unseen = 0, time = 0, count = 0] = WIDTHS.map(next);
		const last = Array.from({ length: count }, () => next(LAST_WIDTH));
		yield [key, { mark, unseen, time, last }];
	}
}
