import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parse as parseForm } from 'node:querystring';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import Busboy from '@fastify/busboy';
import { Container } from '@n8n/di';
import { parse, stringify } from 'flatted';
import {
	generateUrlSignature,
	InstanceSettings,
	prepareUrlForSigning,
	WAITING_TOKEN_QUERY_PARAM,
} from 'n8n-core';
import type { IDataObject, INode, INodeExecutionData, IRun, IRunExecutionData } from 'n8n-workflow';
import type { Engine, RunOptions } from './engine.mts';
import type { WorkflowFile } from './workflows.mts';

interface Execution {
	file: WorkflowFile;
	options: RunOptions;
	run: IRun;
	/** Its data as n8n keeps it in its database while the execution waits; undefined once it has ended. */
	saved?: string;
}

/**
 * Executions that wait for their link, behind an HTTP server of their own: what n8n does between the moment at which a
 * node lets its execution wait and the moment at which its link is called or the time is up.
 */
export class WaitingExecutions {
	private readonly executions = new Map<string, Execution>();

	private started = 0;

	private constructor(
		private readonly engine: Engine,
		private readonly server: Server,
	) {}

	static async start(engine: Engine): Promise<WaitingExecutions> {
		const server = createServer();
		const waiting = new WaitingExecutions(engine, server);
		server.on('request', (request, response) => {
			waiting.respond(request, response).catch((error: unknown) => {
				response.writeHead(500).end(String(error));
			});
		});
		server.listen(0, '127.0.0.1');
		await once(server, 'listening');
		return waiting;
	}

	get url(): string {
		return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/webhook-waiting`;
	}

	async close(): Promise<void> {
		this.server.close();
		this.server.closeAllConnections();
		await once(this.server, 'close');
	}

	/** Runs a workflow until it ends or waits. @returns the ID of the execution */
	async run(file: WorkflowFile, options: RunOptions): Promise<string> {
		return await this.begin(file, options, async (own) => await this.engine.run(file, own));
	}

	/** Runs a workflow from a trigger with these items, until it ends or waits. @returns the ID of the execution */
	async runFrom(
		file: WorkflowFile,
		triggerName: string,
		items: INodeExecutionData[],
		options: RunOptions,
	): Promise<string> {
		return await this.begin(
			file,
			options,
			async (own) => await this.engine.runFrom(file, triggerName, items, own),
		);
	}

	/** The IDs of all executions, in the order in which they ended or began to wait. */
	get ids(): string[] {
		return [...this.executions.keys()];
	}

	private async begin(
		file: WorkflowFile,
		options: RunOptions,
		run: (own: RunOptions) => Promise<IRun>,
	): Promise<string> {
		const id = String(++this.started);
		const own = { ...options, execution: { id, waitingUrl: this.url } };
		this.keep(id, { file, options: own, run: await run(own) });
		return id;
	}

	/** How an execution has ended, or how it was when it began to wait. */
	runOf(id: string): IRun {
		return this.of(id).run;
	}

	/** Continues an execution whose time is up. */
	async timeUp(id: string): Promise<IRun> {
		const { saved = '' } = this.of(id);
		return await this.resume(id, parse(saved) as IRunExecutionData);
	}

	private of(id: string): Execution {
		const execution = this.executions.get(id);
		if (!execution) throw new Error(`There is no execution ${id}`);
		return execution;
	}

	private keep(id: string, execution: Execution): void {
		const { run } = execution;
		const saved = run.status === 'waiting' ? stringify(run.data) : undefined;
		this.executions.set(id, { ...execution, saved });
	}

	private async resume(id: string, data: IRunExecutionData): Promise<IRun> {
		const execution = this.of(id);
		// From now on, no other request finds it waiting.
		execution.saved = undefined;
		const run = await this.engine.resume(execution.file, data, execution.options);
		this.keep(id, { ...execution, run });
		return run;
	}

	/** As n8n's waiting webhooks: signature, status and node first, then the webhook of the node. */
	private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const url = new URL(request.url ?? '', this.url);
		const [, , id = '', nodeId = ''] = url.pathname.split('/');
		if (!isSigned(url)) {
			response.writeHead(401).end('{"error":"Invalid token"}');
			return;
		}
		const { file, options, saved } = this.of(id);
		const data = saved === undefined ? undefined : (parse(saved) as IRunExecutionData);
		const entry = data?.executionData?.nodeExecutionStack[0];
		if (!data || entry?.node.id !== decodeURIComponent(nodeId)) {
			response.writeHead(200).end('No action required');
			return;
		}
		const isForm = entry.node.parameters.responseType === 'customForm';
		if (request.method === 'POST' && isForm && !isMultipart(request)) {
			response.writeHead(415).end('Expected multipart/form-data');
			return;
		}
		const httpRequest = Object.assign(request, {
			query: Object.fromEntries(url.searchParams),
			body: isMultipart(request) ? await readMultipart(request) : parseForm(await text(request)),
		});
		const answer = await this.engine.callWebhook(
			file,
			entry.node,
			data,
			{ httpRequest, httpResponse: response },
			options,
		);
		if (!answer.workflowData) return;
		entry.data.main = answer.workflowData;
		disable(data, entry.node);
		await this.resume(id, data);
		response.end(answer.webhookResponse as string | undefined);
	}
}

const isMultipart = ({ headers }: IncomingMessage): boolean =>
	headers['content-type']?.startsWith('multipart/form-data') === true;

/** n8n has the fields and the files of a multipart body beside each other, and a list of those with the same name. */
async function readMultipart(request: IncomingMessage): Promise<IDataObject> {
	const { 'content-type': type = '' } = request.headers;
	const parser = new Busboy({ headers: { 'content-type': type } });
	const fields: Record<string, string[]> = {};
	parser.on('field', (name, value) => (fields[name] ??= []).push(value));
	await pipeline(request, parser);
	const data = Object.entries(fields).map(([name, values]) => [
		name,
		values.length === 1 ? values[0] : values,
	]);
	return { data: Object.fromEntries(data) as IDataObject, files: {} };
}

/** The node that waited does not run again: its output is what its webhook returned. */
function disable(data: IRunExecutionData, node: INode): void {
	node.disabled = true;
	data.waitTill = undefined;
	data.resultData.runData[node.name]?.pop();
}

function isSigned(link: URL): boolean {
	const url = new URL(link);
	const signature = url.searchParams.get(WAITING_TOKEN_QUERY_PARAM);
	url.searchParams.delete(WAITING_TOKEN_QUERY_PARAM);
	const { hmacSignatureSecret } = Container.get(InstanceSettings);
	return signature === generateUrlSignature(prepareUrlForSigning(url), hmacSignatureSecret);
}
