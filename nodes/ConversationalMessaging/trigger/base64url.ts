/** The characters of base64url (RFC 4648, section 5), by their values. */
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

const VALUES = new Map(Array.from(DIGITS, (char, value) => [char, value]));

/** A whole number from 0 in this many characters of base64url, six bits each. */
export function encodeNumber(number: number, chars: number): string {
	let text = '';
	for (let left = number, i = 0; i < chars; i++, left = Math.floor(left / 64))
		text = (DIGITS[left % 64] ?? '') + text;
	return text;
}

/** The number that `encodeNumber` wrote. Other characters than those of base64url count as 0. */
export function decodeNumber(text: string): number {
	let number = 0;
	for (const char of text) number = number * 64 + (VALUES.get(char) ?? 0);
	return number;
}
