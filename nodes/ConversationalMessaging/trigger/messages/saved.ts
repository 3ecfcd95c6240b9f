import { isCount, isRecord } from '../../api/response/response';
import { decodeNumber, encodeNumber } from '../base64url';
import { isReported } from '../reports';
import type { Memory, MessageCheckpoint, TrackedChat } from './memory';

/** The characters of a chat: its key, mark, pass and time, and its two messages, 0 for none. */
const WIDTHS = [7, 4, 1, 6, 5, 5];
const ROW = /^(?:[\w-]{28})*$/;

/** The checkpoint as a value for JSON. A chat has 28 characters, in the order in which chats were read. */
export function savedOf({ memory, ...rest }: MessageCheckpoint): unknown {
	if (!memory) return rest;
	const rows = [...memory.chats].map(([key, { mark, listed, time, last }]) =>
		[key, mark, listed, time, last[0] ?? 0, last[1] ?? 0]
			.map((number, i) => encodeNumber(number, WIDTHS[i] ?? 0))
			.join(''),
	);
	return { ...rest, memory: { ...memory, chats: rows.join('') } };
}

/** @returns undefined for a value that this version cannot read */
export function readCheckpoint(value: unknown): MessageCheckpoint | undefined {
	if (!isRecord(value)) return undefined;
	const { scope, token, failures, reported } = value;
	if (typeof scope !== 'string' || typeof token !== 'string' || !isCount(failures))
		return undefined;
	if (reported !== undefined && !isReported(reported)) return undefined;
	const checkpoint = { scope, token, failures, ...(reported && { reported }) };
	if (value.memory === undefined) return checkpoint;
	const memory = readMemory(value.memory);
	return memory && { ...checkpoint, memory };
}

function readMemory(value: unknown): Memory | undefined {
	if (!isRecord(value)) return undefined;
	const { start, polled, minute, rowsShow, pass, chats, shownFor } = value;
	if (!isRecord(minute) || !isRecord(pass) || typeof chats !== 'string' || !ROW.test(chats))
		return undefined;
	const counts = [start, polled, minute.from, minute.sent];
	const ofPass = [pass.page, pass.from, pass.before, pass.number];
	if (![...counts, ...ofPass].every(isCount)) return undefined;
	if (typeof rowsShow !== 'boolean' || typeof pass.isWhole !== 'boolean') return undefined;
	if (shownFor !== undefined && typeof shownFor !== 'string') return undefined;
	return { ...(value as unknown as Memory), chats: new Map(chatsIn(chats)) };
}

function* chatsIn(text: string): Generator<[number, TrackedChat]> {
	for (let at = 0; at < text.length; ) {
		const next = (chars: number): number => decodeNumber(text.slice(at, (at += chars)));
		const [key = 0, mark = 0, listed = 0, time = 0, ...last] = WIDTHS.map(next);
		yield [key, { mark, listed, time, last: last.filter((hash) => hash > 0) }];
	}
}
