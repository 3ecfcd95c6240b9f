/** Networks that no other machine reaches over the internet: RFC 1122, 1918, 3927, 6598, as regular expressions. */
const PRIVATE_IPV4 =
	/^(?:0|10|127)\.|^169\.254\.|^192\.168\.|^172\.(?:1[6-9]|2\d|3[01])\.|^100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./;

/** Loopback, unspecified, unique local and link-local addresses, and IPv4 written as IPv6 (RFC 4291, 4193). */
const PRIVATE_IPV6 = /^\[(?:::1?\]|f[cd]|fe[89ab]|::ffff:)/;

/** Names that no public server resolves (RFC 6761, 6762, and the suffix that ICANN reserves for private use). */
const PRIVATE_NAME = /(?:^|\.)(?:localhost|local|internal|test|lan|home\.arpa)$/;

/**
 * Whether somebody on the internet can open a URL, as far as its host shows: no private address, and no name of a
 * private network. A public name may still be behind a firewall.
 */
export function isPublicUrl(url: string): boolean {
	if (!URL.canParse(url)) return false;
	const { hostname } = new URL(url);
	const host = hostname.replace(/\.$/, '');
	if (host.startsWith('[')) return !PRIVATE_IPV6.test(host);
	if (/^[\d.]+$/.test(host)) return !PRIVATE_IPV4.test(host);
	return host.includes('.') && !PRIVATE_NAME.test(host);
}
