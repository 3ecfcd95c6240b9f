import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { EndToEnd } from './harness.mts';
import { animation, type Frame } from './animation.mts';
import { capture, named, openBrowser, save, windowOf } from './browser.mts';
import { EditorPage } from './editorPage.mts';

/** The animated picture at the top of the README. */

// First, because it reports a missing browser before n8n is started, which takes minutes.
const browser = await openBrowser();
const e2e = await EndToEnd.start();

after(async () => {
	await browser.close();
	await e2e.close();
});

test('a template is picked, filled in and sent, and the trigger receives the reply', async () => {
	const { world } = e2e.sandbox;
	const editor = await EditorPage.open(browser, e2e.n8n.url);
	const { page } = editor;
	const frames: Frame[] = [];
	const show = async (seconds: number): Promise<void> => {
		frames.push({ webp: await capture(page, windowOf(page), 1), ms: seconds * 1_000 });
	};
	const contact = world.contacts.find(
		({ id, waId }) => waId !== null && world.chatOf(id) !== undefined,
	)!;
	const agent = world.users.newestFirst().next().value!;

	await editor.search('conversational');
	await show(1);
	await editor.found('Conversational Messaging').click();
	await page.getByText(/^Actions \(\d+\)/).click();
	const action = named(page, 'item-iterator-item').filter({
		has: page.getByText('Send message', { exact: true }),
	});
	await action.hover();
	await show(1.2);
	await action.click();
	await named(page, 'ndv').waitFor();
	await show(0.8);
	await editor.openList('to');
	await named(page, 'rlc-search').fill(contact.name);
	await editor.listed(contact.name).hover();
	await show(1);
	await editor.listed(contact.name).click();
	await editor.choose('type', 'Template');
	await show(0.8);
	await editor.openList('templateId');
	await show(1);
	await editor.listed('ticket_update').click();
	await named(page, 'parameter-input-body:3').waitFor();
	await show(1.5);
	for (const [field, value] of [
		['body:1', contact.name],
		['body:2', '1042'],
		['body:3', 'on its way'],
	] as const) {
		await editor.fill(field, value);
		await show(0.7);
	}
	await editor.pick('agentId', agent.name);
	await editor.add('Take Over');
	await show(0.8);
	await editor.execute();
	await editor.shows('SENT');
	await show(2);

	world.addMessage(world.chatOf(contact.id)!, {
		direction: 'INBOUND',
		type: 'text',
		content: { text: 'Great, thank you!' },
		agentId: null,
	});
	await editor.search('conversational');
	await editor.found('Conversational Messaging').click();
	await page.getByText('On message received').hover();
	await show(1);
	await page.getByText('On message received').click();
	await named(page, 'ndv').waitFor();
	await show(1);
	await editor.execute();
	await editor.shows('Great, thank you!');
	await show(3);

	const { width, height } = windowOf(page);
	const content = animation(frames, width, height);
	assert.equal(await editor.framesOf(content), frames.length);
	assert.ok(content.length < 2_000_000, `${content.length} bytes`);
	save('send-and-receive.webp', content);
});
