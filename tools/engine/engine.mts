import './environment.mts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import 'reflect-metadata';
import {
	ExecutionLifecycleHooks,
	LoadOptionsContext,
	PackageDirectoryLoader,
	WebhookContext,
	WorkflowExecute,
	CredentialTestContext,
} from 'n8n-core';
import {
	type ExecuteWorkflowOptions,
	type ICredentialDataDecryptedObject,
	type ICredentialType,
	type IDataObject,
	type IExecuteWorkflowInfo,
	type INode,
	type INodeCredentialTestResult,
	type INodeExecutionData,
	type INodeListSearchResult,
	type INodeParameters,
	type INodeType,
	type INodeTypes,
	type IVersionedNodeType,
	type IRun,
	type IRunExecutionData,
	type ITaskData,
	type IWebhookData,
	type IWebhookResponseData,
	type IWorkflowBase,
	type IWorkflowExecuteAdditionalData,
	type ResourceMapperFields,
	createRunExecutionData,
	NodeHelpers,
	Workflow,
} from 'n8n-workflow';
import { installDeduplication } from './deduplication.mts';
import { coreNodes, dataTables } from './coreNodes.mts';
import { Credentials } from './credentials.mts';
import { itemsNode } from './oneNode.mts';
import {
	ACTION_NODE,
	actionNode,
	CREDENTIAL,
	PACKAGE_NAME,
	STICKY_NOTE,
	type WorkflowFile,
} from './workflows.mts';

export interface RunOptions {
	/** The saved data of the workflow. Changes of it are in this object. */
	staticData?: IDataObject;
	credential: ICredentialDataDecryptedObject;
	/** The credentials of nodes that have another one, by its ID in the workflow. */
	otherCredentials?: Record<string, ICredentialDataDecryptedObject>;
	/** The rows of n8n's data tables, by the names of the tables. */
	tables?: Record<string, IDataObject[]>;
	/** Called when a node starts. */
	onStart?: (nodeName: string) => void;
	/** Called when a node has finished, with its result. */
	onEnd?: (nodeName: string, data: ITaskData) => void | Promise<void>;
	/** Cancels the execution, as the stop button does. */
	signal?: AbortSignal;
	/** Its ID, and where the links begin that continue it while it waits. */
	execution?: { id: string; waitingUrl: string };
	/** Starts another execution for these items, as Execute Sub-workflow does. @returns its ID */
	startExecution?: (items: INodeExecutionData[]) => Promise<string>;
}

/** A request to a webhook, with its query and its body read, and the response to it. */
interface WebhookCall {
	httpRequest: IncomingMessage & { query: object; body: unknown };
	httpResponse: ServerResponse;
}

/** What the editor sends when it calls a method of a node. */
type EditorOptions = RunOptions & { parameters?: INodeParameters };

type AnyNode = INodeType | IVersionedNodeType;

class Types implements INodeTypes {
	private readonly nodes = new Map<string, AnyNode>();

	add(name: string, node: AnyNode): void {
		this.nodes.set(name, node);
	}

	getByName(name: string): AnyNode {
		const node = this.nodes.get(name);
		if (!node) throw new Error(`There is no node type ${name}`);
		return node;
	}

	getByNameAndVersion(name: string, version?: number): INodeType {
		return NodeHelpers.getVersionedNodeType(this.getByName(name), version);
	}

	getKnownTypes(): IDataObject {
		return {};
	}
}

/** n8n's execution engine around the built package, without the rest of n8n. */
export class Engine {
	private constructor(
		private readonly nodeTypes: Types,
		private readonly credentialTypes: Map<string, ICredentialType>,
	) {}

	/**
	 * Loads a built package as n8n does.
	 *
	 * @param directory the folder of its package.json
	 * @param moreNodes other nodes for workflows, by their full type names
	 */
	static async load(directory: string, moreNodes: Record<string, AnyNode> = {}): Promise<Engine> {
		await installDeduplication();
		const loader = new PackageDirectoryLoader(directory);
		await loader.loadAll();
		const types = new Types();
		for (const node of [...coreNodes, itemsNode]) types.add(node.description.name, node);
		for (const [name, node] of Object.entries(moreNodes)) types.add(name, node);
		for (const [name, { type }] of Object.entries(loader.nodeTypes))
			types.add(`${PACKAGE_NAME}.${name}`, type);
		const credentials = new Map(
			Object.entries(loader.credentialTypes).map(([name, { type }]) => [name, type]),
		);
		return new Engine(types, credentials);
	}

