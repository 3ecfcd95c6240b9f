import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	IN8nHttpFullResponse,
	INodeCredentialTestResult,
} from 'n8n-workflow';
import { checkBaseUrl, checkToken } from '../api/access/credential';
import { shown } from '../api/access/shown';
import { connectionFailure, failureIn } from '../api/attemptFailure';
import { type Endpoint, pathOf, permissionIn, permissionOf } from '../api/endpoint';
import { type Failure, failureTexts } from '../api/failures';
import { type ServiceResponse, findRows, readResponse, whatCame } from '../api/response/response';
import { serviceMessageIn } from '../api/response/serviceMessage';
import { TimeLimit } from '../api/timeLimit';

/** Lists behind pickers, read only far enough to see whether the token has the permission. */
const PICKER_LISTS = [
	{ endpoint: 'GET /channels', query: '', picks: 'channels' },
	{ endpoint: 'GET /users', query: '', picks: 'agents' },
	{ endpoint: 'GET /contacts', query: '?limit=1', picks: 'contacts' },
	{ endpoint: 'GET /tickets', query: '?limit=1', picks: 'tickets' },
] as const;

export const TIMEOUT_MS = 15_000;

/** The next steps of a test, where they differ from those of a run, by the status of the response. */
const STEPS = new Map([
	[
		400,
		shown`Check with the operator of the service whether your token and URL are those of its API v2.`,
	],
	[404, shown`Check the whole base URL, up to /api/v2.`],
	[429, shown`The rate limit of this token is used up. Wait a minute, then test again.`],
]);

/** What one request of the test shows about the token: the permission that it lacks, or why the test failed; {} for neither. */
interface Access {
	missing?: string;
	failure?: string;
}

/**
 * Tests the credential: any token that the service recognizes passes, even without some permissions.
 *
 * A 403 that names a permission means that the token is known, active and not expired (API document, section
 * Authentication, Failures). The result names the permission, because the lists that need it stay empty.
 */
export async function testConnection(
	this: ICredentialTestFunctions,
	credential: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const { value: token, hint } = checkToken(credential.data?.apiToken);
	if (hint) return { status: 'Error', message: String(hint) };
	const { value: url, hint: urlHint } = checkBaseUrl(credential.data?.baseUrl);
	if (urlHint) return { status: 'Error', message: String(urlHint) };

	const probed = await Promise.all(
		PICKER_LISTS.map(async (list) => ({ ...list, ...(await probe(this, url, token, list)) })),
	);
	const failure = probed.find((access) => access.failure)?.failure;
	if (failure !== undefined) return { status: 'Error', message: failure };
	const missing = probed.flatMap(({ missing: permission, picks }) =>
		permission === undefined ? [] : `${permission} (list of ${picks})`,
	);
	if (missing.length === 0) return { status: 'OK', message: 'Token valid' };
	return {
		status: 'OK',
		message: `Token valid. Missing permissions: ${missing.join(', ')}. Add them, or enter IDs instead of picking from these lists`,
	};
}

async function probe(
	n8n: ICredentialTestFunctions,
	url: string,
	token: string,
	{ endpoint, query }: (typeof PICKER_LISTS)[number],
): Promise<Access> {
	// A credential test has no other helper: the newer ones need a node.
	const { request } = n8n.helpers;
	const limit = new TimeLimit(TIMEOUT_MS);
	const failed = (failure: Failure, response?: ServiceResponse): Access => {
		const errorHint = (status: number) => STEPS.get(status);
		const info = { endpoint, action: 'Test connection', errorHint };
		const { message, step } = failureTexts(url, info, failure, response);
		return { failure: `${String(message)}. ${String(step)}` };
	};
	try {
		const pending = request({
			method: 'GET',
			uri: `${url}${pathOf(endpoint)}${query}`,
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
		const missing = response.status === 403 ? missingPermission(response, endpoint) : undefined;
		if (missing !== undefined) return { missing };
		const failure = failureIn(response, endpoint);
		if (failure) return failed(failure, response);
		// In a run, null is an empty list. Of another service, it shows nothing.
		if (response.json !== null && findRows(response.json, endpoint)) return {};
		return failed({ kind: 'list', reason: String(whatCame(response.json)) });
	} catch (error) {
		return failed(connectionFailure(error));
	} finally {
		limit.end();
	}
}

/** The permission that a token lacks, as a 403 says; undefined if it does not say that. */
function missingPermission(response: ServiceResponse, endpoint: Endpoint): string | undefined {
	const message = serviceMessageIn(response) ?? '';
	const named = permissionIn(response.text) ?? permissionIn(message);
	if (named !== undefined) return named;
	// Not every service names the permission literally.
	const isAboutState = /expire|inactive|deactivat|disabled|revoked/i.test(message);
	return /permission|scope/i.test(message) && !isAboutState ? permissionOf(endpoint) : undefined;
}
