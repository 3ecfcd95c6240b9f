import { textOf } from './text';

/** What a base URL looks like; shown in messages. */
const EXAMPLE = 'https://your-service.example.com/api/v2';

/** A usable base URL, or what is wrong with it and what to do. */
export type CheckedBaseUrl = { url: string; hint?: undefined } | { url?: undefined; hint: string };

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
	if (text === '') return { hint: `Enter the base URL of the service, e.g. ${EXAMPLE}` };
	const url = parse(text);
	if (!url)
		return {
			hint: `The base URL "${text}" is not a web address. Enter it in full, e.g. ${EXAMPLE}`,
		};
	if (url.username || url.password) {
		return {
			hint: 'The base URL contains a user name or password. Remove it: only the token is used to sign in',
		};
	}
	if (url.search || url.hash) {
		return {
			hint: `The base URL contains a query or a fragment (? or #). End it with /api/v2, e.g. ${EXAMPLE}`,
		};
	}
	const path = url.pathname.replace(/\/+$/, '');
	if (/\/api\/v1$/.test(path)) {
		return {
			hint: 'The base URL ends in /api/v1, which the service no longer serves. Change it to /api/v2; the token stays valid',
		};
	}
	if (!path.endsWith('/api/v2')) {
		return { hint: `The base URL must end in /api/v2. Try ${url.origin}/api/v2` };
	}
	if (url.protocol === 'http:' && !isPrivateHost(url.hostname)) {
		return {
			hint: `http:// would send the token unencrypted. Use https://${url.host}${path}`,
		};
	}
	return { url: `${url.origin}${path}` };
}

function parse(text: string): URL | undefined {
	try {
		const url = new URL(text);
		return url.protocol === 'https:' || url.protocol === 'http:' ? url : undefined;
	} catch {
		return undefined;
	}
}

/**
 * Whether a host is this machine or in a private network: loopback, RFC 1918, link-local and unique local addresses
 * (RFC 3927, RFC 4193, RFC 4291), names of one label, and names below .localhost, .local and .internal.
 *
 * @param hostname as `URL` gives it: lower case, IPv4 in dotted decimals whatever was typed, IPv6 in brackets
 */
export function isPrivateHost(hostname: string): boolean {
	const host = hostname.replace(/\.$/, '');
	if (host.startsWith('[')) return isPrivateIPv6(host.slice(1, -1));
	// Names such as 10.example.com are not addresses: only four plain numbers are.
	const ipv4 = /^(\d+)\.(\d+)\.\d+\.\d+$/.exec(host);
	if (ipv4) return isPrivateIPv4(Number(ipv4[1]), Number(ipv4[2]));
	return !host.includes('.') || /\.(localhost|local|internal)$/.test(host);
}

function isPrivateIPv4(first: number, second: number): boolean {
	return (
		first === 127 ||
		first === 10 ||
		(first === 172 && second >= 16 && second <= 31) ||
		(first === 192 && second === 168) ||
		(first === 169 && second === 254)
	);
}

function isPrivateIPv6(address: string): boolean {
	// An IPv4-mapped IPv6 address; URL writes its last 32 bits in hexadecimal.
	const mapped = /^::ffff:([0-9a-f]{1,4}):[0-9a-f]{1,4}$/.exec(address)?.[1];
	if (mapped !== undefined) {
		const high = parseInt(mapped, 16);
		return isPrivateIPv4(high >> 8, high & 0xff);
	}
	return (
		address === '::1' || /^f[cd][0-9a-f]{2}:/.test(address) || /^fe[89ab][0-9a-f]:/.test(address)
	);
}
