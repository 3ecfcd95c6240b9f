import type { ReadResult } from './values';
import { readId } from './values';

/** Separators that people write into phone numbers: spaces, dots, dashes, brackets. A line break separates two. */
const SEPARATORS = /[^\S\r\n]|[().\-\u2010-\u2015\u2212]/g;

/** Invisible marks of text direction, which come along when a number is copied from an address book. */
const MARKS = /[\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;

/** The shortest international numbers have seven digits; E.164 allows fifteen. No country code begins with 0. */
const NUMBER = /^\+?[1-9]\d{6,14}$/;

/** A phone number without its separators; undefined when the text is none, or may be another one. */
function phoneNumber(text: string): string | undefined {
	const written = text.replace(MARKS, '').trim();
	// 12025550143.0 is what a spreadsheet makes of a number: its point separates nothing.
	if (/^-|^\+?\d{7,}\.\d+$/.test(written)) return undefined;
	// The 0 in +49 (0)151 is not dialed, but the one in +39 (0)6 is.
	if (/\(0\)/.test(written)) return undefined;
	const number = written.replace(SEPARATORS, '');
	return NUMBER.test(number) ? number : undefined;
}

/** A WhatsApp ID: a phone number with country code, with or without a plus. Its separators are taken out. */
export function readWhatsAppId(value: unknown): ReadResult<string> {
	const text = readId(value).value;
	const number = text === undefined ? undefined : phoneNumber(text);
	return number === undefined
		? { expected: 'a phone number with country code and no leading 0' }
		: { value: number };
}

/** An ID of a contact where the service takes its addresses too: a phone number loses its separators. */
export function contactAddress(id: string): string {
	return phoneNumber(id) ?? id;
}

/**
 * The same text for the same contact, whether its number is written with a plus or without: for what must not be done
 * twice, or in another order.
 */
export function addressKey(id: string): string {
	return contactAddress(id).replace(/^\+(?=\d)/, '');
}
