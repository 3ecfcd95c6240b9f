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

/** A text of JSON, even if it does not end, or anything between two of its signs. */
const TOKEN = /"[^"\\]*(?:\\[^][^"\\]*)*(?:"|\\?$)|[-+.\w]+/g;

/**
 * The value of a JSON text, with whole numbers beyond 2^53 as text: a number would lose its last digits, and as an ID, it
 * would be another record's. Undefined if the text is no JSON, or nested so deeply that nobody can handle it.
 */
export function parseExactJson(text: string): unknown {
	if (isTooDeep(text)) return undefined;
	return parseJson(LONG_NUMBER.test(text) ? text.replace(TOKEN, longNumberAsText) : text);
}

const longNumberAsText = (token: string): string =>
	/^-?[1-9]\d{15,}$/.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token;

/** In one pass, less than the time of parsing, which would need gigabytes for megabytes of brackets. */
function isTooDeep(json: string): boolean {
	let depth = 0;
	let isInString = false;
	for (let at = 0; at < json.length; at++) {
		const character = json[at];
		if (character === '\\') at++;
		else if (character === '"') isInString = !isInString;
		else if (isInString) continue;
		else if (character === ']' || character === '}') depth--;
		else if ((character === '[' || character === '{') && ++depth > MAX_DEPTH) return true;
	}
	return false;
}
