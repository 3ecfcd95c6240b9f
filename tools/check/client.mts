import type { Endpoint } from '../../nodes/ConversationalMessaging/api/endpoint.ts';
import { urlOf } from '../../nodes/ConversationalMessaging/api/request.ts';

/** A larger response is not read to its end, in bytes. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;

/** A response that takes longer is given up, in milliseconds. */
const TIMEOUT_MS = 30_000;

export interface Params {
	path?: Record<string, string>;
	query?: Record<string, string | number>;
}

interface Answer {
	status: number;
	headers: Record<string, string>;
	text: string;
}

/** Why a request has no response that can be used. */
export const NO_ANSWER = {
	host: 'the host was not found',
	connection: 'the connection was refused or interrupted',
	timeout: 'no response within 30 s',
	certificate: 'the certificate is not trusted, so nothing was sent',
	redirect: 'a redirect, which is not followed: the token was not sent there',
	tooLarge: 'the response is larger than 16 MB',
	path: 'an ID that cannot be part of a path',
} as const;

export type NoAnswer = keyof typeof NO_ANSWER;

/** Ends the check. The message says what happened; `nextStep` says what to do. */
export class CheckStopped extends Error {
	constructor(
		message: string,
		readonly nextStep: string,
	) {
		super(message);
	}

	static because(reason: NoAnswer): CheckStopped {
		const nextStep =
			reason === 'certificate'
				? 'If a certificate authority of your own has signed it, set NODE_EXTRA_CA_CERTS to its file (PEM). Verification cannot be switched off.'
				: 'Check the base URL, up to and including /api/v2, and whether this machine may connect to it.';
		return new CheckStopped(`The service cannot be read: ${NO_ANSWER[reason]}.`, nextStep);
	}
}

export interface ClientSettings {
	/** Without a slash at its end. */
	baseUrl: string;
	token: string;
	/** Ends the check. */
	signal?: AbortSignal;
}

/** Sends the requests of a check: only GET, only to the base URL. */
export class CheckClient {
	sent = 0;

	constructor(private readonly settings: ClientSettings) {}

	/** @throws CheckStopped if the token is not recognized, the rate limit is reached, or the check was stopped */
	async get(endpoint: Endpoint, params: Params): Promise<Answer | NoAnswer> {
		const url = urlOf(this.settings.baseUrl, endpoint, params);
		if (url === undefined) return 'path';
		const answer = await this.send(url);
		if (this.settings.signal?.aborted)
			throw new CheckStopped('The check was stopped.', 'Run it again to complete it.');
		if (typeof answer === 'string') return answer;
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
		// The token is sent to a verified server only, even if the environment switches verification off.
		delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
		const timeout = AbortSignal.timeout(TIMEOUT_MS);
		try {
			const response = await fetch(url, {
				method: 'GET',
				headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
				redirect: 'manual',
				signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
			});
			const text = await readBody(response);
			if (text === undefined) return 'tooLarge';
			return { status: response.status, headers: Object.fromEntries(response.headers), text };
		} catch (error) {
			return timeout.aborted ? 'timeout' : reasonOf(error);
		}
	}
}

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
