import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import axios from 'axios';
import type { IDataObject, INode } from 'n8n-workflow';
import { startSandbox } from '../../sandbox/server.mts';
import { actionNode, builtIn, byId, linearWorkflow } from '../../tools/engine/workflows.mts';
import { startNode } from './asking.mts';
import { EndToEnd, isEnded, saveCredential, waitFor, type Saved } from './harness.mts';

/**
 * What depends on n8n itself, not on its engine alone: its database of processed keys, its links to stored files, and
 * its expressions in credentials.
 */

const e2e = await EndToEnd.start();
after(async () => await e2e.close());

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
async function publish(path: string, nodes: INode[], credentialId?: string): Promise<Saved> {
	const saved = await e2e.save(linearWorkflow(path, startNode(path), ...nodes), credentialId);
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
	const saved = await publish('once', [
		actionNode('Node', {
			resource: 'message',
			operation: 'send',
			to: byId(recipient()),
			text: 'Your order is on its way.',
			options: { sendOnceKey: '={{ $json.body.order }}' },
		}),
	]);
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

test('a file of the workflow is sent as a link, from which n8n serves it', async () => {
	const saved = await publish('file', [
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
	]);
	await call('file', saved, { text: 'Two lamps, 40 €' });
	const { mediaUrl, fileName } = received('POST /messages').at(-1)!.body as Record<string, string>;
	assert.equal(fileName, 'invoice 7.txt');
	const { data } = await axios.get<string>(mediaUrl!, { responseType: 'text' });
	assert.equal(data, 'Two lamps, 40 €');
	const forged = await axios.get(`${mediaUrl!.slice(0, -2)}AA`, { validateStatus: () => true });
	assert.equal(forged.status, 400);
});

test('each item is written with its own token, to its own service, where both are expressions', async () => {
	const { sandbox, n8n } = e2e;
	const other = await startSandbox();
	const tenants = [
		{ name: 'Ann', baseUrl: sandbox.baseUrl, token: sandbox.tokens.all.value },
		// The same service, another token.
		{ name: 'Bo', baseUrl: sandbox.baseUrl, token: sandbox.tokens.withoutSettings.value },
		// The same token, another service.
		{ name: 'Cy', baseUrl: other.baseUrl, token: other.tokens.all.value },
	];
	try {
		const saved = await publish(
			'tenants',
			[
				builtIn('Rows', 'splitOut', { fieldToSplitOut: 'body.rows', options: {} }, 1),
				actionNode('Node', {
					resource: 'ticket',
					operation: 'create',
					title: '={{ $json.name }}',
				}),
			],
			await saveCredential(n8n, {
				baseUrl: '={{ $json.baseUrl }}',
				apiToken: '={{ $json.token }}',
			}),
		);
		const output = await call('tenants', saved, { rows: [...tenants, ...tenants] });
		const names = tenants.map(({ name }) => name);
		assert.deepEqual(
			output.map(({ title }) => title),
			[...names, ...names],
		);
		const received = [sandbox, other].flatMap((service) =>
			service.requests
				.filter(({ route }) => route === 'POST /tickets')
				.map(({ headers: { authorization }, body }) => ({
					name: (body as IDataObject).title,
					baseUrl: service.baseUrl,
					token: String(authorization).replace('Bearer ', ''),
				})),
		);
		for (const tenant of tenants)
			assert.deepEqual(
				received.filter(({ name }) => name === tenant.name),
				[tenant, tenant],
			);
		assert.equal(received.length, 6);
	} finally {
		await other.close();
	}
});
