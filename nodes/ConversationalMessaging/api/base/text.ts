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

/** A whole number of 16 digits or more, where JSON can have one. */
const LONG_NUMBER = /[[,:]\s*-?\d{16}/;

/**
 * The value of a JSON text, with whole numbers beyond 2^53 as text: a number would lose its last digits, and as an ID, it
 * would be another record's. Undefined if the text is no JSON.
 */
export const parseExactJson = (text: string): unknown =>
	parseJson(LONG_NUMBER.test(text) ? withLongNumbersAsText(text) : text);

function withLongNumbersAsText(json: string): string {
	const parts: string[] = [];
	for (let at = 0; at < json.length; ) {
		const quote = json.indexOf('"', at);
		const end = quote < 0 ? json.length : quote;
		const after = endOfString(json, end);
		parts.push(json.slice(at, end).replace(/[-+.\w]+/g, longNumberAsText), json.slice(end, after));
		at = after;
	}
	return parts.join('');
}

const longNumberAsText = (token: string): string =>
	/^-?[1-9]\d{15,}$/.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token;

/** @param quote where the string begins, or the end of the JSON */
function endOfString(json: string, quote: number): number {
	for (let at = quote + 1; at < json.length; at++) {
		if (json[at] === '\\') at++;
		else if (json[at] === '"') return at + 1;
	}
	return json.length;
}
