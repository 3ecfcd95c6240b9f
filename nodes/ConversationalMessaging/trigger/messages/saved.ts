import { isCount, isRecord } from '../../api/response/response';
import { decodeNumber, encodeNumber } from '../base64url';
import { isReported } from '../reports';
import type { MessageCheckpoint, MessageState, TrackedChat } from './state';
import { MAX_TRUST } from './state';

/** Times are kept as seconds since 2020, which five characters hold until 2054. */
const TIME_BASE = Date.UTC(2020, 0) / 1_000;
const TIME_CHARS = 5;
const LATEST = 64 ** TIME_CHARS - 1;
const KEY_CHARS = 7;
const MARK_CHARS = 4;

/** The characters of base64url that each number of a row takes. */
const CHAT_WIDTHS = [KEY_CHARS, MARK_CHARS, TIME_CHARS];
const SEEN_WIDTHS = [KEY_CHARS, TIME_CHARS];

/** The checkpoint as a value for JSON. A chat has 16 characters, in the order in which chats were read. */
export function savedOf({ state, ...rest }: MessageCheckpoint): unknown {
	if (!state) return rest;
	const sinceBase = (time: number): number => Math.min(Math.max(0, time - TIME_BASE), LATEST);
	const chats = [...state.chats].map(([key, { mark, readTo }]) => [key, mark, sinceBase(readTo)]);
	const seen = [...state.seen].map(([key, time]) => [key, sinceBase(time)]);
	return {
		...rest,
		state: { ...state, chats: encodeRows(chats, CHAT_WIDTHS), seen: encodeRows(seen, SEEN_WIDTHS) },
	};
}

/** @returns undefined for a value that this version cannot read */
export function readCheckpoint(value: unknown): MessageCheckpoint | undefined {
	if (!isRecord(value)) return undefined;
	const { scope, token, failures, reported } = value;
	if (typeof scope !== 'string' || typeof token !== 'string' || !isCount(failures))
		return undefined;
	if (reported !== undefined && !isReported(reported)) return undefined;
	const checkpoint = { scope, token, failures, ...(reported && { reported }) };
	if (value.state === undefined) return checkpoint;
	const state = readState(value.state);
	return state && { ...checkpoint, state };
}

function readState(value: unknown): MessageState | undefined {
	if (!isRecord(value)) return undefined;
	const { start, seenSince, clocksAgree, passes, page, again, failing, trust, shownFor } = value;
	const chatRows = decodeRows(value.chats, CHAT_WIDTHS);
	const seenRows = decodeRows(value.seen, SEEN_WIDTHS);
	if (!chatRows || !seenRows || !isCounts(passes) || !isCounts(again) || !isCounts(failing))
		return undefined;
	if (!isCount(start) || !isCount(seenSince) || !isCount(page)) return undefined;
	if (clocksAgree !== undefined && typeof clocksAgree !== 'boolean') return undefined;
	if (!isCount(trust) || trust > MAX_TRUST) return undefined;
	if (shownFor !== undefined && typeof shownFor !== 'string') return undefined;
	const chats = chatRows.map(([key = 0, mark = 0, time = 0]): [number, TrackedChat] => {
		return [key, { mark, readTo: time === LATEST ? Infinity : TIME_BASE + time }];
	});
	const seen = seenRows.map(([key = 0, time = 0]): [number, number] => [key, TIME_BASE + time]);
	return {
		...{ start, chats: new Map(chats), seenSince, seen: new Map(seen), passes, page },
		...{ again, failing, trust },
		...(clocksAgree !== undefined && { clocksAgree }),
		...(shownFor !== undefined && { shownFor }),
	};
}

/** None of the lists is longer than a few hundred; each is searched for every chat. */
const MOST_ENTRIES = 1_000;

const isCounts = (value: unknown): value is number[] =>
	Array.isArray(value) && value.length <= MOST_ENTRIES && value.every(isCount);

/** Rows of numbers as text: each number has its characters. */
function encodeRows(rows: readonly number[][], widths: readonly number[]): string {
	return rows.flatMap((row) => widths.map((chars, i) => encodeNumber(row[i] ?? 0, chars))).join('');
}

/** @returns undefined for a value that is no such text */
function decodeRows(text: unknown, widths: readonly number[]): number[][] | undefined {
	const length = widths.reduce((sum, chars) => sum + chars, 0);
	if (typeof text !== 'string' || !/^[\w-]*$/.test(text) || text.length % length !== 0)
		return undefined;
	const rows: number[][] = [];
	for (let at = 0; at < text.length; ) {
		rows.push(widths.map((chars) => decodeNumber(text.slice(at, (at += chars)))));
	}
	return rows;
}
