import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { IDataObject, INode } from 'n8n-workflow';
import { CREDENTIAL, type WorkflowFile } from '../../engine/engine.mts';
import type { Clock } from '../../sandbox/clock.mts';
import { startSandbox, type Sandbox } from '../../sandbox/server.mts';
import { N8nServer } from './n8nServer.mts';

const EXAMPLES = fileURLToPath(new URL('../../examples/', import.meta.url));

interface Saved {
	id: string;
	versionId: string;
}

export interface Execution {
	id: string;
	status: string;
	mode: string;
}

/** n8n with this package, and the messaging service on the same machine. */
export class EndToEnd {
	private constructor(
		readonly n8n: N8nServer,
		readonly sandbox: Sandbox,
		/** The ID of a credential that works. */
		readonly credentialId: string,
	) {}

	static async start(clock?: Clock): Promise<EndToEnd> {
		const sandbox = await startSandbox(clock ? { clock } : {});
		const n8n = await N8nServer.start();
		const { id } = await n8n.call<{ id: string }>('POST', '/credentials', {
			name: 'Conversational Messaging account',
			type: CREDENTIAL,
			data: { baseUrl: sandbox.baseUrl, apiToken: sandbox.tokens.all.value },
		});
		return new EndToEnd(n8n, sandbox, id);
	}

	async close(): Promise<void> {
		await this.n8n.close();
		await this.sandbox.close();
	}

	/** Saves a workflow in n8n, with the credential that is there. */
	async save(file: WorkflowFile): Promise<Saved> {
		const nodes = file.nodes.map(
			(node): INode => ({
				...node,
				...(node.credentials && {
					credentials: {
						[CREDENTIAL]: { id: this.credentialId, name: 'Conversational Messaging account' },
					},
				}),
			}),
		);
		return await this.n8n.call<Saved>('POST', '/workflows', {
			name: file.name,
			nodes,
			connections: file.connections,
			settings: file.settings ?? {},
		});
	}

	async publish({ id, versionId }: Saved): Promise<void> {
		await this.n8n.call('POST', `/workflows/${id}/activate`, { versionId });
	}

	async executions(workflowId: string): Promise<Execution[]> {
		const filter = encodeURIComponent(JSON.stringify({ workflowId }));
		const { results } = await this.n8n.call<{ results: Execution[] }>(
			'GET',
			`/executions?filter=${filter}`,
		);
		return results;
	}
}

/** Every example workflow, by its file name. */
export function examples(): Map<string, WorkflowFile> {
	const names = readdirSync(EXAMPLES).filter((name) => name.endsWith('.json'));
	return new Map(
		names.map((name) => [
			name,
			JSON.parse(readFileSync(`${EXAMPLES}${name}`, 'utf8')) as WorkflowFile,
		]),
	);
}

export type Item = { json: IDataObject };
