import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../api/response/response';
import { MAX_ID } from '../api/request';
import { parseJson } from '../api/base/text';
import { whyShortened } from '../phone/readPhoneNumber';

/**
 * What a reader returns for a value from an expression: the value, or what was expected instead. Readers are never
 * called with an empty value (`isBlank`).
 */
export type ReadResult<T> =
	| { value: T; expected?: undefined; because?: undefined }
	| {
			value?: undefined;
			expected: string;
			/** Why the value is something else, as a text that follows it. */
			because?: string;
	  };

/** Whether a value is empty: undefined, null, or text with only spaces. */
export function isBlank(value: unknown): value is undefined | null | '' {
	return (
		value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
	);
}

/** The value of a resource locator. Older workflows and AI agents give the bare value. */
export function locatorValue(locator: unknown): unknown {
	return isRecord(locator) && 'value' in locator ? locator.value : locator;
}

/** Text unchanged; a number or a boolean becomes text. */
export function readVerbatim(value: unknown): ReadResult<string> {
	if (typeof value === 'string') return { value };
	if (typeof value === 'boolean' || typeof value === 'bigint') return { value: String(value) };
	if (isDate(value))
		return { expected: "text (for a date, add .format('yyyy-MM-dd') to the expression)" };
	if (typeof value !== 'number') return { expected: 'one value' };
	if (!Number.isFinite(value)) return { expected: 'text or a number' };
	// Beyond 2^53, a number has lost its last digits: as an ID, it would be another record's.
	if (Number.isInteger(value) && !Number.isSafeInteger(value))
		return { expected: 'text, because a number with this many digits is not exact' };
	return { value: String(value) };
}

/** Text without the spaces around it. */
export function readText(value: unknown): ReadResult<string> {
	const reading = readVerbatim(value);
	return reading.value === undefined ? reading : { value: reading.value.trim() };
}

/** Text that identifies something. What is left of a date, or of a long number, is the same text for many of them. */
export function readKey(value: unknown): ReadResult<string> {
	const reading = readText(value);
	const because = whyShortened(reading.value ?? '');
	if (because !== undefined) return { expected: 'a number with all its digits', because };
	return withText(reading);
}

/** The ID of a record: text or a number. "." and ".." would produce another route's path. */
export function readId(value: unknown): ReadResult<string> {
	if (typeof value === 'string' && value.length > MAX_ID)
		return { expected: `an ID of at most ${MAX_ID} characters` };
	const reading = readKey(value);
	const isNone =
		typeof value === 'boolean' || (typeof value === 'number' && value % 1 !== 0) || isDate(value);
	const isId = !isNone && reading.value !== '.' && reading.value !== '..';
	return isId ? reading : { expected: 'an ID' };
}

/** The ID of a record, where the service does not reject what is none: a list that is filtered by a name is empty. */
export function readListedId(value: unknown): ReadResult<string> {
	const reading = readId(value);
	if (!/[\s@]/.test(reading.value ?? '')) return reading;
	return {
		expected: 'an ID',
		because:
			'IDs contain no spaces and no @. Pick the record from the list, or enter the ID that Get Many returns',
	};
}

/** true and false, as booleans, as text in any case, and as 1 and 0. */
export function readBoolean(value: unknown): ReadResult<boolean> {
	const text = typeof value === 'string' ? value.trim().toLowerCase() : value;
	if (text === true || text === 'true' || text === 1) return { value: true };
	if (text === false || text === 'false' || text === 0) return { value: false };
	return { expected: 'true or false' };
}

/** A number, or a number as text. */
export function readNumber(value: unknown): ReadResult<number> {
	const number =
		typeof value === 'string' && /^[+-]?\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : value;
	return Number.isFinite(number) ? { value: number as number } : { expected: 'a number' };
}

const NO_TEXTS = [
	[
		/\[object Object\]/,
		'An expression there returns an object. Name one of its fields, or add .toJsonString() to the expression.',
	],
	[
		/Invalid Date(?:Time)?/,
		'An expression there reads no date, or one in another format. Check the value, and the format in the expression.',
	],
	[
		/\b(?:Sun|Mon|Tue|Wed|Thu|Fri|Sat) [A-Z][a-z]{2} \d{2} \d{4} \d{2}:\d{2}:\d{2} GMT/,
		"An expression there returns a Date. Add .format('d MMMM yyyy') to it, or another format.",
	],
	[
		// In Base64, as of WAMIDs, it may be by chance.
		/(?<![\w+/=])NaN(?![\w+/=])/,
		'An expression there calculates with something that is no number. Check the values.',
	],
	[
		/\uFFFD/,
		'A character there was lost when a file was read in another encoding. Set Encoding in the node that reads it, such as Extract from File.',
	],
	[
		/#(?:N\/A|NAME\?|(?:CALC|DIV\/0|ERROR|NULL|NUM|REF|SPILL|VALUE)!)/,
		'A formula of a spreadsheet has no result there. Correct the cell, or leave out its row.',
	],
] as const;

/** What of it is in a text, and what to do; undefined if nothing is. */
export function noTextIn(text: string): { found: string; step: Step } | undefined {
	for (const [pattern, step] of NO_TEXTS) {
		const [found] = pattern.exec(text) ?? [];
		if (found !== undefined) return { found, step };
	}
	return undefined;
}

type Step = (typeof NO_TEXTS)[number][1];

/** What was read, unless something of it is in there. */
export function withText(reading: ReadResult<string>): ReadResult<string> {
	const noText = noTextIn(reading.value ?? '');
	return noText ? { expected: `a value without ${noText.found}` } : reading;
}

