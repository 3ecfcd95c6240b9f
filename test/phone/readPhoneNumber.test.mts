/** Phone numbers as libphonenumber reads them, and the rules for numbers that could be those of two countries. */
import fc from 'fast-check';
import {
	getCountries,
	getCountryCallingCode,
	parsePhoneNumberFromString,
	type CountryCode,
} from 'libphonenumber-js/max';
import metadata from 'libphonenumber-js/metadata.max.json';
import {
	readCountry,
	readWhatsAppId,
} from '../../nodes/ConversationalMessaging/parameters/customer.ts';
import { customerId } from '../../nodes/ConversationalMessaging/phone/customerId.ts';
import { EXAMPLES, NUMBER_TABLE } from '../support/numberTable.mts';
import { runs } from '../support/runs.mts';

const digits = (text: string, country?: CountryCode | 'unknown') =>
	readWhatsAppId(text, country).value;

const SHORTENED =
	'a spreadsheet has shortened the number. Format its column as text, and enter it again';

describe('a number with country code', () => {
	test.each([
		['+49 0151 12345678', '4915112345678'],
		['+49 (0)151 12345678', '4915112345678'],
		['+49 ( 0 ) 151 12345678', '4915112345678'],
		['+44 020 7946 0958', '442079460958'],
		['+43 0664 1234567', '436641234567'],
		['0049 151 12345678', '4915112345678'],
		['(+49) 151 12345678', '4915112345678'],
		['( +49 ) 151 12345678', '4915112345678'],
		['(0049) 151 12345678', '4915112345678'],
		['(+49)(0)151 12345678', '4915112345678'],
		['0049151/12345678', '4915112345678'],
		['+39 06 1234 5678', '390612345678'],
		['+39 (0)6 1234 5678', '390612345678'],
		['+225 07 01 23 45 67', '2250701234567'],
		['+1 (202) 555-0143', '12025550143'],
		['5215512345678', '5215512345678'],
		['+52 1 55 1234 5678', '5215512345678'],
		['+54 9 11 2345-6789', '5491123456789'],
		['+54 11 15 2345-6789', '5491123456789'],
		['551187654321', '551187654321'],
		['+800 1234 5678', '80012345678'],
	])('%s is sent as %s, whatever the country', (text, expected) => {
		for (const country of [undefined, 'DE', 'US', 'IT'] as const)
			if (/^\+|^00/.test(text) || country === undefined)
				expect(digits(text, country)).toBe(expected);
	});

	test.each([
		['+49 151 12345678.0', undefined],
		['+49 151 12345678.00', undefined],
		['4915112345678.5', undefined],
		['-4915112345678', undefined],
		['15112345678/15112345679', 'these are several numbers'],
		['030 1234567/8', undefined],
		['+1 202 555 0143 / +1 202 555 0144', 'these are several numbers'],
		['15112345678, 15112345679', 'these are several numbers'],
		['0151 2345678\n0151 2345679', 'these are several numbers'],
		['0151 2345678; mobile 0151 2345679', 'these are several numbers'],
		['4.91511E+12', SHORTENED],
		['4,91511e+12', SHORTENED],
		['4.9E+1, 0151 2345678', undefined],
		['2024-05-12', 'this is a date'],
		['12.05.2024', 'this is a date'],
		['1202555\n0143', undefined],
		['+1 202 555 0143 ext 5', undefined],
		['+1 800 FLOWERS', undefined],
		['+49 12', '+49 12 is too short'],
		['+1 (0) 202 555 0143', '+1 02025550143 is too long'],
		['+999 123 4567', '+9991234567 has an unknown country code'],
		['+49 30 123456789012', '+49 30 123456789012 is too long'],
		['+372 (0)5123456', '+372 05123456 is no number of its country'],
		['0151 2345678', '+01512345678 has an unknown country code'],
	])('%j is rejected, with the reason %j', (text, because) => {
		expect(readWhatsAppId(text)).toEqual({
			expected: 'a phone number with country code, or a user ID',
			because,
		});
	});

	test('may lack the code if the user can say which country it is of', () => {
		expect(readWhatsAppId('151 2345678', 'unknown')).toMatchObject({
			because: '+1 512345678 is too short. The option Country of Numbers adds a country code',
		});
		expect(readWhatsAppId('12025550143', 'unknown')).toStrictEqual({ value: '12025550143' });
	});
});

