import type { INodeParameters } from 'n8n-workflow';
import { byId } from './harness.mts';
import { CONTINUE, on, SharedHarness } from './sharedHarness.mts';

/** To with the ID of a contact, which is all that a ticket has of its customer: its address is looked up. */
const service = new SharedHarness({ contacts: 20, tickets: 5 });

const onWhatsApp = () => service.world.contacts.find(({ waId }) => waId === '12015550100')!;
const onInstagram = () => service.world.contacts.find(({ waId, igId }) => !waId && igId !== null)!;
const SEND = { resource: 'message', operation: 'send', type: 'text', text: 'Hello' };
const FLOW = { resource: 'flow', operation: 'trigger', flowId: byId('f1') };
const POSTS: [INodeParameters, route: string][] = [
	[SEND, 'POST /messages'],
	[FLOW, 'POST /flows/trigger'],
];
/** What is sent is accepted, whatever the state of the chat. */
const accept = () => service.respond({ success: true, data: { id: 'x1' } }, on('POST', 9));
/** The addresses that something was sent to, as the service received them. */
const run = async (parameters: INodeParameters, items = [{}]) => {
	accept();
	service.requests.length = 0;
	return await service.run(parameters, { items });
};

test.each(POSTS)(
	'%j is sent to the number of the contact, read once for all items',
	async (parameters, route) => {
		const { id } = onWhatsApp();
		for (const mode of ['id', 'list']) {
			const to = { __rl: true, mode, value: '={{ $json.contactId }}' };
			const items = Array.from({ length: 3 }, () => ({ contactId: id }));
			const { error } = await run({ ...parameters, to }, items);
			expect(error).toBeUndefined();
			expect(service.routes()).toStrictEqual(['GET /contacts/{id}', route, route, route]);
		}
		service.sandbox.faults.clear();
		service.requests.length = 0;
		await service.run({ ...parameters, to: byId(id) });
		expect(service.bodies(route)).toMatchObject([{ to: '12015550100' }]);
	},
);

test('a message on Instagram is sent to the Instagram ID of the contact', async () => {
	const { id, igId } = onInstagram();
	expect(await service.run({ ...SEND, channel: 'INSTAGRAM', to: byId(id) })).toMatchObject({
		error: undefined,
	});
	expect(service.bodies('POST /messages')).toMatchObject([{ to: igId, channel: 'INSTAGRAM' }]);
});

test('a contact with both IDs is reached by each on its channel', async () => {
	const contact = { id: 'c', waId: '12025550143', igId: '17' };
	service.respond({ success: true, data: contact }, on('GET /contacts/{id}', 2));
	const items = ['WHATSAPP', 'INSTAGRAM'].map((channel) => ({ channel }));
	const message = { ...SEND, channel: '={{ $json.channel }}', to: byId(onWhatsApp().id) };
	await service.run(message, { items, ...CONTINUE });
	const sent = service.bodies('POST /messages').map(({ to }) => to);
	expect(sent.toSorted()).toStrictEqual(['12025550143', '17']);
});

test.each<[contact: object, to: string]>([
	[{ waId: '+1 (202) 555-0143' }, '12025550143'],
	[{ wa_id: 12025550143 }, '12025550143'],
	[{ waId: 'US.13491208655302741918', igId: null }, 'US.13491208655302741918'],
])('a contact that is shown as %j is sent to %s', async (contact, to) => {
	for (const [parameters, route] of POSTS) {
		for (const data of [{ id: 'c', ...contact }, { contact: { id: 'c', ...contact } }]) {
			service.respond({ success: true, data }, on('GET /contacts/{id}'));
			service.requests.length = 0;
			await service.run({ ...parameters, to: byId(onWhatsApp().id) });
			// The request itself is rejected for another reason, or accepted.
			expect(service.bodies(route)).toMatchObject([{ to }]);
		}
	}
});

const NO_WHATSAPP = /which has no WhatsApp ID$/;
const ENTER_IT = /^Nothing was sent\. Enter the WhatsApp ID\.$/;
test.each<[contact: object, channel: string, message: RegExp, description: RegExp]>([
	[{ waId: null }, 'WHATSAPP', NO_WHATSAPP, ENTER_IT],
	[{}, 'WHATSAPP', NO_WHATSAPP, ENTER_IT],
	[{ waId: '0151 234' }, 'WHATSAPP', NO_WHATSAPP, ENTER_IT],
	[{ igId: '17' }, 'WHATSAPP', NO_WHATSAPP, /on another channel type\.$/],
	[{ waId: '1202' }, 'INSTAGRAM', /which has no Instagram ID$/, /on another channel type\.$/],
	[[{ waId: '12025550143' }], 'WHATSAPP', /no record \(data is a list of 1\)$/, /^Check that/],
])(
	'nothing is sent to a contact that is shown as %j on %s',
	async (contact, channel, message, description) => {
		const data = Array.isArray(contact) ? contact : { id: 'c', ...contact };
		service.respond({ success: true, data }, on('GET /contacts/{id}'));
		const error = await service.error({ ...SEND, channel, to: byId(onWhatsApp().id) });
		expect(error).toMatchObject({
			message: expect.stringMatching(message),
			description: expect.stringMatching(description),
		});
		expect(service.routes()).toStrictEqual(['GET /contacts/{id}']);
	},
);

test('nothing is sent if there is no such contact, and a Send Once Key stays free', async () => {
	const missing = { to: byId('cm4k2w8qx0001v8l4a1b2c3d4'), options: { sendOnceKey: 'a' } };
	for (const [parameters] of [...POSTS, ...POSTS]) {
		service.requests.length = 0;
		expect(await service.error({ ...parameters, ...missing })).toMatchObject({
			message: 'The service rejected "Get contact": Contact not found (404 Not Found)',
			description: expect.stringMatching(/^Nothing was sent\. To contains the ID of a contact/),
		});
		expect(service.routes()).toStrictEqual(['GET /contacts/{id}']);
	}
});

test('Nothing was sent is said only of a run that sent nothing', async () => {
	const [[parameters]] = POSTS as [[INodeParameters, string]];
	const message = { ...parameters, to: byId('={{ $json.to }}') };
	const [found, missing] = ['12015550100', 'cm4k2w8qx0001v8l4a1b2c3d4'];
	const descriptionWith = async (...to: string[]) =>
		(await service.error(message, { items: to.map((value) => ({ to: value })) })).description;
	const step = 'To contains the ID of a contact that does not exist.';
	expect(await descriptionWith(missing)).toMatch(`Nothing was sent. ${step}`);
	const partly = await descriptionWith(found, missing, '12015550101');
	expect(partly).toMatch(`This item was not sent. ${step}`);
	expect(partly).not.toMatch('Nothing was sent');
	expect(partly).toMatch(/[12] of 3 items had already succeeded; running the node again repeats/);
});

test.each(['12015550100', '+1 201 555 0100', 'US.13491208655302741918'])(
	'an address is not looked up: %s',
	async (to) => {
		for (const [parameters, route] of POSTS) {
			await run({ ...parameters, to: byId(to) });
			expect(service.routes()).toStrictEqual([route]);
		}
	},
);

test.each(['Ann', '0151 234', 'c123', 'CM4K2W8QX0001V8L4A1B2C3D4', 'cm4k2w8qx0001 v8l4a1b2c3d4'])(
	'what is neither an address nor an ID is rejected before anything is sent: %s',
	async (to) => {
		const error = await service.rejected({ ...SEND, to: byId(to) });
		expect(error.message).toMatch(/^To expects a phone number/);
	},
);
