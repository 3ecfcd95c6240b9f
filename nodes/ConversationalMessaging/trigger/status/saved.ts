import type { IDataObject } from 'n8n-workflow';
import { isCount, isRecord } from '../../api/response/response';
import { KEY_BITS } from '../keys';
import type { Reported } from '../reports';
import { isReported } from '../reports';
import { decodeKeys, encodeKeys } from './keySet';
import type { Cursor, LongList, Memory } from './memory';
import { MOST_PASSES } from './memory';
import { Records } from './records';
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
	/** What n8n's log has shown and lasts. */
	reported?: Reported;
	/** Missing until a poll could read all lists. */
	memory?: Memory;
	/** Whether it would be the node's first memory: not if there was one before, with other events, filters or credentials. */
	isFirst?: boolean;
}

/** @returns undefined for a value that this version cannot read */
export function readCheckpoint(value: unknown): Checkpoint | undefined {
	if (!isRecord(value)) return undefined;
	const { scope, token, filter, failures, reported } = value;
	if (!isText(scope) || !isText(token) || !isFilter(filter) || !isCount(failures)) return undefined;
	const checkpoint = {
		...{ scope, token, filter, failures },
		...(isReported(reported) && { reported }),
		...(value.isFirst === true && { isFirst: true }),
	};
	if (value.memory === undefined) return checkpoint;
	const memory = readMemory(value.memory);
	return memory && { ...checkpoint, memory };
}

function readMemory(value: unknown): Memory | undefined {
	if (!isRecord(value)) return undefined;
	const { epoch, polls, known, long, cursor, size, withheld, isRestored } = value;
	const records = readGroups(value.records, value.bits);
	if (!records || !isText(epoch) || !isCount(polls) || !isCount(size)) return undefined;
	if (!isCount(withheld) || typeof isRestored !== 'boolean') return undefined;
	if (!isLongLists(long) || !isCursor(cursor)) return undefined;
	if (known !== 'all' && !isTexts(known)) return undefined;
	const statuses = known === 'all' ? known : new Set(known);
	return { epoch, polls, records, known: statuses, long, cursor, size, withheld, isRestored };
}

const isText = (value: unknown): value is string => typeof value === 'string';

const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);

const isFilter = (value: unknown): value is Filter & IDataObject =>
	isRecord(value) && isTexts(value.statuses) && typeof value.includeNew === 'boolean';

const isCursor = (value: unknown): value is Cursor & IDataObject =>
	isRecord(value) &&
	isText(value.status) &&
	isCount(value.page) &&
	value.page > 0 &&
	isCount(value.left) &&
	[value.isClean, value.hasGap, value.hasFailed].every((flag) => typeof flag === 'boolean');

const isLongLists = (value: unknown): value is Record<string, LongList> & IDataObject =>
	isRecord(value) && Object.values(value).every(isLongList);

function isLongList(value: unknown): boolean {
	if (!isRecord(value)) return false;
	const { isKnown, isShort, passes, gap, drift, unexplained } = value;
	if (typeof isKnown !== 'boolean' || typeof isShort !== 'boolean') return false;
	const isValid = isCount(passes) && passes <= MOST_PASSES;
	return isValid && isCount(gap) && Number.isFinite(drift) && Number.isFinite(unexplained);
}

/** The checkpoint as a value for JSON. */
export function savedOf({ memory, ...rest }: Checkpoint): unknown {
	if (!memory) return rest;
	const { records, known, ...others } = memory;
	return {
		...rest,
		memory: {
			...others,
			known: known === 'all' ? known : [...known].sort(),
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
