/** Phone numbers with and without country code, through every field that accepts them. */
import type { INodeParameters } from 'n8n-workflow';
import { NUMBER_TABLE } from '../support/numberTable.mts';
import { sha256 } from '../support/sha256.mts';
import { byId, WELCOME_BROADCAST } from './harness.mts';
import { CONTINUE, on, SharedHarness } from './sharedHarness.mts';

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
const broadcast = (more: INodeParameters) => ({ ...WELCOME_BROADCAST, options, ...more });
const session = (operation: string, contactId = byWaId) =>
	of('session', operation, { contactId, agentId: byId('a1') });
const ticket = (contactId: INodeParameters) => of('ticket', 'create', { title: 'T', contactId });

/** A field that accepts numbers, and where they are sent: the route, and the name in its query or body, or "path". */
type Field = [name: string, parameters: INodeParameters, route: string, key: string];
const KEYWORD = { __rl: true, mode: 'keyword', value: 'welcome' };
const WITH_COUNTRY: Field[] = [
	['Message: To', of('message', 'send', { to: byId(N), text: 'x' }), 'POST /messages', 'to'],
	[
		'Flow: To',
		of('flow', 'trigger', { to: byId(N), flowId: KEYWORD }),
		'POST /flows/trigger',
		'to',
	],
	[
		'Broadcast: Phone Numbers',
		broadcast({ audience: 'list', recipients: N }),
		'POST /broadcasts',
		'recipients',
	],
	[
		'Broadcast: of all items',
		broadcast({ audience: 'items', recipient: N }),
		'POST /broadcasts',
		'recipients',
	],
	['Contact: Create', of('contact', 'create', { name: 'N', waId: N }), 'POST /contacts', 'waId'],
	[
		'Contact: Upsert',
		of('contact', 'upsert', { name: 'N', waId: N }),
		'PATCH /contacts/{id}',
		'waId',
	],
	['Session: Contact', session('get'), 'GET /chats/session', 'waId'],
	['Session: Contact, Start', session('start'), 'POST /chats/session', 'waId'],
	['Session: Contact By ID', session('end', byId(N)), 'POST /chats/session', 'waId'],
	['Ticket: Contact, By WhatsApp ID', ticket(byWaId), 'POST /tickets', 'contactWaId'],
	['Ticket: Contact, By ID', ticket(byId(N)), 'POST /tickets', 'contactWaId'],
];

/** The texts there, of each request. */
const textsAt = (route: string, key: string) =>
	service.sent(route).map(({ path, query, body }) => {
		const last = decodeURIComponent(path.split('/').at(-1)!);
		const values: Record<string, unknown> = { path: last, ...query, ...(body as object) };
		return [values[key]].flat();
	});

/** In both orders, the numbers that were sent, each once: an operation may try another variant of one afterwards. */
const sorted = (values: unknown[]) => [...new Set(values.map(String))].sort();
const expected = sorted(NUMBER_TABLE.flatMap(({ sent }) => sent ?? []));
const accepted = NUMBER_TABLE.filter(({ sent }) => sent !== undefined);
const refused = NUMBER_TABLE.filter(({ sent }) => sent === undefined);
const COUNTRIES = [...new Set(NUMBER_TABLE.map(({ country }) => country as string))];
/** Other WhatsApp IDs of numbers in the table. */
const VARIANTS = ['541123456789', '5215222', '551161234567', '5212221234567'];

/** The countries are spread over the fields: `readPhoneNumber` reads all of them. */
const rowsOf = (field: number) => {
	const isOwn = (country: string) => COUNTRIES.indexOf(country) % WITH_COUNTRY.length === field;
	return NUMBER_TABLE.filter(({ sent, country }) => sent === undefined || isOwn(country));
};

test.each(WITH_COUNTRY.map(([name, ...field], at) => [name, rowsOf(at), ...field] as const))(
	'the table of numbers is sent as digits, or rejected: %s',
	async (_field, items, parameters, route, key) => {
		const { json } = await service.run(parameters, { items, ...CONTINUE });
		const numbers = textsAt(route, key).flat().map(String);
		expect(sorted(numbers.filter((value) => !VARIANTS.includes(value)))).toStrictEqual(
			sorted(items.flatMap(({ sent }) => sent ?? [])),
		);
		const messages = json.flatMap(({ error }) => (typeof error === 'string' ? error : []));
		const unread = messages.filter((text) => text.includes(' expects '));
		expect(unread).toHaveLength(refused.length);
		expect(unread[0]).toMatch(
			/expects a plus and the country code if a number can be read in two ways, but got "321 1234567": \+32 11 23 45 67 or \+57 321 1234567/,
		);
	},
);

