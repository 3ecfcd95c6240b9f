import type { IDataObject } from 'n8n-workflow';
import { shown } from '../access/shown';
import { textOf } from '../base/text';
import type { ServiceResponse } from './response';
import { isRecord } from './response';

/** Of a longer text, this many characters are searched: a service or a proxy may return megabytes. */
const MAX_SEARCHED = 16_384;

/** How many entries of a list, or fields of an object, are named, and how deep they are looked for. */
const MAX_ENTRIES = 5;
const MAX_DEPTH = 5;

/** Under which names services say in general what was wrong, the most specific first. */
const GENERAL = [
	...['message', 'error', 'detail', 'error_description', 'title', 'msg', 'reason', 'description'],
];

/** Under which names they say it of single fields: as a list, or as an object keyed by field. */
const DETAILS = [
	...['errors', 'details', 'issues', 'violations', 'fieldViolations', 'invalid-params'],
	...['invalid_params', 'fieldErrors', 'formErrors', 'error_data'],
];

/** An envelope inside another. */
const ENVELOPES = ['result', 'data'];

/** Names of what an entry is about: { field: "waId", message: "is taken" }. */
const FIELDS = [
	'field',
	'path',
	'param',
	'property',
	'propertyPath',
	'instancePath',
	'loc',
	'name',
];

/**
 * The service's own message about a rejection. The shape of an error body is undocumented, and a lost reason costs people
 * hours, so it is read widely: a general message, what is said of single fields, and plain text and HTML.
 *
 * @param refusal what in the response says that a write was refused (`refusalIn`): its own message comes first
 * @returns as it may be shown (`shown`); undefined if the response has no message
 */
export function errorMessage(
	{ json, text }: ServiceResponse,
	refusal?: IDataObject,
): string | undefined {
	const message =
		json === undefined
			? messageInText(text.slice(0, MAX_SEARCHED))
			: messageIn(refusal) || messageIn(json);
	return String(shown`${message.trim()}`).trim() || undefined;
}

export const isHtml = (response: ServiceResponse): boolean =>
	/^\s*<(!doctype|html|head|body)/i.test(response.text);

/** The time does not grow with the body: few entries of each list and object are read, and the beginning of each text. */
function messageIn(value: unknown, depth = 0): string {
	if (typeof value === 'string') return value.slice(0, MAX_SEARCHED).trim();
	if (depth > MAX_DEPTH) return '';
	if (Array.isArray(value)) {
		const entries = value.slice(0, MAX_ENTRIES).map((entry) => messageIn(entry, depth + 1));
		return entries.filter(Boolean).join('; ');
	}
	if (!isRecord(value)) return '';
	const inner = (name: string) => messageIn(value[name], depth + 1);
	const general = GENERAL.map(inner).find(Boolean) ?? '';
	const details = DETAILS.map((name) => detailsIn(value[name], depth + 1)).filter(Boolean);
	const message = [general, ...details.filter((detail) => !general.includes(detail))].reduce(
		joined,
	);
	const field = fieldOf(value);
	if (message && field && !names(message, field)) return `${field}: ${message}`;
	return message || (ENVELOPES.map(inner).find(Boolean) ?? '');
}

/** Without the full stop of the first: "Validation failed: waId: is taken". */
const joined = (before: string, after: string): string =>
	before === '' ? after : `${before.replace(/[.:]$/, '')}: ${after}`;

/** What is said of single fields: a list, a message like that of a body, or an object keyed by field. */
function detailsIn(value: unknown, depth: number): string {
	const message = messageIn(value, depth);
	if (message || !isRecord(value) || depth > MAX_DEPTH) return message;
	const entries = Object.entries(value).slice(0, MAX_ENTRIES);
	const texts = entries.map(([field, of]): string => {
		const text = messageIn(of, depth + 1) || textOf(of);
		return text && (names(text, field) ? text : `${field}: ${text}`);
	});
	return texts.filter(Boolean).join('; ');
}

/** Whether a message contains the name of a field as a word. */
const names = (message: string, field: string): boolean =>
	message.split(/[^\p{L}\p{N}_.-]+/u).includes(field);

function fieldOf(record: Record<string, unknown>): string {
	const field = FIELDS.map((name) => record[name]).find((name) => name !== undefined);
	const parts = (Array.isArray(field) ? field : [field]).slice(0, MAX_ENTRIES).map(textOf);
	const name = parts.filter(Boolean).join('.');
	return name.length > 100 ? '' : name;
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
