import { textOf } from './base/text';
import type { RateInfo } from './rate/rateHeaders';
import type { ServiceResponse } from './response/response';
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
	| { kind: 'tooLarge' }
	/** n8n could not read the file of an upload, for this reason. Nothing, or a part of it, was sent. */
	| { kind: 'unreadFile'; reason: unknown };

/** How an attempt ended. */
export type Outcome = { failure?: undefined; response: ServiceResponse; rate: RateInfo } | Failed;

/** An attempt that failed, with a response or without one. */
export interface Failed {
	failure: Failure;
	response?: ServiceResponse;
	rate?: RateInfo;
	/** For the error's message. */
	detail?: string;
}

/** Why a response is a failure; undefined if it can be returned. */
export function failureIn(response: ServiceResponse): Failure | undefined {
	const isSuccess = response.status >= 200 && response.status < 300;
	if (!isSuccess) return { kind: 'status', status: response.status };
	return response.json === undefined && response.text.trim() !== ''
		? { kind: 'unreadable' }
		: undefined;
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
