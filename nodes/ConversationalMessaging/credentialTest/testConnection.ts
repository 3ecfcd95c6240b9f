import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	IN8nHttpFullResponse,
	INodeCredentialTestResult,
} from 'n8n-workflow';
import { checkBaseUrl, checkToken } from '../api/access/credential';
import { type Shown, shown } from '../api/access/shown';
import { failureIn, failureWithin } from '../api/attemptFailure';
import { type ListEndpoint, pathOf, permissionIn } from '../api/endpoint';
import { type Failure, failureTexts } from '../api/failures';
import { type ServiceResponse, findRows, readResponse, whatCame } from '../api/response/response';
import { serviceMessageIn } from '../api/response/serviceMessage';
import { TimeLimit } from '../api/timeLimit';

/** Any list would do. */
const ENDPOINT: ListEndpoint = 'GET /contacts';

export const TIMEOUT_MS = 15_000;

/** The next steps of a test, where they differ from those of a run, by the status of the response. */
const STEPS: Partial<Record<number, Shown>> = {
	400: shown`Check with the operator of the service whether your token and URL are those of its API v2.`,
	404: shown`Check the whole base URL, up to /api/v2.`,
	429: shown`The rate limit of this token is used up. Wait a minute, then test again.`,
};

/**
 * Tests the credential: any token that the service recognizes passes. A 403 about a permission means that it is known, active and
 * not expired (API document, section Authentication, Failures).
 */
export async function testConnection(
	this: ICredentialTestFunctions,
	credential: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const { value: token, hint } = checkToken(credential.data?.apiToken);
	if (hint) return { status: 'Error', message: String(hint) };
	const { value: url, hint: urlHint } = checkBaseUrl(credential.data?.baseUrl);
	if (urlHint) return { status: 'Error', message: String(urlHint) };

	const failure = await probe(this, url, token);
	return failure === undefined
		? { status: 'OK', message: 'Token valid' }
		: { status: 'Error', message: failure };
}

/** Reads one row. @returns why the test failed; undefined if the service knows the token */
async function probe(
	n8n: ICredentialTestFunctions,
	url: string,
	token: string,
): Promise<string | undefined> {
	// A credential test has no other helper: the newer ones need a node.
	const { request } = n8n.helpers;
	const limit = new TimeLimit(TIMEOUT_MS);
	const failed = (failure: Failure, response?: ServiceResponse): string => {
		const errorHint = (status: number) => STEPS[status];
		const info = { endpoint: ENDPOINT, action: 'Test connection', errorHint };
		const { message, step } = failureTexts(url, info, failure, response);
		return `${String(message)}. ${String(step)}`;
	};
	try {
		const pending = request({
			method: 'GET',
			uri: `${url}${pathOf(ENDPOINT)}?limit=1`,
			headers: { Authorization: `Bearer ${token}`, Accept: 'application/json' },
			resolveWithFullResponse: true,
			simple: false,
			followRedirect: false,
			// So that its time and its size are limited.
			useStream: true,
			timeout: TIMEOUT_MS,
		}) as Promise<IN8nHttpFullResponse>;
		const response = await readResponse(await limit.response(pending), limit);
		if ('tooLarge' in response) return failed({ kind: 'tooLarge', reason: response.tooLarge });
		if (response.status === 403 && isAboutPermission(response)) return undefined;
		const failure = failureIn(response, ENDPOINT);
		if (failure) return failed(failure, response);
		// In a run, null is an empty list. Of another service, it shows nothing.
		if (response.json !== null && findRows(response.json, ENDPOINT)) return undefined;
		return failed({ kind: 'list', reason: String(whatCame(response.json)) });
	} catch (error) {
		return failed(failureWithin(limit, error));
	} finally {
		limit.end();
	}
}

function isAboutPermission(response: ServiceResponse): boolean {
	const message = serviceMessageIn(response) ?? '';
	const named = permissionIn(response.text) ?? permissionIn(message);
	if (named !== undefined) return true;
	// Not every service names the permission literally.
	const isAboutState = /expire|inactive|deactivat|disabled|revoked/i.test(message);
	return /permission|scope/i.test(message) && !isAboutState;
}
