import { isPrivateHost } from './publicUrl';
import { type Shown, shown } from './shown';
import { textOf } from '../base/text';

/** What a base URL looks like; shown in messages. */
const EXAMPLE = 'https://your-service.example.com/api/v2';

/** What a token of the service looks like (API document, section Authentication; RFC 6750, 2.1 for its characters). */
const TOKEN = /^wa_pk_[\w.~+/-]+=*$/;

/** A value that can be used, or what is wrong with it and what to do. */
type Checked = { value: string; hint?: undefined } | { value?: undefined; hint: Shown };

/** Reads the API token of a credential, without the spaces around it. */
export function checkToken(input: unknown): Checked {
	const value = textOf(input).trim();
	if (TOKEN.test(value)) return { value };
	return {
		hint:
			value === ''
				? shown`The credential has no API token. Create one in the dashboard under API Access and enter it`
				: shown`The API token in the credential is not one of the service’s, which begin with wa_pk_ and contain no spaces. Copy it again, without "Bearer"`,
	};
}

/**
 * Reads the base URL of a credential, without the spaces around it and the slashes at its end.
 *
 * The path must end in the version segment `/api/v2`; version 1 is removed (API document, section Versioning). Plain
 * http is accepted only if the token stays on this machine or in a private network.
 */
export function checkBaseUrl(input: unknown): Checked {
	const text = textOf(input).trim();
	const url = URL.canParse(text) ? new URL(text) : undefined;
	const path = url?.pathname.replace(/(?<!\/)\/+$/, '') ?? '';
	const hint = url ? whyUnusable(url, path) : notAnAddress(text);
	return hint ? { hint } : { value: `${url?.origin}${path}` };
}

/** A text that only resembles a URL may also have a password before its @. */
const notAnAddress = (text: string): Shown =>
	text === ''
		? shown`Enter the base URL of the service, e.g. ${EXAMPLE}`
		: shown`The base URL "${text.replace(/^.*@/s, '…@')}" is not a web address. Enter it in full, e.g. ${EXAMPLE}`;

/** @param path without a slash at its end */
function whyUnusable(url: URL, path: string): Shown | undefined {
	if (!['https:', 'http:'].includes(url.protocol)) return notAnAddress(url.href);
	if (url.username || url.password)
		return shown`The base URL contains a user name or password. Remove it: only the token is used to sign in`;
	// Of the host, the credential makes a list of domains to which n8n's HTTP Request node may send the token.
	if (/[*,]/.test(url.hostname))
		return shown`The base URL has the host "${url.hostname}", which n8n would read as a list or a pattern. Enter that of your service, e.g. ${EXAMPLE}`;
	if (url.search || url.hash)
		return shown`The base URL contains a query or a fragment (? or #). End it with /api/v2, e.g. ${EXAMPLE}`;
	if (/\/api\/v1$/.test(path))
		return shown`The base URL ends in /api/v1, which the service no longer serves. Change it to /api/v2; the token stays valid`;
	if (!path.endsWith('/api/v2'))
		return shown`The base URL must end in /api/v2. Try ${url.origin}/api/v2`;
	if (url.protocol === 'http:' && !isPrivateHost(url.hostname))
		return shown`http:// would send the token unencrypted. Use https://${url.host}${path}`;
	return undefined;
}
