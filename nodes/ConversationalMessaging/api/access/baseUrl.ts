import { isPrivateHost } from './publicUrl';
import type { Shown } from './shown';
import { shown } from './shown';
import { textOf } from '../base/text';

/** What a base URL looks like; shown in messages. */
const EXAMPLE = 'https://your-service.example.com/api/v2';

/** A usable base URL, or what is wrong with it and what to do. */
type CheckedBaseUrl = { url: string; hint?: undefined } | { url?: undefined; hint: Shown };

/**
 * Reads the base URL of a credential, without the spaces around it and the slashes at its end.
 *
 * The path must end in the version segment `/api/v2`; version 1 is removed (API document, section Versioning). Plain
 * http is accepted only if the token stays on this machine or in a private network.
 *
 * @returns the URL without a slash at its end, or a message for the user
 */
export function checkBaseUrl(input: unknown): CheckedBaseUrl {
	const text = textOf(input).trim();
	if (text === '') return { hint: shown`Enter the base URL of the service, e.g. ${EXAMPLE}` };
	const url = URL.canParse(text) ? new URL(text) : undefined;
	if (!url || !['https:', 'http:'].includes(url.protocol))
		return {
			hint: shown`The base URL "${text}" is not a web address. Enter it in full, e.g. ${EXAMPLE}`,
		};
	if (url.username || url.password) {
		return {
			hint: shown`The base URL contains a user name or password. Remove it: only the token is used to sign in`,
		};
	}
	if (url.search || url.hash) {
		return {
			hint: shown`The base URL contains a query or a fragment (? or #). End it with /api/v2, e.g. ${EXAMPLE}`,
		};
	}
	const path = url.pathname.replace(/(?<!\/)\/+$/, '');
	if (/\/api\/v1$/.test(path)) {
		return {
			hint: shown`The base URL ends in /api/v1, which the service no longer serves. Change it to /api/v2; the token stays valid`,
		};
	}
	if (!path.endsWith('/api/v2')) {
		return { hint: shown`The base URL must end in /api/v2. Try ${url.origin}/api/v2` };
	}
	if (url.protocol === 'http:' && !isPrivateHost(url.hostname)) {
		return {
			hint: shown`http:// would send the token unencrypted. Use https://${url.host}${path}`,
		};
	}
	return { url: `${url.origin}${path}` };
}
