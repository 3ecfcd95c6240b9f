import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import axios from 'axios';
import type { INodeConnections, INodeParameters, NodeConnectionType } from 'n8n-workflow';
import { ACTION_NODE, actionNode, byId } from '../../tools/engine/workflows.mts';
import { Asking, startNode } from './asking.mts';
import { EndToEnd, type Execution } from './harness.mts';
import { startModel } from './model.mts';

/** Send and Wait for Response in n8n itself: its links, its signatures, its timer and its human review step. */

const e2e = await EndToEnd.start();
const asking = new Asking(e2e);
after(async () => await e2e.close());

const open = async (url: string) => await axios.get<string>(url, { validateStatus: () => true });
const submit = async (url: string, approved: boolean) =>
	await axios.post<string>(url, new URLSearchParams({ approved: String(approved) }), {
		validateStatus: () => true,
	});

test('an approval survives a restart, is shown on GET, decided on POST, and counts once', async () => {
	const saved = await asking.publish('approve');
	const asked = await asking.start('approve', saved);
	const [approve = '', decline = ''] = asked.links;

	await e2e.n8n.kill();
	await e2e.n8n.up();

	const page = await open(approve);
	assert.equal(page.status, 200);
	assert.match(page.data, /Refund\?/);
	assert.match(String(page.headers['content-security-policy']), /default-src 'none'/);
	await axios.head(approve, { validateStatus: () => true });
	const [still] = await e2e.executions(saved.id);
	assert.equal(still?.status, 'waiting');

	for (const change of ['signature', 'question']) {
		const forged = new URL(approve);
		forged.searchParams.set(change, 'x'.repeat(64));
		assert.equal((await submit(forged.href, true)).status, 401);
	}

	const recorded = await submit(approve, true);
	assert.equal(recorded.status, 200);
	assert.match(recorded.data, /Recorded: Approve/);
	assert.match(String(recorded.headers['content-type']), /^text\/html/);
	assert.deepEqual(await asking.output(asked), [{ timedOut: false, data: { approved: true } }]);

	const again = await submit(decline, false);
	assert.equal(again.status, 200);
	assert.match(again.data, /[Nn]o action required/);
	assert.deepEqual(await asking.output(asked), [{ timedOut: false, data: { approved: true } }]);
});

test('it can be declined, and continues by itself when the time is up', async () => {
	const limit = { limitWaitTime: true, resumeAmount: 0.1, resumeUnit: 'minutes' };
	const declined = await asking.publish('declined');
	const late = await asking.publish('too-late', limit);
	const first = await asking.start('declined', declined);
	await submit(first.links[1]!, false);
	assert.deepEqual(await asking.output(first), [{ timedOut: false, data: { approved: false } }]);

	const [json] = await asking.output(await asking.start('too-late', late));
	assert.deepEqual([json?.timedOut, json?.data], [true, { approved: false }]);
});

test('it is a human review step: the tool of an agent runs only if somebody approves', async () => {
	// A reviewed tool has its arguments under this name.
	const args = { toolParameters: { Title: 'Refund' } };
	const model = await startModel(([opened]) =>
		opened === undefined
			? { tool: 'Open_Ticket', args }
			: { text: opened.includes('ticketNumber') ? 'Done' : `Not done: ${opened}` },
	);
	try {
		const langchain = (name: string, type: string, version: number, parameters: INodeParameters) =>
			actionNode(name, parameters, `@n8n/n8n-nodes-langchain.${type}`, {
				typeVersion: version,
				credentials: undefined,
			});
		const nodes = [
			startNode('review-it'),
			langchain('Agent', 'agent', 3, { promptType: 'define', text: 'Refund Ann', options: {} }),
			{
				...langchain('Model', 'lmChatOpenAi', 1.2, { model: byId('gpt-4.1-mini'), options: {} }),
				credentials: { openAiApi: { id: null, name: '' } },
			},
			actionNode(
				'Review',
				// n8n enters the message.
				{ ...asking.question(), message: undefined },
				`${ACTION_NODE}HitlTool`,
			),
			actionNode(
				'Open Ticket',
				{
					descriptionType: 'manual',
					toolDescription: 'Opens a ticket',
					resource: 'ticket',
					operation: 'create',
					title: "={{ $fromAI('Title', 'About what', 'string') }}",
				},
				`${ACTION_NODE}Tool`,
			),
		];
		const to = (node: string, type: NodeConnectionType): INodeConnections => ({
			[type]: [[{ node, type, index: 0 }]],
		});
		const saved = await e2e.save({
			name: 'Review',
			// In the older order, n8n continues the agent before the tool has run.
			settings: { executionOrder: 'v1' },
			nodes: await e2e.withModel(nodes, model),
			connections: {
				Start: to('Agent', 'main'),
				Model: to('Agent', 'ai_languageModel'),
				'Open Ticket': to('Review', 'ai_tool'),
				Review: to('Agent', 'ai_tool'),
			},
		});
		await e2e.publish(saved);
		const refunds = () =>
			e2e.sandbox.world.tickets.filter(({ title }) => title === 'Refund').length;
		const answerOf = async ({ id }: Execution) =>
			JSON.stringify((await e2e.output(id, 'Agent'))[0]?.json.output);

		const declined = await asking.start('review-it', saved);
		const message =
			'The agent wants to run this tool: Open_Ticket\n\nInput:\nTitle: Refund\n\nApprove: ';
		assert.equal(declined.text.slice(0, message.length), message);
		const page = await open(declined.links[1]!);
		assert.match(page.data, />The agent wants to run this tool: Open_Ticket</);
		assert.match(page.data, /Input:\nTitle: Refund</);
		await submit(declined.links[1]!, false);
		assert.equal((await asking.ended(declined)).status, 'success');
		assert.match(await answerOf(declined.execution), /^"Not done/);
		assert.equal(refunds(), 0);

		const approved = await asking.start('review-it', saved);
		await submit(approved.links[0]!, true);
		assert.equal((await asking.ended(approved)).status, 'success');
		assert.equal(await answerOf(approved.execution), '"Done"');
		assert.equal(refunds(), 1);
	} finally {
		await model.close();
	}
});
