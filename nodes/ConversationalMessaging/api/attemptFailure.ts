import { textOf } from './base/text';
import type { Endpoint } from './endpoint';
import { type Failure, kindOfStatus } from './failures';
import { type ServiceResponse, refusalIn, says } from './response/response';
import type { TimeLimit } from './timeLimit';

/** Why a response is a failure; undefined if it can be returned. */
export function failureIn(response: ServiceResponse, endpoint: Endpoint): Failure | undefined {
	const { status, json, text, headers } = response;
	if (status < 200 || status >= 300) return { kind: kindOfStatus(status) };
	if (json === undefined && text.trim() !== '')
		return {
			kind: 'unreadable',
			reason: [status, textOf(headers['content-type'])].filter(Boolean).join(', '),
		};
	const refusal = refusalIn(json, endpoint);
	if (!refusal) return undefined;
	return { kind: says(json, 'true') && !says(refusal, 'false') ? 'contradictory' : 'rejected' };
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

/** The code with which n8n's HTTP client gives up after its time. */
const CLIENT_TIMEOUT = 'ECONNABORTED';

/** Of Node.js and OpenSSL, for certificates that are not accepted, and a service that speaks plain HTTP. */
const UNTRUSTED =
	/\b(?:[A-Z_]*CERT_[A-Z_]+|[A-Z_]+_CERT|UNABLE_TO_[A-Z_]+|HOSTNAME_MISMATCH|[A-Z_]*WRONG_VERSION_NUMBER)\b|wrong version number/;

/** Of Node.js, for connections. In texts, not every word in capitals is a code. */
const CONNECTION =
	/\bE(?:CONN[A-Z]+|HOST[A-Z]+|NET[A-Z]+|AI_[A-Z]+|NOTFOUND|TIMEDOUT|PIPE|PROTO)\b/;

/** A host name that was not found, or a connection that was not made: nothing was sent. */
const UNSENT = /\b(?:ECONNREFUSED|ENOTFOUND|EAI_[A-Z]+)\b|\bconnect E[A-Z]+\b/;

/** What kind of failure the HTTP client threw. If it gave up because of the time limit, it is a timeout. */
export function failureWithin(limit: TimeLimit, error: unknown): Failure {
	const failure = connectionFailure(error);
	// The limit looks at the time once a second: n8n's HTTP client often gives up before it.
	return limit.isExceeded || failure.reason === CLIENT_TIMEOUT
		? { kind: 'timeout', ms: limit.ms }
		: failure;
}

/**
 * What kind of failure the HTTP client threw. Only a code is its reason: texts may contain the request.
 *
 * n8n wraps the error, and its version decides where the code is: in `cause`, in `httpCode`, or only in one of the
 * messages.
 */
export function connectionFailure(error: unknown): Failure {
	const all = causesOf(error);
	// n8n's protection of its network (N8N_SSRF_PROTECTION_ENABLED). Such errors have no code.
	const blocked = all.find(({ name }) => /^SsrfBlocked\w*Error$/.test(textOf(name)));
	if (blocked) return { kind: 'blocked', reason: textOf(blocked.description ?? blocked.message) };
	const codes = all
		.map(({ syscall, code, httpCode }) => `${textOf(syscall)} ${textOf(code ?? httpCode)}`)
		.filter((code) => / [A-Z_]+$/.test(code));
	const texts = all.flatMap(({ message, messages = [] }) => [...messages, message]).map(textOf);
	// Up to version 20, Node.js has the code EPROTO for a service without TLS, which is also that of a broken connection.
	const hasCode = codes.some((code) => !code.endsWith(' EPROTO'));
	const words = hasCode ? codes : [...codes, ...texts];
	const untrusted = words.map((text) => UNTRUSTED.exec(text)?.[0]).find(Boolean);
	if (untrusted) return { kind: 'untrusted', reason: untrusted };
	// Of Node.js's HTTP parser, for what is no HTTP, or has too long headers.
	const unreadable = codes.find((code) => code.startsWith(' HPE_'));
	if (unreadable) return { kind: 'unreadable', reason: unreadable.trim() };
	const pattern = hasCode ? /\bE[A-Z_]+$/ : CONNECTION;
	// An error about several addresses has the code of the first one, but not what was to be done.
	const connecting = codes.find((code) => code.startsWith('connect '));
	const found = connecting ?? words.find((text) => pattern.test(text)) ?? '';
	return {
		kind: UNSENT.test(found) ? 'unreachable' : 'noResponse',
		reason: pattern.exec(found)?.[0],
	};
}

function causesOf(error: unknown, depth = 6): Thrown[] {
	if (typeof error !== 'object' || error === null || depth === 0) return [];
	const thrown = error as Thrown;
	return [thrown, ...(thrown.errors ?? []), ...causesOf(thrown.cause, depth - 1)];
}
