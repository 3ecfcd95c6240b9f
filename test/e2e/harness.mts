import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parse } from 'flatted';
import type { IConnections, IDataObject, INode, INodeExecutionData, IRun } from 'n8n-workflow';
import { CREDENTIAL, linearWorkflow, type WorkflowFile } from '../../tools/engine/workflows.mts';
import { outputOf } from '../../tools/engine/engine.mts';
import { exampleFiles } from '../../tools/demo/example.mts';
import { DATA_TABLES } from '../../tools/demo/fillIn.mts';
import { IS_OLDEST } from '../../tools/scripts/n8n.mts';
import type { SandboxSettings } from '../../sandbox/options.mts';
import { startSandbox, type Sandbox } from '../../sandbox/server.mts';
import type { Model } from './model.mts';
import { N8nServer } from './n8nServer.mts';

const EXAMPLES = fileURLToPath(new URL('../../examples', import.meta.url));

const CREDENTIAL_NAME = 'Conversational Messaging account';

/** The most executions that n8n lists at once. */
const PAGE = 100;

/** The first poll reads lists in full; n8n gives up after two minutes. */
const PUBLISHED_WITHIN_S = 120;

const NOT_ENDED = ['new', 'running', 'waiting'];
const STATUSES = [...NOT_ENDED, 'success', 'error', 'crashed', 'canceled', 'unknown'];

export interface Saved {
	id: string;
	versionId: string;
}

interface SavedWorkflow extends Saved {
	name: string;
	nodes: INode[];
	connections: IConnections;
}

interface CredentialData {
	baseUrl: string;
	apiToken: string;
}

export interface Execution {
	id: string;
	status: string;
	mode: string;
	/** In ISO 8601. */
	createdAt: string;
	/** In ISO 8601; null while it waits for a worker. */
	startedAt: string | null;
	/** In ISO 8601, once it has ended. */
	stoppedAt: string;
}

/** The progress of publishing a workflow. */
interface Publication {
	status: 'in_progress' | 'published' | 'partial' | 'failed' | 'not_published';
	triggers: { errorMessage: string | null }[];
}

export const isEnded = ({ status }: Execution): boolean => !NOT_ENDED.includes(status);

/** n8n with this package, and the messaging service on the same machine. */
export class EndToEnd {
	private constructor(
		readonly n8n: N8nServer,
		readonly sandbox: Sandbox,
		/** The ID of a valid credential. */
		readonly credentialId: string,
	) {}

	/**
	 * @param service options of the messaging service
	 * @param settings n8n's environment variables
	 * @param onStep called with what is done next
	 */
	static async start(
		service: SandboxSettings = {},
		settings: NodeJS.ProcessEnv = {},
		onStep?: (step: string) => void,
	): Promise<EndToEnd> {
		const sandbox = await startSandbox(service);
		const n8n = await N8nServer.start(settings, onStep);
		const credentialId = await saveCredential(n8n, {
			baseUrl: sandbox.baseUrl,
			apiToken: sandbox.tokens.all.value,
		});
		return new EndToEnd(n8n, sandbox, credentialId);
	}

	async close(): Promise<void> {
		await this.n8n.close();
		await this.sandbox.close();
	}

	/** Creates the data tables that the examples need. */
	async createDataTables(): Promise<void> {
		const { id } = await this.n8n.call<{ id: string }>('GET', '/projects/personal');
		for (const [name, rows] of Object.entries(DATA_TABLES)) {
			const columns = Object.keys(rows[0] ?? {}).map((column) => ({
				name: column,
				type: 'string',
			}));
			const path = `/projects/${id}/data-tables`;
			const table = await this.n8n.call<{ id: string }>('POST', path, { name, columns });
			await this.n8n.call('POST', `${path}/${table.id}/insert`, {
				data: rows,
				returnType: 'count',
			});
		}
	}

