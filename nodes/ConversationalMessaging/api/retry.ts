import type { Method } from './endpoint';

/** How a try ended that brought no usable answer. */
export type Failure =
	| { kind: 'status'; status: number }
	/** No answer in time, or the connection broke: the request may have been carried out. */
	| { kind: 'lost' }
	/** No connection came about: nothing was sent. */
	| { kind: 'unreachable' }
	/** The answer broke off, or is not what the service sends. */
	| { kind: 'unreadable' };

/** Tries in all, for everything but 429. */
export const MAX_TRIES = 3;

/** Tries in all for 429, each after a wait of up to a window. */
export const MAX_RATE_LIMITED_TRIES = 10;

const TRANSIENT = [408, 500, 502, 503, 504];
const BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 10_000;

/**
 * Whether a request may be sent once more. Which refusals are safe to repeat is undocumented; settled here:
 *
 * | failure                                  | GET | others                                       |
 * |------------------------------------------|-----|----------------------------------------------|
 * | 429                                      | yes | yes: it comes before the work                |
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
 * How long to wait before the next try: what the server said, else a random time up to a bound that doubles
 * ("full jitter"). Not for 429, whose waiting is the gate's.
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

/** Sorts what the HTTP client threw, by the error codes of Node.js (`code`, anywhere in its chain of causes). */
export function failureOf(error: unknown): Failure {
	let current = error as
		| { code?: unknown; cause?: unknown; errors?: unknown[]; message?: unknown }
		| undefined;
	for (let depth = 0; current && depth < 6; depth++) {
		const { code, errors, message } = current;
		// A name with several addresses fails with one error per address.
		const codes = [code, ...(errors ?? []).map((inner) => (inner as { code?: unknown }).code)];
		if (codes.some((candidate) => NOTHING_SENT.includes(String(candidate))))
			return { kind: 'unreachable' };
		if (code === undefined && NOTHING_SENT.some((name) => String(message).includes(name)))
			return { kind: 'unreachable' };
		current = current.cause as typeof current;
	}
	return { kind: 'lost' };
}
