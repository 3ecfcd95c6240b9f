/**
 * A text that may be in a message, a notice or a line of n8n's log.
 *
 * Messages accept nothing else, and only this file makes such texts, so whatever is not from this package (a response, a
 * parameter, a file) is made harmless before anybody sees it. A part that is a `Shown` already stays as it is.
 */
class ShownText {
	private constructor(private readonly text: string) {}

	static of(text: string): ShownText {
		return new ShownText(text);
	}

	toString(): string {
		return this.text;
	}

	toJSON(): string {
		return this.text;
	}
}

/** Only as a type: nobody else can make one. */
export type Shown = ShownText;

/** What a function that shows something accepts: a text that is written in the code, or what `shown` has made. */
export type Message<T extends string> = Shown | OwnText<T>;

/** Of literal types only. A `string`, and a template with one in it, would also be the key of an object without keys. */
type OwnText<T extends string> = Record<never, never> extends Record<T, 1> ? never : T;

/**
 * Every token of the service begins with wa_pk_ (API document, section Authentication), and some write it in capitals.
 * Percent signs and backslashes are those of URLs and JSON, entities those of web pages.
 */
const TOKEN = /wa_pk_(?:[\w~+/=.%\\-]|&#?\w{1,8};)+/gi;

/** Of a longer text, this many characters are read: a service or a proxy may return megabytes. */
const MAX_READ = 16_384;

/** Of a longer text, one character less than this is shown. */
const MAX_SHOWN = 400;

/** A text of this package with parts of any origin: shown`The status is ${status}`. */
export const shown = (words: TemplateStringsArray, ...parts: (Shown | string | number)[]): Shown =>
	ShownText.of(
		words.map((word, index) => (index === 0 ? word : harmless(parts[index - 1]) + word)).join(''),
	);

export const messageOf = <T extends string>(message: Message<T>): Shown =>
	typeof message === 'string' ? ShownText.of(message) : message;

/** Removes tokens of the service from a text, whole or cut off after their beginning. */
export const redact = (text: string): string => text.replace(TOKEN, '***');

/**
 * On one line, so that nobody forges a line of the log; without control characters and those that hide or reorder text,
 * removed first because they may be within a token; and without the beginning of an HTML tag, which n8n's editor would
 * render in some places and show as it is in others, so an entity (`&lt;`) would not be right in both.
 */
function harmless(part: Shown | string | number | undefined): string {
	if (typeof part !== 'string') return String(part);
	const line = part
		.slice(0, MAX_READ)
		.replace(/(?![\t-\r])[\p{Cc}\p{Cf}\p{Cs}\p{DI}\u2800]/gu, '')
		.replace(/\s+/g, ' ');
	const safe = redact(line).replace(/<(?=[a-z/!?]|$)/gi, '‹');
	return safe.length > MAX_SHOWN
		? `${safe.slice(0, MAX_SHOWN - 1).replace(/\p{Surrogate}$/u, '')}…`
		: safe;
}
