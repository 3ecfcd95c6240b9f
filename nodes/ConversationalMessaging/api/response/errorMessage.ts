import type { ServiceResponse } from './response';
import { isRecord } from './response';
import { redact } from '../access/shown';

const MAX_LENGTH = 400;

/** Of a longer text, this many characters are searched: a service or a proxy may return megabytes. */
const MAX_SEARCHED = 16_384;

/** Keys under which services put their message, the most specific first. */
const KEYS = [
	'message',
	'error',
	'errors',
	'detail',
	'details',
	'error_description',
	'title',
	'reason',
	// An envelope inside another.
	'result',
	'data',
];

/**
 * The service's own message about a rejection. The shape of an error body is undocumented, so `error`,
 * `error.message`, `message`, `errors[]` and the like are searched, and plain text and HTML.
 *
 * @returns undefined if the response has no message
 */
export function errorMessage(response: ServiceResponse): string | undefined {
	const beginningOf = (text: string): string => redact(text).slice(0, MAX_SEARCHED);
	const message =
		response.json === undefined
			? messageInText(beginningOf(response.text))
			: messageInJson(response.json, 0, beginningOf);
	// Again, because tags may have been removed from the middle of a token.
	const line = redact(message ?? '')
		.replace(/\s+/g, ' ')
		.trim();
	if (!line) return undefined;
	return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH - 1)}…` : line;
}

export const isHtml = (response: ServiceResponse): boolean =>
	/^\s*<(!doctype|html|head|body)/i.test(response.text);

function messageInJson(
	value: unknown,
	depth: number,
	beginningOf: (text: string) => string,
): string | undefined {
	if (typeof value === 'string') return beginningOf(value);
	if (depth > 4) return undefined;
	if (Array.isArray(value)) {
		const all = value.slice(0, 5).map((entry) => messageInJson(entry, depth + 1, beginningOf));
		return all.filter(Boolean).join('; ') || undefined;
	}
	if (!isRecord(value)) return undefined;
	const message = preferredMessage(value, depth, beginningOf);
	// { field: "waId", message: "is taken" } belong together.
	const field = value.field ?? value.path ?? value.property;
	const isName = typeof field === 'string' && field.length <= MAX_LENGTH;
	if (message && isName && !message.includes(field)) return `${field}: ${message}`;
	return message;
}

function preferredMessage(
	value: Record<string, unknown>,
	depth: number,
	beginningOf: (text: string) => string,
): string | undefined {
	// { error: { message } } and { errors: [...] } say more than a general message next to them.
	for (const key of ['error', 'errors']) {
		const inner = value[key];
		const message =
			typeof inner === 'object' ? messageInJson(inner, depth + 1, beginningOf) : undefined;
		if (message) return message;
	}
	for (const key of KEYS) {
		const message = messageInJson(value[key], depth + 1, beginningOf);
		if (message) return message;
	}
	return undefined;
}

/** Plain text unchanged; for HTML its title, or else its text. A script or tag without an end is left out with all after it. */
function messageInText(text: string): string {
	if (!/<\w[^<>]*>/.test(text)) return text;
	const title = /<title[^<>]*>([^<]*)<\/title>/i.exec(text)?.[1]?.trim();
	return (
		title ||
		text.replace(/<(script|style)[\s\S]*?(?:<\/\1>|$)/gi, ' ').replace(/<[^>]*(?:>|$)/g, ' ')
	);
}
