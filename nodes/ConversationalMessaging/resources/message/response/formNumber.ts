/** Arabic and Persian digits. Unicode has each digit as the last four bits of its code. */
const ARABIC_DIGIT = /[\u0660-\u0669\u06f0-\u06f9]/g;

/** Digits, with decimals after a point or a comma, also those of Arabic keyboards. */
const NUMBER = /^([+-]?\d+)(?:[.,\u060c\u066b](\d+))?$/;

/**
 * What a number may mean that people enter on their keyboard. Separated thousands are not accepted, except that 1,500 is one and a
 * half or fifteen hundred, depending on who writes it.
 *
 * @returns a text for each reading that `Number` and this function read as that number; [] if it is no number
 */
export function numberReadings(entered: string): string[] {
	const text = entered
		// The wide digits of Chinese and Japanese keyboards.
		.normalize('NFKC')
		.replace(ARABIC_DIGIT, (digit) => String(digit.charCodeAt(0) & 15))
		.replace('\u2212', '-');
	const [, whole, decimals] = NUMBER.exec(text) ?? [];
	// A number of more than 15 digits would lose the last ones.
	if (whole === undefined || !Number.isSafeInteger(Number(whole))) return [];
	if (decimals === undefined) return [String(Number(whole))];
	const decimal = String(Number(`${whole}.${decimals}`));
	if (decimals.length !== 3 || !/^[+-]?[1-9]\d{0,2}$/.test(whole)) return [decimal];
	// 12.345 could be 12,345 again.
	const unambiguous = /\.\d{3}$/.test(decimal) ? `${decimal}0` : decimal;
	return [unambiguous, String(Number(whole + decimals))];
}
