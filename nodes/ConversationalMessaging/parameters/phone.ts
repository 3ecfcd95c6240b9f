import type { ReadResult } from './values';
import { readId } from './values';

/** Separators inside phone numbers: spaces, dots, dashes, brackets. A line break separates two numbers. */
const SEPARATORS = /[^\S\r\n]|[().\-\u2010-\u2015\u2212]/g;

/** Invisible text direction marks, often copied along with a number from an address book. */
const MARKS = /[\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;

/** The shortest international numbers have seven digits, E.164 allows fifteen. No country code starts with 0. */
const NUMBER = /^\+?[1-9]\d{6,14}$/;

/** The digits of a phone number; undefined if the text is not a number, or is ambiguous. */
function phoneNumber(text: string): string | undefined {
	// Most of the millions of numbers in a file are written like this.
	if (/^[1-9]\d{6,14}$/.test(text)) return text;
	const written = text.replace(MARKS, '').trim();
	// A spreadsheet turns a number into 12025550143.0: this dot is not a separator.
	if (/^-|^\+?\d{7,}\.\d+$/.test(written)) return undefined;
	// The 0 in +49 (0)151 is not dialed, but the one in +39 (0)6 is.
	if (/\(0\)/.test(written)) return undefined;
	const number = written.replace(SEPARATORS, '');
	return NUMBER.test(number) ? number.replace('+', '') : undefined;
}

/**
 * A WhatsApp ID: the digits of a phone number with country code. WhatsApp's own IDs have no plus, and for a service that
 * compares texts, the number with a plus would be a second contact.
 */
export function readWhatsAppId(value: unknown): ReadResult<string> {
	const text = readId(value).value;
	const number = text === undefined ? undefined : phoneNumber(text);
	return number === undefined
		? { expected: 'a phone number with country code and no leading 0' }
		: { value: number };
}

/**
 * The digits of a phone number with country code that is written in any other way, such as `0049 151/23456789` or
 * `tel:+4915123456789`: for comparing it with others, never for sending it.
 *
 * @returns undefined for a national number, or if the text is ambiguous
 */
export function internationalDigits(text: string): string | undefined {
	const number = phoneNumber(text);
	if (number !== undefined) return number;
	const dialed = /\d.*\d/.exec(text)?.[0].replace(/^00/, '').replace(/\//g, ' ');
	return dialed === undefined ? undefined : phoneNumber(dialed);
}

/**
 * The digits of what may be a phone number for whoever delivers to it, although it is not a valid WhatsApp ID, such as
 * `0049 151 23456789` and `0151/23456789`: nothing but digits and what people write between them.
 *
 * @returns undefined for anything else, such as a number that a spreadsheet shortened: 4.91511E+12
 */
export function dialedDigits(text: string): string | undefined {
	const digits = text.replace(MARKS, '').replace(SEPARATORS, '').replace(/[+/]/g, '');
	return /^\d{7,15}$/.test(digits) ? digits : undefined;
}

/**
 * A phone number as it is compared, never as it is sent. In Mexico and Argentina, WhatsApp's IDs have a digit after the
 * country code that is not dialed (521 for 52, 549 for 54); in Brazil, older IDs lack the 9 of mobile numbers.
 *
 * @param digits with country code
 */
export function comparableDigits(digits: string): string {
	// One comparison instead of three, for most of the millions of numbers in a file.
	if (!/^5[245]/.test(digits)) return digits;
	return digits
		.replace(/^521(\d{10})$/, '52$1')
		.replace(/^549(\d{10})$/, '54$1')
		.replace(/^(55\d{2})9([6-9]\d{7})$/, '$1$2');
}

/**
 * The other WhatsApp ID of the same number, if it may have two (see `comparableDigits`).
 *
 * @param digits with country code
 */
export function otherWhatsAppId(digits: string): string | undefined {
	const dialed = comparableDigits(digits);
	if (dialed !== digits) return dialed;
	const id = digits
		.replace(/^52(\d{10})$/, '521$1')
		.replace(/^54(\d{10})$/, '549$1')
		.replace(/^(55\d{2})([6-9]\d{7})$/, '$19$2');
	return id === digits ? undefined : id;
}

/**
 * A contact ID where the service also accepts the WhatsApp and the Instagram ID: a phone number has digits only. It is
 * the same for the same contact, so it also keeps order and removes duplicates.
 */
export function contactAddress(id: string): string {
	return phoneNumber(id) ?? id;
}

/** The forms in which the service may store a WhatsApp ID, the likely one first; only the ID if it is no number. */
export function addressForms(id: string): string[] {
	const number = phoneNumber(id);
	return number === undefined ? [id] : [number, `+${number}`];
}

/**
 * Text to search contacts for. With a plus, a search would not find a number that is stored without one; without, it
 * finds both.
 */
export function searchText(text: string): string {
	return /^\+[\d\s().-]*\d[\s().-]*$/.test(text) ? text.replace(/\D/g, '') : text;
}
