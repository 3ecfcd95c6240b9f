import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import axios from 'axios';
import type { IDataObject, INode } from 'n8n-workflow';
import { actionNode, builtIn, byId, linearWorkflow } from '../../tools/engine/workflows.mts';
import { EndToEnd, isEnded, waitFor, type Saved } from './harness.mts';

/** What depends on n8n itself, not on its engine alone: its database of processed keys and its links to stored files. */
let e2e: EndToEnd;

before(async () => {
	e2e = await EndToEnd.start();
});

after(async () => {
	await e2e.close();
});

/** Somebody with a session, whom any agent's message reaches. */
function recipient(): string {
	const { world } = e2e.sandbox;
	const chat = world.chats.find(
		({ channel, session }) => channel === 'WHATSAPP' && session !== null,
	)!;
	return world.contacts.get(chat.contactId)!.waId!;
}

const received = (route: string) =>
	e2e.sandbox.requests.filter((request) => request.route === route);

/** Publishes a workflow that begins with a webhook. */
async function publish(path: string, ...nodes: INode[]): Promise<Saved> {
	const start: INode = {
		...builtIn('Start', 'webhook', { path, httpMethod: 'POST', options: {} }, 2),
		webhookId: `00000000-0000-4000-8000-0000000001${path.length.toString().padStart(2, '0')}`,
	};
	const saved = await e2e.save(linearWorkflow(path, start, ...nodes));
	await e2e.publish(saved);
	return saved;
}

/** Starts a published workflow. @returns what its last node returned */
async function call(path: string, saved: Saved, body: unknown): Promise<IDataObject[]> {
	const known = new Set((await e2e.executions(saved.id)).map(({ id }) => id));
	await axios.post(`${e2e.n8n.url}/webhook/${path}`, body);
	const { id, status } = await waitFor(async () => {
		const [found] = (await e2e.executions(saved.id)).filter((each) => !known.has(each.id));
		return found && isEnded(found) ? found : undefined;
	}, 120);
	if (status !== 'success') assert.fail(await e2e.errorOf(id));
	return (await e2e.output(id, 'Node')).map(({ json }) => json);
}

/** What an item returns whose message was sent before, or may have been. */
const unsent = (sendOnceKey: string) => ({
	sent: false,
	sendOnceKey,
	reason: 'A message for this value was sent before, or may have been',
});

test('Send Once Key sends one message per key, also after a restart', async () => {
	const saved = await publish(
		'once',
		actionNode('Node', {
			resource: 'message',
			operation: 'send',
			to: byId(recipient()),
			text: 'Your order is on its way.',
			options: { sendOnceKey: '={{ $json.body.order }}' },
		}),
	);
	const sentBefore = received('POST /messages').length;
	const [first] = await call('once', saved, { order: 'A' });
	assert.equal(first?.sent, true);
	assert.deepEqual(await call('once', saved, { order: 'A' }), [unsent('A')]);

	await e2e.n8n.kill();
	await e2e.n8n.up();

	assert.deepEqual(await call('once', saved, { order: 'A' }), [unsent('A')]);
	e2e.sandbox.faults.add({ kind: 'status', status: 500 });
	const known = (await e2e.executions(saved.id)).length;
	await axios.post(`${e2e.n8n.url}/webhook/once`, { order: 'B' });
	await waitFor(async () => {
		const all = await e2e.executions(saved.id);
		return all.length > known && all.every(isEnded) ? true : undefined;
	}, 120);
	// It may have been sent.
	assert.deepEqual(await call('once', saved, { order: 'B' }), [unsent('B')]);
	const [last] = await call('once', saved, { order: 'C' });
	assert.equal(last?.sent, true);
	assert.equal(received('POST /messages').length - sentBefore, 3);
});

test('Retry On Fail of a node that sends is named in a hint', async () => {
	const send = { resource: 'message', operation: 'send', to: byId(recipient()), text: 'Hello' };
	for (const retryOnFail of [false, true]) {
		const path = `retry-${String(retryOnFail)}`;
		const saved = await publish(path, { ...actionNode('Node', send), retryOnFail });
		await call(path, saved, {});
		const [execution] = await e2e.executions(saved.id);
		const hints = await e2e.hints(execution!.id, 'Node');
		assert.equal(/Retry On Fail is on/.test(hints.join()), retryOnFail);
	}
});

test('a file of the workflow is sent as a link, from which n8n serves it', async () => {
	const saved = await publish(
		'file',
		builtIn(
			'File',
			'convertToFile',
			{
				operation: 'toText',
				sourceProperty: 'body.text',
				options: { fileName: 'invoice 7.txt' },
			},
			1.1,
		),
		actionNode('Node', {
			resource: 'message',
			operation: 'send',
			to: byId(recipient()),
			type: 'document',
			mediaSource: 'binary',
		}),
	);
	await call('file', saved, { text: 'Two lamps, 40 €' });
	const { mediaUrl, fileName } = received('POST /messages').at(-1)!.body as Record<string, string>;
	assert.equal(fileName, 'invoice 7.txt');
	const { data } = await axios.get<string>(mediaUrl!, { responseType: 'text' });
	assert.equal(data, 'Two lamps, 40 €');
	const forged = await axios.get(`${mediaUrl!.slice(0, -2)}AA`, { validateStatus: () => true });
	assert.equal(forged.status, 400);
});

test('a broadcast is previewed and nothing is sent; a sync writes nothing the second time', async () => {
	const preview = await publish(
		'preview',
		actionNode('Node', {
			resource: 'broadcast',
			operation: 'preview',
			name: 'Welcome',
			templateId: { __rl: true, mode: 'name', value: 'welcome en_US' },
			options: {
				templateComponents:
					'[{ "type": "body", "parameters": [{ "type": "text", "parameter_name": "name", "text": "there" }] }]',
			},
			audience: 'list',
			recipients: '+1 202-555-0143, 12025550143, 12025550144',
		}),
	);
	const [shown] = await call('preview', preview, {});
	assert.equal(shown?.recipients, 2);
	assert.equal(received('POST /broadcasts').length, 0);

	const sync = await publish(
		'sync',
		builtIn('Rows', 'splitOut', { fieldToSplitOut: 'body.rows', options: {} }, 1),
		actionNode('Node', { resource: 'contact', operation: 'sync', dryRun: false }),
	);
	const rows = [
		{ name: 'Ann Example', waId: '12025550181' },
		{ name: 'Bo Example', waId: '12025550182' },
	];
	const results = async () => (await call('sync', sync, { rows })).map(({ result }) => result);
	assert.deepEqual(await results(), ['created', 'created']);
	assert.deepEqual(await results(), ['unchanged', 'unchanged']);
});
