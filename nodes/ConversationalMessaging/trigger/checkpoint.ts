import { isRecord } from '../api/response';
import type { Backfill, Baseline } from './baseline';
import { passOf } from './baseline';
import { decodeKeys, encodeKeys } from './keySet';
import { KEY_BITS, keyOf, shortened } from './keys';
import type { Limits } from './limits';
import { LIMITS } from './limits';
import type { ListOrder } from './order';
import type { Filter } from './subscription';
import type { TrackedRecord } from './tracked';
import { TrackedRecords } from './tracked';

/** What is kept of one subscription. */
export interface Checkpoint {
	/** What the baseline belongs to: credential, base URL, workflow, node and subscription. */
	scope: string;
	/** The filter of the last poll. */
	filter: Filter;
	/** The number of consecutive incomplete polls. */
	failures: number;
	/** Missing until a first poll was complete. */
	baseline?: Baseline;
}

/** Checkpoints by event. */
export type Checkpoints = Record<string, Checkpoint>;

/** Distinguishes the format from that of later versions, with which the trigger starts with a new baseline. */
const VERSION = 2;

/** That of all sources that version 1 read page by page. */
const VERSION_1_PAGE_SIZE = 200;

/** Records with the same status, as many changes and the same recency: as keys, or with their IDs. */
interface Group extends TrackedRecord {
	keys: number[];
	ids: string[];
}

/** One checkpoint while it is being encoded. */
interface Draft {
	event: string;
	checkpoint: Checkpoint;
	groups: Group[];
	bits: number;
	/** Statuses of which a record was dropped. */
	dropped: Set<string>;
}

/**
 * All checkpoints as one text: n8n saves 20,000 records as one text two hundred times as fast as in objects.
 *
 * If it would be too long, keys are shortened first. Only then are records dropped: those in archives before those
 * that may have to be looked up, and of the former those that did not change recently, from the longest group.
 * docs/TRIGGER.md describes the effect. Only a baseline from which a record is dropped is marked as truncated.
 */
export function encode(checkpoints: Checkpoints, limits: Limits = LIMITS): string {
	const drafts = Object.entries(checkpoints).map(([event, checkpoint]): Draft => {
		const tracked = checkpoint.baseline?.tracked ?? new TrackedRecords();
		const groups = groupsOf(tracked, limits.recentRecords);
		return { event, checkpoint, groups, bits: tracked.bits, dropped: new Set() };
	});
	fit(drafts, limits);
	const saved = drafts.map((draft) => [draft.event, savedOf(draft)]);
	return JSON.stringify({ version: VERSION, checkpoints: Object.fromEntries(saved) as unknown });
}

/** @returns {} for a text that this version cannot read: of another format, damaged, or empty */
export function decode(text: unknown): Checkpoints {
	const parsed = typeof text === 'string' ? parse(text) : undefined;
	if (!isRecord(parsed)) return {};
	const isOld = parsed.version === 1;
	const saved = isOld ? parsed.kinds : parsed.checkpoints;
	if ((!isOld && parsed.version !== VERSION) || !isRecord(saved)) return {};
	const checkpoints: Checkpoints = {};
	for (const [event, value] of Object.entries(saved)) {
		const checkpoint = isOld ? readVersion1(value) : readCheckpoint(value);
		if (checkpoint) checkpoints[event] = checkpoint;
	}
	return checkpoints;
}

function savedOf({ checkpoint, groups, bits, dropped }: Draft): unknown {
	const { baseline, ...rest } = checkpoint;
	if (!baseline) return rest;
	const { exact, backfill } = baseline;
	// Once records were dropped, the order of a list proves what is new. The order from a backfill is not certain
	// enough.
	const orders = dropped.size > 0 && backfill.is !== 'truncated' ? {} : baseline.orders;
	return {
		...rest,
		baseline: {
			...baseline,
			exact: exact.filter((status) => !dropped.has(status)),
			backfill: dropped.size > 0 ? { is: 'truncated' } : backfill,
			bits,
			tracked: groups.filter(isFilled).map(textOf),
			orders: Object.fromEntries(
				Object.entries(orders).map(([status, order]) => [status, orderText(order)]),
			) as unknown,
		},
	};
}

