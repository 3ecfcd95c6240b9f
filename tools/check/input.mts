import {
	checkBaseUrl,
	checkToken,
} from '../../nodes/ConversationalMessaging/api/access/credential.ts';
import { CheckStopped } from './service.mts';

export const TOKEN_VARIABLE = 'CONVERSATIONAL_MESSAGING_TOKEN';

/** The base URL in the arguments, without a slash at its end. @throws CheckStopped */
export function readBaseUrl([address, ...others]: string[]): string {
	const { value: url, hint } = checkBaseUrl(address);
	if (url !== undefined && others.length === 0) return url;
	throw new CheckStopped(
		url === undefined
			? `${String(hint)}.`
			: 'The only argument is the base URL. The token is none, because others on this machine can see arguments.',
		'npm run check-service -- https://your-service.example.com/api/v2',
	);
}

/** A token of the service. @throws CheckStopped */
export function readToken(text?: string): string {
	const { value: token } = checkToken(text);
	if (token !== undefined) return token;
	throw new CheckStopped(
		'There is no token, or it is not one of the service’s: they begin with wa_pk_ and contain no spaces.',
		`Create one in the dashboard under API Access, and set the environment variable ${TOKEN_VARIABLE} to it.`,
	);
}
