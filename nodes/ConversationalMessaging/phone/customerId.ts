import { type CountryCode, getCountryCallingCode, isSupportedCountry } from './libphonenumber';
import { MIN_DIGITS, PhoneNumber } from './phoneNumber';
import {
	type Refusal,
	digitsIn,
	readPhoneNumber,
	withoutMarks,
	writtenNumber,
} from './readPhoneNumber';

export type CustomerId = PhoneNumber | OtherId;

/** What is no phone number with country code. What it has in common with `PhoneNumber` means the same. */
class OtherId {
	constructor(
		readonly kind: 'contactId' | 'instagramId' | 'nationalNumber' | 'other' | 'userId',
		readonly id: string,
	) {}

	/** The country of a user ID is the same in any case; the rest is not. */
	get key(): string {
		const id = withoutMarks(this.id);
		return this.kind === 'userId' ? id.slice(0, 2).toUpperCase() + id.slice(2) : id;
	}

	get variants(): string[] {
		return [this.id];
	}

	get shown(): string {
		return this.id;
	}

	get country(): CountryCode | undefined {
		const code = this.key.slice(0, 2);
		return this.kind === 'userId' && isSupportedCountry(code) ? code : undefined;
	}

	get callingCode(): string | undefined {
		return this.country && getCountryCallingCode(this.country);
	}
}

/** A business-scoped user ID, such as US.13491208655302741918: a country, and an ID that is no phone number. */
const USER_ID = /^[A-Za-z]{2}\.[A-Za-z\d]{1,128}$/;

/**
 * A contact's own ID: a cuid of 25 characters, or of a newer version (API document, section Contact). It is no address: what
 * is sent to it has to look the address up.
 */
const CONTACT_ID = /^(?=.*\d)[a-z][a-z\d]{19,31}$/;

/** More digits than any phone number has. There are shorter ones, and other texts. Of millions, a pattern would run out of stack. */
const INSTAGRAM_ID = /^\d{16,100}$/;

/** The digits of a number, as the service stores it. */
const STORED = /^\+?([1-9]\d{6,14})$/;

/**
 * What a text identifies, as the service has stored it or a user has written it. A WhatsApp customer has a phone number or, if
 * the customer hides it, a user ID; an Instagram customer has an Instagram ID, which is digits or any other text.
 *
 * A number need not be a possible one: digits without their country code are compared, and sent as they are written. A
 * national number with its 0 cannot be compared.
 */
export function customerId(text: string): CustomerId {
	const id = withoutMarks(text);
	const stored = STORED.exec(id)?.[1];
	if (stored !== undefined) return new PhoneNumber(stored);
	if (USER_ID.test(id)) return new OtherId('userId', id);
	if (CONTACT_ID.test(id)) return new OtherId('contactId', id);
	if (INSTAGRAM_ID.test(id)) return new OtherId('instagramId', text);
	const written = digitsIn(writtenNumber(id) ?? '');
	const digits = STORED.exec(written)?.[1];
	if (digits === undefined)
		return new OtherId(written.length < MIN_DIGITS ? 'other' : 'nationalNumber', text);
	const number = readPhoneNumber(id);
	return number instanceof PhoneNumber ? number : new PhoneNumber(digits, undefined, text);
}

/** What a WhatsApp message can be sent to: a phone number, or a user ID unchanged. @param country as in `readPhoneNumber` */
export function whatsAppIdIn(text: string, country?: CountryCode): CustomerId | Refusal {
	const id = withoutMarks(text);
	return USER_ID.test(id) ? new OtherId('userId', id) : readPhoneNumber(text, country);
}
