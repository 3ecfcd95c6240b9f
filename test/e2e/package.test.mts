import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ACTION_NODE, TRIGGER_NODE } from '../../tools/engine/workflows.mts';
import { resources } from '../../nodes/ConversationalMessaging/resources/index.ts';
import { EndToEnd } from './harness.mts';
import { around, named, openBrowser, picture } from './browser.mts';
import { EditorPage } from './editorPage.mts';

/** The package in n8n, as a user first sees it: installed from its tarball, found, and given a credential. */

/** What users enter who do not know the name of the package. */
const SEARCHED = [
	'whatsapp',
	'ticket',
	'broadcast',
	'campaign',
	'newsletter',
	'segment',
	'template',
	'escalat',
	'opt-out',
	'approval',
	'human',
	'hitl',
	'wait',
	'form',
];

// First, because it reports a missing browser before n8n is started, which takes minutes.
const browser = await openBrowser();
const e2e = await EndToEnd.start();

after(async () => {
	await browser.close();
	await e2e.close();
});

test('n8n loads both nodes, and the action node as a tool of an AI agent and as a human review step', async () => {
	const { data } = await e2e.n8n.rest.get<{ name: string }[]>(`${e2e.n8n.url}/types/nodes.json`);
	const names = data.map(({ name }) => name).filter((name) => name.includes('conversational'));
	// With Send and Wait for Response, n8n also makes a human review step of the action node.
	const made = ['Tool', 'HitlTool'].map((suffix) => `${ACTION_NODE}${suffix}`);
	assert.deepEqual(names.sort(), [ACTION_NODE, ...made, TRIGGER_NODE].sort());
});

test('n8n’s MCP server finds the node for agents that build workflows, with its hint on Retry On Fail', async () => {
	await e2e.n8n.call('PATCH', '/mcp/settings', { mcpAccessEnabled: true });
	const { apiKey } = await e2e.n8n.call<{ apiKey: string }>('GET', '/mcp/api-key');
	const headers = {
		Authorization: `Bearer ${apiKey}`,
		Accept: 'application/json, text/event-stream',
	};
	for (const word of ['whatsapp', 'instagram', 'broadcast', 'segment', 'helpdesk', 'opt-out']) {
		const { data } = await e2e.n8n.rest.post<string>(
			`${e2e.n8n.url}/mcp-server/http`,
			{
				jsonrpc: '2.0',
				id: 1,
				method: 'tools/call',
				params: { name: 'search_nodes', arguments: { queries: [word] } },
			},
			{ headers },
		);
		assert.ok(data.includes(`- ${ACTION_NODE}\\n`), word);
		assert.match(data, /Do not set retryOnFail/, word);
	}
});

test('n8n serves the output schemas, from which the editor shows fields before anything ran', async () => {
	const url = `${e2e.n8n.url}/schemas/${ACTION_NODE}/1.0.0/ticket/get.json`;
	const { status, data } = await e2e.n8n.rest.get<{ properties: object }>(url);
	assert.equal(status, 200);
	assert.ok('status' in data.properties);
});

for (const [theme, icon] of [
	['light', 'conversationalMessaging.svg'],
	['dark', 'conversationalMessaging.dark.svg'],
] as const) {
	test(`the nodes panel describes the nodes, with an icon for the ${theme} theme`, async () => {
		const editor = await EditorPage.open(browser, e2e.n8n.url, theme);
		await editor.search('conversational');
		const found = editor.found('Conversational Messaging');
		await found.getByText('Starts the workflow when').waitFor();
		const image = found.locator('img').first();
		assert.equal((await image.getAttribute('src'))?.split('/').pop(), icon);
		// It is visible, not only requested.
		assert.ok((await image.evaluate((drawn: { naturalWidth: number }) => drawn.naturalWidth)) > 0);
		await editor.page.close();
	});
}

test('the nodes panel finds the nodes by what they are for', async () => {
	const editor = await EditorPage.open(browser, e2e.n8n.url);
	const { page } = editor;
	await editor.search('conversational');
	for (const word of SEARCHED) {
		await named(page, 'node-creator-search-bar').fill(word);
		await editor.found('Conversational Messaging').waitFor();
	}
	await named(page, 'node-creator-search-bar').fill('no such word');
	await editor.found('Conversational Messaging').waitFor({ state: 'detached' });
	await page.close();
});

test('the nodes panel lists the triggers, and the actions by resource', async () => {
	const editor = await EditorPage.open(browser, e2e.n8n.url);
	const { page } = editor;
	await editor.search('conversational');
	await editor.found('Conversational Messaging').click();
	await page.getByText('On ticket status changed').waitFor();
	const listed = await named(page, 'item-iterator-item').allInnerTexts();
	assert.deepEqual(
		listed.filter((text) => text.startsWith('On ')),
		[
			'On broadcast status changed',
			'On chat escalation changed',
			'On contact added to segment',
			'On import job status changed',
			'On message received',
			'On template status changed',
			'On ticket status changed',
		],
	);
	await page.getByText(/^Actions \(\d+\)/).click();
	for (const { name, operations } of resources) {
		await page.getByText(new RegExp(`^${name} actions$`, 'i')).waitFor();
		for (const { action } of operations)
			await page.getByText(action, { exact: true }).first().waitFor();
	}
	await page.getByText('Send message', { exact: true }).hover();
	await picture(page, 'actions', await around(named(page, 'node-creator'), 0));
	await page.close();
});

test('the dialog of the credential rejects a wrong token and accepts a valid one', async () => {
	const { page: dark } = await EditorPage.open(browser, e2e.n8n.url, 'dark');
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
