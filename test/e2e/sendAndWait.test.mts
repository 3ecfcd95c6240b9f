import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import axios from 'axios';
import type {
	IDataObject,
	INode,
	INodeConnections,
	INodeParameters,
	NodeConnectionType,
} from 'n8n-workflow';
import {
	ACTION_NODE,
	actionNode,
	builtIn,
	byId,
	linearWorkflow,
	type WorkflowFile,
} from '../../engine/workflows.mts';
import { openChat } from '../support/openChat.mts';
import { EndToEnd, isEnded, waitFor, type Execution, type Saved } from './harness.mts';
import { startModel } from './model.mts';

/** Send and Wait for Response in n8n itself: its links, its signatures, its timer and its human review step. */
let e2e: EndToEnd;

before(async () => {
	e2e = await EndToEnd.start();
});

after(async () => {
	await e2e.close();
});

/** Somebody whose 24 hours are still open. */
const approver = (): string => openChat(e2e.sandbox.world).to;

const question = (more: INodeParameters = {}): INodeParameters => ({
	resource: 'message',
	operation: 'sendAndWait',
	to: byId(approver()),
	agentId: byId(e2e.sandbox.world.users.newestFirst().next().value!.id),
	message: 'Refund?',
	...more,
});

const START = 'Start';

const startNode = (path: string): INode => ({
	...builtIn(START, 'webhook', { path, httpMethod: 'POST', options: {} }, 2),
	webhookId: `00000000-0000-4000-8000-0000000000${path.length.toString().padStart(2, '0')}`,
});

const asking = (path: string, more: INodeParameters = {}): WorkflowFile =>
	linearWorkflow(
		path,
		startNode(path),
		actionNode('Ask', question(more)),
		builtIn('After', 'noOp', {}, 1),
	);

const messages = () => e2e.sandbox.requests.filter(({ route }) => route === 'POST /messages');

/** Starts a published workflow, and returns its execution and its links once it waits. */
async function startAsking(path: string, saved: Saved) {
	const before = messages().length;
	const known = new Set((await e2e.executions(saved.id)).map(({ id }) => id));
	const { status } = await axios.post(`${e2e.n8n.url}/webhook/${path}`, {
		data: { approved: true },
	});
	assert.equal(status, 200);
	const execution = await waitFor(
		async () =>
			(await e2e.executions(saved.id)).find(
				({ id, status: now }) => !known.has(id) && (now === 'waiting' || now === 'error'),
			),
		120,
	);
	if (execution.status === 'error') assert.fail(await e2e.errorOf(execution.id));
	const { text } = messages().at(before)!.body as { text: string };
	return { execution, links: text.match(/http\S+/g)! };
}

const ended = async ({ id }: Execution, saved: Saved): Promise<Execution> =>
	await waitFor(async () => {
		const found = (await e2e.executions(saved.id)).find((execution) => execution.id === id);
		return found && isEnded(found) ? found : undefined;
	}, 240);

const open = async (url: string) => await axios.get<string>(url, { validateStatus: () => true });
const submit = async (url: string, approved: boolean) =>
	await axios.post<string>(url, new URLSearchParams({ approved: String(approved) }), {
		validateStatus: () => true,
	});

/** The output without `respondedAt`, which must be there once somebody has responded. */
const outputOf = async ({ id }: Execution) =>
	(await e2e.output(id, 'After')).map(({ json }): IDataObject => {
		const { respondedAt, ...data } = json.data as IDataObject & { respondedAt?: string };
		if (json.timedOut === false) assert.match(respondedAt ?? '', /^\d{4}-\d\d-\d\dT.*Z$/);
		return { ...json, data };
	});

test('an approval survives a restart, is shown on GET, decided on POST, and counts once', async () => {
	const saved = await e2e.save(asking('approve'));
	await e2e.publish(saved);
	const { execution, links } = await startAsking('approve', saved);
	const [approve = '', decline = ''] = links;

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
	assert.equal((await ended(execution, saved)).status, 'success');
	assert.deepEqual(await outputOf(execution), [{ timedOut: false, data: { approved: true } }]);

	const again = await submit(decline, false);
	assert.equal(again.status, 200);
	assert.match(again.data, /[Nn]o action required/);
	assert.deepEqual(await outputOf(execution), [{ timedOut: false, data: { approved: true } }]);
});

test('it can be declined, and continues by itself when the time is up', async () => {
	const limit = { limitWaitTime: true, resumeAmount: 0.1, resumeUnit: 'minutes' };
	const declined = await e2e.save(asking('declined'));
	const late = await e2e.save(asking('too-late', limit));
	await e2e.publish(declined);
	await e2e.publish(late);
	const first = await startAsking('declined', declined);
	await submit(first.links[1]!, false);
	assert.equal((await ended(first.execution, declined)).status, 'success');
	assert.deepEqual(await outputOf(first.execution), [
		{ timedOut: false, data: { approved: false } },
	]);

	const second = await startAsking('too-late', late);
	assert.equal((await ended(second.execution, late)).status, 'success');
	const [json] = await outputOf(second.execution);
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
		const openAiApi = await e2e.n8n.call<{ id: string; name: string }>('POST', '/credentials', {
			name: 'OpenAI account',
			type: 'openAiApi',
			data: { apiKey: 'none', url: model.url },
		});
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
				credentials: { openAiApi },
			},
			actionNode(
				'Review',
				{
					...question(),
					message: '=May the agent use {{ $tool.name }}? {{ $tool.parameters.toJsonString() }}',
				},
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
			nodes,
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

		const declined = await startAsking('review-it', saved);
		const page = await open(declined.links[1]!);
		assert.match(page.data, /May the agent use Open.Ticket\?/);
		await submit(declined.links[1]!, false);
		assert.equal((await ended(declined.execution, saved)).status, 'success');
		assert.match(await answerOf(declined.execution), /^"Not done/);
		assert.equal(refunds(), 0);

		const approved = await startAsking('review-it', saved);
		await submit(approved.links[0], true);
		assert.equal((await ended(approved.execution, saved)).status, 'success');
		assert.equal(await answerOf(approved.execution), '"Done"');
		assert.equal(refunds(), 1);
	} finally {
		await model.close();
	}
});
