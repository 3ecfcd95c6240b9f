import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	IN8nHttpFullResponse,
	INodeCredentialTestResult,
} from 'n8n-workflow';
import type { ServiceResponse } from '../api/response/response';
import { findRows, readResponse, refusalIn, whatCame } from '../api/response/response';
import type { ListEndpoint } from '../api/endpoint';
import { checkBaseUrl, checkToken } from '../api/access/credential';
import type { Message } from '../api/access/shown';
import { shown } from '../api/access/shown';
import { permissionIn, permissionOf, rowNames } from '../api/endpoint';
import { CONSEQUENCES, eventTexts } from '../api/failures';
import { connectionFailure } from '../api/connectionFailure';
import { TimeLimit } from '../api/timeLimit';
import { isHtml, serviceMessageIn } from '../api/response/serviceMessage';

/** Lists behind pickers, read only far enough to see whether the token has the permission. */
const PICKER_LISTS = [
	{ endpoint: 'GET /channels', query: '', picks: 'channels' },
	{ endpoint: 'GET /users', query: '', picks: 'agents' },
	{ endpoint: 'GET /contacts', query: '?limit=1', picks: 'contacts' },
	{ endpoint: 'GET /tickets', query: '?limit=1', picks: 'tickets' },
] as const;

export const TIMEOUT_MS = 15_000;

/** What one request of the test shows about the token. */
type Access =
	| { kind: 'granted' }
	| { kind: 'missing'; permission: string }
	| { kind: 'failed'; message: string };

const failed = <T extends string>(message: Message<T>): Access => ({
	kind: 'failed',
	message: String(message),
});

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
		PICKER_LISTS.map(async (list) => ({ ...list, result: await probe(this, url, token, list) })),
	);
	const missing: string[] = [];
	for (const { picks, result } of probed) {
		if (result.kind === 'failed') {
			return { status: 'Error', message: result.message };
		}
		if (result.kind === 'missing') {
			missing.push(`${result.permission} (list of ${picks})`);
		}
	}
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
	const { host } = new URL(url);
	const limit = new TimeLimit(TIMEOUT_MS);
	try {
		const pending = request({
			method: 'GET',
			uri: `${url}${endpoint.replace('GET ', '')}${query}`,
			headers: { Authorization: `Bearer ${token}`, Accept: 'application/json' },
			resolveWithFullResponse: true,
			simple: false,
			followRedirect: false,
			// So that its time and its size are limited.
			useStream: true,
			timeout: TIMEOUT_MS,
		}) as Promise<IN8nHttpFullResponse>;
		const response = await readResponse(await limit.response(pending), limit);
		if ('tooLarge' in response)
			return failed(shown`The response from ${host} is too large. Check the base URL`);
		return accessShownBy(response, endpoint);
	} catch (error) {
		const failure = connectionFailure(error);
		const { message, step } = eventTexts(url, failure);
		return failed(
			CONSEQUENCES[failure.kind].effect === 'unsent'
				? shown`${message}. ${String(step).replace(/\.$/, '')}`
				: shown`${host} did not respond. Try again, or check the base URL`,
		);
	} finally {
		limit.end();
	}
}

function accessShownBy(response: ServiceResponse, endpoint: ListEndpoint): Access {
	const { status } = response;
	const serviceMessage = serviceMessageIn(response);
	const detail = serviceMessage ? shown`: ${serviceMessage}` : '';
	if (status === 401)
		return failed(
			shown`The service does not recognize this token${detail}. Create one in the dashboard under API Access`,
		);
	if (status === 403) {
		const named = permissionIn(response.text) ?? permissionIn(serviceMessage ?? '');
		if (named) return { kind: 'missing', permission: named };
		// Not every service names the permission literally; a message that says neither "expired" nor "inactive"
		// means a missing permission.
		if (
			/permission|scope/i.test(serviceMessage ?? '') &&
			!/expire|inactive|deactivat|disabled|revoked/i.test(serviceMessage ?? '')
		)
			return { kind: 'missing', permission: permissionOf(endpoint) };
		return failed(
			shown`The token is inactive or expired${detail}. Check it in the dashboard under API Access`,
		);
	}
	if (status >= 300 && status < 400)
		return failed(
			'The service redirects to another address. Enter the final address as the base URL',
		);
	if (isHtml(response))
		return failed('The response is a web page, not the service’s API. Check the base URL');
	if (status === 404)
		return failed(
			shown`The service was not found at this base URL${detail}. Check the whole address, up to /api/v2`,
		);
	if (status === 429)
		return failed('The rate limit of this token is used up. Wait a minute, then test again');
	if (status >= 500)
		return failed(shown`The service responded with status ${status}${detail}. Try again later`);
	if (status >= 400 || refusalIn(response.json, endpoint))
		return failed(
			shown`The service rejected the test (${status})${detail}. Check the base URL and the token`,
		);
	if (!findRows(response.json, endpoint))
		return failed(
			shown`The response contains no list of ${rowNames(endpoint).join(' or ')} (${whatCame(response.json)}). Check that the base URL is that of the Conversational Messaging Service API v2`,
		);
	return { kind: 'granted' };
}
