import { textOf } from '../base/text';

/** A usable token, or what is wrong with it and what to do. */
type CheckedToken = { token: string; hint?: undefined } | { token?: undefined; hint: string };

/** Reads the API token of a credential, without the spaces around it. */
export function checkToken(input: unknown): CheckedToken {
	const token = textOf(input).trim();
	if (token === '') {
		return {
			hint: 'The credential has no API token. Create one in the dashboard under API Access and enter it',
		};
	}
	// For characters that no header may contain (RFC 9110, 5.5), and for spaces, the HTTP client's message would be
	// cryptic; some it removes, so that the test of a credential would pass with them.
	if (!/^[\x21-\x7e]+$/.test(token)) {
		return {
			hint: 'The API token in the credential contains a space or another invalid character. Copy it again, without "Bearer"',
		};
	}
	return { token };
}
