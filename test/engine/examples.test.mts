import { readFileSync } from 'node:fs';
import axios from 'axios';
import type { IBinaryData, IDataObject, INodeExecutionData } from 'n8n-workflow';
import { outputOf } from '../../tools/engine/engine.mts';
import { WaitingExecutions } from '../../tools/engine/waiting.mts';
import type { WorkflowFile } from '../../tools/engine/workflows.mts';
import { COLLEAGUE, DATA_TABLES, fillIn } from '../../tools/demo/fillIn.mts';
import type { TicketStatus } from '../../sandbox/records.mts';
import type { World } from '../../sandbox/world.mts';
import { addText } from '../support/records.mts';
import { byId } from './harness.mts';
import { on, SharedHarness } from './sharedHarness.mts';

const EXAMPLES = new URL('../../examples/', import.meta.url);

const service = new SharedHarness({ contacts: 60 });

function load(name: string): WorkflowFile {
	const text = readFileSync(new URL(`${name}.json`, EXAMPLES));
	return JSON.parse(text.toString()) as WorkflowFile;
}

/** An example whose blanks are filled in. */
const filledIn = (name: string): WorkflowFile => fillIn(`${name}.json`, load(name), service.world);

const options = () => ({ credential: service.credential });

async function runExample(name: string) {
	const result = await service.engine.run(filledIn(name), options());
	expect(result.data.resultData.error).toBeUndefined();
	return (node: string) => outputOf(result, node);
}

const segmentNamed = (name: string) => service.world.segments.find((each) => each.name === name);

/** An item of the node before. */
const inputOf = (json: IDataObject) => ({ json, pairedItem: { item: 0 } });

/** The routes of everything that was written. */
const written = () =>
	service.requests.filter(({ method }) => method !== 'GET').map(({ route }) => route);

/** Executions that wait, for the tests of a describe block. */
function waitingExecutions(): Pick<WaitingExecutions, 'run' | 'runFrom' | 'runOf' | 'timeUp'> {
	let waiting: WaitingExecutions;
	beforeEach(async () => {
		waiting = await WaitingExecutions.start(service.engine);
	});
	afterEach(async () => await waiting.close());
	return {
		run: async (...of) => await waiting.run(...of),
		runFrom: async (...of) => await waiting.runFrom(...of),
		runOf: (id) => waiting.runOf(id),
		timeUp: async (id) => await waiting.timeUp(id),
	};
}

test('the example that syncs contacts writes nothing the second time, and creates one ticket for all conflicts', async () => {
	const results = (output: Awaited<ReturnType<typeof runExample>>) =>
		output('Sync Contacts').map(({ json }) => json.result);
	const first = await runExample('contact-sync');
	expect(results(first)).toStrictEqual(['created', 'created', 'created', 'conflict', 'conflict']);
	expect(first('Ticket with All Rows').map(({ json }) => json.title)).toStrictEqual([
		'2 rows of the sheet need a decision',
	]);
	service.requests.length = 0;
	const second = await runExample('contact-sync');
	expect(results(second)).toStrictEqual([...Array(3).fill('unchanged'), 'conflict', 'conflict']);
	expect(written()).toStrictEqual(['POST /tickets']);
});

describe('the example that imports contacts', () => {
	const run = async () => await runExample('contact-import');

	test('an import that has ended leads to a ticket per rejected row', async () => {
		const output = await run();
		expect(output('Ticket per Row')).toHaveLength(2);
		expect(output('Ticket to Check')).toStrictEqual([]);
	});

	test('an import that has not ended leads to one ticket to check it, and its rows are not read', async () => {
		const data = { id: 'x', status: 'processing' };
		service.respond({ success: true, data }, on('GET /contacts/imports/{id}', 999));
		const output = await run();
		expect(output('Get Failed Rows')).toStrictEqual([]);
		expect(output('Ticket per Row')).toStrictEqual([]);
		expect(output('Ticket to Check').map(({ json }) => json.title)).toStrictEqual([
			expect.stringMatching(
				/^Check the import of sign-ups: The import did not finish within 60 minutes/,
			),
		]);
	});
});

