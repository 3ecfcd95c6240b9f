import type { IDataObject } from 'n8n-workflow';
import type { Endpoint } from './permissions';
import { isPlainPath } from './permissions';
import { textOf } from './text';

export type { Endpoint };

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What goes to an endpoint. Values that are undefined are not sent. */
export interface RequestParams {
	/** Values of the path's placeholders. */
	path?: Record<string, string>;
	query?: IDataObject;
	body?: IDataObject;
}

export function methodOf(endpoint: Endpoint): Method {
	return endpoint.slice(0, endpoint.indexOf(' ')) as Method;
}

/**
 * The address of a request.
 *
 * @param baseUrl without a slash at its end
 * @returns undefined when a value of the path is empty, "." or "..", or makes the path of another route, as
 *   "export" does of a contact
 */
export function urlOf(
	baseUrl: string,
	endpoint: Endpoint,
	{ path = {}, query = {} }: RequestParams,
): string | undefined {
	const template = endpoint.slice(endpoint.indexOf(' ') + 1);
	const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
	const values = new Map(names.map((name) => [name, (path[name] ?? '').trim()]));
	if ([...values.values()].some((value) => ['', '.', '..'].includes(value))) return undefined;
	const filled = template.replace(/\{(\w+)\}/g, (_placeholder, name: string) =>
		// Half a surrogate pair, as a text that was cut may end in, has no encoding and would throw.
		encodeURIComponent((values.get(name) ?? '').replace(/\p{Surrogate}/gu, '\uFFFD')),
	);
	if (filled !== template && isPlainPath(filled)) return undefined;
	const search = new URLSearchParams();
	for (const [name, value] of Object.entries(query)) {
		const text = textOf(value);
		if (text !== '') search.append(name, text);
	}
	const queryText = search.toString();
	return `${baseUrl}${filled}${queryText && `?${queryText}`}`;
}
