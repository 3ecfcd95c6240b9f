import type { CountryCode } from './libphonenumber';
import { getCountries, getCountryCallingCode } from './libphonenumber';
import type { ReadResult } from './values';
import { readText } from './values';

/** Where numbers without a country code are from: a country, or unknown. */
export type NumberCountry = CountryCode | 'unknown';

interface Country {
	/** ISO 3166-1, two letters. */
	code: CountryCode;
	/** In English. */
	name: string;
	callingCode: string;
}

let known: readonly Country[] | undefined;

/** All countries that have phone numbers, in the order of their names. Made once: n8n's start would be 20 ms longer. */
export function countries(): readonly Country[] {
	if (known) return known;
	const names = new Intl.DisplayNames('en', { type: 'region' });
	known = getCountries()
		.map((code) => ({
			code,
			name: names.of(code) ?? code,
			callingCode: getCountryCallingCode(code),
		}))
		.sort((one, other) => one.name.localeCompare(other.name, 'en'));
	return known;
}

/** A country by its code or its English name, in any case. */
export function readCountry(value: unknown): ReadResult<CountryCode> {
	const text = (readText(value).value ?? '').toLowerCase();
	const country = countries().find(
		({ code, name }) => code.toLowerCase() === text || name.toLowerCase() === text,
	);
	return country
		? { value: country.code }
		: { expected: 'a country code, such as DE, or its name' };
}
