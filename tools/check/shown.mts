import type { IDataObject } from 'n8n-workflow';
import { progressOf } from '../../nodes/ConversationalMessaging/api/response/progress.ts';
import { isRecord } from '../../nodes/ConversationalMessaging/api/response/response.ts';
import { readContract } from '../../sandbox/contract.mts';

/**
 * Text that may be in a report. A report consists of nothing else, so that no value of the service can get into it:
 * only this file makes such texts, from the words of this program, counts, and names that cannot be personal data.
 */
export interface Shown {
	readonly text: string;
	/** Nobody else has this symbol, so nobody else can make a `Shown`. */
	readonly [made]: true;
}

declare const made: unique symbol;

const shown = (text: string): Shown => ({ text }) as Shown;

/** Texts of this program with `Shown` parts and counts between them: say`${3} lists`. */
export const say = (words: TemplateStringsArray, ...parts: (Shown | number)[]): Shown =>
	shown(
		words
			.map((word, at) => {
				const part = at === 0 ? '' : parts[at - 1];
				return (typeof part === 'object' ? part.text : String(part)) + word;
			})
			.join(''),
	);

/** A name of this program: of an endpoint, or a reason. Never one of the service. */
export const literal = <T extends string>(name: string extends T ? never : T): Shown => shown(name);

/**
 * The keys of records, as far as all of several records have them or the contract names them: a key of one record alone
 * may be data, such as the phone number in a map by phone number.
 */
export function keysOf(rows: readonly IDataObject[]): Shown {
	const all = [...new Set(rows.flatMap((row) => Object.keys(row)))];
	const isCommon = (key: string): boolean => rows.length > 2 && rows.every((row) => key in row);
	const names = all.filter((key) => /^\w{1,40}$/.test(key) && (NAMES.has(key) || isCommon(key)));
	const others = all.length - names.length;
	return shown([...names, ...(others > 0 ? [`${others} others`] : [])].join(', '));
}

/** Words for a state, each once. One that neither the contract names nor the nodes understand may be data. */
export function wordsOf(words: readonly string[]): Shown {
	const isKnown = (word: string) => NAMES.has(word.toUpperCase()) || progressOf(word) !== 'unknown';
	return shown(
		[...new Set(words.map((word) => (isKnown(word) ? word : 'another word')))].join(', '),
	);
}

/** The names of properties and parameters of the contract, and the values of its enumerations. */
const NAMES = new Set(namesIn(readContract()));

function namesIn(value: unknown): string[] {
	if (Array.isArray(value)) return value.flatMap(namesIn);
	if (!isRecord(value)) return [];
	return [
		...(isRecord(value.properties) ? Object.keys(value.properties) : []),
		...(typeof value.in === 'string' && typeof value.name === 'string' ? [value.name] : []),
		...(Array.isArray(value.enum) ? value.enum.map(String) : []),
		...Object.values(value).flatMap(namesIn),
	];
}