describe('a number without country code', () => {
	test.each<[text: string, country: CountryCode, because: string]>([
		['15112345678', 'DE', '+1 511 234 5678 or +49 1511 2345678'],
		['(1) 511 234 5678', 'DE', '+1 511 234 5678 or +49 1511 2345678'],
		['201-555-0123', 'US', '+20 15 550123 or +1 201 555 0123'],
		['131 2345 6789', 'CN', '+1 312 345 6789 or +86 131 2345 6789'],
		['16012345678', 'DE', '+1 601 234 5678 or +49 160 12345678'],
		['5215512345678', 'DE', '5215512345678 or +49 521 5512345678'],
		// As digits with the country code, they would be those of a landline.
		['53334235', 'CU', '+53 33 4235 or +53 5 3334235'],
		['95235490', 'MM', '+95 2 35 490 or +95 9 523 5490'],
		['390 612 3456', 'IT', '+39 06 123456 or +39 390 612 3456'],
		// A digit is missing, or the country code.
		['491512345678', 'DE', '+49 1512345678 or +49 491 512345678'],
		['49 (0) 151 2345678', 'AT', '+49 1512345678 or +43 4901 512345678'],
		['(49151) 12345678', 'AT', '+49 1511 2345678 or +43 4915 112345678'],
		['(1202) 555 0143', 'DE', '+1 202 555 0143 or +49 12025550143'],
	])('%s in %s is rejected with both readings: %s', (text, country, because) => {
		expect(readWhatsAppId(text, country)).toStrictEqual({
			expected: 'a plus and the country code if a number can be read in two ways',
			because,
		});
	});

	test.each<[text: string, country: CountryCode, because: string]>([
		['112', 'DE', '+49 112 is too short'],
		['100 0000', 'CA', 'is too short'],
		['202 555 01435', 'US', '+1 20255501435 is too long'],
		['011 49 151 12345678', 'US', 'is no number of its country'],
	])('%s in %s is rejected: %s', (text, country, because) => {
		expect(readWhatsAppId(text, country).because).toContain(because);
	});
});

const READINGS = /^\+[\d ()-]+ or \+[\d ()-]+$/;

test('twelve spellings of a number of every country are sent as this number, or rejected', () => {
	let ambiguous = 0;
	for (const { country, e164, withCode, withoutCode, withCodeTwice } of EXAMPLES) {
		for (const text of withCode)
			expect([text, digits(text, country), digits(text, 'unknown')]).toStrictEqual([
				text,
				e164,
				e164,
			]);
		for (const text of withoutCode) {
			const { value, because } = readWhatsAppId(text, country);
			if (value === undefined) ambiguous++;
			expect([text, value ?? because]).toStrictEqual([
				text,
				value === undefined ? expect.stringMatching(READINGS) : e164,
			]);
		}
		for (const text of withCodeTwice) expect([e164, undefined]).toContain(digits(text, country));
	}
	expect(EXAMPLES.length).toBeGreaterThan(230);
	expect(ambiguous).toBeLessThan(EXAMPLES.length / 10);
});

const DOUBLED = 'the country code once';
test.each<[text: string, country: CountryCode | undefined, because: string]>([
	['04915112345678', 'DE', '+49 491 5112345678 or +49 1511 2345678'],
	['+49 49 1511 2345678', 'DE', '+49 491 5112345678 or +49 1511 2345678'],
	['+49 49 1511 2345678', undefined, '+49 491 5112345678 or +49 1511 2345678'],
	['(+49) 49 1511 2345678', 'US', '+49 491 5112345678 or +49 1511 2345678'],
	['057 321 1234567', 'CO', '+57 73211234567 or +57 321 1234567'],
	['494915112345678', 'DE', '+49 491 5112345678 or +49 1511 2345678'],
	['494915112345678', undefined, '+49 491 5112345678 or +49 1511 2345678'],
	['043664123456', 'AT', '+43 4366 4123456 or +43 664 123456'],
	['+39 39 312 345 6789', undefined, '+39 393 1234 56789 or +39 312 345 6789'],
])(
	'%s in %s is rejected with both readings, because its country code is doubled',
	(text, country, because) => {
		expect(readWhatsAppId(text, country)).toStrictEqual({ expected: DOUBLED, because });
	},
);

test('two readings that are one number are this number', () => {
	for (let area = 201; area < 990; area++)
		expect(readWhatsAppId(`1${area}5550100`, 'US')).toStrictEqual({ value: `1${area}5550100` });
});

test('a table of 240 numbers of 40 countries', () => {
	expect(NUMBER_TABLE.length).toBeGreaterThanOrEqual(240);
	expect(new Set(NUMBER_TABLE.map(({ country }) => country)).size).toBe(40);
	for (const { text, country, sent } of NUMBER_TABLE)
		expect([text, country, digits(text, country)]).toStrictEqual([text, country, sent]);
});

const anyCountry = fc.constantFrom(...getCountries());
const anyNumber = fc.oneof(
	fc.stringMatching(/^(?:\+|00|0)?[1-9][\d ()-]{4,16}$/),
	fc
		.tuple(fc.constantFrom('+', '00', '0', ''), fc.constantFrom(...EXAMPLES), fc.nat(9))
		.map(([start, { e164 }, last]) => `${start}${e164.slice(0, -1)}${last}`),
);

test('a number with its country code is never sent as another one, whatever the country', () => {
	fc.assert(
		fc.property(fc.constantFrom(...EXAMPLES), anyCountry, ({ e164, withCode }, country) => {
			for (const text of withCode) expect([e164, undefined]).toContain(digits(text, country));
		}),
		{ numRuns: runs(500, 20_000) },
	);
});

