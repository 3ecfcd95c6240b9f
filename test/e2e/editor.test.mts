import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { INodeParameters } from 'n8n-workflow';
import {
	actionNode,
	builtIn,
	byId,
	linearWorkflow,
	triggerWorkflow,
} from '../../tools/engine/workflows.mts';
import { fastClock } from '../../sandbox/clock.mts';
import { fillIn } from '../../tools/demo/fillIn.mts';
import { EndToEnd, examples, isEnded, waitFor, type Execution } from './harness.mts';
import { around, named, openBrowser, picture } from './browser.mts';
import { EditorPage } from './editorPage.mts';
import { startModel } from './model.mts';

/** The action node in n8n's editor: filled in and run by hand. */

// First, because it reports a missing browser before n8n is started, which takes minutes.
const browser = await openBrowser();
const e2e = await EndToEnd.start({ clock: fastClock(10), shapes: { chatActivity: 'lastMessage' } });
await e2e.createDataTables();
const editor = await EditorPage.open(browser, e2e.n8n.url);

after(async () => {
	await browser.close();
	await e2e.close();
});

/** The latest request of a route. */
const latest = (route: string) => e2e.sandbox.requests.findLast((seen) => seen.route === route);

const requests = (route: string) => e2e.sandbox.requests.filter((seen) => seen.route === route);

/** Opens the link in the latest message, and presses the button behind it, as somebody with a browser does. */
async function respond(label: string): Promise<void> {
	const { text } = latest('POST /messages')!.body as { text: string };
	const link = new RegExp(`^${label}: (.*)$`, 'm').exec(text)?.[1] ?? '';
	// As wide as a phone.
	const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
	await page.goto(link);
	await picture(page, 'decision');
	await page.getByRole('button', { name: label, exact: true }).click();
	await page.getByText(`Recorded: ${label}`).waitFor();
	await page.close();
}

const AGENT = 'ai-agent.json';

/** It runs in a test of its own, without an editor. */
const WHATSAPP_AGENT = 'whatsapp-agent.json';

/** They wait for a day, or for customers. */
const WAITING = ['ab-test.json', 'survey.json'];

/** The trigger of an example that has several: by default, n8n starts with a form. */
const STARTS: Record<string, string> = { 'contact-backup.json': 'Every Night' };

/** What somebody enters in the form that n8n opens, by its labels. */
const LEAD = { Name: 'Ann Lee', 'WhatsApp number': '+1 202 555 0145' };

async function submitLead(): Promise<void> {
	const opened = editor.page.waitForEvent('popup');
	await editor.page.keyboard.press('Control+Enter');
	const form = await opened;
	for (const [label, value] of Object.entries(LEAD)) await form.getByLabel(label).fill(value);
	await form.locator('select').selectOption('Yes');
	await form.locator('button[type=submit]').click();
}

for (const [name, file] of examples()) {
	if (name === AGENT || name === WHATSAPP_AGENT) continue;
	const isExpected = ({ status }: Execution) =>
		status === 'success' || (status === 'waiting' && WAITING.includes(name));
	test(`examples/${name} runs`, async () => {
		const { id } = await e2e.save(fillIn(name, file, e2e.sandbox.world));
		await editor.openWorkflow(id);
		await picture(editor.page, name.replace('.json', ''), await editor.showSteps());
		const start = STARTS[name];
		if (start) await named(editor.page, `execute-workflow-button-${start}`).click({ force: true });
		else if (name === 'lead-form.json') await submitLead();
		else await editor.page.keyboard.press('Control+Enter');
		let isAnswered = false;
		const executions = await waitFor(async () => {
			const all = await e2e.executions(id);
			if (!isAnswered && all.some((each) => each.status === 'waiting' && !isExpected(each))) {
				isAnswered = true;
				await respond('Send');
			}
			const isOver = (each: Execution) => isEnded(each) || isExpected(each);
			return all.length > 0 && all.every(isOver) ? all : undefined;
		}, 60);
		assert.deepEqual(
			executions.filter((each) => !isExpected(each)).map(({ status }) => status),
			[],
		);
		assert.equal(isAnswered, name === 'broadcast-preview.json');
	});
}

test(`examples/${WHATSAPP_AGENT} opens`, async () => {
	const { world } = e2e.sandbox;
	const { id } = await e2e.save(fillIn(WHATSAPP_AGENT, examples().get(WHATSAPP_AGENT)!, world));
	await editor.openWorkflow(id);
	await picture(editor.page, 'whatsapp-agent', await editor.showSteps());
});

