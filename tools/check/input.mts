import { checkBaseUrl } from '../../nodes/ConversationalMessaging/api/access/credential.ts';
import { CheckStopped } from './service.mts';

const USAGE = 'npm run check-service -- https://your-service.example.com/api/v2';

export const TOKEN_VARIABLE = 'CONVERSATIONAL_MESSAGING_TOKEN';

/** The base URL in the arguments, without a slash at its end. @throws CheckStopped */
export function readBaseUrl([address, ...others]: string[]): string {
	if (others.length > 0)
		throw new CheckStopped(
			'The only argument is the base URL. The token is none, because others on this machine can see arguments.',
			USAGE,
		);
	const { value: url, hint } = checkBaseUrl(address);
	if (url === undefined) throw new CheckStopped(`${String(hint)}.`, USAGE);
	return url;
}

/** A token as it can be in a header. @throws CheckStopped */
export function readToken(text: string): string {
	const token = text.trim();
	if (token === '')
		throw new CheckStopped(
			'There is no token.',
			`Set the environment variable ${TOKEN_VARIABLE} to an API token of the service.`,
		);
	if (!/^[\x21-\x7e]+$/.test(token))
		throw new CheckStopped(
			'The token contains spaces or other characters that a token cannot have.',
			'Copy it again from the dashboard. It begins with wa_pk_.',
		);
	return token;
}
