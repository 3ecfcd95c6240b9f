import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { ACTION_NODE, actionNode, CREDENTIAL, TRIGGER_NODE } from '../../engine/engine.mts';
import { fastClock } from '../../sandbox/clock.mts';
import { EndToEnd, examples, isEnded } from './bench.mts';
import { named, openBrowser, signIn } from './browser.mts';

/** The package in n8n itself: installed from its tarball, used in the editor by a browser. */
let e2e: EndToEnd;
let browser: Browser;
let page: Page;

/** What has to be closed in the end, the latest first. */
const open: { close: () => Promise<void> }[] = [];

const PICTURES = fileURLToPath(new URL('../../docs/images/', import.meta.url));

before(async () => {
	e2e = await EndToEnd.start({ clock: fastClock(10) });
	open.unshift(e2e);
	browser = await openBrowser();
	open.unshift(browser);
	page = await signIn(browser, e2e.n8n.url);
	mkdirSync(PICTURES, { recursive: true });
});

after(async () => {
	for (const each of open) await each.close();
});

async function until<T>(look: () => Promise<T | undefined>, seconds: number): Promise<T> {
	for (let waited = 0; waited < seconds * 1_000; waited += 500) {
		const found = await look();
		if (found !== undefined) return found;
		await sleep(500);
	}
	throw new Error(`It did not happen within ${seconds} s`);
}

test('n8n loads both nodes, and the action node as a tool of an AI agent', async () => {
	const { data } = await e2e.n8n.rest.get<{ name: string }[]>(`${e2e.n8n.url}/types/nodes.json`);
	const names = data.map(({ name }) => name).filter((name) => name.includes('conversational'));
	assert.deepEqual(names.sort(), [ACTION_NODE, `${ACTION_NODE}Tool`, TRIGGER_NODE].sort());
});

test('a person finds the package by its name, with its triggers and its actions', async () => {
	await page.goto(`${e2e.n8n.url}/workflow/new`);
	await named(page, 'canvas-add-button').or(named(page, 'canvas-plus-button')).first().click();
	await named(page, 'node-creator-search-bar').fill('conversational');
	const found = named(page, 'item-iterator-item').filter({ hasText: 'Conversational Messaging' });
	await found.first().click();
	await page.getByText('On ticket status changed').waitFor();
	const listed = await named(page, 'item-iterator-item').allInnerTexts();
	assert.deepEqual(
		listed.filter((text) => text.startsWith('On ')),
		[
			'On broadcast status changed',
			'On chat escalation changed',
			'On import job status changed',
			'On ticket status changed',
		],
	);
	await page.getByText(/^Actions \(\d+\)/).click();
	await page.getByText('Create broadcast').first().waitFor();
	await page.screenshot({ path: `${PICTURES}actions.png` });
});

test('the credential is tested, and the answer says what is the matter', async () => {
	const { tokens, baseUrl } = e2e.sandbox;
	const say = async (apiToken: string): Promise<string> => {
		const { status, message } = await e2e.n8n.call<{ status: string; message: string }>(
			'POST',
			'/credentials/test',
			{
				credentials: {
					id: e2e.credentialId,
					name: 'Conversational Messaging account',
					type: CREDENTIAL,
					data: { apiToken, baseUrl },
				},
			},
		);
		return `${status}: ${message}`;
	};
	assert.match(await say('wa_pk_wrong'), /^Error: .*token/i);
	assert.match(await say(tokens.expired.value), /^Error: .*expired/i);
	assert.match(await say(tokens.withoutSettings.value), /^OK: .*settings\.view/);
	assert.match(await say(tokens.all.value), /^OK/);
});

test('in the dialog of the credential, a wrong token is told and a good one is taken', async () => {
	const dark = await signIn(browser, e2e.n8n.url, 'dark');
	await dark.goto(`${e2e.n8n.url}/home/credentials/${e2e.credentialId}`);
	const enter = async (token: string) => {
		await dark.locator('input[type=password]').first().fill(token);
		await named(dark, 'credential-save-button').click();
	};
	await enter('wa_pk_wrong');
	await dark.getByText('Couldn’t connect with these settings').waitFor();
	await dark.getByText('More details').click();
	await dark.getByText(/token/i).nth(1).waitFor();
	await enter(e2e.sandbox.tokens.all.value);
	await named(dark, 'credentials-config-container-test-success').waitFor();
	await dark.close();
});

for (const [name, file] of examples()) {
	test(`examples/${name} runs in the editor`, async () => {
		const { id } = await e2e.save(file);
		await page.goto(`${e2e.n8n.url}/workflow/${id}`);
		await named(page, 'canvas-node').first().waitFor();
		if (name === 'ticket-routing.json') await page.screenshot({ path: `${PICTURES}workflow.png` });
		await page.keyboard.press('Control+Enter');
		const [execution] = await until(async () => {
			const all = await e2e.executions(id);
			return all.length > 0 && all.every(isEnded) ? all : undefined;
		}, 60);
		assert.equal(execution?.status, 'success');
	});
}