test('a ticket is filled in from lists', async () => {
	const { world } = e2e.sandbox;
	const agent = world.users.newestFirst().next().value!;
	await editor.addAction('Create ticket');
	await editor.fill('title', 'Parcel lost');
	// On the second page of the list.
	const contact = [...world.contacts.newestFirst()][60]!;
	await editor.openList('contactId');
	await editor.scrollTo(contact.name);
	await editor.listed(contact.name).click();
	await editor.add('Agent');
	await editor.pick('agentId', agent.name);
	await editor.execute();
	await editor.shows('Parcel lost');
	assert.deepEqual(latest('POST /tickets')?.body, {
		title: 'Parcel lost',
		contactId: contact.id,
		assigneeId: agent.id,
	});
});

test('a ticket is searched for in its list', async () => {
	const { ticketNumber, title } = [...e2e.sandbox.world.tickets.newestFirst()][150]!;
	await editor.addAction('Get ticket');
	await editor.openList('ticketId');
	await named(editor.page, 'rlc-search').fill(ticketNumber);
	await editor.listed(ticketNumber).waitFor();
	await picture(editor.page, 'picker', { ...(await editor.parameters()), height: 420 });
	await editor.listed(ticketNumber).click();
	await editor.execute();
	await editor.shows(title);
});

test('the variables of a template become fields; an empty one is named, and the filled-in template is sent', async () => {
	const { world } = e2e.sandbox;
	// An example has sent messages to new contacts, whose names are their numbers.
	const contact = world.contacts.find(({ waId, name }) => waId !== null && name !== waId)!;
	await editor.addAction('Send message');
	await editor.pick('to', contact.name);
	await editor.choose('type', 'Template');
	await editor.pick('templateId', 'ticket_update');
	await named(editor.page, 'ndv').getByText('1: Hello …, your ticket').waitFor();
	await editor.fill('body:1', 'Ann');
	await editor.fill('body:2', '1001');
	// Also makes it visible in the picture.
	await editor.fill('body:3', '');
	await picture(editor.page, 'template', await editor.parameters());
	const before = requests('POST /messages').length;
	await editor.execute();
	await editor.shows('variable 3 is empty');
	assert.equal(requests('POST /messages').length, before);

	await editor.fill('body:3', 'on its way');
	await editor.pick('agentId', world.users.newestFirst().next().value!.name);
	await editor.add('Take Over');
	await editor.execute();
	await editor.shows('SENT');
	const { to, templateComponents } = latest('POST /messages')!.body as Record<string, unknown>;
	assert.equal(to, contact.waId);
	assert.deepEqual(templateComponents, [
		{
			type: 'body',
			parameters: ['Ann', '1001', 'on its way'].map((text) => ({ type: 'text', text })),
		},
	]);
});

test('a fallback’s variable and a country are picked from lists', async () => {
	await editor.addAction('Send message');
	await editor.add('Fallback Template');
	await editor.pick('templateId', 'ticket_update');
	await editor.add('Fallback Template Variables');
	await editor.page.getByText('Add Variable').click();
	await editor.pick('id', '2: ticket … is now [3].');
	await editor.add('Country of Numbers');
	await editor.pick('countryOfNumbers', 'Germany (+49)');
});

test('a changed template has other fields once its node is opened; opening alone changes nothing', async () => {
	const { page } = editor;
	const { id } = await e2e.save(
		linearWorkflow(
			'Template',
			builtIn('Start', 'manualTrigger', {}, 1),
			actionNode('Send', { resource: 'message', operation: 'send', type: 'template' }),
		),
	);
	await editor.openNode(id, 'Send');
	await editor.pick('templateId', 'ticket_update');
	await editor.fill('body:3', 'done');
	const close = async () => await named(page, 'ndv-close-button').click();
	await close();
	await page.keyboard.press('Control+s');
	await waitFor(async () => {
		const { nodes } = await e2e.workflow(id);
		return JSON.stringify(nodes).includes('"done"') || undefined;
	}, 30);

	await editor.openWorkflow(id);
	const { versionId } = await e2e.workflow(id);
	await editor.openNode(id, 'Send');
	await named(page, 'parameter-input-body:3').waitFor();
	await close();
	// n8n saves a change after a moment.
	await page.waitForTimeout(5_000);
	assert.equal((await e2e.workflow(id)).versionId, versionId);

	const template = e2e.sandbox.world.templates.find(({ name }) => name === 'ticket_update')!;
	const { components } = template;
	template.components = JSON.parse(
		JSON.stringify(components).replace('{{3}}.', '{{3}}, on {{4}}.'),
	) as typeof components;
	try {
		await editor.openNode(id, 'Send');
		await named(page, 'parameter-input-body:4').waitFor();
		await named(page, 'ndv').getByText('your ticket [2] is now [3], on [4].').waitFor();
	} finally {
		template.components = components;
	}
});

