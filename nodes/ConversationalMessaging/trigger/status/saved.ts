import { decodeNumber, encodeNumber } from '../base64url';
import type { Checkpoint } from '../checkpoint';
import { KEY_CHARS } from '../keys';
import type { Memory } from './memory';
import type { Filter } from './sources/source';

export interface SourceCheckpoint extends Checkpoint<Memory> {
	/** The filter of the last successful poll. */
	filter: Filter;
	/** Whether a first poll is still to emit existing records: so far, none of this node was successful for this source. */
	isFirst?: boolean;
}

export type SavedCheckpoint = Omit<SourceCheckpoint, 'memory'> & {
	memory?: Omit<Memory, 'keys' | 'hashes' | 'known'> & {
		known: string[];
		/** For each status: its name, the hashes of its records as one text, and the keys of the others. */
		records: string[][];
	};
};

export function savedOf({ memory, ...rest }: SourceCheckpoint): SavedCheckpoint {
	if (!memory) return rest;
	const { keys, hashes, known, polled, ...others } = memory;
	const records = groupsOf(keys, hashes);
	// With it, the state would change in each poll.
	const ofLastPoll = memory.isCut ? { polled } : {};
	return { ...rest, memory: { ...others, ...ofLastPoll, known: [...known], records } };
}

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

export function readCheckpoint({ memory, ...rest }: SavedCheckpoint): SourceCheckpoint {
	if (!memory) return rest;
	const { known, records, ...others } = memory;
	const keys = new Map<string, string>();
	const hashes = new Map<number, string>();
	for (const [status = '', text = '', ...own] of records) {
		for (let at = 0; at < text.length; at += KEY_CHARS)
			hashes.set(decodeNumber(text.slice(at, at + KEY_CHARS)), status);
		for (const key of own) keys.set(key, status);
	}
	return { ...rest, memory: { ...others, known: new Set(known), keys, hashes } };
}
