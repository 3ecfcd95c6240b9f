import type { NumberCountry } from './country';
import type { CountryCode, PhoneNumber } from './libphonenumber';
import {
	getCountries,
	getCountryCallingCode,
	parsePhoneNumberFromString,
	validatePhoneNumberLength,
} from './libphonenumber';
import type { ReadResult } from './values';

/** Invisible text direction marks, often copied along with a number from an address book. */
const MARKS = /[\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;

export const withoutMarks = (text: string): string => text.replace(MARKS, '').trim();

/** Digits and what separates them: spaces, dots, dashes, brackets, a slash. A line break separates two numbers. */
const WRITTEN = /^\+?(?:[\d().\-/\u2010-\u2015\u2212]|[^\S\r\n])+$/;

/** A spreadsheet turns a number into 12025550143.0: this dot is not a separator. */
const DECIMAL = /^[^.]*\.0{1,2}$|^\+?\d{7,}\.\d+$/;

/** Of these digits, 2024-05-12 and 12.05.2024, a country would make a number. */
const DATE = /^(?:19|20)\d\d-[01]\d-[0-3]\d$|^[0-3]?\d\.[01]?\d\.(?:19|20)\d\d$/;

/** What is before a slash may be an area code. With seven digits, it is a number of its own. */
const TWO_NUMBERS = /^(?:\D*\d){7,}\D*\/|\/.*\//;

/** More than any number with its separators: of megabytes, a pattern needs more memory than there is. */
const MAX_WRITTEN = 100;

export const isWritten = (text: string): boolean =>
	text.length <= MAX_WRITTEN &&
	WRITTEN.test(text) &&
	!text.startsWith('-') &&
	!DECIMAL.test(text) &&
	!DATE.test(text) &&
	!TWO_NUMBERS.test(text);

/**
 * The digits of a phone number with country code, as libphonenumber reads it.
 *
 * - `+` or `00` begins a number with country code.
 * - Digits that begin with the calling code of the country, followed by a valid number, are a number with country code, unless
 *   only the other reading is that of a mobile phone, as of 53334235 in Cuba. The library alone would also read 4915112345678 as
 *   a number within Germany.
 * - Other digits are a number of the country, unless they may be one with a country code as well: (202) 555-0143 is
 *   not, because no country code ends in the middle of an area code.
 *
 * @param country where numbers without a country code are from; undefined if the user cannot say
 */
export function readPhoneNumber(value: string, country?: NumberCountry): ReadResult<string> {
	const text = withoutMarks(value).replace(/^00/, '+');
	if (!isWritten(text)) return { expected: EXPECTED, because: whyUnreadable(text) };
	const digits = text.replace(/\D/g, '');
	if (text.startsWith('+') || country === undefined) return internationalNumber(digits);
	if (country === 'unknown') {
		const reading = internationalNumber(digits);
		if (reading.value !== undefined) return reading;
		return { ...reading, because: `${reading.because}. ${COUNTRY_STEP}` };
	}
	const code = getCountryCallingCode(country);
	const isOwn = digits.startsWith(code);
	const international = parsed(`+${digits}`);
	// The library drops a country code that it finds.
	const national = isOwn ? parsed(`+${code}${digits}`) : parsed(digits, country);
	const isPreferred = isMobile(international) || !isMobile(national);
	if (isOwn && (isOldWhatsAppId(digits) || (international?.isValid() && isPreferred)))
		return internationalNumber(digits);
	if (national?.countryCallingCode !== code || !isPossible(national)) {
		if (isOwn) return internationalNumber(digits);
		return { expected: EXPECTED, because: whyImpossible(digits, country) };
	}
	// Some are possible within a country, such as 100 0000 in Canada, but not with its code.
	if (!hasTwoReadings(text, digits, international, national))
		return internationalNumber(national.number.slice(1));
	return {
		expected: 'a plus and the country code if a number can be read in two ways',
		because: `${shownNumber(digits)} or ${national.formatInternational()}`,
	};
}

/** Why a cell of a sheet is no number, where that can be told. */
function whyUnreadable(text: string): string | undefined {
	if (DATE.test(text)) return 'this is a date';
	if (/^\d[.,]\d+E\+\d\d?$/i.test(text))
		return 'a spreadsheet has shortened the number. Format its column as text, and enter it again';
	const numbers = text.split(/[,;/\r\n]/).filter((part) => part.replace(/\D/g, '').length >= 7);
	return numbers.length > 1 ? 'these are several numbers' : undefined;
}

const EXPECTED = 'a phone number with country code, or a user ID';

const COUNTRY_STEP = 'The option Country of Numbers adds a country code';

/** A number as people write it: `+49 1511 2345678`; every other ID unchanged. @param id as it is sent */
export function shownNumber(id: string): string {
	const number = /^\d+$/.test(id) ? parsed(`+${id}`) : undefined;
	return number?.isPossible() ? number.formatInternational() : id;
}

/** The country of a number with country code; undefined if several share the code, and the number does not show which. */
export const countryOfNumber = (digits: string): CountryCode | undefined =>
	parsed(`+${digits}`)?.country;

const parsed = (text: string, defaultCountry?: CountryCode): PhoneNumber | undefined =>
	parsePhoneNumberFromString(text, { defaultCountry, extract: false });

/** @param digits with the country code */
function internationalNumber(digits: string): ReadResult<string> {
	if (isOldWhatsAppId(digits)) return { value: digits };
	const number = parsed(`+${digits}`);
	if (isPossible(number)) return { value: number.number.slice(1) };
	return { expected: EXPECTED, because: whyImpossible(`+${digits}`) };
}

/** The library drops the 0 of +49 (0)151, and keeps that of +39 06. One that its country's numbers do not have is left. */
const isPossible = (number: PhoneNumber | undefined): number is PhoneNumber =>
	number?.isPossible() === true && (!number.nationalNumber.startsWith('0') || number.isValid());

const isMobile = (number: PhoneNumber | undefined): boolean =>
	/MOBILE/.test(number?.getType() ?? '');

/**
 * Whether digits may be a number with country code as well as one without. A possible landline number counts for less than
 * that of a mobile phone.
 *
 * @param text as they are written
 * @param international as the library reads them with a plus
 * @param national as it reads them without
 */
function hasTwoReadings(
	text: string,
	digits: string,
	international: PhoneNumber | undefined,
	national: PhoneNumber,
): boolean {
	if (isOldWhatsAppId(digits)) return true;
	if (!isPossible(international)) return false;
	const { countryCallingCode, nationalNumber } = international;
	const areaCode = /^\(\s*(\d+)\s*\)/.exec(text)?.[1];
	if (areaCode !== undefined && areaCode !== countryCallingCode && national.isValid()) return false;
	// The library does not know new area codes of +1, and there are several a year.
	const isNew = countryCallingCode === '1' && /^[2-9]/.test(nationalNumber);
	return international.isValid() || isNew || !isMobile(national);
}

/** A country code, and a zero. No country code begins with another one. */
const WITH_ZERO = new RegExp(
	`^(?:${getCountries()
		.map((country) => getCountryCallingCode(country))
		.join('|')})0`,
);

/** 4915112345678 for 49015112345678, as a service may have stored it. */
export function withoutNationalZero(digits: string): string {
	// The library takes time.
	if (!WITH_ZERO.test(digits)) return digits;
	const number = parsed(`+${digits}`);
	if (!number?.isValid()) return digits;
	const { countryCallingCode: code, nationalNumber } = number;
	return digits === `${code}0${nationalNumber}` ? code + nationalNumber : digits;
}

const REASONS: Record<string, string> = {
	INVALID_COUNTRY: 'has an unknown country code',
	TOO_SHORT: 'is too short',
	TOO_LONG: 'is too long',
	INVALID_LENGTH: 'has a length that no number of its country has',
};

function whyImpossible(text: string, country?: CountryCode): string {
	const reason = validatePhoneNumberLength(text, country);
	const number = parsed(text, country);
	const shown = number?.formatInternational() ?? text;
	return `${shown} ${REASONS[reason ?? ''] ?? 'is no number of its country'}`;
}

/**
 * The digits that differ between a number as it is dialed and an ID of WhatsApp, which the library does not know. Each
 * entry: from one to the other, and back. Source: WhatsApp Cloud API, "Phone Numbers", numbers of Brazil and Mexico.
 */
const WHATSAPP_IDS: [id: RegExp, dialed: string, number: RegExp, back: string][] = [
	// Until 2019, numbers of mobile phones in Mexico had a 1 after the country code (IFT, numbering plan).
	[/^521(\d{10})$/, '52$1', /^52(\d{10})$/, '521$1'],
	// To mobile phones in Argentina, a 9 is dialed from abroad only (ENACOM, numbering plan).
	[/^549(\d{10})$/, '54$1', /^54(\d{10})$/, '549$1'],
	// Since 2012, numbers of mobile phones in Brazil have a ninth digit; older IDs lack it (Anatel, resolution 553).
	[/^(55[1-9]\d)9([6-9]\d{7})$/, '$1$2', /^(55[1-9]\d)([6-9]\d{7})$/, '$19$2'],
];

const isOldWhatsAppId = (digits: string): boolean => /^521\d{10}$/.test(digits);

/** The same digits for both WhatsApp IDs of a number. */
export function dialed(digits: string): string {
	const [id, number = ''] = WHATSAPP_IDS.find(([pattern]) => pattern.test(digits)) ?? [];
	return id ? digits.replace(id, number) : digits;
}

/** The other WhatsApp ID of a number; undefined if it has one only. */
export function otherWhatsAppId(digits: string): string | undefined {
	if (dialed(digits) !== digits) return dialed(digits);
	const [, , number, id = ''] = WHATSAPP_IDS.find(([, , pattern]) => pattern.test(digits)) ?? [];
	return number && digits.replace(number, id);
}
