import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { triggerWorkflow } from '../../engine/workflows.mts';
import { addText } from '../support/records.mts';
import { EndToEnd, isEnded, waitFor } from './harness.mts';

let e2e: EndToEnd;

before(async () => {
	e2e = await EndToEnd.start();
});

after(async () => {
	await e2e.close();
});

test('every message of a customer starts a published workflow once, even if n8n is killed in between', async () => {
	const { world } = e2e.sandbox;
	const [chat, other] = world.chats.filter(({ channel }) => channel === 'WHATSAPP');
	const write = (text: string, to = chat!, direction: 'INBOUND' | 'OUTBOUND' = 'INBOUND') =>
		addText(world, to, text, { direction });
	const saved = await e2e.save(triggerWorkflow({ events: ['messageReceived'] }));
	await e2e.publish(saved);

	/** The texts that the ended executions started with, in the order of the executions. */
	const texts = async (): Promise<unknown[]> => {
		const executions = (await e2e.executions(saved.id)).filter(isEnded);
		const byAge = executions.sort((a, b) => Number(a.id) - Number(b.id));
		const items = await Promise.all(byAge.map(({ id }) => e2e.startedWith(id, 'Trigger')));
		return items.flat().map(({ json }) => json.text);
	};
	const received = async (count: number) =>
		await waitFor(async () => {
			const all = await texts();
			return all.length >= count ? all : undefined;
		}, 150);

	write('Where is my order?');
	write('It is late.');
	write('We look into it.', chat, 'OUTBOUND');
	assert.deepEqual(await received(2), ['Where is my order?', 'It is late.']);

	write('Hello?');
	write('Good morning', other);
	await e2e.n8n.kill();
	await e2e.n8n.up();
	const all = await received(4);
	assert.deepEqual(all.slice(0, 2), ['Where is my order?', 'It is late.']);
	assert.deepEqual(all.slice(2).sort(), ['Good morning', 'Hello?']);

	// Another poll finds nothing more.
	const polls = () => e2e.sandbox.requests.filter(({ path }) => path === '/chats').length;
	const before = polls();
	await waitFor(async () => await Promise.resolve(polls() > before ? true : undefined), 150);
	await sleep(2_000);
	assert.equal((await texts()).length, 4);
});
