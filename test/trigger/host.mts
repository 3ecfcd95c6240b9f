import type {
	IDataObject,
	IHttpRequestOptions,
	INode,
	INodeExecutionData,
	IPollFunctions,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { poll } from '../../nodes/ConversationalMessaging/trigger/poll.ts';
import { broadcasts } from '../../nodes/ConversationalMessaging/trigger/status/sources/broadcasts.ts';
import { chats } from '../../nodes/ConversationalMessaging/trigger/status/sources/chats.ts';
import { importJobs } from '../../nodes/ConversationalMessaging/trigger/status/sources/importJobs.ts';
import { tickets } from '../../nodes/ConversationalMessaging/trigger/status/sources/tickets.ts';
import { NODE } from '../support/node.mts';
import { FakeService } from './service.mts';

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

	readonly tickets = new FakeService(tickets);

	readonly broadcasts = new FakeService(broadcasts);

	readonly chats = new FakeService(chats);

	readonly importJobs = new FakeService(importJobs);

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

	/** The events of one poll; null if n8n starts no execution. */
	async poll(): Promise<IDataObject[] | null> {
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
		return { statusCode: body ? 200 : 404, headers: {}, body: JSON.stringify(body ?? {}) };
	}

	private async bodyOf(path: string, query: Record<string, string>): Promise<unknown> {
		const lists = {
			tickets: this.tickets,
			broadcasts: this.broadcasts,
			chats: this.chats,
			'contacts/imports': this.importJobs,
		};
		const [name, service] = Object.entries(lists).find(([list]) => path.startsWith(list))!;
		if (path === name) {
			const { needsEscalation, ...rest } = query;
			const filter = needsEscalation && { needsEscalation: needsEscalation === 'true' };
			const { rows, meta } = await service.requested.page({ ...rest, ...(filter || {}) });
			return { success: true, data: rows, meta };
		}
		const record = await service.requested.record(path.slice(name.length + 1));
		return record && { success: true, data: record };
	}
}
