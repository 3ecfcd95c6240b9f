import type { IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';
import type { ServiceClient, ServiceContext } from './client';
import { CREDENTIAL } from './client';

/** Sends one request with n8n's HTTP client. */
export async function throughN8n(
	{ context, credential }: ServiceClient,
	options: IHttpRequestOptions,
): Promise<IN8nHttpFullResponse> {
	const { helpers } = context;
	// In executions, n8n replaces the request's signal with that of the context.
	const caller = Object.create(context, {
		...('getExecutionCancelSignal' in context && {
			getExecutionCancelSignal: { value: () => options.abortSignal },
		}),
	}) as ServiceContext;
	return (await helpers.httpRequestWithAuthentication.call(
		caller,
		CREDENTIAL,
		options,
		// Without it, n8n reads the credential again for every request, and resolves its expressions for the first
		// item only.
		{ credentialsDecrypted: { id: '', name: '', type: CREDENTIAL, data: credential } },
	)) as IN8nHttpFullResponse;
}
