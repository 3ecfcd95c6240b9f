import { createHash } from 'crypto';

/** 96 bits of a text's SHA-256, in 16 characters. */
export const digestOf = (text: string): string =>
	createHash('sha256').update(text).digest('base64url').slice(0, 16);

// Looked up once: where tests run, a global takes longer to find than this takes to multiply.
const { imul } = Math;

/** The maximum length of a key, in bits. */
export const KEY_BITS = 42;

/** Its length in the state, in characters of base64url. */
export const KEY_CHARS = 7;

/**
 * A short hash of an ID, with 42 bits. A new record has the key of one of 20,000 others once in 200 million cases.
 * Two lanes of multiply and rotate: a hash from `crypto` takes ten times as long, and collisions are of no use to an
 * attacker.
 *
 * @returns a whole number from 0 up to, not including, 2^42
 */
export function keyOf(id: string): number {
	let a = 0x9e3779b9 ^ id.length;
	let b = 0x85ebca6b;
	for (let i = 0; i < id.length; i++) {
		const code = id.charCodeAt(i);
		a = imul(a ^ code, 0x01000193);
		b = imul(b ^ code, 0x5bd1e995);
		b = (b << 13) | (b >>> 19);
	}
	a = mixed(a ^ (b >>> 15));
	b = mixed(b ^ a);
	return (a & 0x3fffffff) * 4096 + (b & 4095);
}

/** The first bits of a key, if a whole one does not fit. */
export function firstBits(key: number, bits: number): number {
	return Math.floor(key / 2 ** (KEY_BITS - bits));
}

/** Makes every bit depend on every other. */
function mixed(value: number): number {
	let hash = imul(value ^ (value >>> 16), 0x45d9f3b);
	hash = imul(hash ^ (hash >>> 16), 0x45d9f3b);
	return hash ^ (hash >>> 16);
}
