import { multipart } from '../../nodes/ConversationalMessaging/api/files/multipart.ts';
import type { Reporter, ServiceClient } from '../../nodes/ConversationalMessaging/api/client.ts';
import { RateLimiter } from '../../nodes/ConversationalMessaging/api/rate/rateLimiter.ts';
import type { ListRows } from '../../nodes/ConversationalMessaging/api/reads/pages.ts';
import { NODE } from './node.mts';

/** What a service receives, and what it shows the user. */
export interface FakeServiceClient {
	client: ServiceClient;
	/** The query of each request, in order. */
	queries: Record<string, string>[];
	/** Each request, in order: "GET /tickets/1001", without base URL and query; with its JSON body. */
	requests: [route: string, body?: unknown][];
	notices: string[];
}

/** A client whose n8n knows its node and nothing else: no request may be sent. */
export function clientWith(more: Partial<ServiceClient>): ServiceClient {
	return {
		n8n: { getNode: () => NODE } as ServiceClient['n8n'],
		baseUrl: 'https://messaging.example.com/api/v2',
		credential: {},
		key: 'key',
		rateLimiter: new RateLimiter(),
		priority: 'single',
		maxRateLimitWaitMs: Infinity,
		deadline: Infinity,
		memo: new Map(),
		reporter: reporterWith({}),
		...more,
	};
}

/** A reporter to whom only this matters. */
const reporterWith = (more: Partial<Reporter>): Reporter => ({
	notify: () => undefined,
	waiting: () => undefined,
	...more,
});

/** A response with a status and a body. */
export class StatusResponse {
	constructor(
		readonly status: number,
		readonly json: unknown,
		readonly headers: Record<string, string> = {},
	) {}
}

interface SentRequest {
	method: string;
	url: string;
	body?: unknown;
}

/**
 * A client of a service.
 *
 * @param respond the JSON of the response to a request, which is numbered from 1; or a rejection, or only its status
 * @param more other properties of the client
 */
export function serviceOf(
	respond: (query: Record<string, string>, request: number) => unknown,
	more: Partial<ServiceClient> = {},
): FakeServiceClient {
	const queries: Record<string, string>[] = [];
	const requests: [string, unknown?][] = [];
	const notices: string[] = [];
	const request = async (_credential: string, { method, url, body }: SentRequest) => {
		const query = Object.fromEntries(new URL(url).searchParams);
		queries.push(query);
		const route = `${method} ${new URL(url).pathname.replace('/api/v2', '')}`;
		requests.push(typeof body === 'string' ? [route, JSON.parse(body)] : [route]);
		const response = await respond(query, queries.length);
		if (typeof response === 'number') return { statusCode: response, headers: {}, body: '' };
		const { status, json, headers } =
			response instanceof StatusResponse ? response : new StatusResponse(200, response);
		return { statusCode: status, headers, body: JSON.stringify(json) };
	};
	const client = clientWith({
		n8n: {
			getNode: () => NODE,
			helpers: { httpRequestWithAuthentication: request },
		} as unknown as ServiceClient['n8n'],
		reporter: reporterWith({ notify: (message) => void notices.push(String(message)) }),
		...more,
	});
	return { client, queries, requests, notices };
}

/** A client of a service that gives these responses, one after the other, as `respond` would. */
export const answering = (...responses: unknown[]): FakeServiceClient =>
	serviceOf((_query, request) => responses[request - 1]);

/** A CSV that n8n has stored. */
export const STORED_CSV = {
	partName: 'file',
	fileName: 'a.csv',
	mimeType: 'text/csv',
	content: { stored: 'id' },
};

/** Its upload. */
export const UPLOAD = {
	endpoint: 'POST /contacts/import',
	action: 'Start import',
	upload: multipart(STORED_CSV),
} as const;

/** The rows of a list that was read, with its notice, as a run shows it. */
export function rowsOf({ reporter }: ServiceClient, { rows, gap }: ListRows): unknown[] {
	if (gap) reporter.notify(gap.notice);
	return rows;
}