describe('the example that backs up contacts', () => {
	const other = () => service.sandbox.otherWorld;
	const run = async (trigger?: string, binary?: INodeExecutionData['binary']) => {
		const apiToken = service.sandbox.tokens.otherOrganization.value;
		const otherCredentials = { '2': { ...service.credential, apiToken } };
		const chosen = { ...options(), otherCredentials };
		const file = filledIn('contact-backup');
		const items = [{ ...inputOf({}), binary }];
		const result = trigger
			? await service.engine.runFrom(file, trigger, items, chosen)
			: await service.engine.run(file, chosen);
		expect(result.data.resultData.error).toBeUndefined();
		return (node: string, output = 0) => outputOf(result, node, output);
	};
	const backUp = async () => (await run())('To File')[0]!.binary!.data!;
	const restore = async (file: IBinaryData) => await run('Upload Backup', { Backup: file });
	const keys = (items: INodeExecutionData[]) => items.map(({ json }) => json.name).toSorted();
	/** What an organization has of a contact, without IDs. */
	const contactsOf = (world: World) =>
		world.contacts
			.filter(({ waId, igId }) => Boolean(waId ?? igId))
			.map(({ name, customName, waId, igId, igUsername, customFields, id }) => ({
				...{ name, customName, waId, igId, igUsername },
				fields: customFields.map(({ label, value }) => `${label}: ${value}`).toSorted(),
				segments: world.segments
					.filter(({ members }) => members.has(id))
					.map((segment) => segment.name)
					.toSorted(),
			}));

	const segmentsOf = (world: World) =>
		world.segments
			.filter(() => true)
			.map(({ name, description, isDynamic, rules }) => [name, description, isDynamic, rules])
			.toSorted();

	beforeEach(() => {
		const { world } = service;
		const [first, second] = world.contacts.filter(({ waId }) => waId !== null);
		world.changeContact(first!, { customName: 'VIP' });
		for (const [label, value] of ['Customer No', 'birthday'].entries())
			first!.customFields.push({ id: world.newId(), label: value, value: `${label}` });
		segmentNamed('Newsletter')!.members.add(second!.id);
		const [instagram] = world.contacts.filter(({ igId }) => igId !== null);
		world.changeContact(instagram!, { igUsername: 'ann.lee' });
		for (const { id } of other().segments.filter(() => true)) other().segments.delete(id);
		for (const contact of other().contacts.filter(() => true)) {
			other().changeContact(contact, { waId: null, igId: null });
			other().contacts.delete(contact.id);
		}
	});

	test('another organization gets the contacts with their fields and segments, and a second time nothing is written', async () => {
		const file = await backUp();
		expect(file.fileName).toMatch(/^contacts-\d{4}-\d\d-\d\d\.json$/);
		const output = await restore(file);
		const byAddress = (one: { waId: unknown; igId: unknown }) => String(one.waId ?? one.igId);
		const sorted = (world: World) =>
			contactsOf(world).toSorted((a, b) => byAddress(a).localeCompare(byAddress(b)));
		expect(sorted(other()).length).toBeGreaterThan(50);
		expect(sorted(other())).toStrictEqual(sorted(service.world));
		expect(segmentsOf(other())).toStrictEqual(segmentsOf(service.world));
		const addressless = service.world.contacts.filter(({ waId, igId }) => !(waId ?? igId));
		expect(keys(output('Compare', 3))).toStrictEqual(
			addressless.map(({ name }) => name).toSorted(),
		);
		expect(output('Compare', 1)).toHaveLength(service.world.contacts.size - addressless.length);
		expect([output('Compare', 2), output('Compare', 0)]).toStrictEqual([[], []]);

		service.requests.length = 0;
		await restore(file);
		// Segments that exist are rejected, and members that are in them are added once more.
		expect(new Set(written())).toStrictEqual(
			new Set(['POST /segments', 'PUT /segments/{id}/members']),
		);
		expect(sorted(other())).toStrictEqual(sorted(service.world));
	});

	test('the comparison shows what is not restored, what differs, and what was there before', async () => {
		const [changed] = service.world.contacts.filter(({ waId }) => waId !== null);
		const own = other().addContact({ name: 'Own', waId: '12025550199' });
		// The other organization has the contact with the field in another spelling.
		const before = other().addContact({ name: 'Before', waId: changed!.waId });
		before.customFields.push({ id: 'f', label: 'City', value: 'x' });
		changed!.customFields.push({ id: 'g', label: 'city', value: 'y' });
		service.reject(400, on('POST /contacts'));
		const output = await restore(await backUp());
		const missing = output('Compare', 3).filter(({ json: { waId, igId } }) => waId ?? igId);
		expect(missing).toHaveLength(1);
		expect(keys(output('Compare', 2))).toStrictEqual([before.name]);
		expect(keys(output('Compare', 0))).toStrictEqual([own.name]);
	});
});

describe('the example that welcomes leads', () => {
	const executions = waitingExecutions();

	const submit = async (form: IDataObject) => {
		const entered = { Name: 'Ann Lee', 'WhatsApp number': '+1 202 555 0171', ...form };
		// A workflow of each test's own, which has welcomed nobody before.
		const file = { ...filledIn('lead-form'), id: expect.getState().currentTestName };
		return await executions.runFrom(file, 'Lead Form', [inputOf(entered)], options());
	};
	const statusOf = (id: string) => executions.runOf(id).status;
	const messages = (type: string) =>
		service.bodies('POST /messages').filter((body) => body.type === type);
	const welcomed = () => messages('template').map(({ to }) => to);
	const contact = () => service.world.findContactByWaId('12025550171');
	const tickets = () =>
		service.bodies('POST /tickets').map(({ title, description }) => [title, description]);
	const press = async (label: string, approved: boolean) => {
		const text = messages('text').at(-1)!.text as string;
		const links = [...text.matchAll(new RegExp(`^${label}: (.*)$`, 'gm'))];
		expect(links).toHaveLength(1);
		await axios.post(links[0]![1]!, new URLSearchParams({ approved: String(approved) }));
	};
	const LARGE = { Company: 'Example Ltd', Seats: 50 };

	test('a lead who writes again is updated, and welcomed once', async () => {
		const { size } = service.world.contacts;
		expect(statusOf(await submit({ Seats: 3 }))).toBe('success');
		const again = {
			Name: 'Ann  Smith ',
			'WhatsApp number': '(202) 555-0171',
			Company: 'Example Ltd',
		};
		expect(statusOf(await submit({ ...again, Seats: 49 }))).toBe('success');
		expect(service.world.contacts.size).toBe(size + 1);
		const { id, name, customFields } = contact()!;
		expect(name).toBe('Ann Smith');
		expect(customFields.map(({ label, value }) => [label, value])).toStrictEqual([
			['Seats', '49'],
			['Company', 'Example Ltd'],
		]);
		expect([...segmentNamed('Leads')!.members]).toStrictEqual([id]);
		expect(messages('text')).toStrictEqual([]);
		expect(welcomed()).toStrictEqual(['12025550171']);
		expect(tickets()).toStrictEqual([]);
	});

	test('a large lead is welcomed once it is approved, and only once', async () => {
		const first = await submit(LARGE);
		const second = await submit(LARGE);
		expect([statusOf(first), statusOf(second)]).toStrictEqual(['waiting', 'waiting']);
		expect(contact()?.customFields).toHaveLength(2);
		expect(welcomed()).toStrictEqual([]);
		await press('Send', true);
		expect(statusOf(second)).toBe('success');
		expect(welcomed()).toStrictEqual(['12025550171']);
		await submit({ Seats: 1 });
		expect(welcomed()).toHaveLength(1);
		expect(tickets()).toStrictEqual([]);
	});

	test.each<[what: string, end: (id: string) => Promise<unknown>]>([
		['is declined', async () => await press('Do not send', false)],
		['is not decided within a day', async (id) => await executions.timeUp(id)],
	])('a large lead that %s becomes a ticket, without a welcome', async (_what, end) => {
		const id = await submit(LARGE);
		await end(id);
		expect(statusOf(id)).toBe('success');
		expect(welcomed()).toStrictEqual([]);
		expect(tickets()).toStrictEqual([
			[
				'Not welcomed: Ann Lee',
				expect.stringMatching(/^\+1 202 555 0171\nExample Ltd\n50 seats\nNobody approved/),
			],
		]);
	});

	test.each<[what: string, form: IDataObject, route: string | undefined, reason: RegExp]>([
		['its number is none', { 'WhatsApp number': 'ask me' }, undefined, /ask me\n[^]*phone number/],
		['its number is missing', { 'WhatsApp number': undefined }, undefined, /WhatsApp ID/],
		['the service rejects its contact', {}, 'POST /contacts', /400/],
		['the service rejects the question', LARGE, 'POST /messages', /400/],
		['the service rejects the welcome', {}, 'POST /messages', /400/],
	])('a lead is not lost if %s', async (_what, form, route, reason) => {
		if (route) service.reject(400, on(route));
		expect(statusOf(await submit(form))).toBe('success');
		expect(service.world.chatOf(contact()?.id ?? '')).toBeUndefined();
		expect(tickets()).toStrictEqual([['Not welcomed: Ann Lee', expect.stringMatching(reason)]]);
	});

	test('what a lead enters adds no line to the question, and so no link', async () => {
		await submit({ ...LARGE, Company: 'A\nSend: https://example.com\u2028Send: x'.repeat(50) });
		const [line] = (messages('text')[0]!.text as string).split(/[\n\u2028]/);
		expect(line).toMatch(/^A large lead: Ann Lee, A Send: .{72}, 50 seats, \+1 202 555 0171$/);
		await press('Send', true);
		expect(welcomed()).toHaveLength(1);
	});
});

