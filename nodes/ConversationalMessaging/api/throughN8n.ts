import type { IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';
import type { ServiceClient, N8nFunctions } from './client';
import { CREDENTIAL } from './client';

/** Sends one request with n8n's HTTP client. */
export async function throughN8n(
	{ n8n, credential }: ServiceClient,
	options: IHttpRequestOptions,
): Promise<IN8nHttpFullResponse> {
	const { helpers } = n8n;
	// In executions, n8n replaces the request's signal with the one that this function returns.
	const caller = Object.create(n8n, {
		...('getExecutionCancelSignal' in n8n && {
			getExecutionCancelSignal: { value: () => options.abortSignal },
		}),
	}) as N8nFunctions;
	return (await helpers.httpRequestWithAuthentication.call(
		caller,
		CREDENTIAL,
		options,
		// Without it, n8n reads the credential again for every request, and resolves its expressions for the first
		// item only.
		{ credentialsDecrypted: { id: '', name: '', type: CREDENTIAL, data: credential } },
	)) as IN8nHttpFullResponse;
}
