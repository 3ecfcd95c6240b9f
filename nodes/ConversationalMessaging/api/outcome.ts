import { textOf } from './base/text';
import type { Endpoint } from './endpoint';
import type { Failure } from './failures';
import { kindOfStatus } from './failures';
import type { RateInfo } from './rate/rateHeaders';
import { refusalIn } from './response/record';
import type { ServiceResponse } from './response/response';
import { isRejection } from './response/response';

/** How an attempt ended. */
export type Outcome = { failure?: undefined; response: ServiceResponse; rate: RateInfo } | Failed;

/** An attempt that failed, with a response or without one. */
export interface Failed {
	failure: Failure;
	response?: ServiceResponse;
	rate?: RateInfo;
}

/** Why a response is a failure; undefined if it can be returned. */
export function failureIn(response: ServiceResponse, endpoint: Endpoint): Failure | undefined {
	const { status, json, text, headers } = response;
	if (status < 200 || status >= 300) return { kind: kindOfStatus(status) };
	if (json === undefined && text.trim() !== '')
		return {
			kind: 'unreadable',
			reason: [status, textOf(headers['content-type'])].filter(Boolean).join(', '),
		};
	return isRejection(response) || refusalIn(json, endpoint) ? { kind: 'rejected' } : undefined;
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

/** Codes of Node.js and OpenSSL for certificates that are not accepted, and a service that speaks plain HTTP. */
const UNTRUSTED =
	/\b(?:[A-Z_]*CERT_[A-Z_]+|[A-Z_]+_CERT|UNABLE_TO_[A-Z_]+|HOSTNAME_MISMATCH|[A-Z_]*WRONG_VERSION_NUMBER)\b|wrong version number/;

/** Codes of Node.js for connections. In texts, not every word in capitals is a code. */
const CONNECTION =
	/\bE(?:CONN[A-Z]+|HOST[A-Z]+|NET[A-Z]+|AI_[A-Z]+|NOTFOUND|TIMEDOUT|PIPE|PROTO)\b/;

/** Of a host name that was not found, or of a connection that was not made: nothing was sent. */
const UNSENT = /\b(?:ECONNREFUSED|ENOTFOUND|EAI_[A-Z]+)\b|\bconnect E[A-Z]+\b/;

/**
 * What kind of failure the HTTP client threw. Its texts may contain the request, so only a code, or the words of OpenSSL,
 * are its reason.
 *
 * n8n wraps the error, and its version decides where the code is: in `cause`, in `httpCode`, or only in one of the
 * messages.
 */
export function failureOf(error: unknown): Failure {
	const chain = causesOf(error);
	// n8n's protection of its network (N8N_SSRF_PROTECTION_ENABLED). Such errors have no code.
	const blocked = chain.find(({ name }) => /^SsrfBlocked\w*Error$/.test(textOf(name)));
	if (blocked) return { kind: 'blocked', reason: textOf(blocked.description ?? blocked.message) };
	const all = chain.flatMap((thrown) => [thrown, ...(thrown.errors ?? [])]);
	const codes = all.flatMap(({ code, httpCode, syscall }) =>
		[code, httpCode].map((value) => `${textOf(syscall)} ${textOf(value)}`),
	);
	const texts = all.flatMap(({ message, messages = [] }) => [...messages, message]).map(textOf);
	const code = codes.find((text) => / E[A-Z_]+$/.test(text));
	// A text counts only without a code: it may contain the request. Up to version 20, Node.js has the code EPROTO for a
	// service without TLS, which is also that of a broken connection.
	const words = code === undefined || code.endsWith('EPROTO') ? texts : [];
	const untrusted = [...codes, ...words].map((text) => UNTRUSTED.exec(text)?.[0]).find(Boolean);
	if (untrusted) return { kind: 'untrusted', reason: wordsOf(all, untrusted) };
	const withCode = code ?? texts.find((text) => CONNECTION.test(text));
	return {
		kind: UNSENT.test(withCode ?? '') ? 'unreachable' : 'noResponse',
		reason: / E[A-Z_]+$/.exec(withCode ?? '')?.[0].trim() ?? CONNECTION.exec(withCode ?? '')?.[0],
	};
}

/** OpenSSL's own words, with the code: "certificate has expired, CERT_HAS_EXPIRED". */
function wordsOf(all: Thrown[], code: string): string {
	const words = textOf(all.find((thrown) => thrown.code === code)?.message);
	return words === '' || words.includes(code) ? code : `${words}, ${code}`;
}

function causesOf(error: unknown): Thrown[] {
	const chain: Thrown[] = [];
	let current = error as Thrown | null | undefined;
	while (typeof current === 'object' && current !== null && chain.length < 6) {
		chain.push(current);
		current = current.cause;
	}
	return chain;
}
