import { decodeNumber, encodeNumber } from '../base64url';
import type { Memory, MessageCheckpoint, TrackedChat } from './memory';

/** The characters of a chat: its key, mark, pass and time, and its two messages, 0 for none. */
const WIDTHS = [7, 4, 1, 6, 5, 5];

/** A checkpoint in JSON. A chat has 28 characters, in the order in which chats were read. */
export type Saved = Omit<MessageCheckpoint, 'memory'> & {
	memory?: Omit<Memory, 'chats'> & { chats: string };
};

export function savedOf({ memory, ...rest }: MessageCheckpoint): Saved {
	if (!memory) return rest;
	const rows = [...memory.chats].map(([key, { mark, listed, time, last }]) =>
		[key, mark, listed, time, last[0] ?? 0, last[1] ?? 0]
			.map((number, i) => encodeNumber(number, WIDTHS[i] ?? 0))
			.join(''),
	);
	return { ...rest, memory: { ...memory, chats: rows.join('') } };
}

export function readCheckpoint({ memory, ...rest }: Saved): MessageCheckpoint {
	return memory ? { ...rest, memory: { ...memory, chats: new Map(chatsIn(memory.chats)) } } : rest;
}

function* chatsIn(text: string): Generator<[number, TrackedChat]> {
	for (let at = 0; at < text.length; ) {
		const next = (chars: number): number => decodeNumber(text.slice(at, (at += chars)));
		const [key = 0, mark = 0, listed = 0, time = 0, ...last] = WIDTHS.map(next);
		yield [key, { mark, listed, time, last: last.filter((hash) => hash > 0) }];
	}
}
