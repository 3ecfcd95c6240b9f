/** The example workflows of messages. */
import type { IDataObject } from 'n8n-workflow';
import type { WorkflowFile } from '../../tools/engine/workflows.mts';
import { COLLEAGUE, DATA_TABLES } from '../../tools/demo/fillIn.mts';
import type { TicketStatus } from '../../sandbox/records.mts';
import { addText } from '../support/records.mts';
import { byId } from './harness.mts';
import { ExampleHarness, inputOf, waitingExecutions, type OutputOf } from './exampleHarness.mts';
import { on } from './sharedHarness.mts';

const service = new ExampleHarness();

describe('the example that lets customers opt out', () => {
	const run = async (texts: (string | null)[], file = service.filledIn('opt-out')) => {
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
		const run = await service.attempt(file, { trigger: 'Message Received', items });
		const segment = service.segmentNamed('Opted out');
		const confirmed = service.bodies('POST /messages').map(({ to }) => to);
		return {
			error: run.data.resultData.error?.message,
			optedOut: items.map(({ json }) => segment?.members.has(json.contact.id)),
			confirmed: items.map(({ json }) => confirmed.includes(json.contact.waId)),
		};
	};

	test('every customer who writes STOP or UNSUBSCRIBE is added and gets a confirmation, and nobody else', async () => {
		const texts = [
			...['STOP', 'stop.', ' “Stop!”', 'Unsubscribe, please', '- STOP -'],
			// As WhatsApp marks bold and italic text, and with an accent that is a sign of its own.
			...['*STOP*', '_Stop_', 'ＳＴＯＰ', '🛑 Stop', 'de\u0301sabonner'],
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
		const file = service.filledIn('opt-out');
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
		const file = service.filledIn('opt-out');
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
	const answered = async (...texts: (string | null)[]) => await answeredBy('order-status', texts);
	const answeredBy = async (
		example: string | WorkflowFile,
		texts: (string | null)[],
		tables = DATA_TABLES,
	) => {
		const { world } = service;
		const contact = world.findContactByWaId(COLLEAGUE)!;
		const chat = world.chatOf(contact.id)!;
		const items = texts.map((text) => inputOf({ text, chatId: chat.id, contact: { ...contact } }));
		const start = { trigger: 'Message Received', items };
		await service.runExample(example, start, { tables });
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

	test('order numbers can have letters, which customers write in any case', async () => {
		const file = service.filledIn('order-status');
		const nodes = JSON.stringify(file.nodes).replace(
			String.raw`\\b\\d{5,8}\\b`,
			String.raw`\\bA-\\d+\\b`,
		);
		const own = { ...file, nodes: JSON.parse(nodes) as WorkflowFile['nodes'] };
		const tables = { Orders: [{ ...order!, number: 'A-1042' }] };
		const texts = ['Where is A-1042?', 'a-1042', 'A-1042 or a-1042'];
		expect(await answeredBy(own, texts, tables)).toStrictEqual({
			sent: texts.map(() => [COLLEAGUE, `Your order A-1042: ${order!.status}`]),
			escalated: [],
		});
	});

	test.each(['', null])(
		'an order whose status is %j gets an answer that says so',
		async (status) => {
			const tables = { Orders: [{ ...order!, status }] } as unknown as typeof DATA_TABLES;
			const { sent } = await answeredBy('order-status', ['100234'], tables);
			expect(sent).toStrictEqual([[COLLEAGUE, 'Your order 100234: no status yet']]);
		},
	);

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

test('the example that routes messages cuts a long text between two characters', async () => {
	const [chat] = service.world.chats.filter(() => true);
	const json = { text: '😀'.repeat(81), chatId: chat!.id, contact: { id: chat!.contactId } };
	await service.runExample('message-routing', {
		trigger: 'Message Received',
		items: [inputOf(json)],
	});
	expect(service.bodies('POST /tickets')[0]!.title).toBe('😀'.repeat(80));
});

describe('the example that asks whether a ticket is solved', () => {
	const run = async (...events: IDataObject[]) => {
		const items = events.map(inputOf);
		await service.runExample('ticket-confirmation', {
			trigger: 'Tickets and Messages',
			items,
		});
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

	test('a resolved ticket leads to the question, whatever happens with the others', async () => {
		const all = [0, 1, 2, 3].map((n) => customerWith('RESOLVED', n));
		const [deleted, , nameless] = all.map(({ contact }) => contact);
		service.world.contacts.delete(deleted!.id);
		nameless!.name = '';
		service.reject(400, on('POST /messages'));
		const events = all.map(({ ticket }) => ({
			...{ event: 'ticketStatusChanged', status: 'RESOLVED', record: { ...ticket! } },
		}));
		const [, ...sent] = await run(...events);
		expect(sent).toStrictEqual(
			all
				.slice(2)
				.map(({ contact: { waId: to } }) => [
					...['POST /messages', ''],
					expect.objectContaining({ to, templateName: 'ticket_update' }),
				]),
		);
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

describe('the examples that inform customers about their tickets', () => {
	/** Two who cannot be informed, and one on WhatsApp and one on Instagram without a name. */
	const customers = () => {
		const { world } = service;
		const onInstagram = world.contacts.find(({ igId }) => igId !== null)!;
		const deleted = world.addContact({ name: 'Deleted', waId: '12025550198' });
		world.contacts.delete(deleted.id);
		const visitor = world.addContact({ name: 'Visitor', waId: null });
		const onWhatsApp = world.findContactByWaId(COLLEAGUE)!;
		for (const contact of [onWhatsApp, onInstagram]) contact.name = '';
		return [deleted, visitor, onWhatsApp, onInstagram];
	};
	const informed = () => {
		const sent = service.bodies('POST /messages');
		expect(sent.at(-1)!.text).toMatch(/^Hello, /);
		return sent.map(({ to }) => to);
	};
	const addTickets = (status: TicketStatus) => {
		const { world } = service;
		for (const ticket of world.tickets.filter(() => true)) world.tickets.delete(ticket.id);
		const assigneeId = world.users.filter(() => true)[0]!.id;
		const to = customers();
		const tickets = to.map(({ id: contactId }) =>
			world.addTicket({ title: 'x', contactId, status, assigneeId, priority: 'URGENT' }),
		);
		return { tickets, reachable: to.slice(2).map(({ waId, igId }) => waId ?? igId) };
	};

	test('when a status changes: a customer who cannot be informed does not stop the others', async () => {
		const { tickets, reachable } = addTickets('RESOLVED');
		const items = tickets.map((ticket) => inputOf({ status: 'RESOLVED', record: { ...ticket } }));
		await service.runExample('ticket-status-to-customer', {
			trigger: 'Ticket Status Changed',
			items,
		});
		expect(informed()).toStrictEqual(reachable);
	});

	test('when a ticket is urgent: the same, and each gets an agent, whatever its number looks like', async () => {
		const { tickets, reachable } = addTickets('OPEN');
		const numbers = ['T-1001', undefined, '#42', '7'];
		for (const [i, ticketNumber] of numbers.entries()) Object.assign(tickets[i]!, { ticketNumber });
		service.reject(400, on('POST /tickets/{id}/notes'));
		await service.runExample('ticket-routing');
		expect(tickets.map(({ status }) => status)).toStrictEqual(tickets.map(() => 'IN_PROGRESS'));
		expect(tickets.flatMap(({ notes }) => notes)).toHaveLength(tickets.length - 1);
		expect(informed()).toStrictEqual(reachable);
	});
});

describe('the example that sends reminders', () => {
	const results = (output: OutputOf) => output('Report').map(({ json }) => json.result);

	test('a second run sends only what could not be sent, and what is on another day', async () => {
		const first = await service.runExample('reminders');
		expect(results(first)).toStrictEqual([...Array(4).fill('sent'), 'not sent', 'not sent']);
		const second = await service.runExample('reminders');
		expect(results(second)).toStrictEqual([
			...Array(4).fill('sent before'),
			'not sent',
			'not sent',
		]);
		expect(service.sent('POST /messages')).toHaveLength(4);
		// The first appointment is moved, and the second one has lost its ID.
		const file = service.filledIn('reminders');
		const rows = file.nodes.find(({ name }) => name === 'Sheet')!.parameters;
		rows.jsonOutput = (rows.jsonOutput as string).replace('05-06', '05-07').replace('A-2', '');
		const third = await service.runExample(file);
		expect(results(third).slice(0, 3)).toStrictEqual(['sent', 'not sent', 'sent before']);
	});

	test('a message that may have been sent is not sent again, and the report says so', async () => {
		const file = { ...service.filledIn('reminders'), id: 'uncertain' };
		service.reject(500, on('POST /messages'));
		const [first] = (await service.runExample(file))('Report');
		expect(first!.json).toMatchObject({
			result: 'not sent',
			reason: expect.stringContaining('may have succeeded'),
		});
		const [second] = (await service.runExample(file))('Report');
		expect(second!.json).toMatchObject({
			result: 'sent before',
			reason: expect.stringMatching(/or may have been$/),
		});
	});

	test('a message that the service rejects is a row of the report, with the reason', async () => {
		service.reject(400, on('POST /messages'), {
			success: false,
			message: 'The template is paused',
		});
		// Another workflow, which has sent nothing before.
		const output = await service.runExample({ ...service.filledIn('reminders'), id: 'other' });
		const reasons = output('Report').map(({ json }) => json.reason);
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
			...service.filledIn('birthdays'),
			id: `birthdays ${++workflows}`,
			settings: { timezone },
		};
		return async (time: string) => {
			const now = jest.spyOn(Date, 'now').mockReturnValue(Date.parse(time));
			service.requests.length = 0;
			const output = await service.runExample(file);
			now.mockRestore();
			const namesOf = (node: string) => output(node).map(({ json }) => json.name);
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
		service.segmentNamed('Opted out')!.members.add(member!.id);
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

describe('the example that finds unanswered chats', () => {
	test('each chat gets an agent and a ticket once', async () => {
		service.refill({ shapes: { chatActivity: 'lastMessage' } });
		const output = await service.runExample('unanswered-chats');
		const ids = output('Waiting Chats').map(({ json }) => json.id);
		expect(ids.length).toBeGreaterThan(0);
		const expected = service.world.chats.filter(({ id }) => ids.includes(id));
		const agentIds = new Set(expected.map(({ assigneeId }) => assigneeId));
		expect(agentIds.size).toBe(1);
		const tickets = service.bodies('POST /tickets');
		expect(tickets.map(({ chatId }) => chatId)).toStrictEqual(ids);
		expect(new Set(tickets.map(({ assigneeId }) => assigneeId))).toStrictEqual(agentIds);

		service.requests.length = 0;
		await service.runExample('unanswered-chats');
		expect(service.written()).toStrictEqual([]);
	});

	test('the ticket says since when a customer waits, however the service writes the time', async () => {
		const at = Math.floor(service.world.now() / 86_400_000 - 1) * 86_400_000;
		const times = [new Date(at).toISOString(), at, at / 1_000, `${at}`];
		const chats = service.world.chats.filter(() => true);
		const data = times.map((lastMessageAt, i) => ({
			...{ id: chats[i]!.id, assigneeId: null, lastMessageDirection: 'inbound', lastMessageAt },
		}));
		service.respond({ success: true, data, meta: { totalPages: 1 } }, on('GET /chats'));
		await service.runExample('unanswered-chats');
		const titles = service.bodies('POST /tickets').map(({ title }) => title);
		expect(titles).toStrictEqual(
			times.map(() => expect.stringMatching(/^Waiting since \d+ \w+ \d\d:00: a customer$/)),
		);
	});

	test('if the list of chats does not show who wrote last, nothing is done, and the message says so', async () => {
		service.refill({ shapes: { chatActivity: 'none' } });
		const { data } = await service.attempt('unanswered-chats');
		expect(data.resultData.error?.message).toContain('does not show who wrote last');
		expect(service.written()).toStrictEqual([]);
	});
});

describe('the example that asks customers how it went', () => {
	const executions = waitingExecutions(service);

	test('without an answer in time, the ticket has no note', async () => {
		const { world } = service;
		const contact = world.contacts.find(({ waId }) => waId !== null)!;
		const assigneeId = world.users.newestFirst().next().value!.id;
		const record = world.addTicket({ title: 'Broken', contactId: contact.id, assigneeId });
		const items = [inputOf({ record: { ...record } })];
		const file = service.filledIn('survey');
		const id = await executions.runFrom(file, 'For Each Ticket', items, {
			credential: service.credential,
		});
		expect(executions.runOf(id).status).toBe('waiting');
		expect((await executions.timeUp(id)).status).toBe('success');
		expect(record.notes).toStrictEqual([]);
	});
});
