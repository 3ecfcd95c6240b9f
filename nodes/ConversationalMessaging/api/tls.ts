import { ownValue } from './response/response';

/** Why no encrypted connection was made, and what to do. */
interface TlsProblem {
	/** Ends the sentence "… could not be reached securely: ". */
	reason: string;
	step: string;
}

const UNKNOWN_AUTHORITY: TlsProblem = {
	reason: 'n8n does not know the authority that signed its certificate',
	step: 'If the certificate is self-signed or from a private authority, set the environment variable NODE_EXTRA_CA_CERTS of n8n to a file with the certificate of the authority, and restart n8n.',
};

/** By the codes of Node.js and OpenSSL (Node.js documentation, TLS, X509 certificate error codes). */
const PROBLEMS: Record<string, TlsProblem> = {
	DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
	SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
	UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
	UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
	UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
	CERT_UNTRUSTED: UNKNOWN_AUTHORITY,
	CERT_HAS_EXPIRED: {
		reason: 'its certificate has expired',
		step: 'Ask the operator of the service to renew the certificate. If it was renewed, check the clock of the computer that n8n runs on.',
	},
	CERT_NOT_YET_VALID: {
		reason: 'its certificate is not valid yet',
		step: 'Check the clock of the computer that n8n runs on.',
	},
	CERT_REVOKED: {
		reason: 'its certificate was revoked',
		step: 'Ask the operator of the service for a new certificate.',
	},
	ERR_TLS_CERT_ALTNAME_INVALID: {
		reason: 'its certificate is for another host name',
		step: 'Enter the host name that the certificate is for as the base URL in the credential.',
	},
	ERR_SSL_WRONG_VERSION_NUMBER: {
		reason: 'it does not use HTTPS on this port',
		step: 'Check the host and the port of the base URL in the credential.',
	},
};

const CODES = new RegExp(`\\b(?:${Object.keys(PROBLEMS).join('|')})\\b`);

/** The code of a TLS problem in a text; undefined if it names none. */
export function tlsCodeIn(text: string): string | undefined {
	// Up to version 20, Node.js has the code EPROTO for it, which is also that of a broken connection.
	if (/wrong version number/.test(text)) return 'ERR_SSL_WRONG_VERSION_NUMBER';
	return CODES.exec(text)?.[0];
}

/** @param code from `tlsCodeIn` */
export const tlsProblem = (code: string): TlsProblem | undefined => ownValue(PROBLEMS, code);
