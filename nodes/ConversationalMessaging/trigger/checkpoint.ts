import { isRecord } from '../api/response';
import { KEY_BITS, keyOf, shortened } from './keys';
import { decodeKeys, encodeKeys } from './keySet';
import type { Limits } from './limits';
import { LIMITS } from './limits';
import type { LongList, Memory, Position } from './memory';
import { newList } from './memory';
import { Records } from './records';
import type { Filter } from './sources/source';
import { isCount, isTexts } from './values';

/** What is kept of one subscription. */
export interface Checkpoint {
	/** What the memory belongs to: credential, base URL, workflow, node and subscription. */
	scope: string;
	/** Identifies the token of the last successful poll without containing it. */
	token: string;
	/** The filter of the last poll. */
	filter: Filter;
	/** The number of consecutive incomplete polls. */
	failures: number;
	/** Missing until a first poll was complete. */
	memory?: Memory;
}

/** Checkpoints by event. */
export type Checkpoints = Record<string, Checkpoint>;

/** Distinguishes the format from that of other versions, with which the trigger starts with an empty memory. */
const VERSION = 3;

/** The share of the known records that were deleted from long lists, from which on these are read again. */
const STALE = 0.1;

/**
 * All checkpoints as one text: n8n saves 20,000 records as one text two hundred times as fast as in objects.
 *
 * If it would be too long, the checkpoint with the longest text is shortened until it fits; docs/TRIGGER.md describes
 * the effect.
 */
export function encode(checkpoints: Checkpoints, limits: Limits = LIMITS): string {
	const current: Checkpoints = { ...checkpoints };
	for (;;) {
		const texts = Object.entries(current).map(([event, each]) => ({
			event,
			text: JSON.stringify(savedOf(each)),
		}));
		const saved = texts.map(({ event, text }) => `${JSON.stringify(event)}:${text}`).join(',');
		const all = `{"version":${VERSION},"checkpoints":{${saved}}}`;
		const excess = all.length - limits.characters;
		const [longest] = texts.sort((one, other) => other.text.length - one.text.length);
		const memory = longest && current[longest.event]?.memory;
		const shorter = memory && excess > 0 ? shorten(memory, excess, limits) : undefined;
		if (!longest || !shorter) return all;
		current[longest.event] = { ...(current[longest.event] as Checkpoint), memory: shorter };
	}
}

/** @returns undefined if nothing is left to shorten */
function shorten(memory: Memory, excess: number, limits: Limits): Memory | undefined {
	const { ids, keys, bits } = memory.records;
	const idsLength = [...ids.keys()].reduce((sum, id) => sum + id.length + 1, 0);
	const keysLength = Math.ceil((keys.size * (bits - Math.log2(keys.size + 1) + 2)) / 6);
	if (keys.size > 0 && bits > limits.keyBits) {
		// Six bits per character, one bit less per key.
		const less = Math.max(1, Math.ceil((excess * 6) / keys.size));
		return { ...memory, records: withBits(memory.records, Math.max(limits.keyBits, bits - less)) };
	}
	if (idsLength > keysLength) return { ...memory, records: withFewerIds(memory.records) };
	if (keys.size === 0) return undefined;
	const deleted = Object.values(memory.lists).map(({ offset }) => Math.max(0, -offset));
	if (deleted.reduce((sum, count) => sum + count, 0) > STALE * keys.size) return refilled(memory);
	return withFewerKeys(memory, Math.max(1, Math.ceil(excess / 5)));
}

function withBits({ ids, keys, bits }: Records, fewer: number): Records {
	const shorter = new Map<number, readonly string[]>();
	for (const [key, statuses] of keys) {
		const short = Math.floor(key / 2 ** (bits - fewer));
		const others = shorter.get(short);
		shorter.set(short, others ? [...others, ...statuses] : statuses);
	}
	return new Records(ids, shorter, fewer);
}

/** Half of the records that are known by ID are known by key instead, and are not looked up any more. */
function withFewerIds({ ids, keys, bits }: Records): Records {
	const all = [...ids];
	const kept = all.slice(0, Math.floor(all.length / 2));
	const more = new Map(keys);
	for (const [id, status] of all.slice(kept.length)) {
		const key = shortened(keyOf(id), bits);
		more.set(key, [...(more.get(key) ?? []), status]);
	}
	return new Records(new Map(kept), more, bits);
}

/** Reads the long lists again rather than forgetting records: what was deleted from them is forgotten. */
function refilled(memory: Memory): Memory {
	const lists = Object.keys(memory.lists).map((status) => [status, newList(false)] as const);
	const { ids, keys, bits } = memory.records;
	const kept = [...keys].flatMap(([key, statuses]): [number, string[]][] => {
		const others = statuses.filter((status) => memory.lists[status] === undefined);
		return others.length > 0 ? [[key, others]] : [];
	});
	const records = new Records(ids, new Map(kept), bits);
	return { ...memory, records, lists: Object.fromEntries(lists) };
}

/** Forgets the records with the highest keys. Of their statuses, not every record is known any more. */
function withFewerKeys(memory: Memory, count: number): Memory {
	const { ids, keys, bits } = memory.records;
	const sorted = [...keys].sort(([one], [other]) => one - other);
	const cut = sorted.splice(Math.max(0, sorted.length - count));
	const forgotten = new Set(cut.flatMap(([, statuses]) => statuses));
	const lists = Object.entries(memory.lists).map(([status, list]): [string, LongList] => [
		status,
		forgotten.has(status) ? { ...newList(false), passes: 0 } : list,
	]);
	const isLong = (status: string): boolean => memory.lists[status] !== undefined;
	const { complete } = memory;
	return {
		...memory,
		records: new Records(ids, new Map(sorted), bits),
		lists: Object.fromEntries(lists),
		complete: [...forgotten].every(isLong)
			? complete
			: new Set([...(complete === 'all' ? [] : complete)].filter((each) => !forgotten.has(each))),
	};
}

