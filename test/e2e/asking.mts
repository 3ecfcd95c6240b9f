import assert from 'node:assert/strict';
import axios from 'axios';
import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import {
	actionNode,
	builtIn,
	byId,
	linearWorkflow,
	type WorkflowFile,
} from '../../tools/engine/workflows.mts';
import { openChat } from '../support/openChat.mts';
import { isEnded, waitFor, type EndToEnd, type Execution, type Saved } from './harness.mts';

/** An execution that waits for a response, and its links in the order of the message. */
export interface Asked {
	execution: Execution;
	saved: Saved;
	links: string[];
	/** The message as it was sent. */
	text: string;
}

const START = 'Start';

export const startNode = (path: string): INode => ({
	...builtIn(START, 'webhook', { path, httpMethod: 'POST', options: {} }, 2),
	webhookId: `00000000-0000-4000-8000-0000000000${path.length.toString().padStart(2, '0')}`,
});

/** Workflows with Send and Wait for Response, in n8n itself. */
export class Asking {
	constructor(private readonly e2e: EndToEnd) {}

	/** The parameters of a question to somebody whose 24 hours are still open. */
	question(more: INodeParameters = {}): INodeParameters {
		const { world } = this.e2e.sandbox;
		return {
			resource: 'message',
			operation: 'sendAndWait',
			to: byId(openChat(world).to),
			agentId: byId(world.users.newestFirst().next().value!.id),
			message: 'Refund?',
			...more,
		};
	}

	/** Publishes a workflow that asks. Its webhook has this path. */
	async publish(path: string, more: INodeParameters = {}): Promise<Saved> {
		const file: WorkflowFile = linearWorkflow(
			path,
			startNode(path),
			actionNode('Ask', this.question(more)),
			builtIn('After', 'noOp', {}, 1),
		);
		const saved = await this.e2e.save(file);
		await this.e2e.publish(saved);
		return saved;
	}

	/** Starts a published workflow, until it waits. */
	async start(path: string, saved: Saved): Promise<Asked> {
		const messages = () =>
			this.e2e.sandbox.requests.filter(({ route }) => route === 'POST /messages');
		const before = messages().length;
		const known = new Set((await this.e2e.executions(saved.id)).map(({ id }) => id));
		const { status } = await axios.post(`${this.e2e.n8n.url}/webhook/${path}`, {
			data: { approved: true },
		});
		assert.equal(status, 200);
		const execution = await waitFor(
			async () =>
				(await this.e2e.executions(saved.id)).find(
					({ id, status: now }) => !known.has(id) && (now === 'waiting' || now === 'error'),
				),
			120,
		);
		if (execution.status === 'error') assert.fail(await this.e2e.errorOf(execution.id));
		const { text } = messages().at(before)!.body as { text: string };
		return { execution, saved, links: text.match(/http\S+/g)!, text };
	}

	/** Waits for the end of an execution. */
	async ended({ execution, saved }: Asked): Promise<Execution> {
		return await waitFor(async () => {
			const all = await this.e2e.executions(saved.id);
			const found = all.find(({ id }) => id === execution.id);
			return found && isEnded(found) ? found : undefined;
		}, 240);
	}

	/** Waits for the end, and returns the output without `respondedAt`, which must be there after a response. */
	async output(asked: Asked): Promise<IDataObject[]> {
		assert.equal((await this.ended(asked)).status, 'success');
		return (await this.e2e.output(asked.execution.id, 'After')).map(({ json }): IDataObject => {
			const { respondedAt, ...data } = json.data as IDataObject & { respondedAt?: string };
			if (json.timedOut === false) assert.match(respondedAt ?? '', /^\d{4}-\d\d-\d\dT.*Z$/);
			return { ...json, data };
		});
	}
}
