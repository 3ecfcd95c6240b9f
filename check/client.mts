import http from 'node:http';
import https from 'node:https';
import { clock } from '../nodes/ConversationalMessaging/api/clock.ts';
import { urlOf, type Endpoint } from '../nodes/ConversationalMessaging/api/endpoint.ts';
import { readRateInfo } from '../nodes/ConversationalMessaging/api/rateHeaders.ts';
import { Pace } from './pace.mts';

/** A check sends no more requests than this. */
export const MAX_REQUESTS = 60;

/** A larger response is not read to its end, in bytes. */
export const MAX_BODY_BYTES = 16 * 1024 * 1024;

/** Of a CSV file, only this much is read: its header row, or the first lines. */
const MAX_CSV_LINES = 3;
const MAX_CSV_BYTES = 64 * 1024;

/** A response that takes longer is given up, in milliseconds. */
const TIMEOUT_MS = 30_000;

/** How much of a response is read. */
export type BodyKind = 'json' | 'csv';

/** A response, with at most the first lines of a file. */
export interface Answer {
	status: number;
	headers: http.IncomingHttpHeaders;
	text: string;
}

/** Why a request has no usable response. */
export type NoAnswer =
	| 'too large'
	| 'timeout'
	| 'connection'
	| 'host'
	| 'certificate'
	| 'redirect'
	| 'limit of requests'
	| 'path';

/** Ends the check. The message says what happened; `nextStep` says what to do. */
export class CheckStopped extends Error {
	constructor(
		message: string,
		readonly nextStep: string,
	) {
		super(message);
	}
}

export interface ClientSettings {
	/** Without a slash at its end. */
	baseUrl: string;
	token: string;
	/** Ends the check. */
	signal?: AbortSignal;
	/** Called before a wait for the rate limit, in milliseconds. */
	onWait?: (ms: number) => void;
	timeoutMs?: number;
}

/** Sends the requests of a check: only GET, only to the base URL, few, and slowly enough for others. */
export class CheckClient {
	sent = 0;
	/** Requests that are kept for later. */
	reserved = 0;
	private readonly pace = new Pace();
	private readonly agent: http.Agent;
	private readonly origin: string;

	constructor(private readonly settings: ClientSettings) {
		this.origin = new URL(settings.baseUrl).origin;
		const isEncrypted = settings.baseUrl.startsWith('https:');
		this.agent = isEncrypted
			? // Even if the environment switches verification off: the token is sent to a verified server only.
				new https.Agent({ keepAlive: true, rejectUnauthorized: true })
			: new http.Agent({ keepAlive: true });
	}

	/**
	 * @throws CheckStopped if the token is not recognized, the rate limit is reached, or the check was stopped
	 */
	async get(
		endpoint: Endpoint,
		params: { path?: Record<string, string>; query?: Record<string, string | number> },
		body: BodyKind,
	): Promise<Answer | NoAnswer> {
		const url = urlOf(this.settings.baseUrl, endpoint, params);
		if (url === undefined) return 'path';
		if (this.sent >= MAX_REQUESTS - this.reserved) return 'limit of requests';
		await this.waitForTurn();
		const answer = await this.send('GET', url, body);
		if (typeof answer === 'string') {
			if (this.settings.signal?.aborted) throw stopped();
			return answer;
		}
		this.pace.learn(readRateInfo(answer.headers, clock.now()), clock.now());
		if (answer.status === 401)
			throw new CheckStopped(
				'The service does not recognize the token (401).',
				'Create a token in the dashboard under API Access, and set CONVERSATIONAL_MESSAGING_TOKEN to it.',
			);
		if (answer.status === 429)
			throw new CheckStopped(
				`The rate limit is reached (429, after ${this.sent} requests).`,
				'Run the check again in a few minutes, or while fewer workflows use this token.',
			);
		// The token is sent to the base URL only, so redirects are not followed.
		if (answer.status >= 300 && answer.status < 400 && answer.status !== 304) return 'redirect';
		return answer;
	}