/** @returns {} for a text that this version cannot read: of another format, damaged, or empty */
export const decode = (text: unknown): Checkpoints => readCheckpoints(parse(text));

/** The checkpoints in the JSON of such a text; {} for anything else. */
export function readCheckpoints(parsed: unknown): Checkpoints {
	if (!isRecord(parsed) || parsed.version !== VERSION || !isRecord(parsed.checkpoints)) return {};
	const checkpoints: Checkpoints = {};
	for (const [event, value] of Object.entries(parsed.checkpoints)) {
		const checkpoint = readCheckpoint(value);
		if (checkpoint) checkpoints[event] = checkpoint;
	}
	return checkpoints;
}

function savedOf({ memory, ...rest }: Checkpoint): unknown {
	if (!memory) return rest;
	const { records, complete, ...others } = memory;
	return {
		...rest,
		memory: {
			...others,
			complete: complete === 'all' ? complete : [...complete].sort(),
			bits: records.bits,
			records: recordTexts(records),
		},
	};
}

/** For each status: its name, the keys and the IDs of its records, without characters that JSON escapes. */
function recordTexts({ ids, keys }: Records): string[] {
	const groups = new Map<string, { keys: number[]; ids: string[] }>();
	const groupOf = (status: string): { keys: number[]; ids: string[] } => {
		const group = groups.get(status) ?? { keys: [], ids: [] };
		groups.set(status, group);
		return group;
	};
	for (const [id, status] of ids) groupOf(status).ids.push(id);
	for (const [key, statuses] of keys) for (const status of statuses) groupOf(status).keys.push(key);
	return [...groups].map(([status, group]) =>
		[plain(status), encodeKeys(group.keys), ...group.ids.map(plain)].join(' '),
	);
}

function readRecords(texts: string[], bits: number): Records | undefined {
	const ids = new Map<string, string>();
	const keys = new Map<number, readonly string[]>();
	for (const text of texts) {
		const [name = '', keysText = '', ...idTexts] = text.split(' ');
		const status = unplain(name);
		const decoded = decodeKeys(keysText);
		if (status === '' || !decoded) return undefined;
		for (const id of idTexts) ids.set(unplain(id), status);
		// One array for all, because most keys have one record.
		const alone = [status];
		for (const key of decoded) {
			const others = keys.get(key);
			keys.set(key, others ? [...others, status] : alone);
		}
	}
	return new Records(ids, keys, bits);
}

function readCheckpoint(value: unknown): Checkpoint | undefined {
	if (!isRecord(value) || typeof value.scope !== 'string' || typeof value.token !== 'string')
		return undefined;
	if (!isRecord(value.filter) || !isCount(value.failures)) return undefined;
	const { statuses, includeNew } = value.filter;
	if (!isTexts(statuses) || typeof includeNew !== 'boolean') return undefined;
	const { scope, token, failures } = value;
	const checkpoint = { scope, token, filter: { statuses, includeNew }, failures };
	if (value.memory === undefined) return checkpoint;
	const memory = readMemory(value.memory);
	return memory && { ...checkpoint, memory };
}

function readMemory(value: unknown): Memory | undefined {
	if (!isRecord(value) || typeof value.epoch !== 'string' || !isTexts(value.records))
		return undefined;
	const { epoch, polls, complete, bits, size, pageSize } = value;
	const next = readPosition(value.next);
	const lists = readLists(value.lists);
	if (!isCount(polls) || !isCount(size) || !isCount(pageSize) || !next || !lists) return undefined;
	if (!isCount(bits) || bits > KEY_BITS || (complete !== 'all' && !isTexts(complete)))
		return undefined;
	const records = readRecords(value.records, bits);
	if (!records) return undefined;
	const known = complete === 'all' ? complete : new Set(complete);
	return { epoch, polls, records, complete: known, lists, next, size, pageSize };
}

function readPosition(value: unknown): Position | undefined {
	if (!isRecord(value)) return undefined;
	const { status, slot } = value;
	return typeof status === 'string' && isCount(slot) ? { status, slot } : undefined;
}

function readLists(value: unknown): Record<string, LongList> | undefined {
	if (!isRecord(value)) return undefined;
	const lists = Object.entries(value).map(([status, list]) => [status, readList(list)] as const);
	if (lists.some(([, list]) => list === undefined)) return undefined;
	return Object.fromEntries(lists) as Record<string, LongList>;
}

function readList(value: unknown): LongList | undefined {
	if (!isRecord(value)) return undefined;
	const { isKnown, offset, page, hasFound, passes } = value;
	if (typeof isKnown !== 'boolean' || typeof hasFound !== 'boolean') return undefined;
	if (typeof offset !== 'number' || !isCount(page) || !isCount(passes)) return undefined;
	return { isKnown, offset, page, hasFound, passes };
}

/**
 * Encodes text without spaces and without characters that JSON escapes. Unlike encodeURIComponent, it accepts any
 * text.
 */
const plain = (text: string): string =>
	text.replace(/[^!#-$&-[\]-~]/g, (char) => `%${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

const unplain = (text: string): string =>
	text.replace(/%([\da-f]{4})/g, (_all, code: string) => String.fromCharCode(parseInt(code, 16)));

/** The JSON of a text; undefined if it is none. */
export function parse(text: unknown): unknown {
	try {
		return typeof text === 'string' ? (JSON.parse(text) as unknown) : undefined;
	} catch {
		return undefined;
	}
}
