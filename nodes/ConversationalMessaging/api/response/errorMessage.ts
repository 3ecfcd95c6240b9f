import type { IDataObject } from 'n8n-workflow';
import { shown } from '../access/shown';
import { textOf } from '../base/text';
import type { ServiceResponse } from './response';
import { isRecord } from './response';

/** Of a longer text, this many characters are searched: a service or a proxy may return megabytes. */
const MAX_SEARCHED = 16_384;

/** So much of what was found is kept: less is shown. */
const MAX_MESSAGE = 1_000;

/** How many entries of a list, or fields of an object, are named, and how deep they are looked for. */
const MAX_ENTRIES = 5;
const MAX_DEPTH = 5;

/** How many lists and objects are looked at: with entries of entries, there could be a million. */
const MAX_LOOKED_AT = 500;

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

const ALL = new Set([...GENERAL, ...DETAILS, ...ENVELOPES]);

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
	const body = new Body();
	const message =
		json === undefined
			? messageInText(text.slice(0, MAX_SEARCHED))
			: body.messageIn(refusal) || body.messageIn(json);
	return String(shown`${message.trim()}`).trim() || undefined;
}

export const isHtml = (response: ServiceResponse): boolean =>
	/^\s*<(!doctype|html|head|body)/i.test(response.text);

/** Finds the message in a body. Looks at a bounded number of its values, and at each of them once. */
class Body {
	private lookedAt = 0;

	messageIn(value: unknown, depth = 0): string {
		if (typeof value === 'string') return value.slice(0, MAX_SEARCHED).trim().slice(0, MAX_MESSAGE);
		const isEnd = typeof value !== 'object' || value === null || depth > MAX_DEPTH;
		if (isEnd || ++this.lookedAt > MAX_LOOKED_AT) return '';
		if (Array.isArray(value)) {
			const entries = value.slice(0, MAX_ENTRIES).map((entry) => this.messageIn(entry, depth + 1));
			return entries.filter(Boolean).join('; ').slice(0, MAX_MESSAGE);
		}
		const record = value as IDataObject;
		const general = this.firstIn(record, GENERAL, depth);
		const details = DETAILS.map((name) => this.detailsIn(record[name], depth + 1)).filter(Boolean);
		const message = [general, ...details.filter((detail) => !general.includes(detail))]
			.reduce(joined)
			.slice(0, MAX_MESSAGE);
		const field = fieldOf(record);
		if (message && field && !names(message, field)) return `${field}: ${message}`;
		return message || this.firstIn(record, ENVELOPES, depth);
	}

	private firstIn(record: IDataObject, list: readonly string[], depth: number): string {
		for (const name of list) {
			const message = this.messageIn(record[name], depth + 1);
			if (message) return message;
		}
		return '';
	}

	/** What is said of single fields: a list, a message like that of a body, or an object keyed by field. */
	private detailsIn(value: unknown, depth: number): string {
		const message = this.messageIn(value, depth);
		if (message || !isRecord(value) || depth > MAX_DEPTH) return message;
		if (this.lookedAt > MAX_LOOKED_AT) return '';
		const fields = Object.keys(value).slice(0, MAX_ENTRIES);
		const texts = fields.map((field): string => {
			const of = value[field];
			// Under the other names, there was no message.
			const text = (ALL.has(field) ? '' : this.messageIn(of, depth + 1)) || textOf(of);
			return text && (names(text, field) ? text : `${field}: ${text}`);
		});
		return texts.filter(Boolean).join('; ').slice(0, MAX_MESSAGE);
	}
}

/** Without the full stop of the first: "Validation failed: waId: is taken". */
const joined = (before: string, after: string): string =>
	before === '' ? after : `${before.replace(/[.:]$/, '')}: ${after}`;

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
