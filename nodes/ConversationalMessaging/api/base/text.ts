/** A value of JSON or of a header as text; empty for what has no text of its own: nothing, a list, an object. */
export function textOf(value: unknown): string {
	if (typeof value === 'string') return value;
	return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/** The text with a capital letter at its beginning. */
export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The value of a JSON text; undefined if it is none. */
export function parseJson(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return undefined;
	}
}

/** How many arrays and objects of a JSON text may be inside each other: with some thousands, programs run out of stack. */
const MAX_DEPTH = 1_000;

/** At its beginning, or after a sign of JSON. In a string, it costs only time. */
const LONG_NUMBER = /(?:^|[\s:,[])-?\d{16}/;

/**
 * The value of a JSON text, with whole numbers beyond 2^53 as text: a number would lose its last digits, and as an ID, it
 * would be another record's. Undefined if the text is no JSON, or nested so deeply that nobody can handle it.
 */
export function parseExactJson(text: string): unknown {
	if (jsonExceeds(text, MAX_DEPTH, Infinity)) return undefined;
	return parseJson(LONG_NUMBER.test(text) ? withLongNumbersAsText(text) : text);
}

/** Character by character: a pattern for a string or a number runs out of stack if it has millions of characters. */
function withLongNumbersAsText(json: string): string {
	const parts: string[] = [];
	let copied = 0;
	for (let at = 0; at < json.length; at++) {
		if (json[at] === '"') at = endOfString(json, at);
		if (!isOfNumber(json[at])) continue;
		const start = at;
		while (isOfNumber(json[at + 1])) at++;
		const number = json.slice(start, at + 1);
		if (number.length < 16 || !isLongWhole(number)) continue;
		parts.push(json.slice(copied, start), `"${number}"`);
		copied = at + 1;
	}
	return parts.join('') + json.slice(copied);
}

const isOfNumber = (character = ''): boolean =>
	(character >= '0' && character <= '9') || /^[-+.eE]$/.test(character);

const isLongWhole = (number: string): boolean =>
	/^-?[1-9]/.test(number) && !/\D/.test(number.slice(1)) && !Number.isSafeInteger(Number(number));

/**
 * Whether a JSON text has more levels or more values than allowed. In one pass, less than the time of parsing, which would need
 * gigabytes for megabytes of brackets.
 */
export function jsonExceeds(json: string, maxDepth: number, maxValues: number): boolean {
	let depth = 0;
	let values = 1;
	for (let at = 0; at < json.length; at++) {
		const character = json[at];
		if (character === '"') at = endOfString(json, at);
		else if (character === ',') values++;
		else if (character === ']' || character === '}') depth--;
		else if (character === '[' || character === '{') {
			depth++;
			// The first one in it, if there is one.
			values++;
		} else continue;
		if (depth > maxDepth || values > maxValues) return true;
	}
	return false;
}

/** Where a string of a JSON text ends: at its closing quote, or if it has none, with the text. @param start its opening quote */
function endOfString(json: string, start: number): number {
	let end = start;
	do {
		end = json.indexOf('"', end + 1);
		if (end === -1) return json.length;
	} while (isEscaped(json, end));
	return end;
}

function isEscaped(json: string, at: number): boolean {
	let first = at;
	while (json[first - 1] === '\\') first--;
	return (at - first) % 2 === 1;
}
