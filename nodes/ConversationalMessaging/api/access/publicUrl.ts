/** Networks that no other machine reaches over the internet: RFC 1122, 1918, 3927, 6598. */
const PRIVATE_IPV4 =
	/^(?:0|10|127)\.|^169\.254\.|^192\.168\.|^172\.(?:1[6-9]|2\d|3[01])\.|^100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./;

/** Loopback, unspecified, unique local and link-local addresses (RFC 4291, 4193). */
const PRIVATE_IPV6 = /^(?:::1?$|f[cd][0-9a-f]{2}:|fe[89ab][0-9a-f]:)/;

/** Names that no public server resolves (RFC 6761, 6762, and the suffix that ICANN reserves for private use). */
const PRIVATE_NAME = /(?:^|\.)(?:localhost|local|internal|test|lan|home\.arpa)$/;

/**
 * Whether a host is this machine or in a private network, as far as it shows. A public name may still be behind a
 * firewall. An IPv4 address in IPv6 counts as public.
 *
 * @param hostname as `URL` gives it: lower case, IPv4 in dotted decimals whatever was typed, IPv6 in brackets
 */
export function isPrivateHost(hostname: string): boolean {
	const host = hostname.replace(/\.$/, '');
	// Names such as 10.example.com are not addresses: only four plain numbers are.
	if (/^[\d.]+$/.test(host)) return PRIVATE_IPV4.test(host);
	if (!host.startsWith('[')) return !host.includes('.') || PRIVATE_NAME.test(host);
	return PRIVATE_IPV6.test(host.slice(1, -1));
}

/** Whether somebody on the internet can open a URL, as far as its host shows. */
export const isPublicUrl = (url: string): boolean =>
	URL.canParse(url) && !isPrivateHost(new URL(url).hostname);
