import { hash } from 'crypto';

/** 96 bits of a text's SHA-256, in 16 characters. */
export const digestOf = (text: string): string => hash('sha256', text, 'base64url').slice(0, 16);

/** The maximum length of a key, in bits. */
export const KEY_BITS = 42;

/** Its length in the state, in characters of base64url. */
export const KEY_CHARS = 7;

/** 42 bits of the SHA-256 of an ID. A new record has the key of one of 20,000 others once in 200 million cases. */
export const keyOf = (id: string): number =>
	hash('sha256', id, 'buffer').readUIntBE(0, 6) % 2 ** KEY_BITS;

/** The first bits of a key, if a whole one does not fit. */
export function firstBits(key: number, bits: number): number {
	return Math.floor(key / 2 ** (KEY_BITS - bits));
}
