import type { INodeParameters } from 'n8n-workflow';
import { byId, openHarness, type Harness, type NodeRun, WELCOME } from './harness.mts';

let harness: Harness;
beforeAll(async () => {
	harness = await openHarness({ contacts: 30, tickets: 5, rateLimit: { requests: 0 } });
});
afterAll(async () => await harness.close());

const select = async (
	names: unknown,
	{ options, ...parameters }: INodeParameters,
	run: NodeRun = {},
) =>
	await harness.run(
		{
			...parameters,
			options: { ...(options as INodeParameters), outputFieldNames: names as string },
		},
		run,
	);

const TICKETS = { resource: 'ticket', operation: 'getAll', returnAll: true };
const CONTACTS = { resource: 'contact', operation: 'getAll', returnAll: true };

test('every row of a list has the selected fields only, also those of lists within it', async () => {
	const { json, items, hints } = await select('name, customFields.label', CONTACTS);
	// Three more have no address.
	expect(json).toHaveLength(33);
	expect(json[0]).toStrictEqual({ name: expect.any(String), customFields: [] });
	expect(json[32]).toStrictEqual({ name: expect.any(String), customFields: [{ label: 'city' }] });
	expect(items[32]?.pairedItem).toStrictEqual({ item: 0 });
	expect(hints).toStrictEqual([]);
});

test('a single record, and what this node adds to it', async () => {
	const chat = harness.sandbox.world.chats.find(
		({ channel, session }) => channel === 'WHATSAPP' && session !== null,
	)!;
	const to = byId(harness.sandbox.world.contacts.get(chat.contactId)!.waId!);
	const send = { resource: 'message', operation: 'send', text: 'Hi', to };
	const { json } = await select('id, sent', { ...send, options: { sendOnceKey: 'A' } });
	expect(json).toStrictEqual([{ id: expect.any(String), sent: true }]);
});

test('an item for which nothing was sent says so', async () => {
	const { waId } = harness.sandbox.world.contacts.find((contact) => contact.waId !== null)!;
	const send = { resource: 'message', operation: 'send', type: 'template', to: byId(waId!) };
	const template = {
		...WELCOME,
		agentId: byId(harness.sandbox.world.users.find(() => true)!.id),
		options: { takeOver: true, sendOnceKey: 'order 1' },
	};
	const { json } = await select('id', { ...send, ...template }, { items: [{}, {}] });
	expect(json).toStrictEqual([
		{ id: expect.any(String), sent: true },
		{ sent: false, sendOnceKey: 'order 1', reason: expect.any(String) },
	]);
});

test('the names can be a list from an expression', async () => {
	const { json } = await select('={{ ["title", "status"] }}', TICKETS);
	expect(json.map((ticket) => Object.keys(ticket))).toStrictEqual(
		Array(5).fill(['title', 'status']),
	);
});

test('a field that the service does not return is left out, and shown in a hint', async () => {
	const { json, hints } = await select('title, statsu', TICKETS);
	expect(Object.keys(json[0]!)).toStrictEqual(['title']);
	expect(hints).toStrictEqual(['No returned item has the field statsu. Check its name.']);
});

test.each([[' , '], ['={{ [] }}'], ['={{ null }}']])(
	'%j selects nothing, which is rejected before anything is sent',
	async (names) => {
		harness.sandbox.requests.length = 0;
		const { error } = await select(names, TICKETS);
		expect(error?.message).toBe('Selected Fields is empty');
		expect(harness.sandbox.requests).toStrictEqual([]);
	},
);

test('an item that fails keeps its message', async () => {
	const { json } = await select(
		'title',
		{ resource: 'ticket', operation: 'get', ticketId: byId('={{ $json.id }}') },
		{ items: [{ id: '1001' }, { id: 'nobody' }], settings: { onError: 'continueRegularOutput' } },
	);
	expect(json).toStrictEqual([
		{ title: expect.any(String) },
		{ error: expect.stringContaining('rejected "Get ticket"') },
	]);
});