function groupsOf({ named, archived }: TrackedRecords, recentRecords: number): Group[] {
	const groups = new Map<string, Group>();
	const groupOf = (record: TrackedRecord): Group => {
		const { status, changes, recency } = record;
		const name = [recency, changes, status].join(' ');
		const group = groups.get(name) ?? { status, changes, recency, keys: [], ids: [] };
		groups.set(name, group);
		return group;
	};
	for (const [id, record] of named) groupOf({ ...record, recency: 2 }).ids.push(id);
	let recent = 0;
	for (const [key, records] of archived)
		for (const record of records) {
			groupOf(record).keys.push(key);
			if (record.recency === 2) recent++;
		}
	if (recent <= recentRecords) return [...groups.values()];
	// Recent changes make room for future ones.
	const older: Group[] = [];
	for (const group of groups.values()) {
		const recency = Math.max(0, group.recency - 1) as Group['recency'];
		older.push({ ...group, recency, ids: [] });
		if (group.ids.length > 0) older.push({ ...group, keys: [] });
	}
	return merged(older);
}

function merged(groups: Group[]): Group[] {
	const byName = new Map<string, Group>();
	for (const group of groups) {
		const name = [group.recency, group.changes, group.status].join(' ');
		const same = byName.get(name);
		if (same) {
			same.keys = same.keys.concat(group.keys);
			same.ids = same.ids.concat(group.ids);
		} else byName.set(name, { ...group });
	}
	return [...byName.values()];
}

/** Shortens the drafts in place until they fit. */
function fit(drafts: Draft[], { characters, spareKeyBits }: Limits): void {
	const lengthOf = (draft: Draft): number =>
		draft.groups.filter(isFilled).reduce((sum, group) => sum + textOf(group).length + 3, 0) +
		ordersLength(draft);
	const lengths = new Map(drafts.map((draft) => [draft, lengthOf(draft)]));
	const excess = (): number =>
		[...lengths.values()].reduce((sum, one) => sum + one, 0) - characters;
	while (excess() > 0) {
		const keysIn = ({ groups }: Draft): number =>
			groups.reduce((sum, { keys }) => sum + keys.length, 0);
		const [draft] = [...drafts].sort((one, other) => keysIn(other) - keysIn(one));
		if (!draft) return;
		const keys = keysIn(draft);
		const fewest = Math.ceil(Math.log2(Math.max(2, keys))) + spareKeyBits;
		if (keys > 0 && draft.bits > fewest) {
			// Six bits per character, one bit less per key.
			const less = Math.max(1, Math.ceil((excess() * 6) / keys));
			const bits = Math.max(fewest, draft.bits - less);
			const by = 2 ** (draft.bits - bits);
			for (const group of draft.groups) group.keys = group.keys.map((key) => Math.floor(key / by));
			draft.bits = bits;
		} else if (!drop(drafts, draft, excess())) return;
		for (const each of drafts) lengths.set(each, lengthOf(each));
	}
}

/** @returns false if there is nothing left to drop */
function drop(drafts: Draft[], draft: Draft, excess: number): boolean {
	for (const recency of [0, 1, 2]) {
		const [longest] = draft.groups
			.filter((group) => group.recency === recency && group.keys.length > 0)
			.sort((one, other) => other.keys.length - one.keys.length);
		if (!longest) continue;
		// With at least two characters per key, this never drops more than half of the necessary number.
		const count = Math.min(longest.keys.length, Math.max(1, Math.ceil(excess / 5)));
		longest.keys.sort((one, other) => one - other).splice(longest.keys.length - count);
		draft.dropped.add(longest.status);
		return true;
	}
	const orders = drafts.find((each) => ordersLength(each) > 0);
	if (orders?.checkpoint.baseline) {
		orders.checkpoint = {
			...orders.checkpoint,
			baseline: { ...orders.checkpoint.baseline, orders: {} },
		};
		return true;
	}
	const named = drafts
		.flatMap((each) => each.groups.map((group) => ({ each, group })))
		.sort((one, other) => other.group.ids.length - one.group.ids.length)[0];
	if (!named || named.group.ids.length === 0) return false;
	// Half of them at a time, because IDs have any length. The record stays known, but can no longer be looked up.
	const { ids, keys } = named.group;
	const keyless = ids.splice(Math.floor(ids.length / 2));
	if (keyless.length > 1) keys.push(...keyless.map((id) => shortened(keyOf(id), named.each.bits)));
	named.each.dropped.add(named.group.status);
	return true;
}

