import { clock } from '../nodes/ConversationalMessaging/api/base/clock.ts';
import { urlOf, type Endpoint } from '../nodes/ConversationalMessaging/api/endpoint.ts';
import { readRateInfo, WINDOW_MS } from '../nodes/ConversationalMessaging/api/rate/rateHeaders.ts';

/** A check sends no more requests than this. */
export const MAX_REQUESTS = 60;

/** A larger response is not read to its end, in bytes. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;

/** A response that takes longer is given up, in milliseconds. */
const TIMEOUT_MS = 30_000;

/** Added to a wait for the rate limit, in milliseconds: resets are given in whole seconds. */
const MARGIN_MS = 250;

export interface Params {
	path?: Record<string, string>;
	query?: Record<string, string | number>;
}

interface Answer {
	status: number;
	headers: Record<string, string>;
	text: string;
}

/** Why a request has no usable response: what the report shows, and for the first request what happened and what to do. */
const NO_ANSWER = {
	host: [
		'the host was not found',
		'The host of the base URL was not found.',
		'Check its spelling, and your network.',
	],
	connection: [
		'the connection was interrupted',
		'The service could not be reached: the connection was refused or interrupted.',
		'Check the base URL and its port, and whether this machine may connect to it.',
	],
	timeout: [
		'no response in time',
		'The service did not respond within 30 s.',
		'Check the base URL, and whether a firewall is in between.',
	],
	certificate: [
		'the certificate is not trusted',
		'The certificate of the service is not trusted, so nothing was sent.',
		'If a certificate authority of your own has signed it, set NODE_EXTRA_CA_CERTS to its file (PEM). Verification cannot be switched off.',
	],
	redirect: [
		'a redirect, which is not followed',
		'The service redirects to another address. The token was not sent there.',
		'Use the final address as the base URL, up to and including /api/v2.',
	],
	'too large': [
		'the response is too large',
		'The response is larger than 16 MB.',
		'Check that the base URL is that of the service.',
	],
	'limit of requests': [
		'not read, because the check has sent all its requests',
		'The check has sent all its requests.',
		'Run it again.',
	],
	path: [
		'an ID that cannot be part of a path',
		'An ID of the service cannot be part of a path.',
		'Report this as a bug.',
	],
} as const satisfies Record<string, [short: string, message: string, nextStep: string]>;

export type NoAnswer = keyof typeof NO_ANSWER;

export const noAnswerText = <T extends NoAnswer>(reason: T): (typeof NO_ANSWER)[T][0] =>
	NO_ANSWER[reason][0];

/** Ends the check. The message says what happened; `nextStep` says what to do. */
export class CheckStopped extends Error {
	constructor(
		message: string,
		readonly nextStep: string,
	) {
		super(message);
	}

	static because(reason: NoAnswer): CheckStopped {
		const [, message, nextStep] = NO_ANSWER[reason];
		return new CheckStopped(message, nextStep);
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
}

/** Sends the requests of a check: only GET, only to the base URL, few, and at most half of what the rate limit has left. */
export class CheckClient {
	sent = 0;
	/** How many more requests may be sent in this window of the rate limit. */
	private left = Infinity;
	private resetsAt = -Infinity;

	constructor(private readonly settings: ClientSettings) {}

	/** @throws CheckStopped if the token is not recognized, the rate limit is reached, or the check was stopped */
	async get(endpoint: Endpoint, params: Params): Promise<Answer | NoAnswer> {
		const url = urlOf(this.settings.baseUrl, endpoint, params);
		if (url === undefined) return 'path';
		if (this.sent >= MAX_REQUESTS) return 'limit of requests';
		await this.waitForTurn();
		const answer = await this.send(url);
		if (this.settings.signal?.aborted) throw stopped();
		if (typeof answer === 'string') return answer;
		this.learn(answer.headers);
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
		return answer.status >= 300 && answer.status < 400 ? 'redirect' : answer;
	}

	/**
	 * The only function that sends anything.
	 *
	 * @throws TypeError for any address that does not begin with the base URL
	 */
	async send(url: string): Promise<Answer | NoAnswer> {
		const { baseUrl, token, signal } = this.settings;
		if (!url.startsWith(`${baseUrl}/`) || new URL(url).origin !== new URL(baseUrl).origin)
			throw new TypeError('The check sends the token to the base URL only');
		this.sent++;
		this.left--;
		// The token is sent to a verified server only, even if the environment switches verification off.
		delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
		const timeout = AbortSignal.timeout(TIMEOUT_MS);
		try {
			const response = await fetch(url, {
				method: 'GET',
				headers: { authorization: `Bearer ${token}`, accept: 'application/json, text/csv' },
				redirect: 'manual',
				signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
			});
			const text = await readBody(response);
			if (text === undefined) return 'too large';
			return { status: response.status, headers: Object.fromEntries(response.headers), text };
		} catch (error) {
			return timeout.aborted ? 'timeout' : reasonOf(error);
		}
	}

	/** At most half of what a window has left is used, so that workflows with the same token are not held up. */
	private learn(headers: Answer['headers']): void {
		const now = clock.now();
		const { remaining, resetInMs } = readRateInfo(headers, now);
		if (remaining === undefined) return;
		const half = Math.floor(remaining / 2);
		const isNewWindow = now >= this.resetsAt;
		// Others may use the token as well: half of what is left now, if that is less than half of what was left then.
		this.left = isNewWindow ? half : Math.min(this.left, half);
		if (resetInMs !== undefined || isNewWindow) this.resetsAt = now + (resetInMs ?? WINDOW_MS);
	}

	private async waitForTurn(): Promise<void> {
		const { signal, onWait } = this.settings;
		const now = clock.now();
		if (this.left <= 0 && now < this.resetsAt) {
			const ms = this.resetsAt - now + MARGIN_MS;
			onWait?.(ms);
			await clock.sleep(ms, signal);
		}
		if (signal?.aborted) throw stopped();
	}
}

const stopped = (): CheckStopped =>
	new CheckStopped('The check was stopped.', 'Run it again to complete it.');

/** @returns undefined for a body that is too large */
async function readBody({ body }: Response): Promise<string | undefined> {
	const chunks: Uint8Array[] = [];
	let bytes = 0;
	for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
		chunks.push(chunk);
		bytes += chunk.length;
		if (bytes > MAX_BODY_BYTES) return undefined;
	}
	return Buffer.concat(chunks).toString();
}

function reasonOf(error: unknown): NoAnswer {
	const { code = '' } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
	if (/^(?:ENOTFOUND|EAI_\w+)$/.test(code)) return 'host';
	return /CERT|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|_CRL_|INVALID_CA/.test(String(code))
		? 'certificate'
		: 'connection';
}
