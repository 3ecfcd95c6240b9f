import type { ReadResult } from './values';
import { readId } from './values';

/**
 * What a message can be sent to, and how two of them are compared. A WhatsApp customer has a phone number or, if the
 * customer hides it, a business-scoped user ID; an Instagram customer has an Instagram ID.
 */

/** A business-scoped user ID, such as US.13491208655302741918: a country, and an ID that is no phone number. */
const USER_ID = /^[A-Za-z]{2}\.[A-Za-z\d]{1,128}$/;

export const isUserId = (text: string): boolean => USER_ID.test(text);

/**
 * A contact's own ID: a cuid of 25 characters, or of a newer version (API document, section Contact). It is no address: what
 * is sent to it has to look the address up.
 */
const CONTACT_ID = /^(?=.*\d)[a-z][a-z\d]{19,31}$/;

export const isContactId = (text: string): boolean => CONTACT_ID.test(text);

/** Separators inside phone numbers: spaces, dots, dashes, brackets. A line break separates two numbers. */
const SEPARATORS = /[^\S\r\n]|[().\-\u2010-\u2015\u2212]/g;

/** Invisible text direction marks, often copied along with a number from an address book. */
const MARKS = /[\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;

/** The shortest international numbers have seven digits, E.164 allows fifteen. No country code starts with 0. */
const NUMBER = /^\+?[1-9]\d{6,14}$/;

/** The digits of a phone number; undefined if the text is not a number, or is ambiguous. */
function phoneNumber(text: string): string | undefined {
	const written = text.replace(MARKS, '').trim();
	// A spreadsheet turns a number into 12025550143.0: this dot is not a separator.
	if (/^-|^\+?\d{7,}\.\d+$/.test(written)) return undefined;
	// The 0 in +49 (0)151 is not dialed, but the one in +39 (0)6 is.
	if (/\(0\)/.test(written)) return undefined;
	const number = written.replace(SEPARATORS, '');
	return NUMBER.test(number) ? number.replace('+', '') : undefined;
}

/**
 * A WhatsApp ID: the digits of a phone number with country code, or a business-scoped user ID unchanged. WhatsApp's own
 * IDs have no plus, and for a service that compares texts, the number with a plus would be a second contact.
 */
export function readWhatsAppId(value: unknown): ReadResult<string> {
	const text = readId(value).value ?? '';
	const userId = text.replace(MARKS, '').trim();
	if (isUserId(userId)) return { value: userId };
	const number = phoneNumber(text);
	return number === undefined
		? { expected: 'a phone number with country code and no leading 0, or a user ID' }
		: { value: number };
}

/**
 * The digits of a phone number with country code, in any usual form: `+49 151 23456789`, `0049 151/23456789`,
 * `tel:+4915123456789`, `4915123456789@c.us`. For comparing it with others.
 *
 * @returns undefined for a national number, a user ID, or if the text is ambiguous
 */
export function numberOf(text: string): string | undefined {
	const written = text
		.replace(MARKS, '')
		.trim()
		.replace(/^(?:tel|whatsapp):|@c\.us$/gi, '')
		.replace(/^00/, '+')
		.replace(/\//g, ' ');
	return phoneNumber(written);
}

/**
 * The same key for all variants of one customer's address, never sent: a phone number as it is dialed, a user ID
 * with its country in upper case, every other ID unchanged. Two contacts with one key are the same contact.
 *
 * In Mexico and Argentina, WhatsApp's IDs have a digit after the country code that is not dialed (521 for 52, 549 for
 * 54); in Brazil, older IDs lack the 9 of mobile numbers.
 */
export function contactKey(id: string): string {
	const digits = numberOf(id);
	if (digits !== undefined) return dialed(digits);
	const text = id.replace(MARKS, '').trim();
	// The country of a user ID is the same in any case; the rest is not.
	return isUserId(text) ? text.slice(0, 2).toUpperCase() + text.slice(2) : text;
}

const dialed = (digits: string): string =>
	digits
		.replace(/^521(\d{10})$/, '52$1')
		.replace(/^549(\d{10})$/, '54$1')
		.replace(/^(55\d{2})9([6-9]\d{7})$/, '$1$2');

/** A contact where the service accepts the contact ID, the WhatsApp ID and the Instagram ID: a phone number as digits. */
export const sentId = (id: string): string => phoneNumber(id) ?? id;

/**
 * The variants in which the service may store an ID, the likely one first: for a phone number its digits, then with a plus,
 * then the other WhatsApp ID of the number if it has two (see `contactKey`). Who tries which: resources/shared/numberVariants.ts.
 */
export function variantsOf(id: string): string[] {
	const number = phoneNumber(id);
	if (number === undefined) return [id];
	const other = otherWhatsAppId(number);
	const numbers = other === undefined ? [number] : [number, other];
	return numbers.flatMap((each) => [each, `+${each}`]);
}

function otherWhatsAppId(digits: string): string | undefined {
	const id = dialed(digits);
	if (id !== digits) return id;
	const longer = digits
		.replace(/^52(\d{10})$/, '521$1')
		.replace(/^54(\d{10})$/, '549$1')
		.replace(/^(55\d{2})([6-9]\d{7})$/, '$19$2');
	return longer === digits ? undefined : longer;
}

/**
 * The statuses that mean that there is no record with a variant of an ID. A service that checks its parameters rejects
 * another than the usual one, such as one with a plus.
 *
 * @param index of the variant, in the order of `variantsOf`
 */
export const unknownStatuses = (index: number): number[] => (index === 0 ? [404] : [400, 404, 422]);

/**
 * Text to search contacts for. With a plus, a search would not find a number that is stored without one; without, it
 * finds both.
 */
export function searchText(text: string): string {
	return /^\+[\d\s().-]*\d[\s().-]*$/.test(text) ? text.replace(/\D/g, '') : text;
}