/** The patterns of all kinds of numbers, such as those of landlines, by country code. */
const PATTERNS = Object.values(metadata.countries as Record<string, unknown[]>).flatMap((entry) =>
	((entry[11] ?? []) as [string][])
		.map((kind) => ({ code: String(entry[0]), pattern: kind[0] }))
		.filter(({ pattern }) => pattern),
);
const validNumber = fc
	.constantFrom(...PATTERNS)
	.chain(({ code, pattern }) =>
		fc.stringMatching(new RegExp(`^(?:${pattern})$`)).map((national) => ({ code, national })),
	);

test('no valid number of up to ten digits is taken for one with its country code twice', () => {
	fc.assert(
		fc.property(validNumber, ({ code, national }) => {
			fc.pre(national.length <= 10);
			const number = parsePhoneNumberFromString(`+${code}${national}`);
			fc.pre(number?.isValid() === true);
			expect(digits(`+${code} ${national}`)).toBe(number.number.slice(1));
		}),
		{ numRuns: runs(2_000, 100_000) },
	);
});

test('what is accepted is what the library says, as these digits, and no national number is of another country', () => {
	fc.assert(
		fc.property(anyNumber, fc.option(anyCountry, { nil: undefined }), (text, country) => {
			const { value } = readWhatsAppId(text, country);
			if (value === undefined || /^521\d{10}$/.test(value)) return;
			const own = country && getCountryCallingCode(country);
			const written = text.replace(/^00/, '+');
			const number = parsePhoneNumberFromString(`+${value}`);
			expect(number?.isPossible()).toBe(true);
			if (written.startsWith('+') || own === undefined) {
				const library = parsePhoneNumberFromString(`+${written.replace(/\D/g, '')}`);
				expect(library?.number).toBe(`+${value}`);
			} else {
				expect(number!.countryCallingCode).toBe(own);
				const both = [
					parsePhoneNumberFromString(text, country),
					parsePhoneNumberFromString(`+${text.replace(/\D/g, '')}`),
				];
				expect(both.map((each) => each?.number)).toContain(`+${value}`);
			}
		}),
		{ numRuns: runs(2_000, 100_000) },
	);
});

test.each([
	['4915112345678', '+49 1511 2345678'],
	['12025550143', '+1 202 555 0143'],
	['US.13491208655302741918', 'US.13491208655302741918'],
	['17841400000000001', '17841400000000001'],
	['nathan.smith', 'nathan.smith'],
])('%s is shown as %s', (id, shown) => expect(customerId(id).shown).toBe(shown));

test.each<[country: string | undefined, values: unknown[]]>([
	['DE', ['DE', ' de ', 'deu', 'Germany', 'GERMANY', 'Deutschland', 'Duitsland']],
	['GB', ['UK', 'U.K.', 'united kingdom', 'England', 'Great Britain', 'Reino Unido']],
	['US', ['USA', 'The United States', 'United States of America', 'Etats-Unis', 'EE.UU.']],
	['BA', ['Bosnia and Herzegovina', 'Bosnia & Herzegovina', 'Bosnia-Herzegovina']],
	['AE', ['UAE']],
	['CI', ['Ivory Coast', "Cote d'Ivoire"]],
	['CZ', ['Czech Republic']],
	['GM', ['The Gambia']],
	['HK', ['Hong Kong']],
	['KR', ['Republic of Korea']],
	['LC', ['Saint Lucia']],
	['MA', ['المغرب']],
	['MM', ['Myanmar']],
	['MO', ['Macau']],
	['NO', ['Norge']],
	['TR', ['Turkey', 'Türkiye', 'Turkiye']],
	['TT', ['Trinidad and Tobago']],
	// Codes, although they are short for a name in some language, or a word in one.
	['AD', ['AND']],
	['AS', ['AS']],
	['RU', ['RU']],
	[undefined, ['EU', 'Congo', 'Korea', 'unknown', 'Atlantis', 49, {}]],
])('the country %s may be written as each of %j', (country, values) => {
	const expected = 'a country code, such as DE, or its name';
	for (const value of values)
		expect([value, readCountry(value)]).toStrictEqual([
			value,
			country === undefined ? { expected } : { value: country },
		]);
});

test('every country is known by its name in ten languages and in its own, and by its codes', () => {
	const languages = ['ar', 'de', 'en', 'es', 'fr', 'id', 'it', 'nl', 'pt', 'tr'];
	for (const code of getCountries()) {
		const own = new Intl.Locale(`und-${code}`).maximize().language;
		const names = [...languages, own].map(
			(language) => new Intl.DisplayNames(language, { type: 'region' }).of(code)!,
		);
		// Two countries are called so.
		for (const name of [code, ...names])
			if (name !== 'Congo') expect([name, readCountry(name).value]).toStrictEqual([name, code]);
	}
});

test('a stored number with the 0 of a national one is compared without it', () => {
	expect(customerId('49015112345678').key).toBe('4915112345678');
	expect(customerId('+49 (0)151 12345678').key).toBe(customerId('49015112345678').key);
	expect(customerId('390612345678').key).not.toBe(customerId('39612345678').key);
	// Without its country code, it is compared as it is.
	expect(customerId('1512345678').key).toBe('1512345678');
});
