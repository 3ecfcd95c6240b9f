/** The example workflows of contacts. */
import axios from 'axios';
import type { IBinaryData, IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { World } from '../../sandbox/world.mts';
import {
	ExampleHarness,
	inputOf,
	waitingExecutions,
	type OutputOf,
	type Start,
} from './exampleHarness.mts';
import { on } from './sharedHarness.mts';

const service = new ExampleHarness();

test('the example that syncs contacts writes nothing the second time, and creates one ticket for all conflicts', async () => {
	const results = (output: OutputOf) => output('Sync Contacts').map(({ json }) => json.result);
	const first = await service.runExample('contact-sync');
	expect(results(first)).toStrictEqual(['created', 'created', 'created', 'conflict', 'conflict']);
	expect(first('Ticket with All Rows').map(({ json }) => json.title)).toStrictEqual([
		'2 rows of the sheet need a decision',
	]);
	service.requests.length = 0;
	const second = await service.runExample('contact-sync');
	expect(results(second)).toStrictEqual([...Array(3).fill('unchanged'), 'conflict', 'conflict']);
	expect(service.written()).toStrictEqual(['POST /tickets']);
});

test('in a dry run, the ticket of the example that syncs contacts also has rows that cannot be used', async () => {
	const file = service.filledIn('contact-sync');
	const parametersOf = (node: string) => file.nodes.find(({ name }) => name === node)!.parameters;
	const rows = [{ 'Customer No': 'C-1', Name: 'Ann Lee', Phone: 'ask', City: '' }];
	parametersOf('Sheet').jsonOutput = JSON.stringify({ rows });
	parametersOf('Sync Contacts').dryRun = true;
	await service.runExample(file);
	expect(service.bodies('POST /tickets')).toStrictEqual([
		expect.objectContaining({ description: expect.stringContaining('ask') }),
	]);
});

describe('the example that imports contacts', () => {
	const run = async () => await service.runExample('contact-import');

	test('an import that has ended leads to a ticket per rejected row', async () => {
		const output = await run();
		expect(output('Ticket per Row')).toHaveLength(2);
		expect(output('Ticket to Check')).toStrictEqual([]);
	});

	test('a ticket of a row has all that the service shows of it, whatever its columns are called', async () => {
		service.respondWith('text/csv', 'line,Phone,Reason\r\n3,1202555,too short\r\n', {
			...on('GET /contacts/imports/{id}/errors'),
		});
		await run();
		expect(service.bodies('POST /tickets')).toStrictEqual([
			{
				title: 'Sign-up not imported: see the row',
				description: 'line: 3\nPhone: 1202555\nReason: too short',
			},
		]);
	});

	test.each([
		['processing', /^Check the import of sign-ups: The import did not finish within 60 minutes/],
		['FAILED', /^Check the import of sign-ups: its status is FAILED$/],
	])(
		'an import that is %s leads to one ticket to check it, and its rows are not read',
		async (status, title) => {
			const data = { id: 'x', status };
			service.respond({ success: true, data }, on('GET /contacts/imports/{id}', 999));
			service.respondWith('text/csv', 'row,error\r\n', on('GET /contacts/imports/{id}/errors'));
			const output = await run();
			expect(output('Get Failed Rows')).toStrictEqual([]);
			expect(output('Ticket per Row')).toStrictEqual([]);
			expect(output('Ticket to Check').map(({ json }) => json.title)).toStrictEqual([
				expect.stringMatching(title),
			]);
		},
	);
});

describe('the example that backs up contacts', () => {
	const other = () => service.sandbox.otherWorld;
	const run = async (start?: Start) => {
		const apiToken = service.sandbox.tokens.otherOrganization.value;
		const otherCredentials = { '2': { ...service.credential, apiToken } };
		return await service.runExample('contact-backup', start, { otherCredentials });
	};
	const backUp = async () => (await run())('To File')[0]!.binary!.data!;
	const restore = async (file: IBinaryData) =>
		await run({
			trigger: 'Upload Backup',
			items: [{ ...inputOf({}), binary: { Backup: file } }],
		});
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
		service.segmentNamed('Newsletter')!.members.add(second!.id);
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
		expect(new Set(service.written())).toStrictEqual(
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
	const executions = waitingExecutions(service);

	const submit = async (form: IDataObject) => {
		const entered = { Name: 'Ann Lee', 'WhatsApp number': '+1 202 555 0171', ...form };
		// A workflow of each test's own, which has welcomed nobody before.
		const file = { ...service.filledIn('lead-form'), id: expect.getState().currentTestName };
		return await executions.runFrom(file, 'Lead Form', [inputOf(entered)], {
			credential: service.credential,
		});
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
		expect([...service.segmentNamed('Leads')!.members]).toStrictEqual([id]);
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

	test('what a lead enters adds no line to the question', async () => {
		await submit({ ...LARGE, Company: 'A\nSend: https://example.com\u2028Send: x'.repeat(50) });
		const [line] = (messages('text')[0]!.text as string).split(/[\n\u2028]/);
		expect(line).toMatch(/^A large lead: Ann Lee, A Send: .{72}, 50 seats, \+1 202 555 0171$/);
		await press('Send', true);
		expect(welcomed()).toHaveLength(1);
	});
});