	/** Saves a workflow in n8n, with the valid credential or another one. */
	async save(file: WorkflowFile, credentialId = this.credentialId): Promise<Saved> {
		const credential = { id: credentialId, name: CREDENTIAL_NAME };
		const nodes = file.nodes.map(
			(node): INode => ({
				...node,
				...(node.credentials?.[CREDENTIAL] && { credentials: { [CREDENTIAL]: credential } }),
			}),
		);
		return await this.n8n.call<Saved>('POST', '/workflows', {
			name: file.name,
			nodes,
			connections: file.connections,
			settings: file.settings ?? {},
			// Only the oldest n8n needs it.
			active: false,
		});
	}

	/**
	 * Publishes a workflow and waits until its webhooks respond and its trigger has polled for the first time,
	 * because n8n does both after its response.
	 *
	 * @throws if a trigger could not start, with n8n's reason
	 */
	async publish({ id, versionId }: Saved): Promise<void> {
		if (IS_OLDEST) {
			await this.n8n.call('PATCH', `/workflows/${id}`, { active: true, versionId });
			return;
		}
		await this.n8n.call('POST', `/workflows/${id}/activate`, { versionId });
		await this.untilPublished(id);
	}

	/** Waits until a workflow that is being published, also in the editor, is active. */
	async untilPublished(id: string): Promise<void> {
		await waitFor(async () => {
			const { status, triggers } = await this.n8n.call<Publication>(
				'GET',
				`/workflows/${id}/publication-status`,
			);
			if (['in_progress', 'not_published'].includes(status)) return undefined;
			const reasons = triggers.map(({ errorMessage }) => errorMessage).join(', ');
			assert.equal(status, 'published', `n8n: ${status}: ${reasons}`);
			return true;
		}, PUBLISHED_WITHIN_S);
	}

	async unpublish({ id }: Saved): Promise<void> {
		await this.n8n.call('POST', `/workflows/${id}/deactivate`, {});
	}

	/** The latest saved version of a workflow. */
	async workflow(id: string): Promise<SavedWorkflow> {
		return await this.n8n.call<SavedWorkflow>('GET', `/workflows/${id}`);
	}

	/** Changes the nodes of a linear workflow, also their names, and saves it without publishing it. */
	async edit(id: string, change: (nodes: INode[]) => INode[]): Promise<Saved> {
		const { nodes, name, versionId } = await this.workflow(id);
		const changed = change(nodes);
		const { connections } = linearWorkflow(name, ...changed);
		const body = { nodes: changed, connections, versionId };
		return await this.n8n.call<Saved>('PATCH', `/workflows/${id}`, body);
	}

	/** Changes what a credential contains. */
	async changeCredential(id: string, data: CredentialData): Promise<void> {
		const body = { name: CREDENTIAL_NAME, type: CREDENTIAL, data };
		await this.n8n.call('PATCH', `/credentials/${id}`, body);
	}

	/**
	 * All executions of a workflow, by status, the latest first.
	 *
	 * n8n sorts them by start time, but its own cursor filters by ID: in queue mode, it skips some and repeats
	 * others. So each page begins with the start time at which the previous one ended. An execution that never started,
	 * because its worker died first, is on the first page of its status only.
	 */
	async executions(workflowId: string): Promise<Execution[]> {
		const all = new Map<string, Execution>();
		for (const status of STATUSES)
			for (const each of await this.executionsWith(workflowId, status)) all.set(each.id, each);
		return [...all.values()];
	}

	private async executionsWith(workflowId: string, status: string): Promise<Execution[]> {
		const all = new Map<string, Execution>();
		for (let startedBefore: string | undefined; ; ) {
			const filter = JSON.stringify({ workflowId, status: [status], startedBefore });
			const { results } = await this.n8n.call<{ results: Execution[] }>(
				'GET',
				`/executions?filter=${encodeURIComponent(filter)}&limit=${PAGE}`,
			);
			const known = all.size;
			for (const each of results) all.set(each.id, each);
			if (results.length < PAGE || all.size === known) return [...all.values()];
			const { startedAt, createdAt } = results.at(-1)!;
			startedBefore = startedAt ?? createdAt;
		}
	}