	/**
	 * The only function that sends anything.
	 *
	 * @throws TypeError for any method but GET, and for any other origin than that of the base URL
	 */
	async send(method: string, url: string, body: BodyKind): Promise<Answer | NoAnswer> {
		if (method !== 'GET') throw new TypeError(`The check only reads: it does not send ${method}`);
		const target = new URL(url);
		if (target.origin !== this.origin || !url.startsWith(`${this.settings.baseUrl}/`))
			throw new TypeError('The check sends the token to the base URL only');
		this.sent++;
		this.pace.spend();
		const { token, signal, timeoutMs = TIMEOUT_MS } = this.settings;
		const timeout = AbortSignal.timeout(timeoutMs);
		const { request } = target.protocol === 'https:' ? https : http;
		return await new Promise((resolve) => {
			const outgoing = request(target, {
				method: 'GET',
				agent: this.agent,
				headers: { authorization: `Bearer ${token}`, accept: 'application/json, text/csv' },
				signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
			});
			const fail = (error: Error) => resolve(timeout.aborted ? 'timeout' : reasonOf(error));
			outgoing.on('error', fail);
			outgoing.on('response', (response) => {
				readBody(response, body).then(
					(text) => {
						// The rest of a file or of a large response is not wanted.
						if (!response.complete) outgoing.destroy();
						resolve(
							text === undefined
								? 'too large'
								: { status: response.statusCode ?? 0, headers: response.headers, text },
						);
					},
					(error: unknown) => fail(error as Error),
				);
			});
			outgoing.end();
		});
	}

	close(): void {
		this.agent.destroy();
	}

	private async waitForTurn(): Promise<void> {
		const { signal, onWait } = this.settings;
		const ms = this.pace.wait(clock.now());
		if (ms > 0) {
			onWait?.(ms);
			await clock.sleep(ms, signal);
		}
		if (signal?.aborted) throw stopped();
	}
}

const stopped = (): CheckStopped =>
	new CheckStopped('The check was stopped.', 'Run it again to complete it.');

/** The body as text; of a file, its first lines. @returns undefined if it is too large */
async function readBody(
	response: http.IncomingMessage,
	kind: BodyKind,
): Promise<string | undefined> {
	const chunks: Buffer[] = [];
	let bytes = 0;
	let lines = 0;
	for await (const chunk of response as AsyncIterable<Buffer>) {
		chunks.push(chunk);
		bytes += chunk.length;
		if (kind === 'csv') {
			for (const byte of chunk) if (byte === 0x0a) lines++;
			if (lines >= MAX_CSV_LINES || bytes >= MAX_CSV_BYTES) break;
		} else if (bytes > MAX_BODY_BYTES) return undefined;
	}
	return Buffer.concat(chunks).toString();
}

const HOST_CODES = ['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'EAI_NODATA', 'EAI_NONAME'];

function reasonOf(error: Error): NoAnswer {
	const { code = '' } = error as NodeJS.ErrnoException;
	if (HOST_CODES.includes(code)) return 'host';
	return /CERT|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|_CRL_|INVALID_CA|ERR_TLS_CERT/.test(code)
		? 'certificate'
		: 'connection';
}

/** What happened and what to do, for the first request. @returns undefined for reasons that concern one request only */
export function explain(reason: NoAnswer): CheckStopped {
	const said: Record<NoAnswer, [string, string]> = {
		host: ['The host of the base URL was not found.', 'Check its spelling, and your network.'],
		connection: [
			'The service could not be reached: the connection was refused or interrupted.',
			'Check the base URL and its port, and whether this machine may connect to it.',
		],
		timeout: [
			'The service did not respond within 30 s.',
			'Check the base URL, and whether a firewall is in between.',
		],
		certificate: [
			'The certificate of the service is not trusted, so nothing was sent.',
			'If a certificate authority of your own has signed it, set NODE_EXTRA_CA_CERTS to its file (PEM). Verification cannot be switched off.',
		],
		redirect: [
			'The service redirects to another address. The token was not sent there.',
			'Use the final address as the base URL, up to and including /api/v2.',
		],
		'too large': [
			'The response is larger than 16 MB.',
			'Check that the base URL is that of the service.',
		],
		'limit of requests': [`The check has sent its ${MAX_REQUESTS} requests.`, 'Run it again.'],
		path: ['An ID of the service cannot be part of a path.', 'Report this as a bug.'],
	};
	return new CheckStopped(...said[reason]);
}