	nodeType(name: string): INodeType {
		return this.nodeTypes.getByNameAndVersion(name);
	}

	credentialType(name: string): ICredentialType {
		const type = this.credentialTypes.get(name);
		if (!type) throw new Error(`There is no credential type ${name}`);
		return type;
	}

	/** Runs a workflow to its end, from its first node without an input connection. */
	async run(file: WorkflowFile, options: RunOptions): Promise<IRun> {
		const workflow = this.workflow(file, options.staticData);
		const startNode = Object.values(workflow.nodes).find(
			({ name }) => workflow.getParentNodes(name).length === 0,
		);
		if (!startNode) throw new Error(`${file.name} has no node to start from`);
		const additionalData = this.additionalData(file, options);
		const execution = start(new WorkflowExecute(additionalData, 'manual'), workflow, startNode);
		options.signal?.addEventListener('abort', () => execution.cancel());
		return await execution;
	}

	/** Runs a workflow from a trigger with these items, as n8n does after a poll. */
	async runFrom(
		file: WorkflowFile,
		triggerName: string,
		items: INodeExecutionData[],
		options: RunOptions,
	): Promise<IRun> {
		const workflow = this.workflow(file);
		const node = workflow.getNode(triggerName) as INode;
		const data = createRunExecutionData({
			executionData: {
				nodeExecutionStack: [{ node, data: { main: [items] }, source: null }],
				contextData: {},
				metadata: {},
				waitingExecution: {},
				waitingExecutionSource: {},
			},
		});
		const additionalData = this.additionalData(file, options);
		return await new WorkflowExecute(additionalData, 'trigger', data).processRunExecutionData(
			workflow,
		);
	}

	/** Continues a waiting execution from its saved data. */
	async resume(file: WorkflowFile, data: IRunExecutionData, options: RunOptions): Promise<IRun> {
		const additionalData = this.additionalData(file, options);
		return await new WorkflowExecute(additionalData, 'manual', data).processRunExecutionData(
			this.workflow(file),
		);
	}

	/** Calls the webhook of the node at which an execution waits, as n8n does when somebody opens its link. */
	async callWebhook(
		file: WorkflowFile,
		node: INode,
		data: IRunExecutionData,
		call: WebhookCall,
		options: RunOptions,
	): Promise<IWebhookResponseData> {
		const type = this.nodeType(node.type);
		const webhookDescription = type.description.webhooks?.find(
			({ httpMethod }) => httpMethod === call.httpRequest.method,
		);
		if (!type.webhook || !webhookDescription)
			throw new Error(`${node.type} has no webhook for ${call.httpRequest.method ?? ''}`);
		const webhookData = { node: node.name, webhookDescription } as unknown as IWebhookData;
		const additionalData = {
			...this.additionalData(file, options),
			...call,
		} as unknown as IWorkflowExecuteAdditionalData;
		const workflow = this.workflow(file);
		const context = new WebhookContext(
			workflow,
			workflow.getNode(node.name) as INode,
			additionalData,
			'manual',
			webhookData,
			[],
			data,
		);
		return await type.webhook.call(context);
	}

	/** The parts of a polling context: the workflow with its static data, and its surroundings. */
	polling(
		file: WorkflowFile,
		options: RunOptions,
		staticData: IDataObject,
	): { workflow: Workflow; additionalData: IWorkflowExecuteAdditionalData } {
		return {
			workflow: this.workflow(file, staticData),
			additionalData: this.additionalData(file, options),
		};
	}

	/** Calls a list search of a node, as the editor does. */
	async search(
		nodeTypeName: string,
		method: string,
		options: EditorOptions & { filter?: string; paginationToken?: string },
	): Promise<INodeListSearchResult> {
		const search = this.nodeType(nodeTypeName).methods?.listSearch?.[method];
		if (!search) throw new Error(`${nodeTypeName} has no picker ${method}`);
		const context = this.loadOptionsContext(nodeTypeName, options);
		return await search.call(context, options.filter, options.paginationToken);
	}

	/** Gets the fields of a resource mapper from a node, as the editor does. */
	async mapFields(
		nodeTypeName: string,
		method: string,
		options: EditorOptions,
	): Promise<ResourceMapperFields> {
		const map = this.nodeType(nodeTypeName).methods?.resourceMapping?.[method];
		if (!map) throw new Error(`${nodeTypeName} has no resource mapping ${method}`);
		return await map.call(this.loadOptionsContext(nodeTypeName, options));
	}