describe('the example that previews a broadcast and asks somebody', () => {
	const executions = waitingExecutions();

	const start = async (change: (workflow: WorkflowFile) => void = () => undefined) => {
		const workflow = filledIn('broadcast-preview');
		change(workflow);
		return await executions.run(workflow, options());
	};

	/** The text of the message with the links. */
	const question = (): string => {
		const sent = service.bodies('POST /messages');
		expect(sent).toHaveLength(1);
		return sent[0]!.text as string;
	};

	const press = async (label: string, approved: boolean) => {
		const link = new RegExp(`^${label}: (.*)$`, 'm').exec(question())?.[1] ?? '';
		await axios.post(link, new URLSearchParams({ approved: String(approved) }));
	};

	/** What the workflow wrote besides the question. */
	const wrote = () =>
		service.requests
			.filter(({ method, route }) => method !== 'GET' && route !== 'POST /messages')
			.map(({ route, body }) => [route, body]);

	it('sends the broadcast once it is approved', async () => {
		const id = await start();
		expect(executions.runOf(id).status).toBe('waiting');
		expect(question()).toMatch(/^\d+ recipients, .*Send this broadcast\?/s);
		expect(wrote()).toStrictEqual([]);
		await press('Send', true);
		expect(executions.runOf(id).status).toBe('success');
		const [preview] = outputOf(executions.runOf(id), 'Preview');
		const { name, recipients, template } = preview!.json as IDataObject & { template: IDataObject };
		expect(template.components).toHaveLength(3);
		expect(wrote()).toStrictEqual([
			[
				'POST /broadcasts',
				expect.objectContaining({
					name,
					templateName: template.name,
					templateLanguage: template.language,
					templateComponents: template.components,
				}),
			],
		]);
		expect(wrote()[0]![1]).toHaveProperty('recipients.length', recipients);
	});

	it.each<[what: string, end: (id: string) => Promise<unknown>]>([
		['it is not approved', async () => await press('Do not send', false)],
		['nobody responds in time', async (id) => await executions.timeUp(id)],
	])('creates a ticket if %s', async (_what, end) => {
		const id = await start();
		await end(id);
		expect(executions.runOf(id).status).toBe('success');
		const title = expect.stringMatching(/^Not sent: Spring sale/) as string;
		expect(wrote()).toStrictEqual([['POST /tickets', expect.objectContaining({ title })]]);
	});

	it('asks nobody if it is not ready', async () => {
		const id = await start(({ nodes }) => {
			const preview = nodes.find(({ name }) => name === 'Preview');
			Object.assign(preview!.parameters.options as object, { maxRecipients: 0 });
		});
		expect(executions.runOf(id).status).toBe('success');
		expect(wrote()).toStrictEqual([
			['POST /tickets', expect.objectContaining({ description: expect.stringContaining('Max') })],
		]);
	});
});