test('a record is picked from a list in the node', async () => {
	const { id } = await e2e.save({
		name: 'Pick',
		nodes: [
			actionNode('Start', {}, 'n8n-nodes-base.manualTrigger', { credentials: undefined }),
			actionNode('Ticket', { resource: 'ticket', operation: 'get' }, ACTION_NODE, {
				position: [300, 0],
			}),
		],
		connections: { Start: { main: [[{ node: 'Ticket', type: 'main', index: 0 }]] } },
	});
	await page.goto(`${e2e.n8n.url}/workflow/${id}`);
	await page.locator('[data-test-id="canvas-node"][data-node-name="Ticket"]').dblclick();
	await named(page, 'rlc-input').first().click();
	await named(page, 'rlc-item').first().waitFor();
	const { ticketNumber, title } = [...e2e.sandbox.world.tickets.newestFirst()][150]!;
	// It is beyond the first page of the list.
	await named(page, 'rlc-search').fill(ticketNumber);
	const item = named(page, 'rlc-item').filter({ hasText: ticketNumber }).first();
	await item.waitFor();
	await page.screenshot({ path: `${PICTURES}picker.png` });
	await item.click();
	await named(page, 'node-execute-button').first().click();
	await page.getByText(title).first().waitFor();
});

test('a template that is picked becomes fields, and one left empty is named', async () => {
	const contact = e2e.sandbox.world.contacts.find(({ waId }) => waId !== null)!;
	const agent = [...e2e.sandbox.world.users.newestFirst()][0]!;
	const byId = (value: string) => ({ __rl: true, mode: 'id', value });
	const { id } = await e2e.save({
		name: 'Send',
		nodes: [
			actionNode('Start', {}, 'n8n-nodes-base.manualTrigger', { credentials: undefined }),
			actionNode(
				'Send',
				{
					resource: 'message',
					operation: 'send',
					channel: 'WHATSAPP',
					to: byId(contact.waId!),
					type: 'template',
					agentId: byId(agent.id),
				},
				ACTION_NODE,
				{ position: [300, 0] },
			),
		],
		connections: { Start: { main: [[{ node: 'Send', type: 'main', index: 0 }]] } },
	});
	await page.goto(`${e2e.n8n.url}/workflow/${id}`);
	await page.locator('[data-test-id="canvas-node"][data-node-name="Send"]').dblclick();
	const template = page.locator('[data-test-id="resource-locator-templateId"]');
	await template.locator('[data-test-id="rlc-input"]').click();
	await named(page, 'rlc-item').filter({ hasText: 'ticket_update' }).first().click();
	await page.getByText('Body {{1}}').first().waitFor();
	await page.screenshot({ path: `${PICTURES}template.png` });
	const sent = e2e.sandbox.requests.filter(({ path }) => path === '/messages').length;
	await named(page, 'node-execute-button').first().click();
	await page.getByText('variable Body {{1}} is empty').first().waitFor();
	assert.equal(e2e.sandbox.requests.filter(({ path }) => path === '/messages').length, sent);
});

test('the trigger starts a published workflow once per change, also when n8n dies in between', async () => {
	const saved = await e2e.save({
		name: 'Watch',
		nodes: [
			actionNode(
				'Trigger',
				{ pollTimes: { item: [{ mode: 'everyMinute' }] }, events: ['ticketStatusChanged'] },
				TRIGGER_NODE,
			),
		],
		connections: {},
	});
	await e2e.publish(saved);
	const ticket = e2e.sandbox.world.tickets.find(({ status }) => status === 'OPEN')!;
	const count = async () => (await e2e.executions(saved.id)).filter(isEnded).length;

	ticket.status = 'IN_PROGRESS';
	await until(async () => ((await count()) === 1 ? true : undefined), 75);

	ticket.status = 'RESOLVED';
	await e2e.n8n.kill();
	await e2e.n8n.up();
	await until(async () => ((await count()) === 2 ? true : undefined), 75);

	// Another poll finds nothing more.
	const polls = () => e2e.sandbox.requests.filter(({ path }) => path === '/tickets').length;
	const before = polls();
	await until(async () => await Promise.resolve(polls() > before ? true : undefined), 75);
	await sleep(2_000);
	const executions = await e2e.executions(saved.id);
	assert.deepEqual(
		executions.map(({ status, mode }) => `${mode} ${status}`),
		['trigger success', 'trigger success'],
	);
});
