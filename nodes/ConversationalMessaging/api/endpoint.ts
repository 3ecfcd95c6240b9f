import type { IDataObject } from 'n8n-workflow';
import type { Endpoint } from './permissions';
import { isPlainPath } from './permissions';
import { textOf } from './base/text';

export type { Endpoint };

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What is sent to an endpoint. Undefined values are not sent. */
export interface RequestParams {
	/** Values for the path's placeholders. */
	path?: Record<string, string>;
	query?: IDataObject;
	/** A function is called for each attempt, after it has waited for its turn. */
	body?: IDataObject | (() => IDataObject);
}

export function methodOf(endpoint: Endpoint): Method {
	return endpoint.slice(0, endpoint.indexOf(' ')) as Method;
}

/** The most characters of an ID. The service's have 25; each may be three bytes in a URL, of which servers accept 8 KB. */
export const MAX_ID = 500;

/**
 * The URL of a request.
 *
 * @param baseUrl without a slash at its end
 * @returns undefined if a value of the path is empty, very long, "." or "..", or makes another route's path in any case, as
 *   the contact ID "Export" might
 */
export function urlOf(
	baseUrl: string,
	endpoint: Endpoint,
	{ path = {}, query = {} }: RequestParams,
): string | undefined {
	const template = endpoint.slice(endpoint.indexOf(' ') + 1);
	const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
	if (names.some((name) => (path[name] ?? '').length > MAX_ID)) return undefined;
	const values = new Map(names.map((name) => [name, (path[name] ?? '').trim()]));
	if ([...values.values()].some((value) => ['', '.', '..'].includes(value))) return undefined;
	const filled = template.replace(/\{(\w+)\}/g, (_placeholder, name: string) =>
		// A text that was cut may end in half a surrogate pair, which cannot be encoded and would throw.
		encodeURIComponent((values.get(name) ?? '').replace(/\p{Surrogate}/gu, '\uFFFD')),
	);
	if (filled !== template && isPlainPath(filled.toLowerCase())) return undefined;
	const search = new URLSearchParams();
	for (const [name, value] of Object.entries(query)) {
		const text = textOf(value);
		if (text !== '') search.append(name, text);
	}
	const queryText = search.toString();
	return `${baseUrl}${filled}${queryText && `?${queryText}`}`;
}