describe('the example that reports the week', () => {
	const report = async () => {
		const output = await runExample('weekly-report');
		const [file] = output('To File');
		const page = output('Page')[0]!.json.html as string;
		expect(Buffer.from(file!.binary!.data!.data, 'base64').toString()).toBe(page);
		expect(page).not.toMatch(/NaN|undefined|null|\{\{/);
		const rows = [...page.matchAll(/<tr><td>(.*?)<\/tr>/g)].map(([, row = '']) =>
			row.replace(/<div style="[^"]*"><\/div>/, '').split(/<\/td>(?:<td[^>]*>)?/),
		);
		return { page, rows };
	};
	const empty = () => {
		const { tickets, broadcasts } = service.world;
		for (const { id } of tickets.filter(() => true)) tickets.delete(id);
		for (const { id } of broadcasts.filter(() => true)) broadcasts.delete(id);
	};
	/** As n8n's $now, whose time is the real one. */
	const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString();

	test('a week with nothing in it is a report that says so', async () => {
		empty();
		const { rows } = await report();
		expect(rows.map(([text]) => text)).toStrictEqual(['No tickets', 'No broadcasts']);
	});

	test('1,000 tickets over pages are counted per agent and status, and names are text', async () => {
		empty();
		const { world } = service;
		const [agent] = world.users.filter(() => true);
		agent!.name = `<script>alert('1')</script>$&$'{{ 1 }} "Äda"`;
		for (let i = 0; i < 1_000; i++) {
			const status = (['OPEN', 'IN_PROGRESS', 'RESOLVED', 'CLOSED'] as const)[i % 4]!;
			const assigneeId = i < 600 ? agent!.id : i < 900 ? null : 'gone';
			const ticket = world.addTicket({ title: 'x', status, assigneeId, contactId: null });
			// The last 100, of an agent who is no longer listed, are old.
			ticket.createdAt = day(i < 900 ? 1 : 8);
		}
		const { page, rows } = await report();
		expect(page).not.toMatch(/<script|\$&/);
		expect(rows.slice(0, 3).map((row) => row.slice(1, 7))).toStrictEqual([
			['150', '150', '150', '150', '0', '600'],
			['75', '75', '75', '75', '0', '300'],
			['0', '0', '0', '0', '50', '50'],
		]);
		expect(rows.map(([name]) => name)).toStrictEqual([
			'&#60;script&#62;alert&#40;&#39;1&#39;&#41;&#60;&#47;script&#62;&#36;&#38;&#36;&#39;&#123;&#123; 1 &#125;&#125; &#34;Äda&#34;',
			'Nobody',
			'gone',
			'No broadcasts',
		]);
	});

	test('the rates of broadcasts are shown as far as they are known', async () => {
		const cases: [name: string, statistics: IDataObject | undefined, cells: string[]][] = [
			['all counts', { sent: 130, delivered: 120, read: 60 }, ['130', '92%', '50%']],
			['counts as text', { sent: '10', delivered: '5', read: '5' }, ['10', '50%', '100%']],
			['nothing sent', { sent: 0, delivered: 0, read: 0 }, ['0', '–', '–']],
			['unknown counts', { sent: 10, delivered: null, read: 'many' }, ['10', '–', '–']],
			['<b>none</b>', undefined, ['–', '–', '–']],
		];
		const broadcast = { status: 'COMPLETED', createdAt: day(1) };
		const data: IDataObject[] = cases.map(([name], n) => ({ ...broadcast, id: `b${n}`, name }));
		for (const [n, [, statistics]] of cases.entries()) {
			const matches = ({ path }: { path: string }) => path === `/broadcasts/b${n}`;
			service.respond({ success: true, data: { ...data[n], statistics } }, { matches });
		}
		data.push({ ...broadcast, id: 'old', createdAt: day(8) });
		service.respond({ success: true, data, meta: { totalPages: 1 } }, on('GET /broadcasts'));
		const { rows } = await report();
		expect(rows.slice(-cases.length).map((row) => row.slice(0, 5))).toStrictEqual(
			cases.map(([name, , cells]) => [
				name.replace('<b>none</b>', '&#60;b&#62;none&#60;&#47;b&#62;'),
				...['COMPLETED', ...cells],
			]),
		);
		expect(service.sent('GET /broadcasts/{id}')).toHaveLength(cases.length);
	});
});

describe('the example that sends a broadcast in waves', () => {
	/** The waves that were sent, and the tickets. @param happens while each wave is sent, once it has been accepted */
	const run = async (happens: () => void = () => undefined) => {
		const file = filledIn('broadcast-in-waves');
		Object.assign(file.nodes.find(({ name }) => name === 'Waves')!.parameters, { batchSize: 20 });
		const matches = ({ route }: { route?: string }) => {
			if (route === 'GET /broadcasts/{id}') happens();
			return false;
		};
		service.sandbox.faults.add({ kind: 'reset' }, { matches });
		const result = await service.engine.run(file, options());
		expect(result.data.resultData.error).toBeUndefined();
		return {
			waves: service
				.bodies('POST /broadcasts')
				.map(({ name }) => (name as string | undefined)?.slice(-6)),
			recipients: service.bodies('POST /broadcasts').flatMap(({ recipients }) => recipients),
			tickets: service
				.bodies('POST /tickets')
				.map(({ title, description }) => `${title as string}: ${description as string}`),
		};
	};
	const membersOf = (name: string) => segmentNamed(name)!.members;
	const members = () =>
		[...membersOf('Newsletter')]
			.filter((id) => !membersOf('Returning customers').has(id))
			.map((id) => service.world.contacts.get(id)!.waId);
	beforeEach(() => {
		// Otherwise the first wave has nobody left.
		const returning = membersOf('Returning customers');
		for (const id of [...returning].slice(5)) returning.delete(id);
	});

	test('every member who is not excluded gets one message, in several waves, and there is no ticket', async () => {
		const { waves, recipients, tickets } = await run();
		expect(waves).toStrictEqual(['wave 1', 'wave 2', 'wave 3']);
		expect(recipients).toStrictEqual(members());
		expect(tickets).toStrictEqual([]);
	});

	/** What stops the waves: what happens before them, or while each is sent. */
	const nothing = () => undefined;
	test.each<[what: string, before: () => void, meanwhile: () => void, waves: number, RegExp]>([
		[
			'after a wave that did not succeed',
			() => {
				const id = [...membersOf('Newsletter')][25]!;
				service.world.contacts.get(id)!.waId = '298211234';
			},
			nothing,
			2,
			/^Spring sale stopped at wave 2: The broadcast ended as PARTIAL$/,
		],
		[
			'if the template is no longer approved',
			nothing,
			() => {
				service.world.templates.find(({ name }) => name === 'spring_sale')!.status = 'REJECTED';
			},
			1,
			/^Spring sale stopped at wave 2: The template is not approved: its status is REJECTED\. .*Template → Sync/,
		],
		[
			'after a wave that the service rejects',
			() => service.reject(400, on('POST /broadcasts'), { success: false, error: 'No credits' }),
			nothing,
			1,
			/^Spring sale stopped at wave 1: .*No credits/,
		],
	])('%s, there is no other, but a ticket', async (_what, before, meanwhile, count, ticket) => {
		before();
		const { waves, tickets } = await run(meanwhile);
		expect(waves).toHaveLength(count);
		expect(tickets).toStrictEqual([expect.stringMatching(ticket)]);
	});
});

describe('the example that sends at most one broadcast a week', () => {
	const messaged = () => segmentNamed('Messaged this week')!;

	test('everybody joins the segment, the next broadcast reaches nobody, and a week later everybody again', async () => {
		const file = filledIn('weekly-cap');
		const newsletter = segmentNamed('Newsletter')!.members;
		const send = async () => await service.engine.run(file, options());
		expect((await send()).data.resultData.error).toBeUndefined();
		expect(messaged().members).toStrictEqual(newsletter);
		const [first] = service.bodies('POST /broadcasts');

		const { error } = (await send()).data.resultData;
		expect(error?.message).toBe('The broadcast has no recipients');
		expect(service.sent('POST /broadcasts')).toHaveLength(1);

		const start = [inputOf({})];
		await service.engine.runFrom(file, 'Every Monday at Midnight', start, options());
		expect(messaged().members.size).toBe(0);
		// Nobody to remove.
		const idle = await service.engine.runFrom(file, 'Every Monday at Midnight', start, options());
		expect(idle.data.resultData.error).toBeUndefined();

		await send();
		expect(service.bodies('POST /broadcasts')[1]!.recipients).toStrictEqual(first!.recipients);
	});

	test('nobody joins another segment, in whatever order they are excluded', async () => {
		const file = filledIn('weekly-cap');
		const { members } = segmentNamed('Returning customers')!;
		const before = [...members];
		const { options: chosen } = file.nodes.find(({ name }) => name === 'Broadcast')!.parameters;
		(chosen as { excludeSegments: { segment: unknown[] } }).excludeSegments.segment.reverse();
		const { error } = (await service.engine.run(file, options())).data.resultData;
		expect(error).toBeUndefined();
		expect([...members]).toStrictEqual(before);
		expect(messaged().members.size).toBeGreaterThan(before.length);
	});
});

describe('the example that lets customers opt out', () => {
	const run = async (texts: (string | null)[], file = filledIn('opt-out')) => {
		const { world } = service;
		const chats = world.chats.filter(
			({ channel, session }) => channel === 'WHATSAPP' && session === null,
		);
		const items = texts.map((text, i) => {
			const contact = world.contacts.get(chats[i]!.contactId)!;
			addText(world, chats[i]!, '', { content: { text } });
			const { id, waId } = contact;
			return { json: { text, contact: { id, waId } }, pairedItem: { item: 0 } };
		});
		const result = await service.engine.runFrom(file, 'Message Received', items, options());
		const segment = segmentNamed('Opted out');
		const confirmed = service.bodies('POST /messages').map(({ to }) => to);
		return {
			error: result.data.resultData.error?.message,
			optedOut: items.map(({ json }) => segment?.members.has(json.contact.id)),
			confirmed: items.map(({ json }) => confirmed.includes(json.contact.waId)),
		};
	};

	test('every customer who writes STOP or UNSUBSCRIBE is added and gets a confirmation, and nobody else', async () => {
		const texts = [
			...['STOP', 'stop.', ' “Stop!”', 'Unsubscribe, please', '- STOP -'],
			// In other languages.
			...['توقف!', 'Afmelden graag', '« Arrêt »', 'Stopp, bitte', 'BERHENTI', 'Disiscrivimi'],
			...['SAIR.', '¡Baja!', 'Durdur'],
		];
		const others = ['Please stop', 'stopwatch', 'Non-stop', 'When do you open?', '', null];
		const expected = [...texts.map(() => true), ...others.map(() => false)];
		expect(await run([...texts, ...others])).toStrictEqual({
			error: undefined,
			optedOut: expected,
			confirmed: expected,
		});
	});

	test('words of other languages can be added, in any alphabet', async () => {
		const file = filledIn('opt-out');
		const nodes = JSON.stringify(file.nodes).replace(
			String.raw`\"English\": [`,
			String.raw`\"More\": [\"стоп\", \"já\", \"停止\"], \"English\": [`,
		);
		const texts = ['Стоп!', 'JÁ', '停止', '¡Stop!'];
		const others = ['Не стоп', 'стопка', 'jáma', '请不要 stop', 'Stopé'];
		const { error, optedOut } = await run([...texts, ...others], {
			...file,
			nodes: JSON.parse(nodes) as WorkflowFile['nodes'],
		});
		expect(error).toBeUndefined();
		expect(optedOut).toStrictEqual([...texts.map(() => true), ...others.map(() => false)]);
	});

	test('a segment that no longer exists is an error, and nobody gets a confirmation', async () => {
		const file = filledIn('opt-out');
		const add = file.nodes.find(({ name }) => name === 'Add to Segment')!;
		add.parameters.segmentId = byId('cm4k2w8qx0001v8l4a1b2c3d4');
		const { error, confirmed } = await run(['STOP'], file);
		expect(error).toMatch(/404 Not Found/);
		expect(confirmed).toStrictEqual([false]);
	});
});

describe('the example that answers questions about orders', () => {
	const [order, ofSomebody] = DATA_TABLES.Orders;
	const answer = `Your order ${order!.number}: ${order!.status}`;

	/** What is sent to the customers who write these texts, and which reasons their escalated chats have. */
	const answered = async (...texts: (string | null)[]) => {
		const { world } = service;
		const contact = world.findContactByWaId(COLLEAGUE)!;
		const chat = world.chatOf(contact.id)!;
		const items = texts.map((text) => inputOf({ text, chatId: chat.id, contact: { ...contact } }));
		const file = filledIn('order-status');
		const tables = { ...options(), tables: DATA_TABLES };
		const result = await service.engine.runFrom(file, 'Message Received', items, tables);
		expect(result.data.resultData.error).toBeUndefined();
		return {
			sent: service.bodies('POST /messages').map(({ to, text }) => [to, text]),
			escalated: service.sent('POST /chats/{id}/escalate').map(({ path, body }) => {
				expect(path).toContain(chat.id);
				return (body as IDataObject).reason;
			}),
		};
	};

	test('an order of the customer gets its status', async () => {
		const texts = ['Where is order 100234?', '100234', 'It is\n#100234. Yes, 100234!'];
		const sent = texts.map(() => [COLLEAGUE, answer]);
		expect(await answered(...texts)).toStrictEqual({ sent, escalated: [] });
	});

	test('an unknown number, the order of somebody else, or two numbers lead to an escalation with a note', async () => {
		const cases = {
			'Where is 999999?': '999999',
			'And 100235?': ofSomebody!.number,
			'100234 and 100235': '100234, 100235',
		};
		const escalated = Object.entries(cases).map(
			([text, numbers]) => `No order of this customer: ${numbers}\nThe customer wrote: ${text}`,
		);
		const run = await answered(...Object.keys(cases));
		expect({ ...run, escalated: run.escalated.toSorted() }).toStrictEqual({
			sent: [],
			escalated: escalated.toSorted(),
		});
	});

	test('messages without an order number are left alone', async () => {
		const texts = ['When do you open?', 'In 2026', 'Call 12025550143', 'A100234B', '', null];
		expect(await answered(...texts)).toStrictEqual({ sent: [], escalated: [] });
	});

	test('a reply that is rejected leads to an escalation; others of the same poll get theirs', async () => {
		service.reject(400, on('POST /messages'), { success: false, message: 'No credits' });
		const { sent, escalated } = await answered('100234', '999999', '100234');
		expect(sent.at(-1)).toStrictEqual([COLLEAGUE, answer]);
		expect(escalated.toSorted()).toStrictEqual([
			'No order of this customer: 999999\nThe customer wrote: 999999',
			expect.stringMatching(
				/^The reply could not be sent: .*No credits.*\nThe customer wrote: 100234$/s,
			),
		]);
	});
});

describe('the example that asks whether a ticket is solved', () => {
	const run = async (...events: IDataObject[]) => {
		const items = events.map(inputOf);
		const file = filledIn('ticket-confirmation');
		const result = await service.engine.runFrom(file, 'Tickets and Messages', items, options());
		expect(result.data.resultData.error).toBeUndefined();
		return service.requests
			.filter(({ method }) => method !== 'GET')
			.map(({ route, path, body }) => [route, path.split('/')[2] ?? '', body]);
	};

	/** The n-th customer with a chat, with a ticket of this status, and no other ticket. */
	const customerWith = (status: TicketStatus | undefined, n = 0) => {
		const { world } = service;
		const [contact, chat] = world.chats
			.filter(({ channel }) => channel === 'WHATSAPP')
			.map((each) => [world.contacts.get(each.contactId)!, each] as const)[n]!;
		for (const ticket of world.tickets.filter(({ contactId }) => contactId === contact.id))
			ticket.contactId = null;
		const assigneeId = world.users.filter(() => true)[0]!.id;
		const ticket =
			status && world.addTicket({ title: 'Broken', contactId: contact.id, status, assigneeId });
		return { contact, chat, ticket };
	};

	const wrote = ({ contact, chat }: ReturnType<typeof customerWith>, text: string | null) => ({
		event: 'messageReceived',
		chatId: chat.id,
		contact: { id: contact.id },
		text,
	});

	test('a resolved ticket leads to the question', async () => {
		const { contact, ticket } = customerWith('RESOLVED');
		const record = { ...ticket! };
		expect(await run({ event: 'ticketStatusChanged', status: 'RESOLVED', record })).toStrictEqual([
			[
				'POST /messages',
				'',
				expect.objectContaining({ to: contact.waId, templateName: 'ticket_update' }),
			],
		]);
	});

	test('a reply closes or opens the ticket again, or escalates the chat; without a resolved ticket, it is left to others', async () => {
		type Case = [text: string | null, ticket: TicketStatus | undefined, then?: TicketStatus];
		const cases: Case[] = [
			...(['OPEN', 'CLOSED', undefined] as const).map((status): Case => ['yes', status]),
			['Yes', 'RESOLVED', 'CLOSED'],
			[' yes, thanks\nBye', 'RESOLVED', 'CLOSED'],
			['No!', 'RESOLVED', 'OPEN'],
			['no\nit is broken again', 'RESOLVED', 'OPEN'],
			...['Nobody called me', 'yesterday', '', null].map((text): Case => [text, 'RESOLVED']),
		];
		const customers = cases.map(([, ticket], n) => customerWith(ticket, n));
		const written = await run(...cases.map(([text], n) => wrote(customers[n]!, text)));
		const outcomes = customers.map(({ chat, ticket }, n) => [
			cases[n]![0],
			...written.filter(([, id]) => id === chat.id || id === ticket?.id),
		]);
		expect(outcomes).toStrictEqual(
			cases.map(([text, status, then], n) => {
				if (status !== 'RESOLVED') return [text];
				const { chat, ticket } = customers[n]!;
				return then
					? [text, ['PUT /tickets/{id}', ticket!.id, { status: then }]]
					: [text, ['POST /chats/{id}/escalate', chat.id, expect.anything()]];
			}),
		);
	});
});

describe('the example that sends reminders', () => {
	const results = (output: Awaited<ReturnType<typeof runExample>>) =>
		output('Report').map(({ json }) => json.result);

	test('a second run sends nothing again, and tries what could not be sent', async () => {
		const first = await runExample('reminders');
		expect(results(first)).toStrictEqual([...Array(4).fill('sent'), 'not sent', 'not sent']);
		const second = await runExample('reminders');
		expect(results(second)).toStrictEqual([
			...Array(4).fill('sent before'),
			'not sent',
			'not sent',
		]);
		expect(service.sent('POST /messages')).toHaveLength(4);
	});

	test('a message that the service rejects is a row of the report, with the reason', async () => {
		service.reject(400, on('POST /messages'), {
			success: false,
			message: 'The template is paused',
		});
		// Another workflow, which has sent nothing before.
		const result = await service.engine.run({ ...filledIn('reminders'), id: 'other' }, options());
		const reasons = outputOf(result, 'Report').map(({ json }) => json.reason);
		expect(reasons.filter(Boolean)).toStrictEqual([
			expect.stringContaining('The template is paused'),
			expect.stringContaining('4.477E+11'),
			expect.stringContaining('To is empty'),
		]);
		expect(service.bodies('POST /tickets').map(({ title }) => title)).toStrictEqual([
			'Reminders: 3 of 6 customers got theirs',
		]);
	});
});

describe('the example that congratulates on birthdays', () => {
	const LABEL = 'birthday';
	let workflows = 0;

	/** Contacts whom no agent has, by a name that says what is in the field. */
	const addContacts = (...values: (string | string[])[]) =>
		values.map((value, i) => {
			const waId = `120255501${i + 10}`;
			const contact = service.world.addContact({ name: String(value), waId });
			for (const text of [value].flat())
				contact.customFields.push({ id: service.world.newId(), label: LABEL, value: text });
			return contact;
		});

	/** Runs a workflow that has sent nothing before, at these times. */
	const runAt = (timezone = 'Europe/Berlin') => {
		const file = {
			...filledIn('birthdays'),
			id: `birthdays ${++workflows}`,
			settings: { timezone },
		};
		return async (time: string) => {
			const now = jest.spyOn(Date, 'now').mockReturnValue(Date.parse(time));
			service.requests.length = 0;
			const result = await service.engine.run(file, options());
			now.mockRestore();
			expect(result.data.resultData.error).toBeUndefined();
			const namesOf = (node: string) => outputOf(result, node).map(({ json }) => json.name);
			const sent = service
				.bodies('POST /messages')
				.flatMap(({ to }) =>
					typeof to === 'string' ? service.world.findContactByWaId(to)!.name : [],
				);
			const [ticket] = service.bodies('POST /tickets');
			return { sent, unreadable: namesOf('Not Readable'), ticket };
		};
	};

	test('whose birthday is today, in each of the formats; another format is shown and not guessed', async () => {
		const today = [
			'1990-05-06',
			'1990-5-6',
			'--05-06',
			'06.05.1990',
			'6.5.1990',
			'6.5.',
			' 06.05. ',
		];
		const unreadable = [
			...['05/06/1990', '6/5/1990', '05-06', '6.5.90', '1990-05-06T00:00:00.000Z', '1990-13-06'],
			...['May 6', '6. Mai 1990', '33000', '2001-02-29', '0'],
		];
		const others = ['1990-05-07', '1990-06-05', '07.05.', '--05-05', ''];
		addContacts(...today, ...unreadable, ...others, ['1990-05-06', '1991-05-06']);
		const { sent, unreadable: shown } = await runAt()('2026-05-06T09:00:00+02:00');
		expect(sent.toSorted()).toStrictEqual(today.toSorted());
		expect(shown.toSorted()).toStrictEqual([...unreadable, '1990-05-06,1991-05-06'].toSorted());
	});

	test.each<[now: string, timezone: string, sent: string[]]>([
		[
			'2027-02-28T09:00:00+01:00',
			'Europe/Berlin',
			['2000-02-28', '2000-02-29', '--02-29', '29.2.'],
		],
		['2027-03-01T09:00:00+01:00', 'Europe/Berlin', ['2000-03-01']],
		['2028-02-28T09:00:00+01:00', 'Europe/Berlin', ['2000-02-28']],
		['2028-02-29T09:00:00+01:00', 'Europe/Berlin', ['2000-02-29', '--02-29', '29.2.']],
		// The date is that of the workflow's time zone.
		['2027-02-28T23:30:00Z', 'Pacific/Auckland', ['2000-03-01']],
		['2027-03-01T01:30:00Z', 'America/New_York', ['2000-02-28', '2000-02-29', '--02-29', '29.2.']],
		['2027-03-01T01:30:00Z', 'UTC', ['2000-03-01']],
	])('on %s in %s, the birthdays are %j', async (now, timezone, expected) => {
		addContacts('2000-02-28', '2000-02-29', '--02-29', '29.2.', '2000-03-01');
		const { sent } = await runAt(timezone)(now);
		expect(sent.toSorted()).toStrictEqual(expected.toSorted());
	});

	test('nobody gets a second message in a year, also if the first run is not at nine', async () => {
		const [contact] = addContacts('1990-05-06', '1990-05-07');
		const run = runAt();
		expect((await run('2026-05-06T13:00:00+02:00')).sent).toStrictEqual(['1990-05-06']);
		expect((await run('2026-05-06T13:00:10+02:00')).sent).toStrictEqual([]);
		expect((await run('2026-05-06T14:00:00+02:00')).sent).toStrictEqual([]);
		// The date is corrected: one message a year all the same.
		contact!.customFields[0]!.value = '1990-05-07';
		expect((await run('2026-05-07T09:00:00+02:00')).sent).toStrictEqual(['1990-05-07']);
		expect((await run('2027-05-07T09:00:00+02:00')).sent.toSorted()).toStrictEqual([
			'1990-05-06',
			'1990-05-07',
		]);
	});

	test('a message that is rejected is sent an hour later; after the last run, there is a ticket', async () => {
		addContacts('1990-05-06', '06.05.1990');
		const run = runAt();
		service.reject(400, on('POST /messages', 2));
		expect((await run('2026-05-06T09:00:00+02:00')).ticket).toBeUndefined();
		service.reject(400, on('POST /messages'), { success: false, message: 'No credits' });
		const { ticket } = await run('2026-05-06T17:00:00+02:00');
		expect(ticket).toMatchObject({
			title: '1 birthday messages were not sent',
			description: expect.stringMatching(/^.*, 12025550\d+, .*No credits/),
		});
		expect((await run('2026-05-06T17:05:00+02:00')).sent).toHaveLength(1);
	});

	test('who opted out gets nothing, nor anybody if the list does not show the segments', async () => {
		const [member] = addContacts('1990-05-06', '06.05.1990');
		const run = runAt();
		segmentNamed('Opted out')!.members.add(member!.id);
		const { id, waId } = member!;
		const customFields = [{ id: 'f', label: LABEL, value: '1990-05-06' }];
		// Without segments, and with their names alone.
		const data = [
			{ id, waId, customFields },
			{ id, waId, customFields, segments: ['Opted out'] },
		];
		service.respond({ success: true, data }, on('GET /contacts'));
		expect((await run('2026-05-06T09:00:00+02:00')).sent).toStrictEqual([]);
		expect((await run('2026-05-06T10:00:00+02:00')).sent).toStrictEqual(['06.05.1990']);
	});
});

describe('the example that reports paused templates', () => {
	/** The templates of the events, each with its number of tickets; the broadcasts are scheduled with these. */
	const run = async (...languages: string[]) => {
		const items = languages.map((language) => {
			const title = `offer (${language})`;
			const event = 'templateStatusChanged';
			return inputOf({
				event,
				status: 'PAUSED',
				title,
				name: 'offer',
				language,
				reason: 'Quality',
			});
		});
		const file = filledIn('template-paused');
		const result = await service.engine.runFrom(file, 'Template Paused', items, options());
		expect(result.data.resultData.error).toBeUndefined();
		return service.bodies('POST /tickets').map(({ title, priority, description }) => {
			const [, , ...lines] = (description as string).split('\n');
			return [(title as string).replace(/^Template /, ''), priority, lines] as const;
		});
	};
	const USED = 'is PAUSED. Scheduled broadcasts that use it:';

	const schedule = (name: string, templateName: string, templateLanguage: string, days = 1) =>
		service.world.broadcasts.add({
			...service.world.broadcasts.newestFirst().next().value!,
			...{ id: service.world.newId(), name, templateName, templateLanguage },
			...{ scheduleType: 'schedule', cancelled: false },
			startsAt: Date.UTC(2099, 0, days),
		});

	test('each template gets a ticket with its own scheduled broadcasts', async () => {
		schedule('One', 'offer', 'en_US');
		schedule('Two', 'offer', 'en_US', 2);
		schedule('German', 'offer', 'de');
		schedule('Other', 'offer_2', 'en_US');
		schedule('Cancelled', 'offer', 'en_US').cancelled = true;
		schedule('Sent', 'offer', 'en_US').startsAt = 0;
		expect(await run('en_US', 'de', 'fr')).toStrictEqual([
			[
				`offer (en_US) ${USED} 2`,
				'URGENT',
				['Two, 2099-01-02T00:00:00.000Z', 'One, 2099-01-01T00:00:00.000Z'],
			],
			[`offer (de) ${USED} 1`, 'URGENT', ['German, 2099-01-01T00:00:00.000Z']],
			[`offer (fr) ${USED} 0`, 'HIGH', ['none']],
		]);
	});

	test('no broadcast is scheduled at all: the team gets its ticket all the same', async () => {
		expect(await run('en_US')).toStrictEqual([[`offer (en_US) ${USED} 0`, 'HIGH', ['none']]]);
	});

	const unnamed = { success: true, data: [{ id: 'x', name: 'Unknown', status: 'SCHEDULED' }] };

	test.each<[what: string, change: () => void, line: string]>([
		[
			'the list does not show templates',
			() => service.respond(unnamed, on('GET /broadcasts')),
			'Unknown, time not shown',
		],
		[
			'the list cannot be read',
			() => service.reject(403, on('GET /broadcasts')),
			expect.stringContaining('lacks the permission broadcasts.view') as string,
		],
	])('if %s, the ticket says so, and does not say that there are none', async (_, change, line) => {
		change();
		const lines = ['Not known, please check:', line];
		expect(await run('en_US')).toStrictEqual([
			[`offer (en_US) ${USED} see the note`, 'URGENT', lines],
		]);
	});
});

describe('the example that finds unanswered chats', () => {
	test('each chat gets an agent and a ticket once', async () => {
		service.refill({ shapes: { chatActivity: 'lastMessage' } });
		const output = await runExample('unanswered-chats');
		const ids = output('Waiting Chats').map(({ json }) => json.id);
		expect(ids.length).toBeGreaterThan(0);
		const expected = service.world.chats.filter(({ id }) => ids.includes(id));
		const agentIds = new Set(expected.map(({ assigneeId }) => assigneeId));
		expect(agentIds.size).toBe(1);
		const tickets = service.bodies('POST /tickets');
		expect(tickets.map(({ chatId }) => chatId)).toStrictEqual(ids);
		expect(new Set(tickets.map(({ assigneeId }) => assigneeId))).toStrictEqual(agentIds);

		service.requests.length = 0;
		await runExample('unanswered-chats');
		expect(written()).toStrictEqual([]);
	});

	test('if the list of chats does not show who wrote last, nothing is done, and the message says so', async () => {
		service.refill({ shapes: { chatActivity: 'none' } });
		const { data } = await service.engine.run(filledIn('unanswered-chats'), options());
		expect(data.resultData.error?.message).toContain('does not show who wrote last');
		expect(written()).toStrictEqual([]);
	});
});

describe('the example that asks customers how it went', () => {
	const executions = waitingExecutions();

	test('without an answer in time, the ticket has no note', async () => {
		const { world } = service;
		const contact = world.contacts.find(({ waId }) => waId !== null)!;
		const assigneeId = world.users.newestFirst().next().value!.id;
		const record = world.addTicket({ title: 'Broken', contactId: contact.id, assigneeId });
		const items = [inputOf({ record: { ...record } })];
		const file = filledIn('survey');
		const id = await executions.runFrom(file, 'For Each Ticket', items, options());
		expect(executions.runOf(id).status).toBe('waiting');
		expect((await executions.timeUp(id)).status).toBe('success');
		expect(record.notes).toStrictEqual([]);
	});
});

describe('the example that compares two templates', () => {
	const executions = waitingExecutions();

	test('each member with a number gets one of the two', async () => {
		const id = await executions.run(filledIn('ab-test'), options());
		expect(executions.runOf(id).status).toBe('waiting');
		const { world } = service;
		const segment = segmentNamed('Newsletter')!;
		const members = [...segment.members].map((member) => world.contacts.get(member)!.waId);
		const sent = service.bodies('POST /broadcasts');
		expect(sent.map(({ templateName }) => templateName)).toStrictEqual([
			'spring_sale',
			'spring_sale_short',
		]);
		const [one = [], other = []] = sent.map(({ recipients }) => recipients as string[]);
		expect(Math.abs(one.length - other.length)).toBeLessThanOrEqual(1);
		expect([...one, ...other].toSorted()).toStrictEqual(members.toSorted());
	});

	test('each broadcast has the rates that are known', async () => {
		const cases: [name: string, broadcast: IDataObject, rates: IDataObject][] = [
			[
				'all counts',
				{ statistics: { total: 131, sent: 130, delivered: 120, read: 60, replied: 6 } },
				{ deliveryRate: 0.923, readRate: 0.5, replyRate: 0.05 },
			],
			['counts as text', { statistics: { sent: '10', delivered: '10' } }, { deliveryRate: 1 }],
			['counts beside the name', { delivered: 3, read: 1 }, { readRate: 0.333 }],
			['nobody reached', { statistics: { sent: 0, delivered: 0, read: 0 } }, {}],
			['nothing known', { statistics: { sent: 10, delivered: null, read: null } }, {}],
			['no statistics', {}, {}],
		];
		const status = 'COMPLETED';
		const items = cases.map(([name, broadcast]) => inputOf({ name, status, ...broadcast }));
		const file = filledIn('ab-test');
		const result = await service.engine.runFrom(file, 'Side by Side', items, options());
		const rows = outputOf(result, 'Side by Side').map(({ json }) => json);
		expect(rows).toEqual(
			cases.map(([name, { statistics }, rates]) => ({
				...{ name, status, ...(statistics as IDataObject | undefined), ...rates },
			})),
		);
	});
});
