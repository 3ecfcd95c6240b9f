import type { IDataObject } from 'n8n-workflow';
import { isOwn, isRecord } from '../api/response';
import { parseJson } from '../api/text';
import { KEY_BITS } from './keys';
import { decodeKeys, encodeKeys } from './keySet';
import type { Limits } from './limits';
import { LIMITS } from './limits';
import type { LongList, Memory, Position } from './memory';
import { MOST_PASSES, newLongList } from './memory';
import type { MessageCheckpoint } from './messages/state';
import { isCount, readSaved, saved } from './messages/state';
import { addStatuses, Records } from './records';
import type { Filter } from './sources/source';

/** What a checkpoint belongs to. */
export interface Identity {
	/** A hash of credential, base URL, workflow, node, event and filters. */
	scope: string;
	/** A hash of the token. */
	token: string;
}

/** What is kept of one subscription. */
export interface Checkpoint extends Identity {
	/** The choice of statuses and new records that applied to the last poll. */
	filter: Filter;
	/** The number of consecutive incomplete polls. */
	failures: number;
	/** Missing until a poll could read all lists. */
	memory?: Memory;
}

/** Checkpoints by event. */
export type Checkpoints = Record<string, Checkpoint>;

/** Everything that a trigger keeps between two polls. */
export interface TriggerState {
	sources: Checkpoints;
	/** Of Message Received; undefined if the user did not choose it. */
	messages?: MessageCheckpoint;
}

/** Distinguishes the format from that of other versions, with which the trigger starts with an empty memory. */
const VERSION = 4;

/** The share of the known records that were deleted from long lists, from which on these are read again. */
const STALE = 0.1;

/**
 * The state as one text: n8n saves 20,000 records as one text two hundred times as fast as in objects.
 *
 * If it would be too long, the checkpoint with the longest text is shortened until it fits; docs/TRIGGER-INTERNALS.md describes
 * the effect. That of Message Received is never shortened.
 */
export function encode({ sources, messages }: TriggerState, limits: Limits = LIMITS): string {
	const current: Checkpoints = { ...sources };
	const ofMessages = messages ? `,"messages":${JSON.stringify(saved(messages))}` : '';
	for (;;) {
		const texts = Object.entries(current).map(([event, each]) => ({
			event,
			text: JSON.stringify(savedOf(each)),
		}));
		const joined = texts.map(({ event, text }) => `${JSON.stringify(event)}:${text}`).join(',');
		const all = `{"version":${VERSION},"checkpoints":{${joined}}${ofMessages}}`;
		// n8n saves it inside another text, with its quotes escaped.
		const excess = JSON.stringify(all).length - limits.characters;
		const [longest] = texts.sort((one, other) => other.text.length - one.text.length);
		const memory = longest && current[longest.event]?.memory;
		const shorter = memory && excess > 0 ? shorten(memory, excess, limits) : undefined;
		if (!longest || !shorter) return all;
		current[longest.event] = { ...(current[longest.event] as Checkpoint), memory: shorter };
	}
}

/**
 * Takes the first of these measures that helps: shorter keys; keys instead of IDs, if these take up more; the long lists read
 * anew, if one record in ten was deleted from them; some records forgotten.
 *
 * @returns undefined if nothing is left to shorten
 */
function shorten(memory: Memory, excess: number, limits: Limits): Memory | undefined {
	const { ids, keys, bits } = memory.records;
	// Quotes, escaped, and a comma.
	const idsLength = [...ids.keys()].reduce((sum, id) => sum + id.length + 5, 0);
	const keysLength = Math.ceil((keys.size * (bits - Math.log2(keys.size + 1) + 2)) / 6);
	if (keys.size > 0 && bits > limits.keyBits) {
		// Six bits per character, one bit less per key.
		const less = Math.max(1, Math.ceil((excess * 6) / keys.size));
		return { ...memory, records: withBits(memory.records, Math.max(limits.keyBits, bits - less)) };
	}
	if (idsLength > keysLength) return { ...memory, records: withFewerIds(memory.records) };
	if (keys.size === 0) return undefined;
	const deleted = Object.values(memory.long).map(({ offset }) => Math.max(0, -offset));
	if (deleted.reduce((sum, count) => sum + count, 0) > STALE * keys.size) return refilled(memory);
	return withFewerKeys(memory, Math.max(1, Math.ceil(excess / 5)));
}

