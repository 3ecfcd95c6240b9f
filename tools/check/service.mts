import type { IDataObject } from 'n8n-workflow';
import { connectionFailure } from '../../nodes/ConversationalMessaging/api/attemptFailure.ts';
import type { Endpoint, ListEndpoint } from '../../nodes/ConversationalMessaging/api/endpoint.ts';
import { failureTexts } from '../../nodes/ConversationalMessaging/api/failures.ts';
import { urlOf, type RequestParams } from '../../nodes/ConversationalMessaging/api/request.ts';
import {
	findRows,
	isRecord,
	MAX_RESPONSE_BYTES,
	parseResponse,
	refusalIn,
} from '../../nodes/ConversationalMessaging/api/response/response.ts';
import { say, type Shown } from './shown.mts';

/** A response that takes longer is given up, in milliseconds. */
const TIMEOUT_MS = 30_000;

/** Does not work; unknown; nothing to judge here, perhaps elsewhere; works. */
export type Mark = '✗' | '?' | '–' | '✓';

/** What a request or a check has found. */
export interface Finding {
	mark: Mark;
	seen: Shown;
}

/** There is nothing to judge, because the service does not accept what the nodes request (✗), or for another reason (–). */
export class Unread extends Error implements Finding {
	constructor(
		readonly mark: '✗' | '–',
		readonly seen: Shown,
	) {
		super();
	}
}

/** Ends the whole check. The message says what happened; `nextStep` says what to do. */
export class CheckStopped extends Error {
	constructor(
		message: string,
		readonly nextStep = 'Check the base URL, up to and including /api/v2, and whether this machine may connect to it. If an authority of your own has signed the certificate of the service, set NODE_EXTRA_CA_CERTS to its file (PEM).',
	) {
		super(message);
	}
}

/** The service during a check: only GET, only at the base URL. A request that was sent once is not sent again. */
export class Service {
	/** The number of requests. */
	sent = 0;
	private readonly answers = new Map<string, Promise<unknown>>();

	/** @param baseUrl without a slash at its end */
	constructor(
		private readonly baseUrl: string,
		private readonly token: string,
	) {}

	/**
	 * The rows of a list.
	 *
	 * @throws Unread without a list, CheckStopped without a response
	 */
	async rows(endpoint: ListEndpoint, params: RequestParams): Promise<IDataObject[]> {
		const rows = findRows(await this.read(endpoint, params), endpoint);
		if (!rows) throw new Unread('✗', say`${endpoint}: no rows found`);
		return rows.filter(isRecord);
	}

	/** What a request returns; undefined if that is empty. @throws like `rows` */
	async read(endpoint: Endpoint, params: RequestParams = {}): Promise<unknown> {
		const url = urlOf(this.baseUrl, endpoint, params);
		if (url === undefined) throw new Unread('–', say`${endpoint}: no ID that can be in a path`);
		const json = this.answers.get(url) ?? this.send(endpoint, url);
		this.answers.set(url, json);
		return await json;
	}

	/** The only function that sends anything. */
	private async send(endpoint: Endpoint, url: string): Promise<unknown> {
		this.sent++;
		// The token is sent to a verified server only, even if the environment switches verification off.
		delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
		const signal = AbortSignal.timeout(TIMEOUT_MS);
		const headers = { authorization: `Bearer ${this.token}`, accept: 'application/json' };
		try {
			const { status, body } = await fetch(url, { headers, redirect: 'manual', signal });
			return jsonIn(endpoint, status, await readText(body));
		} catch (error) {
			if (error instanceof CheckStopped || error instanceof Unread) throw error;
			const timeout = { kind: 'timeout', ms: TIMEOUT_MS } as const;
			const failure = signal.aborted ? timeout : connectionFailure(error);
			const { message } = failureTexts(this.baseUrl, { endpoint, action: endpoint }, failure);
			throw new CheckStopped(`${String(message)}.`);
		}
	}
}

/** @returns undefined for a body that is too large */
async function readText(body: ReadableStream<Uint8Array> | null): Promise<string | undefined> {
	const chunks: Uint8Array[] = [];
	let bytes = 0;
	for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
		chunks.push(chunk);
		bytes += chunk.length;
		if (bytes > MAX_RESPONSE_BYTES) return undefined;
	}
	return Buffer.concat(chunks).toString();
}

/** What ends the check, by status. */
const STOPS: Record<number, [what: string, nextStep: string]> = {
	401: [
		'The service does not recognize the token (401).',
		'Create a token in the dashboard under API Access.',
	],
	429: [
		'The rate limit is reached (429).',
		'Run the check again in a few minutes, or while fewer workflows use this token.',
	],
};

/** The JSON of a response. @throws Unread, CheckStopped */
function jsonIn(endpoint: Endpoint, status: number, text: string | undefined): unknown {
	const stop = STOPS[status];
	if (stop) throw new CheckStopped(...stop);
	if (status === 403)
		throw new Unread('–', say`${endpoint}: no permission, or an inactive or expired token (403)`);
	if (status >= 300) throw new Unread(status < 500 ? '✗' : '–', say`${endpoint}: ${status}`);
	if (text === undefined) throw new Unread('✗', say`${endpoint}: more than 16 MB`);
	const { json } = parseResponse(status, {}, text);
	if (refusalIn(json, endpoint)) throw new Unread('–', say`${endpoint}: success: false`);
	if (json === undefined && text.trim() !== '')
		throw new Unread('✗', say`${endpoint}: the response is not JSON`);
	return json;
}
