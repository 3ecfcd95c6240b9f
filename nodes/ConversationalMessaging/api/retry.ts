import type { Method } from './endpoint';
import { textOf } from './base/text';
import { tlsCodeIn, tlsProblem } from './tls';

/** How an attempt without a usable response ended. */
export type Failure =
	| { kind: 'status'; status: number }
	/** The connection broke: the request may have taken effect. */
	| { kind: 'noResponse' }
	/** No complete response within this time, in milliseconds: the request may have taken effect. */
	| { kind: 'timeout'; ms: number }
	/** No connection: nothing was sent. */
	| { kind: 'unreachable' }
	/** No encrypted connection, because of its certificate or because the service speaks plain HTTP: nothing was sent. */
	| { kind: 'untrusted' }
	/** n8n's protection of its network does not allow the address, for this reason: nothing was sent. */
	| { kind: 'blocked'; reason: string }
	/** The response was incomplete, or is not the service's. */
	| { kind: 'unreadable' }
	/** The response is too large: the request may have taken effect. */
	| { kind: 'tooLarge' };

/** How the attempts until now have ended. */
export interface Attempts {
	/** With a 429. */
	rateLimited: number;
	/** In any other way. */
	failed: number;
}

/** Failed attempts, without those that ended with a 429. */
export const MAX_FAILED = 3;

/** Attempts that ended with a 429, each followed by a wait of up to one window. */
const MAX_RATE_LIMITED = 10;

/** Failures that another attempt would meet again. */
const LASTING: Failure['kind'][] = ['untrusted', 'blocked', 'tooLarge'];

const TRANSIENT = [408, 500, 502, 503, 504];

/** Whether a read that ended with this status is retried. */
export const isTransient = (status: number): boolean => TRANSIENT.includes(status);

const BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 10_000;

/**
 * Whether a request may be sent again. Which failures are safe to retry is undocumented, so this is our decision:
 *
 * | failure                                  | GET | others                                       |
 * |------------------------------------------|-----|----------------------------------------------|
 * | 429                                      | yes | yes: the request has had no effect           |
 * | 408, 500, 502, 503, 504, lost, unreadable | yes | no: it may have been done                   |
 * | too large                                | no  | no: it stays so                              |
 * | unreachable                              | yes | yes: nothing was sent                        |
 * | untrusted, blocked                       | no  | no: it stays so                              |
 * | any other status                         | no  | no                                           |
 *
 * @param attempts how many were made, the last one included
 */
export function mayRetry(method: Method, failure: Failure, attempts: Attempts): boolean {
	if (isRateLimit(failure)) return attempts.rateLimited < MAX_RATE_LIMITED;
	if (attempts.failed >= MAX_FAILED || LASTING.includes(failure.kind)) return false;
	if (failure.kind === 'unreachable') return true;
	if (method !== 'GET') return false;
	return failure.kind !== 'status' || isTransient(failure.status);
}

export const isRateLimit = (failure: Failure): boolean =>
	failure.kind === 'status' && failure.status === 429;

/**
 * How long to wait before the next attempt: what the server said, else a random time up to a bound that doubles
 * ("full jitter"). Not for 429, for which the rate limiter waits.
 *
 * @param failed how many attempts have failed
 * @param retryInMs from Retry-After
 * @param random from 0 up to 1
 */
export function backoffMs(failed: number, retryInMs: number | undefined, random: number): number {
	if (retryInMs !== undefined) return retryInMs + random * 1000;
	return random * Math.min(MAX_BACKOFF_MS, BACKOFF_MS * 2 ** (failed - 1));
}

const NOTHING_SENT = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'];

/** Nothing was sent if they ended the connecting; they can also end a connection on which a request was sent. */
const NO_ROUTE = ['EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN'];

/** Classifies what the HTTP client threw by its error code: whether anything may have been sent. */
export function failureOf(error: unknown): Failure {
	const reason = blockedReason(error);
	if (reason !== undefined) return { kind: 'blocked', reason };
	const code = errorCode(error) ?? '';
	if (tlsProblem(code)) return { kind: 'untrusted' };
	const isUnsent =
		NOTHING_SENT.includes(code) || (NO_ROUTE.includes(code) && isOfConnecting(error));
	return { kind: isUnsent ? 'unreachable' : 'noResponse' };
}

/** n8n's explanation if it has blocked the request (N8N_SSRF_PROTECTION_ENABLED). Such errors have no code. */
function blockedReason(error: unknown): string | undefined {
	const thrown = causesOf(error).find(({ name }) => /^SsrfBlocked\w*Error$/.test(textOf(name)));
	return thrown && textOf(thrown.description ?? thrown.message);
}

interface Thrown {
	name?: unknown;
	code?: unknown;
	/** What the operating system was asked to do, e.g. "connect". */
	syscall?: unknown;
	httpCode?: unknown;
	/** A name with several addresses fails with one error per address. */
	errors?: Thrown[];
	cause?: Thrown;
	message?: unknown;
	description?: unknown;
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
	const codes = chain
		.flatMap(({ code, httpCode, errors = [] }) => [
			code,
			httpCode,
			...errors.map((inner) => inner.code),
		])
		.map(textOf);
	const texts = textsOf(chain);
	return (
		[...codes, ...texts].map(tlsCodeIn).find(Boolean) ??
		codes.find((candidate) => /^E[A-Z_]+$/.test(candidate)) ??
		texts.map((text) => CODE_IN_TEXT.exec(text)?.[0]).find(Boolean)
	);
}

/** Whether it happened before the connection was there, so that nothing was sent. */
function isOfConnecting(error: unknown): boolean {
	const chain = causesOf(error).flatMap((thrown) => [thrown, ...(thrown.errors ?? [])]);
	return (
		chain.some(({ syscall }) => syscall === 'connect') ||
		textsOf(chain).some((text) => /\bconnect E[A-Z]+/.test(text))
	);
}

const textsOf = (chain: Thrown[]): string[] =>
	chain.flatMap(({ message, messages = [] }) => [...messages, message]).map(textOf);

/** Not every word in capitals is a code: only Node.js's codes for connections count. */
const CODE_IN_TEXT = new RegExp(
	`\\b(?:${[...NOTHING_SENT, ...NO_ROUTE, 'ECONNRESET', 'ECONNABORTED', 'ETIMEDOUT', 'EPIPE'].join('|')})\\b`,
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
