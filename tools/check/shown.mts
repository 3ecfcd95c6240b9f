import type { IDataObject } from 'n8n-workflow';
import type { Endpoint } from '../../nodes/ConversationalMessaging/api/endpoint.ts';

/**
 * Text that may be in a report. A report consists of nothing else, so that no value of the service can get into it:
 * only this file makes such texts, from the words of this program, counts, and keys that cannot be personal data.
 */
export interface Shown {
	readonly text: string;
	/** Nobody else has this symbol, so nobody else can make a `Shown`. */
	readonly [made]: true;
}

declare const made: unique symbol;

const shown = (text: string): Shown => ({ text }) as Shown;

/** Words of this program with `Shown` parts, counts and endpoints between them: say`${3} lists`. */
export const say = (words: TemplateStringsArray, ...parts: (Shown | number | Endpoint)[]): Shown =>
	shown(
		String.raw(
			{ raw: words },
			...parts.map((part) => (typeof part === 'object' ? part.text : part)),
		),
	);

/** The keys that all of several records have. Any other may be data, such as the phone number in a map by phone number. */
export function keysOf(rows: readonly IDataObject[]): Shown {
	const all = [...new Set(rows.flatMap((row) => Object.keys(row)))];
	const names = all.filter(
		(key) => rows.length > 2 && /^\w{1,40}$/.test(key) && rows.every((row) => key in row),
	);
	const others = all.length - names.length;
	return shown([...names, ...(others > 0 ? [`${others} others`] : [])].join(', '));
}
