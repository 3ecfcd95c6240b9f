import {
	type CountryCode,
	getCountryCallingCode,
	parsePhoneNumberFromString,
	validatePhoneNumberLength,
} from './libphonenumber';
import { Likelihood, MAX_DIGITS, MIN_DIGITS, PhoneNumber } from './phoneNumber';

/** Why a text is not accepted. */
export interface Refusal {
	expected: string;
	/** Why the text is something else, as a text that follows it. */
	because?: string;
	/** Whether it may be a number of a country that was not given. */
	lacksCountry?: boolean;
}

const EXPECTED = 'a phone number with country code, or a user ID';

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

/** A number as it is written, with its plus first if it has a country code; undefined for anything else. */
export function writtenNumber(value: string): string | undefined {
	const whole = withoutMarks(value);
	if (whole.length > MAX_WRITTEN) return undefined;
	const text = whole
		.replace(/^(?:tel|whatsapp):|@(?:c\.us|s\.whatsapp\.net)$/gi, '')
		.replace(/^\(?\s*(?:\+|00)/, '+');
	const isNumber =
		WRITTEN.test(text) &&
		!text.startsWith('-') &&
		!DECIMAL.test(text) &&
		!DATE.test(text) &&
		!TWO_NUMBERS.test(text);
	return isNumber ? text : undefined;
}

export const digitsIn = (text: string): string => text.replace(/\D/g, '');

/** The numbers in a text with several. There may be nothing between two commas. */
export const splitNumbers = (text: string): string[] =>
	text.split(/[,;\r\n]/).flatMap((part) => part.trim() || []);

/**
 * Text to search contacts for. With a plus, a search would not find a number that is stored without one; without, it
 * finds both.
 */
export const searchText = (text: string): string =>
	text.startsWith('+') && writtenNumber(text) !== undefined ? digitsIn(text) : text;

/**
 * A phone number, as libphonenumber reads it.
 *
 * - `+` or `00` begins a number with country code.
 * - Digits that begin with the calling code of the country, followed by a valid number, are a number with country code, unless
 *   only the other reading is that of a mobile phone, as of 53334235 in Cuba. The library alone would also read 4915112345678 as
 *   a number within Germany.
 * - Other digits are a number of the country, unless they may be one with a country code as well: (202) 555-0143 is
 *   not, because no country code ends in the middle of an area code.
 * - A number whose country code may be there twice is none: 04915112345678 in Germany.
 *
 * @param country where numbers without a country code are from
 */
export function readPhoneNumber(value: string, country?: CountryCode): PhoneNumber | Refusal {
	const text = writtenNumber(value);
	if (text === undefined)
		return { expected: EXPECTED, because: whyUnreadable(withoutMarks(value)) };
	const digits = digitsIn(text);
	const hasPlus = text.startsWith('+');
	const number =
		hasPlus || country === undefined ? internationalNumber(digits) : likelierNumber(text, country);
	if (!(number instanceof PhoneNumber))
		return { ...number, lacksCountry: !hasPlus && country === undefined };
	const single = withoutSecondCode(number, digits);
	return single ? twoReadings('the country code once', number, single) : number;
}

function internationalNumber(digits: string): PhoneNumber | Refusal {
	const number = PhoneNumber.international(digits);
	return number?.isPossible ? number : impossible(`+${digits}`);
}

/** The likelier reading of a text without a plus: with the country code, or as a number of the country. */
function likelierNumber(text: string, country: CountryCode): PhoneNumber | Refusal {
	const digits = digitsIn(text);
	const isOwn = digits.startsWith(getCountryCallingCode(country));
	const international = PhoneNumber.international(digits);
	// The library takes time.
	if (isOwn && international?.likelihood === Likelihood.mobile) return international;
	const national = PhoneNumber.national(digits, country);
	const [withCode, without] = [likelihoodOf(international), likelihoodOf(national)];
	if (!national || without === Likelihood.impossible)
		return isOwn ? internationalNumber(digits) : impossible(digits, country);
	// Some are possible within a country, such as 100 0000 in Canada, but not with its code.
	if (!international || withCode === Likelihood.impossible) return internationalNumber(national.id);
	if (isOwn && withCode >= Likelihood.valid && withCode >= without) return international;
	const areaCode = /^\(\s*(\d+)\s*\)/.exec(text)?.[1] ?? international.callingCode;
	const isNational =
		international.id === national.id ||
		(without === Likelihood.mobile && withCode === Likelihood.possible) ||
		(without >= Likelihood.valid && areaCode !== international.callingCode);
	return isNational
		? internationalNumber(national.id)
		: twoReadings(
				'a plus and the country code if a number can be read in two ways',
				international,
				national,
			);
}

const likelihoodOf = (number: PhoneNumber | undefined): number =>
	number?.likelihood ?? Likelihood.impossible;

/**
 * The number without a country code that it has twice, if that is likelier. A landline number of ten digits, such as
 * +27 27 834 0004, is in use, although +27 83 400 04 might be that of a mobile phone; one of more digits is not.
 *
 * @param digits as they are written. In Colombia, the library takes the first two of 057… for a carrier's
 */
function withoutSecondCode(number: PhoneNumber, digits: string): PhoneNumber | undefined {
	const { id, callingCode: code } = number;
	if (code === undefined) return undefined;
	const dialed = digits.startsWith('0') ? digits.slice(1) : '';
	for (const start of [id.slice(code.length), dialed])
		for (let rest = start; rest.startsWith(code); rest = rest.slice(code.length)) {
			const single = PhoneNumber.international(rest);
			const [once, twice] = [likelihoodOf(single), number.likelihood];
			const mayBeTwice = twice === Likelihood.possible || rest.length > 10;
			if (once > twice && mayBeTwice) return single;
		}
	return undefined;
}

const twoReadings = (expected: string, one: PhoneNumber, other: PhoneNumber): Refusal => ({
	expected,
	because: `${one.shown} or ${other.shown}`,
});

/** Why digits of a number are lost, if a spreadsheet shows it as 1.78414E+16; undefined for all other texts. */
export const whyShortened = (text: string): string | undefined =>
	/^\d[.,]\d+E\+\d\d?$/i.test(text)
		? 'a spreadsheet has shortened the number. Format its column as text, and enter it again'
		: undefined;

function whyUnreadable(text: string): string | undefined {
	if (DATE.test(text)) return 'this is a date';
	const shortened = whyShortened(text);
	if (shortened !== undefined) return shortened;
	const numbers = splitNumbers(text.replace(/\//g, ','));
	return numbers.filter((part) => digitsIn(part).length >= MIN_DIGITS).length > 1
		? 'these are several numbers'
		: undefined;
}

const REASONS: Record<string, string> = {
	INVALID_COUNTRY: 'has an unknown country code',
	TOO_SHORT: 'is too short',
	TOO_LONG: 'is too long',
	INVALID_LENGTH: 'has a length that no number of its country has',
};

/** @param digits with a plus, or of the country */
function impossible(digits: string, country?: CountryCode): Refusal {
	const options = { defaultCountry: country, extract: false };
	const shown = parsePhoneNumberFromString(digits, options)?.formatInternational() ?? digits;
	const isTooLong = digits.length > '+'.length + MAX_DIGITS;
	const reason = isTooLong ? 'TOO_LONG' : validatePhoneNumberLength(digits, country);
	return {
		expected: EXPECTED,
		because: `${shown} ${REASONS[reason ?? ''] ?? 'is no number of its country'}`,
	};
}
