import { countryNamed } from '../phone/country';
import { customerId, whatsAppIdIn } from '../phone/customerId';
import type { CountryCode } from '../phone/libphonenumber';
import { type ReadResult, readId, readListedId, readText } from './values';

/** Where numbers without a country code are from: a country, or unknown. */
export type NumberCountry = CountryCode | 'unknown';

/**
 * A WhatsApp ID: the digits of a phone number with country code, or a business-scoped user ID unchanged.
 *
 * @param country where numbers without a country code are from; undefined if the user cannot say
 */
export function readWhatsAppId(value: unknown, country?: NumberCountry): ReadResult<string> {
	const id = readId(value);
	const reading = whatsAppIdIn(id.value ?? '', country === 'unknown' ? undefined : country);
	if (!('expected' in reading)) return { value: reading.id };
	const { expected, because = id.because, lacksCountry } = reading;
	const step = lacksCountry && country === 'unknown' ? `. ${COUNTRY_STEP}` : '';
	return { expected, because: because && because + step };
}

const COUNTRY_STEP = 'The option Country of Numbers adds a country code';

/**
 * The ID of a contact, where the service accepts no other (API document, Contact fields and Segments; all filters). Another one
 * would be rejected without a hint, and as a filter find nothing.
 */
export function readContactId(value: unknown): ReadResult<string> {
	const { kind } = customerId(readId(value).value ?? '');
	if (kind === 'contactId' || kind === 'other') return readListedId(value);
	return {
		expected: 'a contact ID',
		because:
			'this is a WhatsApp ID or an Instagram ID. Contact → Get finds the contact by it, and returns its contact ID',
	};
}

export function readCountry(value: unknown): ReadResult<CountryCode> {
	const country = countryNamed(readText(value).value ?? '');
	return country === undefined
		? { expected: 'a country code, such as DE, or its name' }
		: { value: country };
}
