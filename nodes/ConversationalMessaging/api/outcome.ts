import { textOf } from './base/text';
import type { RateInfo } from './rate/rateHeaders';
import type { ServiceResponse } from './response/response';
import { ownValue } from './response/names';

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
	| ({ kind: 'untrusted' } & TlsProblem)
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
	const tlsProblem = ownValue(TLS_PROBLEMS, code);
	if (tlsProblem) return { kind: 'untrusted', ...tlsProblem };
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

/** Why no encrypted connection was made, and what to do. */
interface TlsProblem {
	/** Ends the sentence "… could not be reached securely: ". */
	reason: string;
	step: string;
}

const UNKNOWN_AUTHORITY: TlsProblem = {
	reason: 'n8n does not know the authority that signed its certificate',
	step: 'If the certificate is self-signed or from a private authority, set the environment variable NODE_EXTRA_CA_CERTS of n8n to a file with the certificate of the authority, and restart n8n.',
};

/** By the codes of Node.js and OpenSSL (Node.js documentation, TLS, X509 certificate error codes). */
const TLS_PROBLEMS: Record<string, TlsProblem> = {
	DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
	SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
	UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
	UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
	UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
	CERT_UNTRUSTED: UNKNOWN_AUTHORITY,
	CERT_HAS_EXPIRED: {
		reason: 'its certificate has expired',
		step: 'Ask the operator of the service to renew the certificate. If it was renewed, check the clock of the computer that n8n runs on.',
	},
	CERT_NOT_YET_VALID: {
		reason: 'its certificate is not valid yet',
		step: 'Check the clock of the computer that n8n runs on.',
	},
	CERT_REVOKED: {
		reason: 'its certificate was revoked',
		step: 'Ask the operator of the service for a new certificate.',
	},
	ERR_TLS_CERT_ALTNAME_INVALID: {
		reason: 'its certificate is for another host name',
		step: 'Enter the host name that the certificate is for as the base URL in the credential.',
	},
	ERR_SSL_WRONG_VERSION_NUMBER: {
		reason: 'it does not use HTTPS on this port',
		step: 'Check the host and the port of the base URL in the credential.',
	},
};

const TLS_CODES = new RegExp(`\\b(?:${Object.keys(TLS_PROBLEMS).join('|')})\\b`);

/** The code of a TLS problem in a text; undefined if it names none. */
function tlsCodeIn(text: string): string | undefined {
	// Up to version 20, Node.js has the code EPROTO for it, which is also that of a broken connection.
	if (/wrong version number/.test(text)) return 'ERR_SSL_WRONG_VERSION_NUMBER';
	return TLS_CODES.exec(text)?.[0];
}
