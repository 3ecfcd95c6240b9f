import type { IDataObject } from 'n8n-workflow';
import { isCount, isRecord } from '../../api/response/response';
import { decodeNumber, encodeNumber } from '../base64url';
import { KEY_CHARS } from '../keys';
import type { Reported } from '../reports';
import { isReported } from '../reports';
import type { Cursor, Memory } from './memory';
import type { Filter } from './sources/source';

/** What a memory belongs to. */
export interface Identity {
	/** The hash of n8n's ID of the credential, the base URL, the workflow, the node, and the filters. */
	scope: string;
	/** The hash of the token. Another one may belong to another organization. */
	token: string;
}

/** What is kept of one source. */
export interface Checkpoint extends Identity {
	/** The filter of the last successful poll. */
	filter: Filter;
	/** The number of consecutive polls that failed. */
	failures: number;
	/** Whether a first poll is still to emit existing records: so far, none of this node was successful for this source. */
	isFirst?: boolean;
	/** See `Reports`. */
	reported?: Reported;
	/** Missing until a first poll was successful. */
	memory?: Memory;
}

/** The checkpoint as a value for JSON. */
export function savedOf({ memory, ...rest }: Checkpoint): unknown {
	if (!memory) return rest;
	const { keys, hashes, known, ...others } = memory;
	return { ...rest, memory: { ...others, known: [...known], records: groupsOf(keys, hashes) } };
}

/** For each status: its name, the hashes of its records as one text, and the keys of the others. */
function groupsOf(keys: Memory['keys'], hashes: Memory['hashes']): string[][] {
	const groups = new Map<string, { hashes: string; keys: string[] }>();
	const groupOf = (status: string): { hashes: string; keys: string[] } => {
		const group = groups.get(status) ?? { hashes: '', keys: [] };
		groups.set(status, group);
		return group;
	};
	for (const [key, status] of keys) groupOf(status).keys.push(key);
	for (const [hash, status] of hashes) groupOf(status).hashes += encodeNumber(hash, KEY_CHARS);
	return [...groups].map(([status, group]) => [status, group.hashes, ...group.keys]);
}

/** @returns undefined for a value that this version cannot read */
export function readCheckpoint(value: unknown): Checkpoint | undefined {
	if (!isRecord(value)) return undefined;
	const { scope, token, filter, failures, isFirst, reported, memory: saved } = value;
	if (!isText(scope) || !isText(token) || !isFilter(filter) || !isCount(failures)) return undefined;
	if (reported !== undefined && !isReported(reported)) return undefined;
	const checkpoint = {
		...{ scope, token, filter, failures },
		...(isFirst === true && { isFirst }),
		...(reported && { reported }),
	};
	if (saved === undefined) return checkpoint;
	const memory = readMemory(saved);
	return memory && { ...checkpoint, memory };
}

function readMemory(value: unknown): Memory | undefined {
	if (!isRecord(value)) return undefined;
	const { epoch, polls, known, unknownFor, isCut, totals, cursor } = value;
	const records = readGroups(value.records);
	if (!records || !isText(epoch) || !isCount(polls) || !isTexts(known)) return undefined;
	if (!isCount(unknownFor) || typeof isCut !== 'boolean' || !isCursor(cursor)) return undefined;
	if (!isRecord(totals) || !Object.values(totals).every(isCount)) return undefined;
	return {
		...{ epoch, polls, unknownFor, isCut, totals: totals as Record<string, number>, cursor },
		...{ known: new Set(known), ...records },
	};
}

const isText = (value: unknown): value is string => typeof value === 'string';

const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);

const isFilter = (value: unknown): value is Filter & IDataObject =>
	isRecord(value) &&
	isTexts(value.statuses) &&
	typeof value.includeNew === 'boolean' &&
	isRecord(value.fields);

const isCursor = (value: unknown): value is Cursor & IDataObject =>
	isRecord(value) &&
	isText(value.status) &&
	isCount(value.page) &&
	value.page > 1 &&
	typeof value.isWhole === 'boolean';

/** @returns undefined if they are damaged */
function readGroups(groups: unknown): Pick<Memory, 'keys' | 'hashes'> | undefined {
	if (!Array.isArray(groups)) return undefined;
	const keys = new Map<string, string>();
	const hashes = new Map<number, string>();
	for (const group of groups as unknown[]) {
		if (!isTexts(group)) return undefined;
		const [status = '', text = '', ...own] = group;
		if (!/^[\w-]*$/.test(text) || text.length % KEY_CHARS !== 0) return undefined;
		for (let at = 0; at < text.length; at += KEY_CHARS)
			hashes.set(decodeNumber(text.slice(at, at + KEY_CHARS)), status);
		for (const key of own) keys.set(key, status);
	}
	return { keys, hashes };
}