test('a broadcast to a segment is scheduled', async () => {
	await editor.addAction('Create broadcast');
	await editor.fill('name', 'Ticket news');
	await editor.pick('templateId', 'ticket_update');
	await editor.fill('body:1', 'there');
	await editor.fill('body:2', 'from yesterday');
	await editor.fill('body:3', 'done');
	await editor.pick('segmentId', 'Returning customers');
	await editor.choose('scheduleType', 'At a Date and Time');
	await editor.fill('sendAt', '2040-03-01 09:00:00');
	await editor.page.keyboard.press('Enter');
	await editor.execute();
	await editor.shows('SCHEDULED');
	const broadcast = e2e.sandbox.world.broadcasts.find(({ name }) => name === 'Ticket news');
	assert.equal(broadcast?.startsAt, Date.UTC(2040, 2, 1, 9));
});

/** The parameters of the first action or trigger of this package in a workflow, once they are saved. */
async function saved(
	workflowId: string,
	isAwaited: (parameters: INodeParameters) => boolean,
): Promise<INodeParameters> {
	return await waitFor(async () => {
		const { nodes } = await e2e.workflow(workflowId);
		const parameters = nodes.at(-1)?.parameters;
		return parameters && isAwaited(parameters) ? parameters : undefined;
	}, 30);
}

test('a broadcast keeps its guards when Preview becomes Create, and back', async () => {
	const { id } = await e2e.save(
		linearWorkflow(
			'Guards',
			builtIn('Start', 'manualTrigger', {}, 1),
			actionNode('Broadcast', { resource: 'broadcast', operation: 'preview' }),
		),
	);
	await editor.openNode(id, 'Broadcast');
	await editor.add('Exclude Segments');
	await editor.page.getByRole('button', { name: 'Add Segment' }).click();
	await editor.pick('segmentId', 'Returning customers');
	await editor.add('Max Recipients');
	await editor.fill('maxRecipients', '25');
	await editor.page.keyboard.press('Enter');
	const hasGuards = ({ options = null }: INodeParameters) => JSON.stringify(options).includes('25');
	const { options } = await saved(id, hasGuards);
	for (const [label, value] of [
		['Create', 'create'],
		['Preview', 'preview'],
	] as const) {
		await editor.choose('operation', label);
		const parameters = await saved(id, ({ operation = 'create' }) => operation === value);
		assert.deepEqual(parameters.options, options);
		assert.equal(await editor.valueOf('segmentId'), 'Returning customers');
		assert.equal(await editor.valueOf('maxRecipients'), '25');
	}
});

test('a trigger keeps its filters when an event is added', async () => {
	const agent = e2e.sandbox.world.users.newestFirst().next().value!;
	const { id } = await e2e.save(triggerWorkflow({ events: ['ticketStatusChanged'] }));
	await editor.openNode(id, 'Trigger');
	await editor.add('Agent');
	await editor.pick('agentId', agent.name);
	await editor.choose('events', 'Chat Escalation Changed');
	const { filters } = await saved(id, ({ events }) => (events as string[]).length === 2);
	assert.equal((filters as { agentId?: { value: unknown } }).agentId?.value, agent.id);
});

test('a CSV that another node has made is imported and waited for', async () => {
	const rows = [
		{ name: 'Ann Example', waId: '12025550177' },
		{ name: 'Bo Example', waId: '12025550178' },
	];
	const { id } = await e2e.save(
		linearWorkflow(
			'Import',
			builtIn('Start', 'manualTrigger', {}, 1),
			builtIn('Rows', 'set', { mode: 'raw', jsonOutput: JSON.stringify({ rows }) }, 3.4),
			builtIn('Each', 'splitOut', { fieldToSplitOut: 'rows' }, 1),
			builtIn('CSV', 'convertToFile', {}, 1.1),
			actionNode('Import', {
				resource: 'contactImport',
				operation: 'start',
				source: 'binary',
				options: { waitForCompletionMinutes: 5 },
			}),
		),
	);
	await editor.openNode(id, 'Import');
	await editor.execute();
	await editor.shows(/completed/i);
	for (const { waId, name } of rows)
		assert.equal(e2e.sandbox.world.findContactByWaId(waId)?.name, name);
});