function ordersLength({ checkpoint }: Draft): number {
	return Object.values(checkpoint.baseline?.orders ?? {}).reduce(
		(sum, order) => sum + (order.marks.length === 0 ? 0 : orderText(order).length + 3),
		0,
	);
}

const isFilled = ({ keys, ids }: Group): boolean => keys.length > 0 || ids.length > 0;

/**
 * A group as text: status, changes, recency, keys and IDs separated by spaces, without characters that JSON escapes.
 */
function textOf({ status, changes, recency, keys, ids }: Group): string {
	return [plain(status), changes, recency, encodeKeys(keys), ...ids.map(plain)].join(' ');
}

function readTracked(texts: string[], bits: number): TrackedRecords | undefined {
	const named = new Map<string, TrackedRecord>();
	const archived = new Map<number, readonly TrackedRecord[]>();
	for (const text of texts) {
		const [name = '', changes = '', recency = '', keysText = '', ...ids] = text.split(' ');
		const status = unplain(name);
		const keys = decodeKeys(keysText);
		if (status === '' || !/^\d+$/.test(changes) || !/^[012]$/.test(recency) || !keys)
			return undefined;
		const record = { status, changes: Number(changes), recency: Number(recency) } as TrackedRecord;
		for (const id of ids) named.set(unplain(id), record);
		const alone = [record];
		for (const key of keys) {
			const others = archived.get(key);
			archived.set(key, others ? [...others, record] : alone);
		}
	}
	return new TrackedRecords(named, archived, bits);
}

/** "1042 2s.abc 2u.def": the length, and for each mark its distance from the previous one and its key, in base 36. */
function orderText({ marks, total }: ListOrder): string {
	let last = 0;
	const texts = marks.map(({ key, rank }) => {
		const text = `${(rank - last).toString(36)}.${key.toString(36)}`;
		last = rank;
		return text;
	});
	return [total, ...texts].join(' ');
}

function readOrder(text: unknown): ListOrder | undefined {
	if (typeof text !== 'string') return undefined;
	const [total = '', ...texts] = text.split(' ');
	let rank = 0;
	const marks = texts.map((mark) => {
		const [distance = '', key = ''] = mark.split('.');
		rank += parseInt(distance, 36);
		return { key: parseInt(key, 36), rank };
	});
	const isSound = marks.every((mark) => Number.isFinite(mark.key) && Number.isFinite(mark.rank));
	return /^\d+$/.test(total) && isSound ? { marks, total: Number(total) } : undefined;
}

function readCheckpoint(value: unknown): Checkpoint | undefined {
	if (!isRecord(value) || typeof value.scope !== 'string' || !isRecord(value.filter))
		return undefined;
	const { statuses, includeNew } = value.filter;
	if (!isTexts(statuses) || typeof includeNew !== 'boolean' || !isCount(value.failures))
		return undefined;
	const { scope, failures } = value;
	const checkpoint = { scope, filter: { statuses, includeNew }, failures };
	if (value.baseline === undefined) return checkpoint;
	const baseline = readBaseline(value.baseline);
	return baseline && { ...checkpoint, baseline };
}

function readBaseline(value: unknown): Baseline | undefined {
	if (!isRecord(value) || !isTexts(value.tracked) || !isTexts(value.exact)) return undefined;
	const { epoch, exact, bits, eventfulPolls, rotation, counts, cursors, orders, sweeps } = value;
	const { pageSize } = value;
	if (typeof epoch !== 'string' || !isRecord(counts) || !isRecord(cursors)) return undefined;
	if (!isRecord(orders) || !isRecord(sweeps)) return undefined;
	const { left, unlisted } = cursors;
	const perStatus = [...Object.values(counts), ...Object.values(sweeps)];
	const numbers = [eventfulPolls, rotation, pageSize, left, unlisted, ...perStatus];
	const backfill = readBackfill(value.backfill);
	if (!isCount(bits) || bits > KEY_BITS || !numbers.every(isCount) || !backfill) return undefined;
	const tracked = readTracked(value.tracked, bits);
	const read = Object.entries(orders).map(([status, text]) => [status, readOrder(text)] as const);
	if (!tracked || read.some(([, order]) => order === undefined)) return undefined;
	return {
		epoch,
		tracked,
		counts: counts as Record<string, number>,
		exact,
		orders: Object.fromEntries(read) as Record<string, ListOrder>,
		backfill,
		eventfulPolls: eventfulPolls as number,
		rotation: rotation as number,
		pageSize: pageSize as number,
		sweeps: sweeps as Record<string, number>,
		cursors: { left: left as number, unlisted: unlisted as number },
	};
}

