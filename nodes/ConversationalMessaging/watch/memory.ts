/** What is remembered of a record. */
export interface Entry {
	status: string;
	/** How many changes of it were noticed. */
	changes: number;
	/** Its ID, as long as it may have to be looked up: a record that has ended is known by its key alone. */
	id?: string;
}

/** Records by their key, the newest first. */
export type Known = ReadonlyMap<string, Entry>;

/** What is remembered of one kind of record between two polls. */
export interface Memory {
	/** Tells this memory from one that began at another time. */
	epoch: string;
	known: Known;
	/** How long the whole list was; undefined when the service does not tell, or there is no such list. */
	total?: number;
	/** How many pages the parts took. */
	partPages: number;
	/** How many pages of the whole list have been learned, from the first one on. */
	learnedPages: number;
	/** How many times all pages were learned without every record being known afterwards. */
	sweeps: number;
	/** Whether every record is known. */
	whole: boolean;
	/** Whether not every record can be known: there are more than fit, or they do not hold still. */
	full: boolean;
	/** How many polls brought a change. */
	eventfulPolls: number;
	/** Counts the polls in which parts of the list take turns. */
	turn: number;
}

/** How long a key is, in characters of 6 bits. */
export const KEY_LENGTH = 7;

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/**
 * A short name for an ID: a hash of 42 bits, so that 20,000 records take 140 KB. That a new record has the key of one
 * of 20,000 others happens once in 200 million. Two lanes of multiply and rotate: a hash of `crypto` takes ten times
 * as long, and nobody gains anything by finding a second ID for a key.
 *
 * @returns seven characters of base64url
 */
export function keyOf(id: string): string {
	let a = 0x9e3779b9 ^ id.length;
	let b = 0x85ebca6b;
	for (let i = 0; i < id.length; i++) {
		const code = id.charCodeAt(i);
		a = Math.imul(a ^ code, 0x01000193);
		b = Math.imul(b ^ code, 0x5bd1e995);
		b = (b << 13) | (b >>> 19);
	}
	a = mixed(a ^ (b >>> 15));
	b = mixed(b ^ a);
	let key = '';
	for (let i = 0; i < 5; i++) key += ALPHABET[(a >>> (6 * i)) & 63] ?? '';
	return key + (ALPHABET[b & 63] ?? '') + (ALPHABET[(b >>> 6) & 63] ?? '');
}

/** Lets every bit depend on every other. */
function mixed(value: number): number {
	let hash = Math.imul(value ^ (value >>> 16), 0x45d9f3b);
	hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
	return hash ^ (hash >>> 16);
}
