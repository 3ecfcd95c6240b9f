import type { Method } from './endpoint';
import { textOf } from './text';

/** How an attempt without a usable response ended. */
export type Failure =
	| { kind: 'status'; status: number }
	/** No response in time, or the connection broke: the request may have taken effect. */
	| { kind: 'noResponse' }
	/** No connection: nothing was sent. */
	| { kind: 'unreachable' }
	/** The response was incomplete, or is not the service's. */
	| { kind: 'unreadable' };

/** Attempts in total, for everything except 429. */
export const MAX_TRIES = 3;

/** Attempts in total for 429, each after a wait of up to one window. */
export const MAX_RATE_LIMITED_TRIES = 10;

const TRANSIENT = [408, 500, 502, 503, 504];
const BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 10_000;

/**
 * Whether a request may be sent again. Which failures are safe to retry is undocumented, so this is our decision:
 *
 * | failure                                  | GET | others                                       |
 * |------------------------------------------|-----|----------------------------------------------|
 * | 429                                      | yes | yes: the request has had no effect           |
 * | 408, 500, 502, 503, 504, lost, unreadable | yes | no: it may have been done                   |
 * | unreachable                              | yes | yes: nothing was sent                        |
 * | any other status                         | no  | no                                           |
 *
 * @param tries how many were made, this one included
 */
export function mayRetry(method: Method, failure: Failure, tries: number): boolean {
	if (failure.kind === 'status' && failure.status === 429) return tries < MAX_RATE_LIMITED_TRIES;
	if (tries >= MAX_TRIES) return false;
	if (failure.kind === 'unreachable') return true;
	if (method !== 'GET') return false;
	return failure.kind !== 'status' || TRANSIENT.includes(failure.status);
}

/**
 * How long to wait before the next attempt: what the server said, else a random time up to a bound that doubles
 * ("full jitter"). Not for 429, for which the rate limiter waits.
 *
 * @param tries how many were made
 * @param retryInMs from Retry-After
 * @param random from 0 up to 1
 */
export function backoffMs(tries: number, retryInMs: number | undefined, random: number): number {
	if (retryInMs !== undefined) return retryInMs + random * 1000;
	return random * Math.min(MAX_BACKOFF_MS, BACKOFF_MS * 2 ** (tries - 1));
}

const NOTHING_SENT = [
	'ECONNREFUSED',
	'ENOTFOUND',
	'EAI_AGAIN',
	'EHOSTUNREACH',
	'ENETUNREACH',
	'ENETDOWN',
];

/** Classifies what the HTTP client threw by its error code: whether anything may have been sent. */
export function failureOf(error: unknown): Failure {
	return { kind: NOTHING_SENT.includes(errorCode(error) ?? '') ? 'unreachable' : 'noResponse' };
}

interface Thrown {
	code?: unknown;
	httpCode?: unknown;
	/** A name with several addresses fails with one error per address. */
	errors?: Thrown[];
	cause?: Thrown;
	message?: unknown;
	messages?: unknown[];
}

/**
 * The error code of Node.js in what the HTTP client threw, e.g. "ECONNRESET".
 *
 * n8n wraps the error, and its version decides where the code is: in `cause`, in `httpCode`, or only in one of the
 * messages.
 */
export function errorCode(error: unknown): string | undefined {
	const chain = causesOf(error);
	const codes = chain.flatMap(({ code, httpCode, errors = [] }) => [
		code,
		httpCode,
		...errors.map((inner) => inner.code),
	]);
	const code = codes.map(textOf).find((candidate) => /^E[A-Z_]+$/.test(candidate));
	if (code !== undefined) return code;
	const texts = chain.flatMap(({ message, messages = [] }) => [...messages, message]);
	return texts.map((text) => CODE_IN_TEXT.exec(textOf(text))?.[0]).find(Boolean);
}

/** Not every word in capitals is a code: only Node.js's codes for connections count. */
const CODE_IN_TEXT = new RegExp(
	`\\b(?:${[...NOTHING_SENT, 'ECONNRESET', 'ECONNABORTED', 'ETIMEDOUT', 'EPIPE'].join('|')})\\b`,
);

function causesOf(error: unknown): Thrown[] {
	const chain: Thrown[] = [];
	let current = error as Thrown | null | undefined;
	while (typeof current === 'object' && current !== null && chain.length < 6) {
		chain.push(current);
		current = current.cause;
	}
	return chain;
}
