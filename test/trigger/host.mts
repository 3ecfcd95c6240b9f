import type {
	IDataObject,
	IHttpRequestOptions,
	INode,
	INodeExecutionData,
	IPollFunctions,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { clock } from '../../nodes/ConversationalMessaging/api/base/clock.ts';
import { type Endpoint, pathOf } from '../../nodes/ConversationalMessaging/api/endpoint.ts';
import { poll } from '../../nodes/ConversationalMessaging/trigger/poll.ts';
import { broadcasts } from '../../nodes/ConversationalMessaging/trigger/status/sources/broadcasts.ts';
import { chats } from '../../nodes/ConversationalMessaging/trigger/status/sources/chats.ts';
import { importJobs } from '../../nodes/ConversationalMessaging/trigger/status/sources/importJobs.ts';
import { segments } from '../../nodes/ConversationalMessaging/trigger/status/sources/segments.ts';
import { templates } from '../../nodes/ConversationalMessaging/trigger/status/sources/templates.ts';
import { tickets } from '../../nodes/ConversationalMessaging/trigger/status/sources/tickets.ts';
import { sources } from '../../nodes/ConversationalMessaging/trigger/status/sources/index.ts';
import type { StatusSource } from '../../nodes/ConversationalMessaging/trigger/status/sources/source.ts';
import { NODE } from '../support/node.mts';
import { FakeService } from './service.mts';

/** "GET /segments/{id}" → "segments" */
const placeOf = (endpoint: Endpoint): string => pathOf(endpoint).slice(1).replace('/{id}', '');

/** Where the records of each source are, "contacts/imports" before "contacts". */
const PLACES = sources
	.flatMap((source) =>
		[source.list, source.recordEndpoint ?? source.list].map(
			(endpoint): [place: string, source: StatusSource] => [placeOf(endpoint), source],
		),
	)
	.toSorted(([one], [other]) => other.length - one.length);

/** A response other than that of the service. */
interface Rejection {
	statusCode: number;
	headers?: Record<string, string>;
}

/**
 * n8n as one poll of the trigger sees it, in memory: the node with its parameters, a credential, the static data of the
 * workflow, and HTTP to a service of each kind of record. The tests in test/engine run polls in n8n itself.
 */
export class FakeHost {
	private static workflows = 0;

	/** One for each source, by its event. */
	readonly services = new Map(sources.map((source) => [source.event, new FakeService(source)]));

	readonly tickets = this.serviceOf(tickets);

	readonly broadcasts = this.serviceOf(broadcasts);

	readonly chats = this.serviceOf(chats);

	readonly importJobs = this.serviceOf(importJobs);

	readonly templates = this.serviceOf(templates);

	readonly segments = this.serviceOf(segments);

	/** The messages of customers, by the ID of their chat, the newest first. */
	readonly messages = new Map<string, IDataObject[]>();

	/** How many requests the service says that a minute allows; undefined if it says nothing. */
	windowSize?: number;

	node: INode = NODE;

	/** Another one for each instance: the trigger keeps the latest state of a process. */
	workflowId: string | undefined = `W${++FakeHost.workflows}`;

	mode: WorkflowExecuteMode = 'trigger';

	parameters: IDataObject = {
		events: ['ticketStatusChanged'],
		includeNew: true,
		includeDetails: false,
	};

	credential: IDataObject = {
		baseUrl: 'https://messaging.example.com/api/v2',
		apiToken: 'wa_pk_one',
	};

	/** n8n's ID of the credential. */
	credentialId = '1';

	staticData: IDataObject = {};

	/** What n8n reports as the time limit of a poll, in milliseconds; undefined in versions that report none. */
	budgetMs: unknown = undefined;

	/** Every request: "tickets?page=1&limit=200", or "tickets/R1". */
	readonly requests: string[] = [];

	/** The time-out of every request, in milliseconds. */
	readonly timeouts: (number | undefined)[] = [];

	/** The lines of n8n's log: "warn …". */
	readonly logged: string[] = [];

	/** Called before each request, with its number from 1. May return another response than the service's. */
	onRequest: (request: string, number: number) => unknown = () => undefined;

	private serviceOf({ event }: StatusSource): FakeService {
		return this.services.get(event)!;
	}

	/** The events of one poll; null if n8n starts no execution. */
	async poll(): Promise<IDataObject[] | null> {
		for (const service of this.services.values()) service.begin();
		const outputs = await poll(this.context());
		if (!outputs) return null;
		const [items] = outputs as [INodeExecutionData[]];
		return items.map(({ json }) => json);
	}

	/** What n8n gives to a poll that begins now. */
	context(): IPollFunctions {
		const { node, workflowId, mode, parameters, credential, staticData, budgetMs } = this;
		const credentials = {
			conversationalMessagingApi: { id: this.credentialId, name: 'Service' },
		};
		return {
			logger: {
				warn: (line: string) => void this.logged.push(`warn ${line}`),
				info: (line: string) => void this.logged.push(`info ${line}`),
			},
			getNode: () => ({ ...node, parameters, credentials }),
			getMode: () => mode,
			getNodeParameter: (name: string, fallback: unknown) => parameters[name] ?? fallback,
			getWorkflow: () => ({ id: workflowId, name: 'Workflow', active: true }),
			getWorkflowStaticData: () => staticData,
			getCredentials: async () => credential,
			...(budgetMs !== undefined && { getPollBudgetMs: () => budgetMs }),
			helpers: {
				httpRequestWithAuthentication: async (_type: string, options: IHttpRequestOptions) =>
					await this.respond(options),
			},
		} as unknown as IPollFunctions;
	}

	private async respond({ url, timeout }: IHttpRequestOptions) {
		const { pathname, searchParams, search } = new URL(url);
		const path = pathname.replace('/api/v2/', '');
		this.requests.push(`${path}${search}`);
		this.timeouts.push(timeout);
		const rejection = await this.onRequest(`${path}${search}`, this.requests.length);
		if (rejection) return { headers: {}, body: '', ...(rejection as Rejection) };
		const body = await this.bodyOf(path, Object.fromEntries(searchParams));
		const size = this.windowSize;
		const headers = {
			date: new Date(clock.now()).toUTCString(),
			...(size !== undefined && { 'x-ratelimit-limit': size, 'x-ratelimit-remaining': size }),
		};
		return { statusCode: body ? 200 : 404, headers, body: JSON.stringify(body ?? {}) };
	}

	/** A message of a customer arrives. @returns its ID */
	write(chatId: string): string {
		const messages = this.messages.get(chatId) ?? [];
		const id = `${chatId}-${messages.length + 1}`;
		const createdAt = new Date(clock.now()).toISOString();
		this.messages.set(chatId, [{ id, direction: 'INBOUND', text: id, createdAt }, ...messages]);
		return id;
	}

	private async bodyOf(path: string, query: Record<string, string>): Promise<unknown> {
		if (path.endsWith('/messages'))
			return { success: true, data: this.messages.get(path.split('/')[1]!) ?? [] };
		const [name, source] = PLACES.find(([place]) => path.startsWith(place))!;
		const service = this.serviceOf(source);
		const id = path.slice(name.length + 1);
		if (id === '' || name === 'segments') {
			const { needsEscalation, ...rest } = query;
			const filter = needsEscalation && { needsEscalation: needsEscalation === 'true' };
			const path = id === '' ? undefined : { id };
			const { rows, meta, json } = await service.requested.page(
				{ ...rest, ...(filter || {}) },
				path,
			);
			const shown = rows.map((row) => this.withLastMessage(row as IDataObject));
			const segment = (json as { data: IDataObject }).data;
			const data = id === '' ? shown : { ...segment, members: shown };
			return { success: true, data, meta };
		}
		const record = await service.requested.record(id);
		return record && { success: true, data: record };
	}

	/** The row of a chat changes with its messages. */
	private withLastMessage(row: IDataObject): IDataObject {
		const [last] = this.messages.get(row.id as string) ?? [];
		return last ? { ...row, lastMessageAt: last.createdAt } : row;
	}
}
