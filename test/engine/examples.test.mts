import { readFileSync } from 'node:fs';
import axios from 'axios';
import type { IDataObject, IDisplayOptions } from 'n8n-workflow';
import { outputOf } from '../../engine/engine.mts';
import { WaitingExecutions } from '../../engine/waiting.mts';
import type { WorkflowFile } from '../../engine/workflows.mts';
import { exampleFiles } from '../../examples/example.mts';
import type { TicketStatus } from '../../sandbox/records.mts';
import { FakeTime } from '../time.mts';
import { openHarness, type Harness } from './harness.mts';

const EXAMPLES = new URL('../../examples/', import.meta.url);

let harness: Harness;
let time: FakeTime;
beforeEach(async () => {
	time = new FakeTime().install();
	harness = await openHarness({ contacts: 120, clock: time.clock, rateLimit: { requests: 0 } });
});
afterEach(async () => {
	time.restore();
	await harness.close();
});

function load(name: string): WorkflowFile {
	const text = readFileSync(new URL(`${name}.json`, EXAMPLES));
	return JSON.parse(text.toString()) as WorkflowFile;
}

async function runExample(name: string) {
	const { sandbox, engine } = harness;
	const credential = { baseUrl: sandbox.baseUrl, apiToken: sandbox.tokens.all.value };
	const result = await engine.run(load(name), { credential });
	expect(result.data.resultData.error).toBeUndefined();
	return (node: string) => outputOf(result, node);
}

describe('an example has no field that its node does not know, which would be ignored:', () => {
	/** A field, or a kind of entry of a fixed collection. */
	interface Field {
		name: string;
		type?: string;
		displayOptions?: IDisplayOptions;
		options?: Field[];
		values?: Field[];
	}

	test.each(exampleFiles())('%s', (file) => {
		const nodes = load(file.replace('.json', '')).nodes.filter(({ type }) =>
			type.startsWith('n8n-nodes-conversational-messaging.'),
		);
		expect(nodes.length).toBeGreaterThan(0);
		for (const { name, type, parameters } of nodes) {
			// As a tool of an AI agent, a node has these fields more.
			const { descriptionType, toolDescription, ...values } = parameters;
			const node = harness.engine.nodeType(type.replace(/(?:Hitl)?Tool$/, ''));
			const fields = (node.description.properties as Field[]).filter(
				({ displayOptions: { show = {} } = {} }) =>
					(show.resource?.includes(values.resource as string) ?? true) &&
					(show.operation?.includes(values.operation as string) ?? true),
			);
			expect([name, unknownKeys(values, fields)]).toStrictEqual([name, []]);
		}
	});

	function unknownKeys(values: IDataObject, fields: Field[]): string[] {
		return Object.entries(values).flatMap(([key, value]) => {
			const same = fields.filter(({ name }) => name === key);
			if (same.length === 0) return [key];
			const isNested = same.some(({ type, values: own }) => own ?? /ollection$/.test(type ?? ''));
			if (!isNested) return [];
			const inner = same.flatMap((field) => field.values ?? field.options ?? []);
			return [value as IDataObject | IDataObject[]]
				.flat()
				.flatMap((entry) => unknownKeys(entry, inner).map((name) => `${key}.${name}`));
		});
	}
});

test('the example that syncs contacts writes nothing the second time, and creates one ticket for all conflicts', async () => {
	const results = (output: Awaited<ReturnType<typeof runExample>>) =>
		output('Sync Contacts').map(({ json }) => json.result);
	const first = await runExample('contact-sync');
	expect(results(first)).toStrictEqual(['created', 'created', 'created', 'conflict', 'conflict']);
	expect(first('Ticket with All Rows').map(({ json }) => json.title)).toStrictEqual([
		'2 rows of the sheet need a decision',
	]);
	harness.sandbox.requests.length = 0;
	const second = await runExample('contact-sync');
	expect(results(second)).toStrictEqual([...Array(3).fill('unchanged'), 'conflict', 'conflict']);
	const written = harness.sandbox.requests.filter(({ method }) => method !== 'GET');
	expect(written.map(({ route }) => route)).toStrictEqual(['POST /tickets']);
});

