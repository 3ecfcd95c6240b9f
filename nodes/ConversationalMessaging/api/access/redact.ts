/** Every token of the service begins like this (API document, section Authentication). */
const ANY_TOKEN = /wa_pk_[\w~+/=.%-]+/g;

/** This much of a token identifies it: services that shorten one keep its beginning. */
const BEGINNING = 12;

/** Characters that end a word, a JSON text or an attribute, and so a part of a token. */
const REST = '[^\\s"\'<>,;\\\\)\\]}]*';

/**
 * Removes a token from texts, whole or cut off after its beginning, and every other token of the service. The service's
 * tokens have no characters that JSON, HTML or a URL would write in another way.
 *
 * Redact before cutting a text: the rest of a token in a cut text may be too short to be found.
 */
export function redactor(token: string): (text: string) => string {
	const literal = token.slice(0, BEGINNING).replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
	const beginning = new RegExp(`${literal}${REST}`, 'g');
	return (text) =>
		text.split(token).join('***').replace(beginning, '***').replace(ANY_TOKEN, '***');
}
