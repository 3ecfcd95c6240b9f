import type { Shown } from './shown';
import { shown } from './shown';
import { textOf } from '../base/text';

/** What a token of the service looks like (API document, section Authentication; RFC 6750, 2.1 for its characters). */
const TOKEN = /^wa_pk_[\w.~+/-]+=*$/;

/** A usable token, or what is wrong with it and what to do. */
type CheckedToken = { token: string; hint?: undefined } | { token?: undefined; hint: Shown };

/** Reads the API token of a credential, without the spaces around it. */
export function checkToken(input: unknown): CheckedToken {
	const token = textOf(input).trim();
	if (token === '') {
		return {
			hint: shown`The credential has no API token. Create one in the dashboard under API Access and enter it`,
		};
	}
	if (!TOKEN.test(token)) {
		return {
			hint: shown`The API token in the credential is not one of the service’s, which begin with wa_pk_ and contain no spaces. Copy it again, without "Bearer"`,
		};
	}
	return { token };
}