	private loadOptionsContext(nodeTypeName: string, options: EditorOptions): LoadOptionsContext {
		const { parameters = {} } = options;
		const file = {
			name: 'Pick',
			nodes: [actionNode('Node', parameters, nodeTypeName)],
			connections: {},
		};
		const workflow = this.workflow(file);
		const additionalData = {
			...this.additionalData(file, options),
			currentNodeParameters: parameters,
		};
		return new LoadOptionsContext(
			workflow,
			workflow.getNode('Node') as INode,
			additionalData,
			'parameters.field',
		);
	}

	/** Tests a credential, as its dialog does. */
	async testCredential(
		data: ICredentialDataDecryptedObject,
		method = 'testConnection',
	): Promise<INodeCredentialTestResult> {
		const context = new CredentialTestContext(
			this.additionalData({ name: 'Test', nodes: [], connections: {} }, { credential: data }),
		);
		const test = this.nodeType(ACTION_NODE).methods?.credentialTest?.[method];
		if (!test) throw new Error(`There is no credential test ${method}`);
		return await test.call(context, { id: '1', name: 'Test', type: CREDENTIAL, data });
	}

	private workflow(file: WorkflowFile, staticData?: IDataObject): Workflow {
		return new Workflow({
			id: file.id ?? 'workflow',
			staticData,
			name: file.name,
			nodes: file.nodes.filter(({ type }) => type !== STICKY_NOTE),
			connections: file.connections,
			active: false,
			nodeTypes: this.nodeTypes,
			settings: file.settings,
		});
	}

	private additionalData(file: WorkflowFile, options: RunOptions): IWorkflowExecuteAdditionalData {
		const base = {
			id: 'workflow',
			name: file.name,
			active: false,
			nodes: file.nodes,
			connections: file.connections,
		};
		const hooks = new ExecutionLifecycleHooks('manual', '1', base as unknown as IWorkflowBase);
		hooks.addHandler('nodeExecuteBefore', (name) => options.onStart?.(name));
		hooks.addHandler('nodeExecuteAfter', async (name, data) => await options.onEnd?.(name, data));
		const url = 'http://localhost:5678';
		const notHere = async () => {
			throw new Error('Not part of this engine');
		};
		const { startExecution = notHere } = options;
		return {
			credentialsHelper: new Credentials(
				this.credentialTypes,
				{ [CREDENTIAL]: options.credential },
				options.otherCredentials,
			),
			hooks,
			executionId: options.execution?.id ?? '1',
			currentNodeExecutionIndex: 0,
			restApiUrl: url,
			instanceBaseUrl: `${url}/`,
			formBaseUrl: url,
			formWaitingBaseUrl: url,
			formTestBaseUrl: url,
			webhookBaseUrl: url,
			webhookWaitingBaseUrl: options.execution?.waitingUrl ?? url,
			webhookTestBaseUrl: url,
			mcpBaseUrl: url,
			mcpTestBaseUrl: url,
			variables: {},
			'data-table': { dataTableProxyProvider: dataTables(options.tables) },
			executeWorkflow: async (
				_workflow: IExecuteWorkflowInfo,
				_data: IWorkflowExecuteAdditionalData,
				{ inputData = [] }: ExecuteWorkflowOptions,
			) => ({ executionId: await startExecution(inputData), data: [null] }),
			getRunExecutionData: notHere,
			getRuntimeCredential: notHere,
			logAiEvent: () => undefined,
			setExecutionStatus: () => undefined,
			startRunnerTask: notHere,
		} as unknown as IWorkflowExecuteAdditionalData;
	}
}

/** Older versions of n8n have two parameters for the workflow and the node. */
function start(
	execute: WorkflowExecute,
	workflow: Workflow,
	startNode: INode,
): ReturnType<WorkflowExecute['run']> {
	if (execute.run.length <= 1) return execute.run({ workflow, startNode });
	const run = execute.run.bind(execute) as unknown as (
		workflow: Workflow,
		startNode: INode,
	) => ReturnType<WorkflowExecute['run']>;
	return run(workflow, startNode);
}

/** The items of a node's output; [] if it did not run. */
export function outputOf(run: IRun, nodeName: string, output = 0): INodeExecutionData[] {
	return run.data.resultData.runData[nodeName]?.at(-1)?.data?.main?.[output] ?? [];
}
