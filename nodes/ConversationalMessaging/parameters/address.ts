import type { NumberCountry } from './country';
import { countries, readCountry } from './country';
import {
	countryOfNumber,
	dialed,
	isWritten,
	otherWhatsAppId,
	readPhoneNumber,
	withoutMarks,
	withoutNationalZero,
} from './phoneNumber';
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

/** More digits than any phone number has (E.164): an Instagram ID. */
export const isLongId = (text: string): boolean => /^\d{16,}$/.test(text);

/**
 * Whether a text that was entered as the ID of a contact is an address: a user ID, or a number of seven digits or more, of which
 * none is a cuid.
 */
export function isAddress(text: string): boolean {
	const address = withoutMarks(text);
	return isUserId(address) || (isWritten(address) && address.replace(/\D/g, '').length >= 7);
}

/**
 * The ID of a contact, where the service accepts no other (API document, Contact fields and Segments; all filters). Another one
 * would be rejected without a hint, and as a filter find nothing.
 */
export const readContactId = (id: string): ReadResult<string> =>
	isAddress(id)
		? {
				expected: 'a contact ID',
				because:
					'this is a WhatsApp ID or an Instagram ID. Contact → Get finds the contact by it, and returns its contact ID',
			}
		: { value: id };

/**
 * A WhatsApp ID: the digits of a phone number with country code, or a business-scoped user ID unchanged. WhatsApp's own
 * IDs have no plus, and for a service that compares texts, the number with a plus would be a second contact.
 *
 * @param country where numbers without a country code are from; undefined if the user cannot say
 */
export function readWhatsAppId(value: unknown, country?: NumberCountry): ReadResult<string> {
	const text = readId(value).value ?? '';
	const userId = withoutMarks(text);
	return isUserId(userId) ? { value: userId } : readPhoneNumber(text, country);
}

/** The digits of a number, as the service stores it. E.164 allows fifteen; the shortest international numbers have seven. */
const DIGITS = /^\+?([1-9]\d{6,14})$/;

/**
 * The digits of a phone number with country code, in any usual form: `+49 151 23456789`, `0049 151/23456789`,
 * `tel:+4915123456789`, `4915123456789@c.us`. For comparing it with others, so it need not be a possible number: digits
 * without their country code stay as they are.
 *
 * @returns undefined for a national number with its 0, a user ID, or if the text is ambiguous
 */
export function numberOf(text: string): string | undefined {
	const written = withoutMarks(text)
		.replace(/^(?:tel|whatsapp):|@c\.us$/gi, '')
		.replace(/^00/, '+');
	const digits = isWritten(written) ? DIGITS.exec(written.replace(/\D/g, ''))?.[1] : undefined;
	return digits && withoutNationalZero(digits);
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
	const text = withoutMarks(id);
	// The country of a user ID is the same in any case; the rest is not.
	return isUserId(text) ? text.slice(0, 2).toUpperCase() + text.slice(2) : text;
}

/**
 * The country of a phone number or a user ID: two letters (ISO 3166). Undefined if it is neither, or if several countries
 * share its code and the number does not show which one it is.
 */
export function countryOf(address: string): string | undefined {
	const text = withoutMarks(address);
	if (isUserId(text)) return readCountry(text.slice(0, 2)).value;
	const digits = numberOf(text);
	return digits && countryOfNumber(digits);
}

/** Whether an address is a number with this calling code, or the user ID of a customer who has one. */
export function hasCallingCode(address: string, code: string): boolean {
	const number = numberOf(address);
	if (number !== undefined) return number.startsWith(code);
	const country = countryOf(address);
	return countries().some((each) => each.code === country && each.callingCode === code);
}

/** A contact where the service accepts the contact ID, the WhatsApp ID and the Instagram ID: a phone number as digits. */
export const sentId = (id: string): string => digitsIn(id) ?? id;

/** The digits of a phone number. Those that are stored already stay as they are. */
const digitsIn = (id: string): string | undefined =>
	DIGITS.exec(id)?.[1] ?? readPhoneNumber(id).value;

/**
 * The variants in which the service may store an ID, the likely one first: for a phone number its digits, then with a plus,
 * then the other WhatsApp ID of the number if it has two (see `contactKey`). Who tries which: resources/shared/numberVariants.ts.
 */
export function variantsOf(id: string): string[] {
	const number = digitsIn(id);
	if (number === undefined) return [id];
	const other = otherWhatsAppId(number);
	const numbers = other === undefined ? [number] : [number, other];
	return numbers.flatMap((each) => [each, `+${each}`]);
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
