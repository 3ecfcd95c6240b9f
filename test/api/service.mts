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

/** A client of a service that responds to each request with this JSON. It may return later ones first. */
export function serviceOf(
	respond: (query: Record<string, string>, request: number) => unknown,
): Traffic {
	const queries: Record<string, string>[] = [];
	const notices: string[] = [];
	const request = async (_credential: string, { url }: { url: string }) => {
		const query = Object.fromEntries(new URL(url).searchParams);
		queries.push(query);
		const body = JSON.stringify(await respond(query, queries.length));
		return { statusCode: 200, headers: {}, body };
	};
	const client = {
		context: { getNode: () => NODE, helpers: { httpRequestWithAuthentication: request } },
		baseUrl: 'https://messaging.example.com/api/v2',
		credential: {},
		key: 'key',
		rateLimiter: new RateLimiter(),
		maxRateLimitWaitMs: Infinity,
		deadline: Infinity,
		memo: new Map(),
		redact: String,
		notify: (message: string) => notices.push(message),
		onWait: () => undefined,
		onWaited: () => undefined,
	} as unknown as ServiceClient;
	return { client, queries, notices };
}
