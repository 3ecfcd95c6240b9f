import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import { shown } from './access/shown';
import { textOf } from './base/text';
import type { ServiceClient } from './client';
import { type Endpoint, isPlainPath, methodOf, pathOf, returnsFile } from './endpoint';
import { invalid } from './errors';
import type { RequestInfo } from './failures';
import type { MultipartBody } from './files/multipart';

/** What is sent to an endpoint. Undefined values are not sent. */
export interface RequestParams {
	path?: Record<string, string>;
	query?: IDataObject;
	/** A function is called for each attempt, after it has waited for its turn. */
	body?: IDataObject | (() => IDataObject);
}

export interface ServiceRequest extends RequestInfo, RequestParams {
	/** Statuses that are no rejection to the caller, which checks the response's status. */
	acceptStatuses?: number[];
	/** Called for each attempt. */
	upload?: (client: ServiceClient) => Promise<MultipartBody>;
}

/** A request as n8n's HTTP client is to send it, without its body. @throws NodeOperationError if a value makes no valid path */
export function optionsOf(client: ServiceClient, request: ServiceRequest): IHttpRequestOptions {
	const method = methodOf(request.endpoint);
	// n8n's HTTP client does not notice that a compressed response ends early. JSON that does cannot be parsed, a CSV can.
	const accepted = returnsFile(request.endpoint)
		? { Accept: 'text/csv, application/json', 'Accept-Encoding': 'identity' }
		: { Accept: 'application/json' };
	const url = urlOf(client.baseUrl, request.endpoint, request);
	if (url === undefined) {
		throw invalid(
			client.n8n.getNode(),
			shown`${request.action}: the ID is empty, reserved or too long`,
			'The service reserves some words, such as "export". Pick a record, or check the expression.',
		);
	}
	return {
		method,
		url,
		headers: { ...accepted, ...(request.body && { 'Content-Type': 'application/json' }) },
		// So that its size can be limited: n8n has no limit.
		encoding: 'stream',
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
	};
}

/** The most characters of an ID. The service's have 25; each may be three bytes in a URL, of which servers accept 8 KB. */
export const MAX_ID = 500;

/**
 * @param baseUrl without a slash at its end
 * @returns undefined if a value of the path is empty, very long, "." or "..", or makes another route's path in any case, as
 *   the contact ID "Export" might
 */
export function urlOf(
	baseUrl: string,
	endpoint: Endpoint,
	{ path = {}, query = {} }: RequestParams,
): string | undefined {
	const template = pathOf(endpoint);
	const filled = template.replace(PLACEHOLDER, (_placeholder, name: string) =>
		segmentOf(path[name]),
	);
	if (EMPTY_SEGMENT.test(filled)) return undefined;
	if (filled !== template && isPlainPath(filled.toLowerCase())) return undefined;
	const values = Object.entries(query).map(
		([name, value]) => [name, textOf(value)] as [string, string],
	);
	const search = values.filter(([, text]) => text !== '');
	return `${baseUrl}${filled}${search.length > 0 ? `?${String(new URLSearchParams(search))}` : ''}`;
}

const PLACEHOLDER = /\{(\w+)\}/g;

const EMPTY_SEGMENT = /\/(?:\/|$)/;

function segmentOf(value = ''): string {
	const id = value.length > MAX_ID ? '' : value.trim();
	if (id === '.' || id === '..') return '';
	// A text that was cut may end in half a surrogate pair, which cannot be encoded and would throw.
	return encodeURIComponent(id.replace(/\p{Surrogate}/gu, '\uFFFD'));
}
