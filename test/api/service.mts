import type { ServiceClient } from '../../nodes/ConversationalMessaging/api/client.ts';
import { RateLimiter } from '../../nodes/ConversationalMessaging/api/rateLimiter.ts';
import { NODE } from './node.mts';

/** What a service receives, and what it shows the user. */
export interface Traffic {
	client: ServiceClient;
	/** The query of each request, in order. */
	queries: Record<string, string>[];
	notices: string[];
}

/** A client whose context knows its node and nothing else: no request may be sent. */
export function clientWith(more: Partial<ServiceClient>): ServiceClient {
	return {
		context: { getNode: () => NODE } as ServiceClient['context'],
		baseUrl: 'https://messaging.example.com/api/v2',
		credential: {},
		key: 'key',
		rateLimiter: new RateLimiter(),
		priority: 'single',
		maxRateLimitWaitMs: Infinity,
		deadline: Infinity,
		memo: new Map(),
		redact: (text) => text,
		notify: () => undefined,
		onWait: () => undefined,
		onWaited: () => undefined,
		onSlowed: () => undefined,
		...more,
	};
}

/**
 * A client of a service.
 *
 * @param respond the JSON of the response to a request, which is numbered from 1; or a status, for a rejection
 * @param more other properties of the client
 */
export function serviceOf(
	respond: (query: Record<string, string>, request: number) => unknown,
	more: Partial<ServiceClient> = {},
): Traffic {
	const queries: Record<string, string>[] = [];
	const notices: string[] = [];
	const request = async (_credential: string, { url }: { url: string }) => {
		const query = Object.fromEntries(new URL(url).searchParams);
		queries.push(query);
		const response = await respond(query, queries.length);
		if (typeof response === 'number') return { statusCode: response, headers: {}, body: '' };
		return { statusCode: 200, headers: {}, body: JSON.stringify(response) };
	};
	const client = clientWith({
		context: {
			getNode: () => NODE,
			helpers: { httpRequestWithAuthentication: request },
		} as unknown as ServiceClient['context'],
		notify: (message) => notices.push(message),
		...more,
	});
	return { client, queries, notices };
}
