/** Separators of thousands in every language: spaces and apostrophes. A point or a comma is one where the other separates decimals. */
const GROUPS = " '’";

/** A number whose decimals begin with this separator. Thousands may be separated, all of them by the same one. */
const numberWith = (decimal: string, group: string): RegExp =>
	new RegExp(
		`^[+-]?(?:\\d+|[1-9]\\d{0,2}([${GROUPS}${group}])\\d{3}(?:\\1\\d{3})*)?(?:[${decimal}]\\d+)?$`,
	);

const DECIMAL_POINT = numberWith('.', ',');
const DECIMAL_COMMA = numberWith(',', '.');

/** Arabic and Persian digits, and the separators of Arabic keyboards. Unicode has each digit as the last four bits of its code. */
const ARABIC_DIGIT = /[\u0660-\u0669\u06f0-\u06f9]/g;
const ARABIC_SEPARATORS: Readonly<Record<string, string>> = {
	'\u060c': ',',
	'\u066b': '.',
	'\u066c': ' ',
};

/**
 * What a number may mean that people enter on their keyboard: a German one has no point, and 1,500 is one and a half or fifteen
 * hundred, depending on who writes it.
 *
 * @returns a text for each reading that `Number` and this function read as that number; [] if it is no number
 */
export function numberReadings(entered: string): string[] {
	const text = entered
		// Other spaces, and the wide digits of Chinese and Japanese keyboards.
		.normalize('NFKC')
		.replace(ARABIC_DIGIT, (digit) => String(digit.charCodeAt(0) & 15))
		.replace(/[\u060c\u066b\u066c]/g, (separator) => ARABIC_SEPARATORS[separator] ?? separator)
		.replace('\u2212', '-');
	const readings = [
		...(DECIMAL_POINT.test(text) ? [text.replace(/[^\d.+-]/g, '')] : []),
		...(DECIMAL_COMMA.test(text) ? [text.replace(/[^\d,+-]/g, '').replace(',', '.')] : []),
	];
	const texts = new Map(readings.map((reading) => [Number(reading), unambiguous(Number(reading))]));
	// A number of more than 15 digits would lose the last ones.
	const isExact = [...texts.keys()].every((value) => Number.isSafeInteger(Math.trunc(value)));
	return isExact ? [...texts.values()] : [];
}

/** With three decimals, a number may be one of thousands: 12.345 is also 12,345. */
const unambiguous = (number: number): string =>
	/^-?[1-9]\d{0,2}\.\d{3}$/.test(String(number)) ? `${number}0` : String(number);