	/** The executions of a workflow that have ended, the oldest first. */
	async ended(workflowId: string): Promise<Execution[]> {
		const all = await this.executions(workflowId);
		return all.filter(isEnded).sort((one, other) => Number(one.id) - Number(other.id));
	}

	/** The same, once there are so many. @throws if there are not within so many seconds */
	async untilEnded(workflowId: string, count: number, seconds: number): Promise<Execution[]> {
		return await waitFor(async () => {
			const all = await this.ended(workflowId);
			return all.length >= count ? all : undefined;
		}, seconds);
	}

	/** What the ended executions of a workflow started with, the oldest first. */
	async emitted(workflowId: string, trigger = 'Trigger'): Promise<IDataObject[]> {
		const ended = await this.ended(workflowId);
		const items = await Promise.all(ended.map(({ id }) => this.startedWith(id, trigger)));
		return items.flat().map(({ json }) => json);
	}

	/** Waits until a trigger has read a list once more, and what this may have started. */
	async untilPolled(path: string, seconds: number): Promise<void> {
		const polls = () => this.sandbox.requests.filter((request) => request.path === path).length;
		const before = polls();
		await waitFor(async () => await Promise.resolve(polls() > before || undefined), seconds);
		await sleep(2_000);
	}

	/** The nodes of a workflow, with a credential for the models of OpenAI that leads to this one. */
	async withModel(nodes: INode[], { url }: Model): Promise<INode[]> {
		const openAiApi = await this.n8n.call<{ id: string; name: string }>('POST', '/credentials', {
			name: 'OpenAI account',
			type: 'openAiApi',
			data: { apiKey: 'none', url },
		});
		return nodes.map((node) =>
			node.credentials?.openAiApi ? { ...node, credentials: { openAiApi } } : node,
		);
	}

	/** The output of a node of a finished execution. */
	async output(executionId: string, node: string): Promise<INodeExecutionData[]> {
		return outputOf({ data: await this.dataOf(executionId) } as IRun, node);
	}

	/** The items that a trigger started an execution with, even if a worker died before it ran the trigger's node. */
	async startedWith(executionId: string, trigger: string): Promise<INodeExecutionData[]> {
		const data = await this.dataOf(executionId);
		if (data.resultData.runData[trigger]) return outputOf({ data } as IRun, trigger);
		const stack = data.executionData?.nodeExecutionStack ?? [];
		return stack.find(({ node }) => node.name === trigger)?.data.main?.[0] ?? [];
	}

	private async dataOf(executionId: string): Promise<IRun['data']> {
		const { data } = await this.n8n.call<{ data: string }>('GET', `/executions/${executionId}`);
		return parse(data) as IRun['data'];
	}

	/** Why a finished execution failed: its message and description. */
	async errorOf(executionId: string): Promise<string> {
		const { error } = (await this.dataOf(executionId)).resultData;
		return `execution ${executionId}: ${error?.message} ${error?.description ?? ''}`;
	}
}

/** Saves a credential of this package in n8n. Returns its ID. */
export async function saveCredential(n8n: N8nServer, data: CredentialData): Promise<string> {
	const body = { name: CREDENTIAL_NAME, type: CREDENTIAL, data };
	return (await n8n.call<{ id: string }>('POST', '/credentials', body)).id;
}

/** Checks twice a second until there is a result. @throws if there is none in time */
export async function waitFor<T>(check: () => Promise<T | undefined>, seconds: number): Promise<T> {
	for (let waited = 0; waited < seconds * 1_000; waited += 500) {
		const found = await check();
		if (found !== undefined) return found;
		await sleep(500);
	}
	throw new Error(`The expected result was not reached within ${seconds} s`);
}

/** Every example workflow, by its file name. */
export function examples(): Map<string, WorkflowFile> {
	return new Map(
		exampleFiles().map((name) => [
			name,
			JSON.parse(readFileSync(`${EXAMPLES}/${name}`, 'utf8')) as WorkflowFile,
		]),
	);
}