/** Whether two texts differ only in case, and in spaces or dashes for underscores: "in progress" is IN_PROGRESS. */
export function isSameOption(one: string, other: string): boolean {
	const spelling = (text: string): string => text.toUpperCase().replace(/[\s-]+/g, '_');
	return one === other || spelling(one) === spelling(other);
}

/** One of several values, in any spelling (`isSameOption`). */
export function readOption(options: readonly string[]): (value: unknown) => ReadResult<string> {
	return (value) => {
		const text = readText(value).value;
		const option =
			options.find((candidate) => candidate === text) ??
			options.find((candidate) => text !== undefined && isSameOption(candidate, text));
		return option === undefined ? { expected: `one of ${options.join(', ')}` } : { value: option };
	};
}

/** Whether a text is a URL that a service can download from. */
export const isWebUrl = (text: string): boolean =>
	/^https?:\/\/[^/?#\s]/i.test(text) && URL.canParse(text);

/** A URL that a service can download from. */
export function readWebUrl(value: unknown): ReadResult<string> {
	const text = readText(value).value;
	return text !== undefined && isWebUrl(text)
		? { value: text }
		: { expected: 'a URL that begins with https:// or http://' };
}

/** A list, or the JSON text of one. */
export function readList(value: unknown): ReadResult<unknown[]> {
	const list = typeof value === 'string' ? parseJson(value) : value;
	return Array.isArray(list) ? { value: list as unknown[] } : { expected: 'a JSON list' };
}

/** An object, or the JSON text of one. A Map or a Duration of Luxon would be sent as `{}` or as text. */
export function readObject(value: unknown): ReadResult<IDataObject> {
	const object = typeof value === 'string' ? parseJson(value) : value;
	const isPlain =
		isRecord(object) &&
		Object.prototype.toString.call(object) === '[object Object]' &&
		typeof object.toJSON !== 'function';
	return isPlain ? { value: object } : { expected: 'a JSON object' };
}

/** A list of objects that is sent as it is. */
export function readExactRecords(value: unknown): ReadResult<IDataObject[]> {
	const reading = exact(readList(value));
	if (reading.value === undefined) return reading;
	const records = reading.value.filter(isRecord);
	return records.length === reading.value.length
		? { value: records }
		: { expected: 'a JSON list of objects' };
}

/** An object that is sent as it is. */
export const readExactObject = (value: unknown): ReadResult<IDataObject> =>
	exact(readObject(value));

/** A number beyond 2^53 has lost its last digits in JSON, too: see `readVerbatim`. */
const exact = <T extends object>(reading: ReadResult<T>): ReadResult<T> =>
	reading.value !== undefined && hasInexactNumber(reading.value)
		? { expected: 'quotes around numbers of more than 15 digits' }
		: reading;

/** Not recursive, because an expression can return an object that contains itself. */
function hasInexactNumber(json: object): boolean {
	const values = new Set<unknown>([json]);
	// A set also iterates over what is added meanwhile.
	for (const value of values) {
		if (Number.isInteger(value) && !Number.isSafeInteger(value)) return true;
		if (typeof value === 'object' && value !== null)
			for (const inner of Object.values(value)) values.add(inner);
	}
	return false;
}

/** A value for messages, with its kind if that is not obvious: `a list: ["OPEN","CLOSED"]`. */
export function formatValue(value: unknown): string {
	if (isDate(value)) return `a date: ${shortText(String(value))}`;
	if (Array.isArray(value)) return `a list: ${shortText(json(value))}`;
	if (typeof value === 'object' && value !== null) return `an object: ${shortText(json(value))}`;
	return shortText(typeof value === 'string' ? JSON.stringify(value) : String(value));
}

/** A JavaScript Date, or a Luxon DateTime: n8n's expressions have their own copy of Luxon. */
export function isDate(value: unknown): boolean {
	return value instanceof Date || (isRecord(value) && value.isLuxonDateTime === true);
}

function json(value: object): string {
	try {
		return JSON.stringify(value);
	} catch {
		// An object that contains itself has no JSON.
		return Object.prototype.toString.call(value);
	}
}

const MAX_SHOWN = 80;
const MAX_NAMES = 400;

/** Names from a file or a response, for a message, which shows the first ones of many. */
export const namesText = (names: readonly string[]): string =>
	shortText(names.join(', '), MAX_NAMES);

/** Cut between words: a token that is cut in the middle could not be recognized and removed. */
function shortText(text: string, most = MAX_SHOWN): string {
	if (text.length <= most) return text;
	return `${text.slice(0, most).replace(/[^\s"',:;()[\]{}]*$/, '')}…`;
}

/** The values without undefined ones: nothing is sent that the user has not filled in. */
export function withoutUndefined(values: Record<string, unknown>): IDataObject {
	return Object.fromEntries(
		Object.entries(values).filter(([, value]) => value !== undefined),
	) as IDataObject;
}

/** "1 row", "3 rows" */
export const countOf = (count: number, noun: string): string =>
	`${count} ${noun}${count === 1 ? '' : 's'}`;

const MAX_LISTED = 10;

/** "a", "b", and 5 more. @param show the text of an entry */
export function listed<T>(entries: readonly T[], show: (entry: T) => string = String): string {
	const first = entries.slice(0, MAX_LISTED).map((entry) => show(entry));
	const more = entries.length - MAX_LISTED;
	return [...first, ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
}

/** "item 3", "items 3, 7, and 12 more" */
export const itemNumbers = (items: number[]): string =>
	`${items.length === 1 ? 'item' : 'items'} ${listed(items)}`;
