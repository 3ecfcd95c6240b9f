/** Which headers of a response belong to a rate limit, and how their values are written. */
import type { Headers } from '../nodes/ConversationalMessaging/api/rateHeaders.ts';

/** What a header says. */
export type HeaderMeaning =
	| 'limit'
	| 'remaining'
	| 'reset'
	| 'retry'
	| 'combined'
	| 'policy'
	| 'other';

/** How a reset is written. */
export type ResetForm = 'seconds' | 'epoch seconds' | 'epoch milliseconds' | 'date';

export interface RateHeader {
	/** In lower case. */
	name: string;
	value: string;
	meaning: HeaderMeaning;
	form?: ResetForm;
}

const RATE_NAME =
	/rate-?limit|quota|throttl|retry-after|requests?-(?:left|remaining)|remaining-requests?|^x-(?:limit|remaining|reset)/;

/** The headers that describe a rate limit, by their names. */
export function rateHeadersIn(headers: Headers): RateHeader[] {
	return Object.entries(headers).flatMap(([key, raw]) => {
		const name = key.toLowerCase();
		if (!RATE_NAME.test(name)) return [];
		const value = String(Array.isArray(raw) ? (raw as unknown[])[0] : raw);
		const meaning = meaningOf(name);
		const isTime = meaning === 'reset' || meaning === 'retry';
		return [{ name, value, meaning, ...(isTime && { form: formOf(value) }) }];
	});
}

/** Without the usual beginning. Others state how many were used, the length of the window, or who is limited. */
const LIMIT_NAME =
	/(?:^|-)(?:limit|max|total|allowed|quota|requests?)(?:-(?:second|minute|hour|day|month|short|medium|long|global|default|requests?))?$|^(?:second|minute|hour|day)$/;

function meaningOf(name: string): HeaderMeaning {
	if (name.startsWith('retry-after')) return 'retry';
	if (/policy/.test(name)) return 'policy';
	if (/remaining|left|available/.test(name)) return 'remaining';
	if (/reset|next|refill/.test(name)) return 'reset';
	if (/^(x-)?rate-?limit$/.test(name)) return 'combined';
	return LIMIT_NAME.test(name.replace(/^(?:x-)?rate-?limit(?:s|ed|ing)?-/, '')) ? 'limit' : 'other';
}

function formOf(value: string): ResetForm {
	const number = Number(value);
	if (!Number.isFinite(number)) return 'date';
	if (number >= 1e12) return 'epoch milliseconds';
	return number >= 1e9 ? 'epoch seconds' : 'seconds';
}
