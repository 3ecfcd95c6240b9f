import type { IDataObject } from 'n8n-workflow';
import { shown } from '../access/shown';
import { textOf } from '../base/text';
import type { ServiceResponse } from './response';

/** Of a longer text, this many characters are searched: a service or a proxy may return megabytes. */
const MAX_SEARCHED = 16_384;

/** So much of what was found is kept: less is shown. */
const MAX_MESSAGE = 1_000;

/** How many entries of a list, or fields of an object, are named. */
const MAX_ENTRIES = 5;

/** How many lists and objects are looked at: with entries of entries, there could be a million. */
const MAX_LOOKED_AT = 500;

/** Under which names services say in general what was wrong, the most specific first. */
const GENERAL = ['message', 'error', 'detail', 'title', 'msg', 'reason', 'description'];

/** Under which names they say it of single fields: as a list, or as an object keyed by field. */
const DETAILS = [
	...['errors', 'details', 'issues', 'violations', 'fieldViolations'],
	...['invalid-params', 'fieldErrors', 'error_data'],
];

/** What is read of a body without a message: an envelope inside it, or at least a code. */
const OTHERS = ['result', 'data', 'code'];

const ALL = new Set([...GENERAL, ...DETAILS]);

/** Names of what an entry is about: { field: "waId", message: "is taken" }. */
const FIELDS = ['field', 'path', 'param', 'propertyPath', 'loc', 'name'];

/**
 * The service's own message about a rejection. The shape of an error body is undocumented, and a lost reason costs people
 * hours, so it is read widely: a general message, what is said of single fields, and plain text and HTML.
 *
 * @param refusal what in the response says that a write was refused (`refusalIn`): its own message comes first
 * @returns as it may be shown (`shown`); undefined if the response has no message
 */
export function serviceMessageIn(
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

/** Finds the message in a body. Looks at a bounded number of its values. */
class Body {
	private lookedAt = 0;

	/** @param isKeyed whether the keys of an object without a message are names of fields */
	messageIn(value: unknown, isKeyed = false): string {
		if (typeof value === 'string') return value.slice(0, MAX_SEARCHED).trim().slice(0, MAX_MESSAGE);
		if (typeof value !== 'object' || value === null || ++this.lookedAt > MAX_LOOKED_AT) return '';
		if (Array.isArray(value)) return this.listed(value, (entry) => this.messageIn(entry));
		const record = value as IDataObject;
		const general = this.firstIn(record, GENERAL);
		const details = DETAILS.map((name) => this.messageIn(record[name], true));
		const message = [general, ...details.filter((detail) => !general.includes(detail))]
			.reduce(joined)
			.slice(0, MAX_MESSAGE);
		if (message) return about(fieldOf(record), message);
		if (!isKeyed) return this.firstIn(record, OTHERS);
		return this.listed(Object.keys(record), (name) => {
			// Under the other names, there was no message.
			const text = (ALL.has(name) ? '' : this.messageIn(record[name])) || textOf(record[name]);
			return text && about(name, text);
		});
	}

	private firstIn(record: IDataObject, list: readonly string[]): string {
		for (const name of list) {
			const message = this.messageIn(record[name]);
			if (message) return message;
		}
		return '';
	}

	private listed<T>(entries: T[], messageOf: (entry: T) => string): string {
		return entries.slice(0, MAX_ENTRIES).map(messageOf).filter(Boolean).join('; ');
	}
}

/** Without the full stop of the first: "Validation failed: waId: is taken". */
const joined = (before: string, after: string): string =>
	before && after ? `${before.replace(/[.:]$/, '')}: ${after}` : before || after;

/** With the name of the field, unless the message contains it as a word. */
const about = (field: string, message: string): string =>
	field === '' || message.split(/[^\p{L}\p{N}_.-]+/u).includes(field)
		? message
		: `${field}: ${message}`;

function fieldOf(record: IDataObject): string {
	const field = FIELDS.map((name) => record[name]).find((name) => name !== undefined);
	const parts = [field].flat().slice(0, MAX_ENTRIES).map(textOf);
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
