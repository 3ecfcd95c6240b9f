import { textOf } from './base/text';
import type { Failure } from './failures';

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

/** Of Node.js and OpenSSL, for certificates that are not accepted, and a service that speaks plain HTTP. */
const UNTRUSTED =
	/\b(?:[A-Z_]*CERT_[A-Z_]+|[A-Z_]+_CERT|UNABLE_TO_[A-Z_]+|HOSTNAME_MISMATCH|[A-Z_]*WRONG_VERSION_NUMBER)\b|wrong version number/;

/** Of Node.js, for connections. In texts, not every word in capitals is a code. */
const CONNECTION =
	/\bE(?:CONN[A-Z]+|HOST[A-Z]+|NET[A-Z]+|AI_[A-Z]+|NOTFOUND|TIMEDOUT|PIPE|PROTO)\b/;

/** A host name that was not found, or a connection that was not made: nothing was sent. */
const UNSENT = /\b(?:ECONNREFUSED|ENOTFOUND|EAI_[A-Z]+)\b|\bconnect E[A-Z]+\b/;

/**
 * What kind of failure the HTTP client threw. Only a code, or the words of OpenSSL, are its reason: other texts may
 * contain the request.
 *
 * n8n wraps the error, and its version decides where the code is: in `cause`, in `httpCode`, or only in one of the
 * messages.
 */
export function connectionFailure(error: unknown): Failure {
	const all = causesOf(error).flatMap((thrown) => [thrown, ...(thrown.errors ?? [])]);
	// n8n's protection of its network (N8N_SSRF_PROTECTION_ENABLED). Such errors have no code.
	const blocked = all.find(({ name }) => /^SsrfBlocked\w*Error$/.test(textOf(name)));
	if (blocked) return { kind: 'blocked', reason: textOf(blocked.description ?? blocked.message) };
	const codes = all
		.map(({ syscall, code, httpCode }) => `${textOf(syscall)} ${textOf(code ?? httpCode)}`)
		.filter((code) => / [A-Z_]+$/.test(code));
	const code = codes.find((text) => / E[A-Z_]+$/.test(text));
	const texts = all.flatMap(({ message, messages = [] }) => [...messages, message]).map(textOf);
	// Up to version 20, Node.js has the code EPROTO for a service without TLS, which is also that of a broken connection.
	const words = !code || code.endsWith('EPROTO') ? [...codes, ...texts] : codes;
	const untrusted = words.map((text) => UNTRUSTED.exec(text)?.[0]).find(Boolean);
	if (untrusted) {
		// OpenSSL's own words, with the code: "certificate has expired, CERT_HAS_EXPIRED".
		const said = textOf(all.find((thrown) => thrown.code === untrusted)?.message);
		const more = said === '' || said.includes(untrusted) ? '' : `${said}, `;
		return { kind: 'untrusted', reason: `${more}${untrusted}` };
	}
	const found = code ?? texts.find((text) => CONNECTION.test(text)) ?? '';
	return {
		kind: UNSENT.test(found) ? 'unreachable' : 'noResponse',
		reason: code?.split(' ').pop() ?? CONNECTION.exec(found)?.[0],
	};
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