test('a trigger that is cut and pasted on the canvas is another node with the same name', async () => {
	const { page } = editor;
	const { id } = await e2e.save(triggerWorkflow({ events: ['ticketStatusChanged'] }));
	const trigger = async () => (await e2e.workflow(id)).nodes[0];
	const before = await trigger();
	await editor.openWorkflow(id);
	await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
	await named(page, 'canvas-node').click();
	await page.keyboard.press('Control+x');
	await named(page, 'canvas-node').waitFor({ state: 'detached' });
	await page.keyboard.press('Control+v');
	await named(page, 'canvas-node').waitFor();
	await page.keyboard.press('Control+s');
	const pasted = await waitFor(async () => {
		const node = await trigger();
		return node && node.id !== before?.id ? node : undefined;
	}, 30);
	assert.equal(pasted.name, before?.name);
	assert.deepEqual(pasted.parameters.events, before?.parameters.events);
});

test('before anything has run, fields of the previous node are dragged into parameters', async () => {
	const ticket = e2e.sandbox.world.tickets.find(({ contactId }) => contactId !== null)!;
	const { id } = await e2e.save(
		linearWorkflow(
			'Follow up',
			builtIn('Start', 'manualTrigger', {}, 1),
			actionNode('Get', { resource: 'ticket', operation: 'get', ticketId: byId(ticket.id) }),
			actionNode('Create', { resource: 'ticket', operation: 'create' }),
		),
	);
	await editor.openNode(id, 'Create');
	const input = named(editor.page, 'ndv-input-panel');
	await input.getByText('Usually outputs the following fields').waitFor();
	await editor.drag('title', 'title');
	await editor.drag('contactId', 'contactId');
	assert.deepEqual(await e2e.executions(id), []);

	await editor.execute();
	await editor.shows(ticket.title);
	const { title, contactId } = ticket;
	assert.deepEqual(latest('POST /tickets')?.body, { title, contactId });
});

test('contacts are exported to a file', async () => {
	await editor.addAction('Export contacts');
	await editor.execute();
	await editor.shows('contacts.csv');
	const [download] = await Promise.all([
		editor.page.waitForEvent('download'),
		named(editor.page, 'output-panel').getByText('Download').click(),
	]);
	assert.equal(download.suggestedFilename(), 'contacts.csv');
});

test('the node is a tool of an AI agent, and runs by hand as the agent would run it', async () => {
	const { page } = editor;
	await editor.addTool();
	await editor.choose('resource', 'Ticket');
	await editor.choose('operation', 'Create');
	await editor.leaveToAgent('title');
	await picture(page, 'tool', await editor.parameters());
	await editor.execute();
	await named(page, 'query.Title').locator('input').fill('Asked by the agent');
	await named(page, 'fromAiParameters-modal')
		.locator('[data-test-id="execute-workflow-button"]')
		.click();
	await editor.shows('Asked by the agent');
	assert.deepEqual(latest('POST /tickets')?.body, { title: 'Asked by the agent' });
});

test('an AI agent finds a customer and opens a ticket, asked in the chat', async () => {
	const { page } = editor;
	const contact = [...e2e.sandbox.world.contacts.newestFirst()][40]!;
	const model = await startModel(([found, opened]) => {
		if (found === undefined) return { tool: 'Find_Contact', args: { Search: contact.name } };
		const id = /"id\W+(\w+)/.exec(found)![1]!;
		const args = {
			Title: 'Parcel lost',
			Contact: id,
			Description: 'It should be there since Monday',
		};
		if (opened === undefined) return { tool: 'Open_Ticket', args };
		return { text: `Ticket ${/"ticketNumber\W+(\d+)/.exec(opened)![1]!} is open` };
	});
	try {
		const file = examples().get(AGENT)!;
		const { id } = await e2e.save({ ...file, nodes: await e2e.withModel(file.nodes, model) });
		await editor.openWorkflow(id);
		const chat = named(page, 'canvas-chat');
		await named(page, 'workflow-chat-button').waitFor();
		// n8n remembers whether it is open.
		if (!(await chat.locator('textarea').isVisible()))
			await named(page, 'workflow-chat-button').click();
		await chat.locator('textarea').fill(`${contact.name} says that a parcel is lost`);
		await page.keyboard.press('Enter');
		const ticket = await waitFor(
			async () =>
				e2e.sandbox.world.tickets.find(
					({ title, contactId }) => title === 'Parcel lost' && contactId === contact.id,
				),
			60,
		);
		await chat.getByText(`Ticket ${ticket.ticketNumber} is open`).waitFor();
		assert.deepEqual(model.offered.sort(), ['Find_Contact', 'Open_Ticket']);
		// It covers a note.
		await page.locator('.el-notification__closeBtn').first().click();
		await page.locator('.el-notification').waitFor({ state: 'detached' });
		await named(page, 'zoom-to-fit').click();
		await picture(page, 'ai-agent', await around(named(page, 'canvas-wrapper').or(chat), 0));
	} finally {
		await model.close();
	}
});
