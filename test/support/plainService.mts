import {
	createServer,
	type IncomingMessage,
	type RequestListener,
	type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { operations } from './contractOperations.mts';

export const TOKEN = 'wa_pk_check_4Xk9TfQzR7mLw2';

/** Every list that needs no record first: "contacts/imports". */
export const LIST_ROUTES = operations
	.filter(({ isList, path }) => isList && !path.includes('{'))
	.map(({ path }) => path.slice(1));

/** What a route returns: JSON with status 200, or a complete response. */
export interface Reply {
	status?: number;
	headers?: Record<string, string>;
	body: unknown;
}
export type Route = (query: URLSearchParams, params: string[]) => Reply;

/** A service on plain node:http, which shares nothing with the sandbox. */
interface PlainService {
	baseUrl: string;
	/** Method and path of every request. */
	requests: { method: string; url: string; token?: string }[];
	close: () => Promise<void>;
}

export async function startPlain(listener: RequestListener): Promise<PlainService> {
	const requests: PlainService['requests'] = [];
	const server = createServer((request, response) => {
		requests.push({
			method: request.method ?? '',
			url: request.url ?? '',
			token: request.headers.authorization,
		});
		listener(request, response);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	return {
		baseUrl: `http://127.0.0.1:${port}/api/v2`,
		requests,
		close: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

/** @returns starts services that are closed after each test of the file */
export function closedAfterEach(): typeof startPlain {
	const open: PlainService[] = [];
	afterEach(async () => void (await Promise.all(open.splice(0).map(({ close }) => close()))));
	return async (listener) => {
		const service = await startPlain(listener);
		open.push(service);
		return service;
	};
}

/** Routes as "tickets/*" with what they return; anything else is 404. */
export const routed =
	(routes: Record<string, Route>): RequestListener =>
	(request: IncomingMessage, response: ServerResponse) => {
		const url = new URL(request.url ?? '', 'http://service');
		const path = url.pathname.replace(/^\/api\/v2\//, '');
		const isKnown = request.headers.authorization === `Bearer ${TOKEN}`;
		const found = isKnown ? match(routes, path) : undefined;
		const reply = isKnown
			? (found?.route(url.searchParams, found.params) ?? {
					status: 404,
					body: { error: 'No route' },
				})
			: { status: 401, body: { error: 'Unknown token' } };
		const text = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body);
		const type = typeof reply.body === 'string' ? 'text/csv' : 'application/json';
		response.writeHead(reply.status ?? 200, {
			'content-type': type,
			...reply.headers,
		});
		response.end(text);
	};

function match(routes: Record<string, Route>, path: string) {
	// Exact routes precede those with a placeholder.
	const exact = routes[path];
	if (exact) return { route: exact, params: [] };
	for (const [pattern, route] of Object.entries(routes)) {
		const parts = new RegExp(`^${pattern.replaceAll('*', '([^/]+)')}$`).exec(path);
		if (parts) return { route, params: parts.slice(1).map(decodeURIComponent) };
	}
	return undefined;
}