function readBackfill(value: unknown): Backfill | undefined {
	if (!isRecord(value)) return undefined;
	const { is, page, pass, last, total, isConsistent } = value;
	if (is === 'complete' || is === 'truncated') return { is };
	if (is !== 'running' || !isCount(page) || (pass !== 1 && pass !== 2) || !isCount(total))
		return undefined;
	const keys: unknown[] = Array.isArray(last) ? last : [undefined];
	if (!keys.every(isCount)) return undefined;
	return { is, page, pass, last: keys, total, isConsistent: isConsistent === true };
}

/**
 * Reads version 1 of the format: every record with its status, but no totals and no order of lists. The next poll
 * determines those, and reads the list once more.
 */
function readVersion1(value: unknown): Checkpoint | undefined {
	if (!isRecord(value) || !isRecord(value.filter)) return undefined;
	const { statuses, appeared: includeNew } = value.filter;
	const { memory } = value;
	const head = readCheckpoint({ ...value, filter: { statuses, includeNew }, baseline: undefined });
	if (!head || memory === undefined) return head;
	if (!isRecord(memory) || !isTexts(memory.known) || typeof memory.epoch !== 'string')
		return undefined;
	const named = new Map<string, TrackedRecord>();
	const archived = new Map<number, readonly TrackedRecord[]>();
	for (const text of memory.known) {
		const [name = '', count = '', keys = '', ...ids] = text.split(' ');
		if (name === '' || !/^\d+$/.test(count) || !/^[\w-]*$/.test(keys) || keys.length % 7 > 0)
			return undefined;
		const record = { status: unplain(name), changes: Number(count), recency: 0 as const };
		for (const id of ids) named.set(unplain(id), record);
		for (const key of keys.match(/.{7}/g) ?? []) archived.set(version1Key(key), [record]);
	}
	const { epoch, eventfulPolls, whole } = memory;
	return {
		...head,
		baseline: {
			epoch,
			tracked: new TrackedRecords(named, archived),
			counts: {},
			exact: [],
			orders: {},
			backfill: whole === true ? { is: 'complete' } : passOf(1),
			eventfulPolls: isCount(eventfulPolls) ? eventfulPolls : 0,
			rotation: 0,
			pageSize: VERSION_1_PAGE_SIZE,
			sweeps: {},
			cursors: { left: 0, unlisted: 0 },
		},
	};
}

/** Version 1 wrote a key as seven characters of six bits: five with the lowest bits of one number first, two of another. */
function version1Key(text: string): number {
	const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
	const bits = Array.from(text, (char) => alphabet.indexOf(char));
	const high = bits.slice(0, 5).reduceRight((sum, six) => sum * 64 + six, 0);
	return high * 4096 + (bits[5] ?? 0) + (bits[6] ?? 0) * 64;
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return undefined;
	}
}

/**
 * Encodes text without spaces and without characters that JSON escapes. Unlike encodeURIComponent, it accepts any
 * text.
 */
const plain = (text: string): string =>
	text.replace(/[^!#-$&-[\]-~]/g, (char) => `%${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

const unplain = (text: string): string =>
	text.replace(/%([\da-f]{4})/g, (_all, code: string) => String.fromCharCode(parseInt(code, 16)));

const isCount = (value: unknown): value is number =>
	typeof value === 'number' && Number.isFinite(value) && value >= 0;

const isTexts = (value: unknown): value is string[] =>
	Array.isArray(value) && value.every((text) => typeof text === 'string');
