import { hash } from 'crypto';
import type {
	ICredentialDataDecryptedObject,
	IExecuteFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	IN8nHttpFullResponse,
	IPollFunctions,
} from 'n8n-workflow';
import { invalid, isNodeError, unexpected } from './errors';
import { checkBaseUrl, checkToken } from './access/credential';
import { clock } from './base/clock';
import { type Priority, type RateLimiter, rateLimiterFor, RESERVE } from './rate/rateLimiter';
import type { Shown } from './access/shown';
import { textOf } from './base/text';

export const CREDENTIAL = 'conversationalMessagingApi';

export type N8nFunctions = IExecuteFunctions | ILoadOptionsFunctions | IPollFunctions;

/** One token and one base URL, and everything that their requests share within a run. */
export interface ServiceClient {
	n8n: N8nFunctions;
	baseUrl: string;
	/** The credential with its expressions resolved. n8n authenticates requests with it. */
	credential: ICredentialDataDecryptedObject;
	/** Identifies token and base URL without containing the token. */
	key: string;
	rateLimiter: RateLimiter;
	/** Which requests of other clients come before this client's. */
	priority: Priority;
	maxRateLimitWaitMs: number;
	/** No request, and no wait for its turn, begins after it or outlasts it. On `clock.elapsed`, in milliseconds. */
	deadline: number;
	/** Aborted when the user stops the execution; missing where n8n has no such signal. */
	signal?: AbortSignal;
	/** Results that are computed once per run. */
	memo: Map<string, Promise<unknown>>;
	reporter: Reporter;
	/** Called for every request, also when it is repeated. */
	onRequest?: () => void;
}

/** What the user learns while requests are sent. */
export interface Reporter {
	notify(message: Shown): void;
	/** A wait begins, for the rate limit or before another attempt. */
	waiting(ms: number): void;
}

/** For polls and lists in the editor, which have no place for it. */
const SILENT: Reporter = { notify: () => undefined, waiting: () => undefined };

/** Settings that differ between executions, polls and lists in the editor. */
export type ClientSettings = Partial<
	Pick<ServiceClient, 'priority' | 'maxRateLimitWaitMs' | 'deadline' | 'reporter'>
>;

/** The client of a poll or of a list in the editor. @throws NodeOperationError if the credential cannot be read or used */
export async function createClient(
	n8n: ILoadOptionsFunctions | IPollFunctions,
	settings: ClientSettings = {},
): Promise<ServiceClient> {
	const credential = await readCredential(n8n);
	return clientFor(n8n, credential, settings);
}

const MAX_RESERVE_PERCENT = 50;

/** In the editor, a user waits: it is better to say when to try again than to wait for the rate limit. */
export const EDITOR_MAX_WAIT_MS = 5_000;

/** The client of a list in the editor. @throws NodeOperationError if the credential cannot be read or used */
export const createEditorClient = async (n8n: ILoadOptionsFunctions): Promise<ServiceClient> =>
	await createClient(n8n, { priority: 'urgent', maxRateLimitWaitMs: EDITOR_MAX_WAIT_MS });

async function readCredential(
	n8n: ILoadOptionsFunctions | IPollFunctions,
): Promise<ICredentialDataDecryptedObject> {
	try {
		return await n8n.getCredentials(CREDENTIAL);
	} catch (error) {
		// That there is no credential, n8n says itself.
		throw isNodeError(error) ? error : unexpected(n8n.getNode(), error, NEEDS_ITEM);
	}
}

const NEEDS_ITEM =
	'If a credential field is an expression, it may need an input item, and lists and triggers have none. Enter a fixed value in the credential; in an action node, you can also enter IDs instead of picking from lists.';

/**
 * The clients of a run, one per token and base URL. The fields of a credential can be expressions, which n8n resolves
 * for each item, so one run may serve several tenants.
 */
export class ServiceClients {
	private readonly clients = new Map<string, ServiceClient>();

	constructor(
		private readonly n8n: IExecuteFunctions,
		private readonly settings: ClientSettings,
	) {}

	/** Whether the credential could be used for an item. */
	get hasAny(): boolean {
		return this.clients.size > 0;
	}

	/**
	 * Reads the credential for one item. n8n does not say whether it contains expressions, so it is read for every item.
	 *
	 * @throws NodeOperationError if it cannot be used for this item; also whatever n8n throws if it cannot be read
	 */
	async forItem(itemIndex: number): Promise<ServiceClient> {
		const credential = await this.n8n.getCredentials(CREDENTIAL, itemIndex);
		const entered = JSON.stringify([credential.baseUrl, credential.apiToken]);
		const client = this.clients.get(entered) ?? clientFor(this.n8n, credential, this.settings);
		this.clients.set(entered, client);
		return client;
	}
}

function clientFor(
	n8n: N8nFunctions,
	credential: ICredentialDataDecryptedObject,
	settings: ClientSettings,
): ServiceClient {
	const { value: token, hint } = checkToken(credential.apiToken);
	if (hint)
		throw invalid(
			n8n.getNode(),
			hint,
			'If the token is an expression, check what it returns for this item.',
		);
	const { value: url, hint: urlHint } = checkBaseUrl(credential.baseUrl);
	if (urlHint) throw invalid(n8n.getNode(), urlHint);
	const key = hash('sha256', `${url}\n${token}`);
	const rateLimiter = rateLimiterFor(key);
	rateLimiter.reserve = reserveIn(credential.windowReserve);
	return {
		n8n,
		baseUrl: url,
		credential: { ...credential, baseUrl: url, apiToken: token },
		key,
		rateLimiter,
		priority: settings.priority ?? 'single',
		maxRateLimitWaitMs: settings.maxRateLimitWaitMs ?? Infinity,
		deadline: settings.deadline ?? Infinity,
		signal: cancelSignalOf(n8n),
		memo: new Map(),
		reporter: settings.reporter ?? SILENT,
	};
}

/** The credential's Rate Limit Reserve, in percent, as a share. Credentials that were saved without it have none. */
function reserveIn(entered: unknown): number {
	const percent = Number(textOf(entered) || NaN);
	return percent >= 0 && percent <= MAX_RESERVE_PERCENT ? percent / 100 : RESERVE;
}

/** Aborted when the user stops the execution; undefined where n8n has no such signal. */
export function cancelSignalOf(n8n: N8nFunctions): AbortSignal | undefined {
	return 'getExecutionCancelSignal' in n8n ? n8n.getExecutionCancelSignal() : undefined;
}

/** The time until the deadline of a client, in milliseconds. */
export const msLeft = ({ deadline }: ServiceClient): number => deadline - clock.elapsed();

/** Whether nothing may be sent any more: the user has stopped the execution, or the deadline is over. */
export const isOver = (client: ServiceClient): boolean =>
	client.signal?.aborted === true || msLeft(client) <= 0;

/** Sends one request with n8n's HTTP client, and this client's credential. */
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