describe('the example that imports contacts', () => {
	const run = async () => await runExample('contact-import');

	test('an import that has ended leads to a ticket per rejected row', async () => {
		const output = await run();
		expect(output('Ticket per Row')).toHaveLength(2);
		expect(output('Ticket to Check')).toStrictEqual([]);
	});

	test('an import that has not ended leads to one ticket to check it, and its rows are not read', async () => {
		const body = JSON.stringify({ success: true, data: { id: 'x', status: 'processing' } });
		harness.sandbox.faults.add(
			{ kind: 'status', status: 200, body, headers: { 'content-type': 'application/json' } },
			{ times: 999, matches: ({ route }) => route === 'GET /contacts/imports/{id}' },
		);
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

describe('the example that previews a broadcast and asks somebody', () => {
	let executions: WaitingExecutions;
	beforeEach(async () => {
		executions = await WaitingExecutions.start(harness.engine);
	});
	afterEach(async () => await executions.close());

	const start = async (change: (workflow: WorkflowFile) => void = () => undefined) => {
		const { sandbox } = harness;
		const credential = { baseUrl: sandbox.baseUrl, apiToken: sandbox.tokens.all.value };
		const workflow = load('broadcast-preview');
		change(workflow);
		return await executions.run(workflow, { credential });
	};

	/** The text of the message with the links. */
	const question = (): string => {
		const sent = harness.sandbox.requests.filter(({ route }) => route === 'POST /messages');
		expect(sent).toHaveLength(1);
		return String((sent[0]!.body as { text?: unknown }).text);
	};

	const press = async (label: string, approved: boolean) => {
		const link = new RegExp(`^${label}: (.*)$`, 'm').exec(question())?.[1] ?? '';
		await axios.post(link, new URLSearchParams({ approved: String(approved) }));
	};

	/** What the workflow wrote besides the question. */
	const written = () =>
		harness.sandbox.requests
			.filter(({ method, route }) => method !== 'GET' && route !== 'POST /messages')
			.map(({ route, body }) => [route, body]);

	it('sends the broadcast once it is approved', async () => {
		const id = await start();
		expect(executions.runOf(id).status).toBe('waiting');
		expect(question()).toMatch(/^\d+ recipients, .*Shall it go out\?/s);
		expect(written()).toStrictEqual([]);
		await press('Send', true);
		expect(executions.runOf(id).status).toBe('success');
		expect(written()).toStrictEqual([
			['POST /broadcasts', expect.objectContaining({ templateName: 'spring_sale' })],
		]);
	});

	it('creates a ticket if it is not approved', async () => {
		const id = await start();
		await press('Do not send', false);
		expect(executions.runOf(id).status).toBe('success');
		expect(written()).toStrictEqual([
			[
				'POST /tickets',
				expect.objectContaining({ title: expect.stringMatching(/^Not sent: Spring sale/) }),
			],
		]);
	});

	it('creates a ticket if nobody responds in time', async () => {
		const id = await start();
		const { status } = await executions.timeUp(id);
		expect(status).toBe('success');
		expect(written()).toStrictEqual([['POST /tickets', expect.anything()]]);
	});

	it('asks nobody if it is not ready', async () => {
		const id = await start(({ nodes }) => {
			const preview = nodes.find(({ name }) => name === 'Preview');
			preview!.parameters.options = { maxRecipients: 0 };
		});
		expect(executions.runOf(id).status).toBe('success');
		expect(written()).toStrictEqual([
			['POST /tickets', expect.objectContaining({ description: expect.stringContaining('Max') })],
		]);
	});
});

describe('the example that asks whether a ticket is solved', () => {
	const run = async (event: IDataObject) => {
		const { sandbox, engine } = harness;
		const credential = { baseUrl: sandbox.baseUrl, apiToken: sandbox.tokens.all.value };
		const items = [{ json: event, pairedItem: { item: 0 } }];
		sandbox.requests.length = 0;
		const file = load('ticket-confirmation');
		const result = await engine.runFrom(file, 'Tickets and Messages', items, { credential });
		expect(result.data.resultData.error).toBeUndefined();
		return sandbox.requests
			.filter(({ method }) => method !== 'GET')
			.map(({ route, path, body }) => [route, path.split('/')[2] ?? '', body]);
	};

	/** A customer with a chat and a ticket of this status, and no other ticket. */
	const customerWith = (status: TicketStatus | undefined) => {
		const { world } = harness.sandbox;
		const [contact, chat] = world.chats
			.filter(({ channel }) => channel === 'WHATSAPP')
			.map((each) => [world.contacts.get(each.contactId)!, each] as const)[0]!;
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

	test.each<[text: string | null, status: TicketStatus | null]>([
		['Yes', 'CLOSED'],
		[' yes, thanks\nBye', 'CLOSED'],
		['No!', 'OPEN'],
		['no\nit is broken again', 'OPEN'],
		['Nobody called me', null],
		['yesterday', null],
		['', null],
		[null, null],
	])('the reply %j: %j', async (text, status) => {
		const customer = customerWith('RESOLVED');
		expect(await run(wrote(customer, text))).toStrictEqual([
			status === null
				? ['POST /chats/{id}/escalate', customer.chat.id, expect.anything()]
				: ['PUT /tickets/{id}', customer.ticket!.id, { status }],
		]);
	});

	test.each<[status: TicketStatus | undefined]>([['OPEN'], ['CLOSED'], [undefined]])(
		'a message of a customer with the ticket %j is left to others',
		async (status) => {
			expect(await run(wrote(customerWith(status), 'yes'))).toStrictEqual([]);
		},
	);
});
