/** Phone numbers with and without country code, through every field that accepts them. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { ACTION_NODE } from '../../tools/engine/workflows.mts';
import type { ReceivedRequest } from '../../sandbox/server.mts';
import { NUMBER_TABLE } from '../support/numberTable.mts';
import { sha256 } from '../support/sha256.mts';
import { byId, WELCOME, WELCOME_BROADCAST } from './harness.mts';
import { CONTINUE, SharedHarness } from './sharedHarness.mts';

const service = new SharedHarness({ contacts: 3, tickets: 1 });

const N = '={{ $json.text }}';
const options = { countryOfNumbers: '={{ $json.country }}' };
const byWaId = { __rl: true, mode: 'waId', value: N };
const of = (resource: string, operation: string, more: INodeParameters): INodeParameters => ({
	resource,
	operation,
	options,
	...more,
});
const inBody = (name: string) => (request: ReceivedRequest) =>
	[(request.body as IDataObject)[name]].flat()[0];
const agentId = () => byId(service.world.users.newestFirst().next().value!.id);

/** Every field that accepts numbers without country code, and where they are sent: the request's route and value. */
const FIELDS: [
	name: string,
	parameters: () => INodeParameters,
	route: string,
	where: (request: ReceivedRequest) => unknown,
][] = [
	[
		'Message: To',
		() => of('message', 'send', { to: byId(N), text: 'x' }),
		'POST /messages',
		inBody('to'),
	],
	[
		'Flow: To',
		() =>
			of('flow', 'trigger', {
				to: byId(N),
				flowId: { __rl: true, mode: 'keyword', value: 'welcome' },
			}),
		'POST /flows/trigger',
		inBody('to'),
	],
	[
		'Broadcast: Phone Numbers',
		() => ({ ...WELCOME_BROADCAST, options, audience: 'list', recipients: N }),
		'POST /broadcasts',
		inBody('recipients'),
	],
	[
		'Contact: Create',
		() => of('contact', 'create', { name: 'N', waId: N }),
		'POST /contacts',
		inBody('waId'),
	],
	[
		'Contact: Create or Update',
		() => of('contact', 'upsert', { name: 'N', waId: N }),
		'PATCH /contacts/{id}',
		inBody('waId'),
	],
	[
		'Session: Contact',
		() => of('session', 'get', { contactId: byWaId }),
		'GET /chats/session',
		({ query }) => query.waId,
	],
	[
		'Session: Contact, Start',
		() => of('session', 'start', { contactId: byWaId, agentId: agentId() }),
		'POST /chats/session',
		inBody('waId'),
	],
	[
		'Ticket: Contact',
		() => of('ticket', 'create', { title: 'T', contactId: byWaId }),
		'POST /tickets',
		inBody('contactWaId'),
	],
];

/** In both orders, the numbers that were sent, each once: an operation may try another variant of one afterwards. */
const sorted = (values: unknown[]) => [...new Set(values.map(String))].sort();
const expected = sorted(NUMBER_TABLE.flatMap(({ sent }) => sent ?? []));
const refused = NUMBER_TABLE.filter(({ sent }) => sent === undefined);
/** Other WhatsApp IDs of numbers in the table. */
const VARIANTS = ['541123456789', '5215222', '551161234567', '5212221234567'];

test.each(FIELDS)(
	'the table of 200 numbers is sent as digits, or rejected: %s',
	async (_field, parameters, route, where) => {
		const { json } = await service.run(parameters(), { items: NUMBER_TABLE, ...CONTINUE });
		const values = sorted(service.sent(route).map(where)).map((value) => value.replace('+', ''));
		expect(sorted(values.filter((value) => !VARIANTS.includes(value)))).toStrictEqual(expected);
		const messages = json.flatMap(({ error }) => (typeof error === 'string' ? error : []));
		const ambiguous = messages.filter((text) =>
			text.includes('if a number can be read in two ways'),
		);
		expect(ambiguous).toHaveLength(refused.length);
		expect(ambiguous[0]).toMatch(
			/expects a plus and the country code if a number can be read in two ways, but got "321 1234567": \+32 11 23 45 67 or \+57 321 1234567/,
		);
	},
);

const ACCEPTED = NUMBER_TABLE.filter(({ sent }) => sent !== undefined);

test('the table is sent as one broadcast, with a country per item', async () => {
	const parameters = { ...WELCOME_BROADCAST, options, audience: 'items', recipient: N };
	const { json } = await service.run(parameters, { items: NUMBER_TABLE, ...CONTINUE });
	const [body] = service.bodies('POST /broadcasts');
	expect(sorted(body!.recipients as string[])).toStrictEqual(expected);
	expect(json.filter(({ error }) => error !== undefined)).toHaveLength(refused.length);
});

test('the preview of that broadcast counts a number of each country', async () => {
	const parameters = { ...WELCOME_BROADCAST, options, audience: 'items', recipient: N };
	const preview = { ...parameters, operation: 'preview' };
	const { json } = await service.run(preview, { items: NUMBER_TABLE, ...CONTINUE });
	const [shown] = json.filter(({ ready }) => ready);
	expect(shown).toMatchObject({ recipients: 40 });
	const accepted = new Set(ACCEPTED.map(({ country }) => country));
	expect(shown!.recipientsByCountry).toStrictEqual(
		Object.fromEntries([...accepted].map((country) => [country, 1])),
	);
});