test.each<[file: string, parameters: INodeParameters, route: string, csv: unknown[]]>([
	[
		'the CSV of a broadcast, each number once',
		broadcast({ audience: 'csvItems', phoneColumn: 'phone' }),
		'POST /broadcasts',
		['phone,name', ...new Set(accepted.map(({ sent }) => `${sent!},N`))],
	],
	[
		'the CSV of an import',
		of('contactImport', 'start', { source: 'items', waId: N, name: '', igId: '' }),
		'POST /contacts/import',
		['waId', ...accepted.map(({ sent }) => sent)],
	],
	[
		'the CSV of an import, from More Columns',
		of('contactImport', 'start', {
			...{ source: 'items', waId: '', name: '', igId: '' },
			columns: { column: [{ name: 'WA ID', value: N }] },
		}),
		'POST /contacts/import',
		['waId', ...accepted.map(({ sent }) => sent)],
	],
])('the table is sent in %s', async (_file, parameters, route, csv) => {
	service.shapes.importColumns = ['waId'];
	const items = accepted.map((row) => ({ ...row, phone: row.text, name: 'N' }));
	await service.ok(parameters, { items });
	expect(service.sent(route)[0]!.file!.sha256).toBe(sha256(csv.join('\r\n')));
});

test('a question is sent to a number of the table, or to none', async () => {
	const ask = of('message', 'sendAndWait', { to: byId(N), message: 'OK?' });
	for (const row of [...NUMBER_TABLE.slice(0, 5), refused[0]!]) {
		service.requests.length = 0;
		await service.run(ask, { items: [row] });
		const to = service.bodies('POST /messages').map((body) => body.to);
		expect([row, to]).toStrictEqual([row, row.sent === undefined ? [] : [row.sent]]);
	}
});

test('the table is compared with all contacts', async () => {
	const items = NUMBER_TABLE.map((row, index) => ({ ...row, name: `N ${index}` }));
	const one = items.filter(({ sent, text }) => sent === undefined || text.startsWith('+'));
	const parameters = of('contact', 'sync', { matchBy: 'waId', waId: N, dryRun: true });
	const { json } = await service.run(parameters, { items: one, ...CONTINUE });
	expect(json.filter(({ error }) => error !== undefined)).toHaveLength(refused.length);
	const keys = json.flatMap(({ key }) => key ?? []);
	expect(sorted(keys)).toStrictEqual(expected);
});

const asList = { audience: 'list', recipients: '={{ [$json.text] }}' };
const CODE_ONLY: Field[] = [
	['Contact: By ID', of('contact', 'get', { contactId: byId(N) }), 'GET /contacts/{id}', 'path'],
	['Chat filter', of('chat', 'getAll', { filters: { waId: N }, limit: 1 }), 'GET /chats', 'waId'],
	[
		'Contact: Update',
		of('contact', 'update', { contactId: byId('c'), updateFields: { waId: N } }),
		'PATCH /contacts/{id}',
		'waId',
	],
	['Broadcast: Phone Numbers, as a list', broadcast(asList), 'POST /broadcasts', 'recipients'],
];

test.each(CODE_ONLY)(
	'a number with its country code is sent as its digits: %s',
	async (name, { options: _options, ...parameters }, route, key) => {
		for (const [text, sent] of [
			['+1 (202) 555-0143', '12025550143'],
			['\u202a+1 202\u2011555\u20110143\u202c', '12025550143'],
			[12025550143, '12025550143'],
			// What is no number may be the ID of a contact.
			...(name === 'Contact: By ID' ? [] : [['4.91511E+12'], ['0151 2345678']]),
		]) {
			service.requests.length = 0;
			const { error } = await service.run(parameters, { items: [{ text }] });
			expect(textsAt(route, key).slice(0, 1).flat()).toStrictEqual(sent ? [sent] : []);
			if (sent === undefined)
				expect(error?.message).toContain(
					`expects a phone number with country code, or a user ID, but got "${text}"`,
				);
		}
	},
);

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
	await service.run(of('message', 'send', { to, text: 'x', options: { countryOfNumbers: 'DE' } }));
	expect(service.bodies('POST /messages')).toMatchObject([{ to: '15112345678' }]);
});