function withBits({ ids, keys, bits }: Records, fewer: number): Records {
	const shorter = new Map<number, readonly string[]>();
	for (const [key, statuses] of keys)
		addStatuses(shorter, Math.floor(key / 2 ** (bits - fewer)), statuses);
	return new Records(ids, shorter, fewer);
}

/** Half of the records that are known by ID are known by key instead, and are not looked up any more. */
function withFewerIds(records: Records): Records {
	const all = [...records.ids].map(([id, status]) => ({ id, status }));
	return records.with(all.slice(Math.floor(all.length / 2)));
}

/** Forgets all records of long lists, which are filled anew: those that were deleted are not found again. */
function refilled(memory: Memory): Memory {
	const long = Object.keys(memory.long).map((status) => [status, newLongList(false)] as const);
	const { ids, keys, bits } = memory.records;
	const kept = [...keys].flatMap(([key, statuses]): [number, string[]][] => {
		const others = statuses.filter((status) => !isOwn(memory.long, status));
		return others.length > 0 ? [[key, others]] : [];
	});
	const records = new Records(ids, new Map(kept), bits);
	return { ...memory, records, long: Object.fromEntries(long) };
}

/** Forgets the records with the highest keys. Their lists are not complete any more, and there is no room to fill them. */
function withFewerKeys(memory: Memory, count: number): Memory {
	const { ids, keys, bits } = memory.records;
	const sorted = [...keys].sort(([one], [other]) => one - other);
	const cut = sorted.splice(Math.max(0, sorted.length - count));
	const forgotten = new Set(cut.flatMap(([, statuses]) => statuses));
	const long = Object.entries(memory.long).map(([status, list]): [string, LongList] => [
		status,
		forgotten.has(status) ? { ...newLongList(false), passes: 0 } : list,
	]);
	const isLong = (status: string): boolean => isOwn(memory.long, status);
	const { complete } = memory;
	return {
		...memory,
		records: new Records(ids, new Map(sorted), bits),
		long: Object.fromEntries(long),
		complete: [...forgotten].every(isLong)
			? complete
			: new Set([...(complete === 'all' ? [] : complete)].filter((each) => !forgotten.has(each))),
	};
}

/** What a text contains, as far as this version can read it. */
interface DecodedState extends TriggerState {
	/** Whether some of it cannot be read: it is damaged, cut off, or of another version. */
	isUnreadable: boolean;
}

/**
 * Reads what `encode` wrote, in a time that grows with the length of the text. The text may also have been damaged, or
 * written by hand: what cannot be read is left out.
 */
export function decode(text: unknown): DecodedState {
	if (text === undefined) return { sources: {}, isUnreadable: false };
	const state = typeof text === 'string' ? parseJson(text) : undefined;
	if (!isRecord(state)) return { sources: {}, isUnreadable: true };
	const isKnown = state.version === VERSION && isRecord(state.checkpoints);
	const read = Object.entries(isKnown ? (state.checkpoints as IDataObject) : {}).map(
		([event, saved]) => [event, readCheckpoint(saved)] as const,
	);
	const messages = readSaved(state.messages);
	const isComplete = read.every(([, checkpoint]) => checkpoint) && (!state.messages || messages);
	return {
		sources: Object.fromEntries(
			read.flatMap(([event, checkpoint]) => (checkpoint ? [[event, checkpoint]] : [])),
		),
		messages,
		isUnreadable: !isKnown || !isComplete,
	};
}

/** @returns undefined for a value that this version cannot read */
function readCheckpoint(value: unknown): Checkpoint | undefined {
	if (!isRecord(value)) return undefined;
	const { scope, token, filter, failures } = value;
	if (!isText(scope) || !isText(token) || !isFilter(filter) || !isCount(failures)) return undefined;
	if (value.memory === undefined) return { scope, token, filter, failures };
	const memory = readMemory(value.memory);
	return memory && { scope, token, filter, failures, memory };
}

