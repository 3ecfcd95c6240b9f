/**
 * Text that may be in a report. A report consists of nothing else, so that no value of the service can get into it:
 * only this file makes such texts, from the words of this program, counts, and what `Names` accepts.
 */
export interface Shown {
	readonly text: string;
	/** Nobody else has this symbol, so nobody else can make a `Shown`. */
	readonly [made]: true;
}

declare const made: unique symbol;

const shown = (text: string): Shown => ({ text }) as Shown;

/** Texts of this program with `Shown` parts and counts between them: say`${3} lists`. */
export function say(words: TemplateStringsArray, ...parts: (Shown | number)[]): Shown {
	const texts = parts.map((part) => (typeof part === 'number' ? String(part) : part.text));
	return shown(words.map((word, index) => word + (texts[index] ?? '')).join(''));
}

/** @param between a text of this program */
export const join = (parts: readonly Shown[], between = ', '): Shown =>
	shown(parts.map(({ text }) => text).join(between));

/** A name of this program: of a list, an operation, a permission, a type. Never one of the service. */
export const literal = <T extends string>(name: OwnName<T>): Shown => shown(name);

/** A number of things, in the singular or plural. @param one the singular of a noun with the plural -s */
export const count = <T extends string>(number: number, one: OwnName<T>): Shown =>
	shown(`${number} ${one}${number === 1 ? '' : 's'}`);

/**
 * What was thrown, and where in this program. The message is left out: it may contain a value of the service. So is
 * everything before the first line of the stack.
 */
export function thrown(error: unknown): Shown {
	if (!(error instanceof Error)) return shown('exception');
	const { stack = '', name, message } = error;
	const lines = stack.slice(stack.indexOf(message) + message.length);
	const place = /\bcheck\/((?:assumptions\/)?[a-zA-Z]+\.mts):(\d+)/.exec(lines);
	const kind = ['TypeError', 'RangeError', 'SyntaxError', 'URIError'].includes(name)
		? name
		: 'exception';
	return shown(place ? `${kind} in check/${place[1]}, line ${place[2]}` : kind);
}

/** Only literal types: a `string` of unknown origin does not compile. */
type OwnName<T extends string> = string extends T ? never : T;

/** @param accepts decides whether a text of the service may be shown */
export const accepted = (
	text: string,
	accepts: (text: string) => boolean,
	otherwise: string,
): Shown => shown(accepts(text) ? text : otherwise);
