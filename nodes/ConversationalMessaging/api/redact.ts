/** Every token of the service begins like this (API document, section Authentication). */
const ANY_TOKEN = /wa_pk_[\w~+/=.%-]+/g;

/** This much of a token identifies it: services that shorten one keep its beginning. */
const BEGINNING = 12;

/** Characters that end a word, a JSON text or an attribute, and so a part of a token. */
const REST = '[^\\s"\'<>,;\\\\)\\]}]*';

const HTML_NAMES: Record<string, string> = {
	'&': 'amp',
	'<': 'lt',
	'>': 'gt',
	'"': 'quot',
	"'": 'apos',
};

/**
 * Removes a token from texts, however it is written there: plain, percent-encoded (also twice), escaped as in JSON or
 * HTML, and cut off after its beginning. Other tokens of the service are removed too.
 *
 * Redact before cutting a text: the rest of a token in a cut text may be too short to be found.
 */
export function redactor(token: string): (text: string) => string {
	const characters = Array.from(token, spellings);
	const whole = new RegExp(characters.join(''), 'g');
	const beginning = new RegExp(`${characters.slice(0, BEGINNING).join('')}${REST}`, 'g');
	return (text) => text.replace(whole, '***').replace(beginning, '***').replace(ANY_TOKEN, '***');
}

/** A pattern for one character in each of its encodings. */
function spellings(character: string): string {
	const code = character.codePointAt(0) as number;
	const hex = code.toString(16);
	// Each of the two hexadecimal digits may be upper or lower case.
	const anyCase = (digits: string) =>
		digits.replace(/[a-f]/gi, (digit) => `[${digit.toLowerCase()}${digit.toUpperCase()}]`);
	const literal = character.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
	const name = HTML_NAMES[character];
	return `(?:${[
		`\\\\?${literal}`,
		`%(?:25)?${anyCase(hex.padStart(2, '0'))}`,
		`\\\\u${anyCase(hex.padStart(4, '0'))}`,
		`&#0*${code};`,
		`&#[xX]0*${anyCase(hex)};`,
		...(name ? [`&${name};`] : []),
	].join('|')})`;
}