function readMemory(value: unknown): Memory | undefined {
	if (!isRecord(value)) return undefined;
	const { epoch, polls, complete, long, next, size } = value;
	const records = readGroups(value.records, value.bits);
	const isValid = isText(epoch) && isCount(polls) && Number.isFinite(size) && isPosition(next);
	if (!records || !isValid || !isLongLists(long)) return undefined;
	if (complete !== 'all' && !isTexts(complete)) return undefined;
	const statuses = complete === 'all' ? complete : new Set(complete);
	return { epoch, polls, records, complete: statuses, long, next, size: size as number };
}

const isText = (value: unknown): value is string => typeof value === 'string';

const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);

const isFilter = (value: unknown): value is Filter & IDataObject =>
	isRecord(value) && isTexts(value.statuses) && typeof value.includeNew === 'boolean';

const isPosition = (value: unknown): value is Position & IDataObject =>
	isRecord(value) && isText(value.status) && isCount(value.page);

const isLongLists = (value: unknown): value is Record<string, LongList> & IDataObject =>
	isRecord(value) && Object.values(value).every(isLongList);

function isLongList(value: unknown): boolean {
	if (!isRecord(value)) return false;
	const { isComplete, passes, offset, page, hasFound } = value;
	const isValid = isCount(passes) && passes <= MOST_PASSES && isCount(page);
	const areFlags = typeof isComplete === 'boolean' && typeof hasFound === 'boolean';
	return isValid && areFlags && Number.isFinite(offset);
}

/** A checkpoint in the text. */
interface Saved extends Omit<Checkpoint, 'memory'> {
	memory?: SavedMemory;
}

interface SavedMemory extends Omit<Memory, 'complete' | 'records'> {
	complete: string[] | 'all';
	/** The length of keys. */
	bits: number;
	/** See `groupsOf`. */
	records: string[][];
}

function savedOf({ memory, ...rest }: Checkpoint): Saved {
	if (!memory) return rest;
	const { records, complete, ...others } = memory;
	return {
		...rest,
		memory: {
			...others,
			complete: complete === 'all' ? complete : [...complete].sort(),
			bits: records.bits,
			records: groupsOf(records),
		},
	};
}

/** For each status: its name, the keys of its records as one text, and the IDs of the others. */
function groupsOf({ ids, keys }: Records): string[][] {
	const groups = new Map<string, { keys: number[]; ids: string[] }>();
	const groupOf = (status: string): { keys: number[]; ids: string[] } => {
		const group = groups.get(status) ?? { keys: [], ids: [] };
		groups.set(status, group);
		return group;
	};
	for (const [id, status] of ids) groupOf(status).ids.push(id);
	for (const [key, statuses] of keys) for (const status of statuses) groupOf(status).keys.push(key);
	return [...groups].map(([status, group]) => [status, encodeKeys(group.keys), ...group.ids]);
}

/** @returns undefined if they are damaged */
function readGroups(groups: unknown, bits: unknown): Records | undefined {
	if (!Array.isArray(groups) || !isCount(bits) || bits < 1 || bits > KEY_BITS) return undefined;
	const ids = new Map<string, string>();
	const keys = new Map<number, string[]>();
	for (const group of groups as unknown[]) {
		if (!isTexts(group)) return undefined;
		const [status = '', keysText = '', ...ownIds] = group;
		const decoded = decodeKeys(keysText);
		if (!decoded || (decoded.at(-1) ?? 0) >= 2 ** bits) return undefined;
		for (const id of ownIds) ids.set(id, status);
		// One array for all, because most keys have one record. A key with several gets its own, when it has its second.
		const alone = [status];
		for (const key of decoded) {
			const others = keys.get(key);
			if (!others) keys.set(key, alone);
			else if (others.length > 1) others.push(status);
			else keys.set(key, [...others, status]);
		}
	}
	return new Records(ids, keys, bits);
}
