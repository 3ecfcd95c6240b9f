import { isRecord } from '../api/answer';
import type { Filter } from './kind';
import type { Entry, Known, Memory } from './memory';
import { KEY_LENGTH, keyOf } from './memory';

/** What is kept of one kind of record. */
export interface KindState {
	/** What the memory is of: credential, base URL, workflow, node and what is watched. */
	scope: string;
	/** The filter that was in force at the last poll. */
	filter: Filter;
	/** How many polls in a row saw not everything. */
	failures: number;
	/** Missing as long as there has been no whole look. */
	memory?: Memory;
}

/** States by event. */
export type State = Record<string, KindState>;

/** Told apart from what an older or newer version wrote: that begins anew. */
const VERSION = 1;

/** The longest text, in characters; all are ASCII. With the text's quotes escaped, it stays below 256 KB. */
export const MOST_CHARACTERS = 255_000;

/** Records that stand at the same status and changed as often: their keys one after another, or their IDs. */
interface Group {
	status: string;
	changes: number;
	keys: string;
	ids: string[];
}

/**
 * The state as one text: n8n saves 20,000 records as one text two hundred times as fast as in objects.
 *
 * When it would be too long, the longest groups lose their oldest keys, and after those the records that may have to be
 * looked up lose their IDs. What that means is in docs/TRIGGER.md.
 */
export function pack(state: State): string {
	const entries = Object.entries(state).map(([event, kind]) => ({
		event,
		kind,
		groups: kind.memory ? groupsOf(kind.memory.known) : [],
	}));
	const shortened = shorten(entries.map(({ groups }) => groups));
	const kinds = entries.map(({ event, kind: { memory, ...rest }, groups }) => {
		if (!memory) return [event, rest];
		const forgot = groups.some((group) => shortened.has(group));
		const kept = forgot ? { ...memory, whole: false, full: true } : memory;
		return [event, { ...rest, memory: { ...kept, known: groups.filter(isFilled).map(textOf) } }];
	});
	return JSON.stringify({ version: VERSION, kinds: Object.fromEntries(kinds) as unknown });
}

/** @returns {} for anything that this version did not write: foreign, damaged, or empty */
export function unpack(text: unknown): State {
	if (typeof text !== 'string') return {};
	let parsed: unknown;
	try {
		parsed = JSON.parse(text);
	} catch {
		return {};
	}
	if (!isRecord(parsed) || parsed.version !== VERSION || !isRecord(parsed.kinds)) return {};
	const state: State = {};
	for (const [event, kind] of Object.entries(parsed.kinds)) {
		const read = readKind(kind);
		if (read) state[event] = read;
	}
	return state;
}

function readKind(value: unknown): KindState | undefined {
	if (!isRecord(value) || typeof value.scope !== 'string' || !isRecord(value.filter))
		return undefined;
	const { statuses, appeared } = value.filter;
	if (!isTexts(statuses) || typeof appeared !== 'boolean' || !isCount(value.failures))
		return undefined;
	const kind = { scope: value.scope, filter: { statuses, appeared }, failures: value.failures };
	if (value.memory === undefined) return kind;
	const memory = readMemory(value.memory);
	return memory && { ...kind, memory };
}

function readMemory(value: unknown): Memory | undefined {
	if (!isRecord(value) || !isTexts(value.known)) return undefined;
	const { epoch, total, partPages, learnedPages, sweeps, whole, full, eventfulPolls, turn } = value;
	const counts = [partPages, learnedPages, sweeps, eventfulPolls, turn, total ?? 0];
	if (typeof epoch !== 'string' || typeof whole !== 'boolean' || typeof full !== 'boolean')
		return undefined;
	const known = readGroups(value.known);
	if (!counts.every(isCount) || !known) return undefined;
	return { ...(value as unknown as Memory), known };
}

/** A group in a text: status, changes, keys and IDs with spaces between; nothing in it needs an escape in JSON. */
function textOf({ status, changes, keys, ids }: Group): string {
	return [plain(status), changes, keys, ...ids.map(plain)].join(' ');
}

/** Records of one group share what is remembered of them, unless they have IDs. Undefined when a text makes no sense. */
function readGroups(texts: string[]): Known | undefined {
	const known = new Map<string, Entry>();
	for (const text of texts) {
		const [name = '', count = '', keys = '', ...ids] = text.split(' ');
		const entry = { status: unplain(name), changes: Number(count) };
		if (entry.status === '' || !/^\d+$/.test(count) || keys.length % KEY_LENGTH > 0)
			return undefined;
		for (const id of ids.map(unplain)) known.set(keyOf(id), { ...entry, id });
		for (let i = 0; i < keys.length; i += KEY_LENGTH)
			known.set(keys.slice(i, i + KEY_LENGTH), entry);
	}
	return known;
}

const isFilled = ({ keys, ids }: Group): boolean => keys !== '' || ids.length > 0;

/** As characters that are neither a space nor escaped in JSON. Unlike encodeURIComponent, it takes any text. */
const plain = (text: string): string =>
	text.replace(/[^!#-$&-[\]-~]/g, (char) => `%${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

const unplain = (text: string): string =>
	text.replace(/%([\da-f]{4})/g, (_all, code: string) => String.fromCharCode(parseInt(code, 16)));

const isCount = (value: unknown): value is number =>
	typeof value === 'number' && Number.isFinite(value) && value >= 0;

const isTexts = (value: unknown): value is string[] =>
	Array.isArray(value) && value.every((text) => typeof text === 'string');

function groupsOf(known: Known): Group[] {
	const groups = new Map<string, Group & { list: string[] }>();
	for (const [key, { status, changes, id }] of known) {
		const name = `${changes} ${status}`;
		let group = groups.get(name);
		if (!group) {
			group = { status, changes, keys: '', ids: [], list: [] };
			groups.set(name, group);
		}
		if (id === undefined) group.list.push(key);
		else group.ids.push(id);
	}
	return [...groups.values()].map(({ list, ...group }) => ({ ...group, keys: list.join('') }));
}

/**
 * Takes from the longest groups, in place, until all of them fit.
 *
 * @returns the groups that lost something
 */
function shorten(kinds: Group[][]): Set<Group> {
	const shortened = new Set<Group>();
	const groups = kinds.flat();
	const length = (group: Group): number => textOf(group).length + 3;
	let excess = groups.reduce((sum, group) => sum + length(group), 0) - MOST_CHARACTERS;
	while (excess > 0) {
		const longest = (measure: (group: Group) => number): Group =>
			groups.reduce((most, group) => (measure(group) > measure(most) ? group : most));
		const group = longest(({ keys }) => keys.length);
		if (group.keys !== '') {
			const cut = Math.min(group.keys.length, Math.ceil(excess / KEY_LENGTH) * KEY_LENGTH);
			group.keys = group.keys.slice(0, group.keys.length - cut);
			excess -= cut;
		} else {
			const named = longest(({ ids }) => ids.length);
			const before = length(named);
			// Half of them at a time: IDs are of any length.
			const keyless = named.ids.splice(Math.floor(named.ids.length / 2));
			named.keys += keyless.map(keyOf).join('');
			excess -= before - length(named);
			shortened.add(named);
		}
		shortened.add(group);
	}
	return shortened;
}