test('IDs that are no numbers stay as they are', async () => {
	const german = { options: { countryOfNumbers: 'DE' } };
	const waId = 'US.13491208655302741918';
	await service.run(of('contact', 'create', { name: 'N', waId, ...german }));
	const to = '17841400000000001';
	const message = { to: byId(to), channel: 'INSTAGRAM', text: 'x', ...german };
	await service.run(of('message', 'send', message));
	expect(service.bodies('POST /contacts')).toMatchObject([{ waId }]);
	expect(service.bodies('POST /messages')).toMatchObject([{ to }]);
});

/** A contact from the list that an expression has replaced: n8n keeps the mode. */
const replaced = { __rl: true, mode: 'list', value: N };

test.each<[text: string, sentAs: string, sent?: string]>([
	['+1 (202) 555-0143', 'waId', '12025550143'],
	['0012025550143', 'waId', '12025550143'],
	['US.13491208655302741918', 'waId'],
	['17841400000000001', 'igId'],
	['cm4k2w8qx0001v8l4a1b2c3d4', 'contactId'],
	['R1', 'contactId'],
	['123456', 'contactId'],
])(
	'By ID, a contact may have any of its IDs: %s is sent as %s',
	async (text, name, sent = text) => {
		service.respond({ success: true, data: {} }, on('GET /chats/session', 2));
		for (const contactId of [byId(N), replaced]) {
			service.requests.length = 0;
			await service.ok(session('get', contactId), { items: [{ text }] });
			expect(service.requests.map(({ query }) => ({ ...query }))).toStrictEqual([{ [name]: sent }]);
		}
	},
);

test.each(['get', 'update'])(
	'By ID, a national number that contact %s does not find needs its country code',
	async (operation) => {
		const contact = { resource: 'contact', operation, updateFields: { name: 'A' } };
		for (const [text, step] of [
			['0151 2345678', 'A phone number identifies a contact only with its country code. Enter it,'],
			['+49 1511 2345678', 'Check that the record exists,'],
		] as const) {
			const { description } = await service.error({ ...contact, contactId: byId(text) });
			expect(description).toMatch(step);
		}
	},
);

const FIELD = {
	fieldId: byId('f1'),
	label: 'City',
	value: 'Oslo',
	updateFields: { value: 'Oslo' },
};

test.each([
	['contactField', 'add', FIELD],
	['contactField', 'update', FIELD],
	['contactField', 'delete', FIELD],
	['segment', 'addContacts', { segmentId: byId('s1') }],
	['segment', 'removeContacts', { segmentId: byId('s1') }],
	['ticket', 'getAll', {}],
	['chat', 'getAll', {}],
])(
	'%s %s accepts only the ID of a contact, and says how to get it',
	async (resource, operation, more) => {
		const of = (contactId: INodeParameters) =>
			operation === 'getAll'
				? { resource, operation, filters: { contactId } }
				: { resource, operation, contactId, ...more };
		for (const text of [
			'+1 202 555 0143',
			12025550143,
			'0151 2345678',
			'US.1349',
			'17841400000000001',
		])
			for (const contactId of [byId(N), replaced]) {
				const { message } = await service.rejected(of(contactId), { items: [{ text }] });
				expect(message).toBe(
					`Contact expects a contact ID, but got ${JSON.stringify(text)}: this is a WhatsApp ID or an Instagram ID. Contact → Get finds the contact by it, and returns its contact ID`,
				);
			}
		const picked = { __rl: true, mode: 'list', value: '1234567890' };
		for (const contactId of [byId('R1'), byId('123456'), picked]) {
			service.requests.length = 0;
			await service.run(of(contactId));
			const sent = JSON.stringify(
				service.requests.map(({ path, query, body }) => [path, query, body]),
			);
			expect(sent).toContain(contactId.value);
		}
	},
);

test('the editor lists the countries by name, which can be searched', async () => {
	const { results } = await service.search('searchCountries');
	expect(results).toHaveLength(245);
	const found = await service.search('searchCountries', {}, { filter: 'germ' });
	expect(found.results).toStrictEqual([{ name: 'Germany (+49)', value: 'DE' }]);
	const code = await service.search('searchCountries', {}, { filter: '+376' });
	expect(code.results).toStrictEqual([{ name: 'Andorra (+376)', value: 'AD' }]);
	const picked = { countryOfNumbers: { __rl: true, mode: 'list', value: 'DE' } };
	await service.run(of('contact', 'create', { name: 'N', waId: '0151 12345678', options: picked }));
	expect(service.bodies('POST /contacts')).toMatchObject([{ waId: '4915112345678' }]);
});
