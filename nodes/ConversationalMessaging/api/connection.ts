import { createHash } from 'crypto';
import type { IExecuteFunctions, ILoadOptionsFunctions, IPollFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { checkBaseUrl } from './baseUrl';
import type { Gate } from './gate';
import { gateFor } from './gate';

export const CREDENTIAL = 'conversationalMessagingApi';

export type ServiceContext = IExecuteFunctions | ILoadOptionsFunctions | IPollFunctions;

/** What every request of one run shares. */
export interface Connection {
	context: ServiceContext;
	baseUrl: string;
	/** Tells token and base URL apart from others, without containing the token. */
	key: string;
	gate: Gate;
	/** The longest wait for the rate limit, in milliseconds. */
	patienceMs: number;
	/** No request begins after it or outlasts it, in milliseconds since the epoch. */
	until: number;
	/** Aborted when the user stops the execution; missing where n8n has no such signal. */
	signal?: AbortSignal;
	/** What was done once for the whole run. */
	once: Map<string, Promise<unknown>>;
	/** Takes the token out of a text. */
	redact: (text: string) => string;
	/** Tells the person something that is not a refusal. */
	notify: (message: string) => void;
	/** Tells that a request waited that long for the rate limit. */
	waited: (seconds: number) => void;
}

/** Things a run may set otherwise than for an execution that nobody waits for. */
export type ConnectionSettings = Partial<
	Pick<Connection, 'patienceMs' | 'until' | 'notify' | 'waited'>
>;

/**
 * Reads the credential once and makes what all requests of a run need.
 *
 * @throws NodeOperationError when the base URL cannot be used
 */
export async function connect(
	context: ServiceContext,
	settings: ConnectionSettings = {},
): Promise<Connection> {
	const credential = await context.getCredentials(CREDENTIAL);
	const { url, advice } = checkBaseUrl(credential.baseUrl);
	if (url === undefined) throw new NodeOperationError(context.getNode(), advice);
	const token = String(credential.apiToken ?? '').trim();
	if (token === '')
		throw new NodeOperationError(
			context.getNode(),
			'The credential has no API token. Enter one that was created in the dashboard under API Access',
		);
	const key = createHash('sha256').update(`${url}\n${token}`).digest('hex');
	return {
		context,
		baseUrl: url,
		key,
		gate: gateFor(key),
		patienceMs: settings.patienceMs ?? Infinity,
		until: settings.until ?? Infinity,
		signal: 'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined,
		once: new Map(),
		redact: redactor(token),
		notify: settings.notify ?? (() => undefined),
		waited: settings.waited ?? (() => undefined),
	};
}

/** Takes a token out of texts, also the way it looks inside a URL. */
export function redactor(token: string): (text: string) => string {
	return (text) => text.split(token).join('***').split(encodeURIComponent(token)).join('***');
}