test('a question is sent to each number of the table, or to none', async () => {
	const ask = of('message', 'sendAndWait', { to: byId(N), message: 'OK?' });
	for (const row of NUMBER_TABLE) {
		service.requests.length = 0;
		await service.run(ask, { items: [row] });
		const to = service.bodies('POST /messages').map((body) => body.to);
		expect([row, to]).toStrictEqual([row, row.sent === undefined ? [] : [row.sent]]);
	}
});

test('the table is sent in the CSV of a broadcast, each number once', async () => {
	const items = ACCEPTED.map(({ text, country }) => ({ phone: text, country, name: 'N' }));
	const parameters = { ...WELCOME_BROADCAST, options, audience: 'csvItems', phoneColumn: 'phone' };
	await service.ok(parameters, { items });
	const numbers = [...new Set(ACCEPTED.map(({ sent }) => sent))];
	const [request] = service.sent('POST /broadcasts');
	expect(request!.file!.sha256).toBe(
		sha256(['phone,name', ...numbers.map((number) => `${number},N`)].join('\r\n')),
	);
});

test('the table is imported', async () => {
	service.shapes.importColumns = ['waId'];
	const parameters = of('contactImport', 'start', { source: 'items', waId: N, name: '', igId: '' });
	await service.ok(parameters, { items: ACCEPTED });
	const numbers = ACCEPTED.map(({ sent }) => sent);
	const [request] = service.sent('POST /contacts/import');
	expect(request!.file!.sha256).toBe(sha256(['waId', ...numbers].join('\r\n')));
});

test('the table is compared with all contacts', async () => {
	const items = NUMBER_TABLE.map((row, index) => ({ ...row, name: `N ${index}` }));
	const one = items.filter(({ sent, text }) => sent === undefined || text.startsWith('+'));
	const parameters = of('contact', 'sync', { matchBy: 'waId', waId: N, dryRun: true });
	const json = await service.ok(parameters, { items: one });
	expect(
		sorted(json.flatMap(({ key, result }) => (result === 'invalid' ? [] : key))),
	).toStrictEqual(expected);
	expect(json.filter(({ result }) => result === 'invalid')).toHaveLength(refused.length);
});

test('a row without a country, and a number that was picked from the list, need a country code', async () => {
	const items = [
		{ text: '4915112345678', country: '' },
		{ text: '151 2345678', country: null },
		{ text: '0151 2345678', country: 'Atlantis' },
	];
	const parameters = of('contact', 'create', { name: 'N', waId: N });
	const { json } = await service.run(parameters, { items, ...CONTINUE });
	expect(json.map(({ waId, error }) => waId ?? error)).toStrictEqual([
		'4915112345678',
		'WhatsApp ID expects a phone number with country code, or a user ID, but got "151 2345678": +1 512345678 is too short. The option Country of Numbers adds a country code. Check the value, or the expression that returns it.',
		'Country of Numbers expects a country code, such as DE, or its name, but got "Atlantis". Check the value, or the expression that returns it.',
	]);

	const to = { __rl: true, mode: 'list', value: '15112345678' };
	const send = of('message', 'send', { to, text: 'x', options: { countryOfNumbers: 'DE' } });
	await service.run(send);
	expect(service.bodies('POST /messages')).toMatchObject([{ to: '15112345678' }]);
});

test('IDs that are no numbers stay as they are', async () => {
	const userId = 'US.13491208655302741918';
	const items = [{ text: userId, country: 'DE' }];
	await service.run(of('contact', 'create', { name: 'N', waId: N }), { items });
	const igId = '17841400000000001';
	const message = {
		to: byId(igId),
		channel: 'INSTAGRAM',
		text: 'x',
		options: { countryOfNumbers: 'DE' },
	};
	await service.run(of('message', 'send', message));
	expect(service.bodies('POST /contacts')).toMatchObject([{ waId: userId }]);
	expect(service.bodies('POST /messages')).toMatchObject([{ to: igId }]);
});

test('Preview shows the first recipient as people write the number', async () => {
	const preview = {
		...{ resource: 'broadcast', operation: 'preview', name: 'B', ...WELCOME },
		...{ audience: 'list', recipients: '0151 12345678, 0151 12345679' },
		options: { countryOfNumbers: 'DE' },
	};
	expect(await service.ok(preview)).toMatchObject([{ firstRecipient: '+49 1511 2345678' }]);
});

test('the editor lists the countries by name', async () => {
	const listed = await service.engine.loadOptions(ACTION_NODE, 'getCountries', {
		credential: service.credential,
	});
	expect(listed).toHaveLength(246);
	expect(listed[0]).toStrictEqual({ name: 'From the Number', value: '' });
	expect(listed).toContainEqual({ name: 'Germany (+49)', value: 'DE' });
});
