import examples from 'libphonenumber-js/examples.mobile.json';
import { parsePhoneNumberFromString, type CountryCode } from 'libphonenumber-js/max';

/** A number of each country, the library's own example of a mobile phone's, in twelve spellings. */
export const EXAMPLES = Object.entries(examples as Record<string, string>).map(([key, example]) => {
	const country = key as CountryCode;
	const number = parsePhoneNumberFromString(example, country)!;
	const { countryCallingCode: code, nationalNumber } = number;
	const e164 = number.number.slice(1);
	const international = number.formatInternational();
	const national = number.formatNational();
	const rest = international.slice(code.length + 2);
	const hasZero = national.replace(/\D/g, '') === `0${nationalNumber}`;
	return {
		country,
		/** As digits. */
		e164,
		withCode: [
			international,
			international.replace('+', '00').replaceAll(' ', '-'),
			`(+${code}) ${rest}`,
			`(00${code}) ${rest}`,
			hasZero ? `+${code} (0)${rest}` : `+${code}.${rest}`,
			`\u202a${international.replaceAll(' ', '\u00a0')}\u202c`,
			e164,
		],
		withoutCode: [national, national.replace(/\D/g, ''), nationalNumber],
		withCodeTwice: [`0${e164}`, `+${code} ${e164}`],
	};
});

/**
 * Numbers of mobile phones as people write them, with and without the country code.
 *
 * @property isAmbiguous whether the national form is a valid number of another country as well
 */
const WRITTEN: [
	country: CountryCode,
	international: string,
	national: string,
	isAmbiguous?: true,
][] = [
	['AR', '+54 9 11 2345 6789', '011 15-2345-6789'],
	['AT', '+43 664 123456', '0664 123456'],
	['AU', '+61 412 345 678', '0412 345 678'],
	['BE', '+32 450 00 12 34', '0450 00 12 34'],
	['BR', '+55 11 96123 4567', '(11) 96123-4567'],
	['CA', '+1 506 234 5678', '(506) 234-5678'],
	['CH', '+41 78 123 45 67', '078 123 45 67'],
	['CL', '+56 2 2123 4567', '(2) 2123 4567'],
	['CO', '+57 321 1234567', '321 1234567', true],
	['CZ', '+420 601 123 456', '601 123 456'],
	['DE', '+49 1512 3456789', '01512 3456789'],
	['DK', '+45 34 41 23 45', '34 41 23 45'],
	['EG', '+20 10 01234567', '010 01234567'],
	['ES', '+34 612 34 56 78', '612 34 56 78'],
	['FI', '+358 41 2345678', '041 2345678'],
	['FR', '+33 6 12 34 56 78', '06 12 34 56 78'],
	['GB', '+44 7400 123456', '07400 123456'],
	['GR', '+30 691 234 5678', '691 234 5678'],
	['HU', '+36 20 123 4567', '06 20 123 4567'],
	['IE', '+353 85 012 3456', '085 012 3456'],
	['IL', '+972 50 234 5678', '050-234-5678'],
	['IN', '+91 81234 56789', '081234 56789'],
	['IT', '+39 312 345 6789', '312 345 6789'],
	['JP', '+81 90 1234 5678', '090-1234-5678'],
	['KE', '+254 712 123456', '0712 123456'],
	['KR', '+82 10 2000 0000', '010-2000-0000'],
	['MX', '+52 222 123 4567', '222 123 4567'],
	['NG', '+234 802 123 4567', '0802 123 4567'],
	['NL', '+31 6 12345678', '06 12345678'],
	['NO', '+47 40 61 23 45', '40 61 23 45'],
	['NZ', '+64 21 123 4567', '021 123 4567'],
	['PE', '+51 912 345 678', '912 345 678'],
	['PL', '+48 512 345 678', '512 345 678'],
	['PT', '+351 912 345 678', '912 345 678'],
	['RU', '+7 912 345 67 89', '8 (912) 345-67-89'],
	['SA', '+966 51 234 5678', '051 234 5678'],
	['SE', '+46 70 123 45 67', '070-123 45 67'],
	['TR', '+90 501 234 56 78', '0501 234 56 78'],
	['US', '+1 201 555 0123', '(201) 555-0123'],
	['ZA', '+27 71 123 4567', '071 123 4567'],
];

/** Six ways to write each of them, with what is sent: digits, or undefined for what is rejected. */
export const NUMBER_TABLE = WRITTEN.flatMap(([country, international, national, isAmbiguous]) => {
	const sent = international.replace(/\D/g, '');
	const spellings = [
		international,
		international.replace('+', '00').replaceAll(' ', '-'),
		international.replace(/^\S+/, '($&)'),
		`\u202a${international.replaceAll(' ', '\u00a0')}\u202c`,
		sent,
		national,
	];
	return spellings.map((text) => ({
		country,
		text,
		sent: isAmbiguous && text === national ? undefined : sent,
	}));
});
