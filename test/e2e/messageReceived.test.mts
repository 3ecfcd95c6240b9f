import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { triggerWorkflow } from '../../tools/engine/workflows.mts';
import { IS_OLDEST } from '../../tools/scripts/n8n.mts';
import { addText } from '../support/records.mts';
import { named, openBrowser } from './browser.mts';
import { EditorPage } from './editorPage.mts';
import { EndToEnd, examples, waitFor } from './harness.mts';

// The list of chats shows which of them have new messages.
const e2e = await EndToEnd.start({ shapes: { chatActivity: 'lastMessageAt' } });
after(async () => await e2e.close());

test('every message of a customer starts a published workflow once, even if n8n is killed in between', async () => {
	const { world } = e2e.sandbox;
	const [chat, other] = world.chats.filter(({ channel }) => channel === 'WHATSAPP');
	const write = (text: string, to = chat!, direction: 'INBOUND' | 'OUTBOUND' = 'INBOUND') =>
		addText(world, to, text, { direction });
	const saved = await e2e.save(
		triggerWorkflow({ events: ['messageReceived'], groupMessages: 'message' }),
	);
	await e2e.publish(saved);

	const texts = async () => (await e2e.emitted(saved.id)).map(({ text }) => text);
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
	await e2e.untilPolled('/chats', 150);
	assert.equal((await texts()).length, 4);
});

/** n8n refuses a time below a minute entry by entry, but not several of them. */
test(
	'with the four poll times of the examples, published in the editor, a message starts the workflow within seconds',
	{ skip: IS_OLDEST },
	async () => {
		const { nodes } = examples().get('message-routing.json')!;
		const { pollTimes } = nodes.find(({ parameters }) => parameters.pollTimes)!.parameters;
		const { world } = e2e.sandbox;
		const [chat] = world.chats.filter(({ channel }) => channel === 'WHATSAPP');
		const saved = await e2e.save(triggerWorkflow({ events: ['messageReceived'], pollTimes }));
		const browser = await openBrowser();
		try {
			const editor = await EditorPage.open(browser, e2e.n8n.url);
			await editor.openWorkflow(saved.id);
			await named(editor.page, 'workflow-open-publish-modal-button').click();
			await named(editor.page, 'workflow-publish-button').click();
			await e2e.untilPublished(saved.id);
		} finally {
			await browser.close();
		}
		// The first poll has ended.
		await sleep(5_000);

		const written: number[] = [];
		for (let i = 1; i <= 5; i++) {
			// At another moment between two polls each time.
			await sleep(i * 3_700);
			written.push(Date.parse(addText(world, chat!, `Message ${i}`).createdAt));
			await e2e.untilEnded(saved.id, i, 60);
		}
		const executions = await e2e.ended(saved.id);
		const seconds = executions.map(
			({ startedAt }, i) => (Date.parse(startedAt!) - (written[i] ?? 0)) / 1_000,
		);
		console.log(`Seconds from a message to its execution: ${seconds.join(', ')}`);
		assert.deepEqual(
			(await e2e.emitted(saved.id)).map(({ text }) => text).sort(),
			[1, 2, 3, 4, 5].map((i) => `Message ${i}`),
		);
		// 15 seconds between two polls, and what a poll takes.
		assert.ok(Math.max(...seconds) <= 20, seconds.join(', '));
	},
);
