import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { FaultyRequest } from '../../sandbox/faults.mts';
import type { SandboxOptions } from '../../sandbox/options.mts';
import type { Contact } from '../../sandbox/records.mts';
import { FakeTime } from '../time.mts';
import { byId, openHarness, type Harness, type NodeRun } from './harness.mts';

/** Contact → Sync, on n8n's engine against the sandbox. */
const CONTACTS = 250;

let harness: Harness;
let time: FakeTime;
let shapes: SandboxOptions['shapes'];
beforeEach(async () => {
	time = new FakeTime().install();
	harness = await openHarness({
		contacts: CONTACTS,
		clock: time.clock,
		rateLimit: { requests: 0 },
	});
	({ shapes } = harness.sandbox.options);
	// The labels that the items have.
	for (const { customFields: fields } of world().contacts.newestFirst())
		for (const field of fields)
			field.label = field.label.charAt(0).toUpperCase() + field.label.slice(1);
});
afterEach(async () => {
	time.restore();
	await harness.close();
});

const world = () => harness.sandbox.world;
const sent = () => harness.sandbox.requests.map(({ method, route }) => route ?? method);
const reads = () => harness.sandbox.requests.filter(({ method }) => method === 'GET').length;
const writes = () => sent().filter((route) => !route.startsWith('GET'));
const customFields = (...labels: string[]): INodeParameters => ({
	customFields: {
		field: labels.map((label) => ({ label, value: `={{ $json.${label.toLowerCase()} }}` })),
	},
});

async function sync(items: IDataObject[], more: INodeParameters = {}, options: NodeRun = {}) {
	harness.sandbox.requests.length = 0;
	return await harness.run(
		{ resource: 'contact', operation: 'sync', ...more },
		{ items, ...options },
	);
}
const results = async (...of: Parameters<typeof sync>) => {
	const { json, error } = await sync(...of);
	expect(error).toBeUndefined();
	return json.map(({ result }) => result);
};
const CONTINUE: NodeRun = { settings: { onError: 'continueRegularOutput' } };

/** The contacts on WhatsApp, as another system has them. */
const rows = (count = Infinity): (IDataObject & { waId: string })[] =>
	[...world().contacts.newestFirst()]
		.filter(({ waId }) => waId !== null)
		.slice(0, count)
		.map(({ name, waId }) => ({ name, waId: waId! }));
const contactWith = (waId: unknown): Contact =>
	world().contacts.find((contact) => contact.waId === waId)!;
/** The next requests like this are rejected. */
const fail = (status: number, matches: (request: FaultyRequest) => boolean, times = 1) =>
	harness.sandbox.faults.add({ kind: 'status', status }, { matches, times });
const respond = (json: IDataObject, matches: (request: FaultyRequest) => boolean) =>
	harness.sandbox.faults.add(
		{
			kind: 'status',
			status: 200,
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(json),
		},
		{ matches },
	);
/** The next list of contacts has these only. */
const listShows = (contacts: Contact[]) =>
	respond(
		{ success: true, data: contacts as unknown as IDataObject[], meta: { total: contacts.length } },
		({ route }) => route === 'GET /contacts',
	);
const fieldsOf = ({ customFields: fields }: Contact) =>
	Object.fromEntries(fields.map(({ label, value }) => [label, value]));

/** Without LONG, fewer pages of the list. */
const MANY = process.env.LONG ? 10_000 : 1_000;

describe(`${MANY} contacts`, () => {
	beforeEach(async () => {
		await harness.close();
		// Three more have neither a WhatsApp ID nor an Instagram ID.
		harness = await openHarness({ contacts: 0, clock: time.clock, rateLimit: { requests: 0 } });
		for (let n = 0; n < MANY - 3; n++)
			world().addContact({ name: `Contact ${n}`, waId: String(12_025_600_000 + n) });
		expect(world().contacts.size).toBe(MANY);
	});

	test('of which 20 changed need a read per page and 20 writes, and nothing is written the second time', async () => {
		const items = rows();
		for (let n = 0; n < 20; n++) items[n * 30]!.name = `New name ${n}`;
		const before = await sync(items);
		expect([reads(), writes()]).toEqual([MANY / 200, Array(20).fill('PATCH /contacts/{id}')]);
		expect(before.json.filter(({ result }) => result === 'updated')).toHaveLength(20);
		expect(before.hints).toContain(
			`Sync: 0 created, 20 updated, ${(MANY - 23).toLocaleString('en')} unchanged, 0 conflicts`,
		);
		expect(contactWith(items[30]!.waId).name).toBe('New name 1');

		expect(new Set(await results(items))).toEqual(new Set(['unchanged']));
		expect([reads(), writes()]).toEqual([MANY / 200, []]);
	}, 120_000);
});

describe('the results', () => {
	test('each item has its own, in input order and paired with it', async () => {
		const [same, changed, twice] = rows(3) as unknown as [IDataObject, IDataObject, IDataObject];
		const items = [
			same,
			{ name: 'New', waId: '+1 (202) 555-0190' },
			twice,
			{ ...changed, name: 'Changed' },
			twice,
		];
		const { json, items: output, error } = await sync(items);
		expect(error).toBeUndefined();
		expect(output.map(({ pairedItem }) => pairedItem)).toEqual(items.map((_, item) => ({ item })));
		const known = contactWith(changed.waId);
		expect(json).toEqual([
			{
				result: 'unchanged',
				key: same.waId,
				contactId: contactWith(same.waId).id,
				changes: [],
			},
			{
				result: 'created',
				key: '12025550190',
				contactId: contactWith('12025550190').id,
				changes: [
					{ field: 'waId', from: null, to: '12025550190' },
					{ field: 'name', from: null, to: 'New' },
				],
			},
			expect.objectContaining({ result: 'conflict' }),
			{
				result: 'updated',
				key: changed.waId,
				contactId: known.id,
				changes: [{ field: 'name', from: changed.name, to: 'Changed' }],
			},
			{
				result: 'conflict',
				key: twice.waId,
				contactId: contactWith(twice.waId).id,
				changes: [],
				reason: `Items 2, 4 have the same WhatsApp ID: ${twice.waId as string}`,
			},
		]);
		expect(writes().sort()).toEqual(['PATCH /contacts/{id}', 'POST /contacts']);
		expect(Object.keys(json[4]!)).toEqual(['result', 'key', 'reason', 'contactId', 'changes']);
	});

	test('a dry run returns the same, and only reads', async () => {
		const [one, two] = rows(2) as unknown as [IDataObject, IDataObject];
		const items = [
			{ ...one, city: 'Rome' },
			two,
			{ name: 'New', waId: '12025550190', city: 'Paris' },
			{ waId: '12025550191' },
		];
		const parameters = customFields('City');
		const dry = await sync(items, { ...parameters, dryRun: true });
		expect(writes()).toEqual([]);
		expect(dry.hints).toEqual([
			'Dry run: nothing was changed. A real run would result in: 1 created, 1 updated, 1 unchanged, 1 conflict',
		]);
		const real = await sync(items, parameters);
		const withoutId = ({ contactId: _id, ...json }: IDataObject) => json;
		expect(dry.json.map(withoutId)).toEqual(
			real.json.map((json) => ({
				...withoutId(json),
				result:
					{ created: 'wouldCreate', updated: 'wouldUpdate' }[json.result as string] ?? json.result,
			})),
		);
	});

	test('contacts that are not in the input are neither deleted nor changed', async () => {
		const all = () => JSON.stringify([...world().contacts.newestFirst()]);
		const before = all();
		await sync(rows(1));
		expect(all()).toBe(before);
	});
});

describe('values', () => {
	const stored = {
		City: 'Rome',
		Tier: 'gold',
	};
	let row: IDataObject & { waId: string };
	beforeEach(() => {
		[row] = rows(1) as [typeof row];
		const contact = contactWith(row.waId);
		contact.customName = 'Boss';
		contact.customFields = Object.entries(stored).map(([label, value]) => ({
			id: `id of ${label}`,
			label,
			value,
		}));
	});
	const fill = {
		...customFields('City', 'Tier'),
		additionalFields: { customName: '={{ $json.nick }}' },
	};

	test.each([
		['the item does not have them', {}],
		['they are null', { city: null, tier: null, nick: null }],
		['they are empty', { city: '', tier: ' ', nick: '' }],
	])('the contact keeps its values if %s', async (_name, values) => {
		expect(await results([{ ...row, ...values }], fill)).toEqual(['unchanged']);
		expect(writes()).toEqual([]);
	});

	test('Clear Empty Values clears what is empty, once, and keeps what the item does not have', async () => {
		const parameters = { ...fill, options: { clearEmpty: true } };
		expect(await results([row], parameters)).toEqual(['unchanged']);
		const { json } = await sync([{ ...row, city: null, nick: '' }], parameters);
		expect(json[0]!.changes).toEqual([
			{ field: 'customName', from: 'Boss', to: null },
			{ customField: 'City', from: 'Rome', to: null },
		]);
		expect(contactWith(row.waId).customName).toBeNull();
		expect(fieldsOf(contactWith(row.waId))).toEqual({ City: '', Tier: 'gold' });
		expect(await results([{ ...row, city: null, nick: '' }], parameters)).toEqual(['unchanged']);
		expect(writes()).toEqual([]);
	});

	test('the name of a contact cannot be cleared', async () => {
		const name = row.name;
		expect(
			await results([{ waId: row.waId, name: '' }], { options: { clearEmpty: true } }),
		).toEqual(['unchanged']);
		expect(contactWith(row.waId).name).toBe(name);
	});

	test.each([
		['a number', 7, '7'],
		['zero', 0, '0'],
		['false', false, 'false'],
		['a list', ['a', 'b'], 'a, b'],
		['another case', 'rome', 'rome'],
		['a date', '={{ new Date(4102444800000) }}', '2100-01-01T01:00:00+01:00'],
		// n8n itself turns these into text.
		['a Luxon date', '={{ DateTime.fromMillis(4102444800000) }}', '2100-01-01T01:00:00.000+01:00'],
	])('%s is sent as text, once', async (_name, value, text) => {
		const isExpression = typeof value === 'string' && value.startsWith('=');
		const parameters = {
			customFields: {
				field: [{ label: 'City', value: isExpression ? value : '={{ $json.city }}' }],
			},
		};
		const items = [{ ...row, city: isExpression ? null : value }] as IDataObject[];
		const options = { timezone: 'Europe/Berlin' };
		expect(await results(items, parameters, options)).toEqual(['updated']);
		expect(fieldsOf(contactWith(row.waId)).City).toBe(text);
		expect(await results(items, parameters, options)).toEqual(['unchanged']);
	});

	test('a new custom field is added, an existing one is changed', async () => {
		const parameters = customFields('City', 'Age');
		await sync([{ ...row, city: 'Paris', age: 7 }], parameters);
		expect(writes()).toEqual([
			'PATCH /contacts/{id}/fields/{fieldId}',
			'POST /contacts/{id}/fields',
		]);
		expect(fieldsOf(contactWith(row.waId))).toEqual({ City: 'Paris', Tier: 'gold', Age: '7' });
	});

	test('a value that cannot be used stops the run; with Continue, only its item fails', async () => {
		const items = [row, { name: 'B', waId: '0151 234' }, { name: 'C' }, { ...row, city: { a: 1 } }];
		const { error } = await sync(items, customFields('City'));
		expect(error).toMatchObject({
			message:
				'WhatsApp ID expects a phone number with country code and no leading 0, or a user ID, but got "0151 234"',
			description: expect.stringMatching(/More items cannot be used, among them items 2, 3\./),
		});
		expect(sent()).toEqual([]);
		const { json } = await sync(items, customFields('City'), CONTINUE);
		expect(json.map(({ result, error: text }) => result ?? text)).toEqual([
			'unchanged',
			expect.stringMatching(/^WhatsApp ID expects/),
			expect.stringMatching(/^WhatsApp ID is empty/),
			expect.stringMatching(/^The custom field City expects one value, but got an object/),
		]);
	});

	test.each([
		[{ field: [{ label: '', value: 'x' }] }, /^A value under Custom Fields has no label$/],
		[
			{
				field: [
					{ label: 'City', value: 'x' },
					{ label: ' city ', value: 'y' },
				],
			},
			/^Custom Fields contains the label city twice$/,
		],
	])('custom fields %j are rejected', async (value, message) => {
		const { error } = await sync([row], { customFields: value as unknown as INodeParameters });
		expect(error!.message).toMatch(message);
		expect(sent()).toEqual([]);
	});

	test('a setting that differs between items is rejected', async () => {
		const items = [
			{ ...row, dry: true },
			{ ...row, dry: false },
		];
		const { error } = await sync(items, { dryRun: '={{ $json.dry }}' });
		expect(error!.message).toBe(
			'Dry Run differs between input items: true (item 0), false (item 1)',
		);
	});
});

describe('keys', () => {
	test.each(['+1 (202) 555-0177', '1-202-555-0177', 12025550177, ' 12025550177 '])(
		'%j finds the contact, whether it is stored with a plus or without',
		async (waId) => {
			for (const stored of ['12025550177', '+12025550177']) {
				const contact = world().addContact({ name: 'Ann', waId: stored });
				expect(await results([{ name: 'Ann', waId }])).toEqual(['unchanged']);
				expect(await results([{ name: 'Anna', waId }])).toEqual(['updated']);
				expect([contact.name, contact.waId]).toEqual(['Anna', stored]);
				world().changeContact(contact, { waId: null, igId: stored });
			}
		},
	);

	test.each([
		['with a plus and without', '12025550177', '+12025550177'],
		['as both WhatsApp IDs of the number', '525512345678', '5215512345678'],
	])('two contacts with one number, %s, are a conflict', async (_how, one, other) => {
		const ids = [one, other].map((waId) => world().addContact({ name: 'A', waId }).id);
		const { json } = await sync([{ name: 'B', waId: one }]);
		expect(json[0]).toMatchObject({
			result: 'conflict',
			reason: `Several contacts have the WhatsApp ID ${one}: ${ids.reverse().join(', ')}`,
		});
		expect(writes()).toEqual([]);
	});

	test.each([
		['Mexico', '525512345678', '5215512345678'],
		['Argentina', '541112345678', '5491112345678'],
		['Brazil', '551187654321', '5511987654321'],
	])(
		'a number with two WhatsApp IDs is one contact, which keeps its own: %s',
		async (_country, own, other) => {
			const contact = world().addContact({ name: 'Ann', waId: other });
			expect(await results([{ name: 'Ana', waId: own }])).toEqual(['updated']);
			expect(contact).toMatchObject({ name: 'Ana', waId: other });
			expect(writes()).toEqual(['PATCH /contacts/{id}']);
			expect(await results([{ name: 'Ana', waId: own }])).toEqual(['unchanged']);
			const { json } = await sync([
				{ name: 'Ana', waId: own },
				{ name: 'Bob', waId: other },
			]);
			expect(json[0]!.reason).toBe(`Items 0, 1 have the same WhatsApp ID: ${own}`);
		},
	);

	test('a customer without a number is found by the text of the user ID, and never by a number', async () => {
		const userId = 'CO.1092712345';
		const stranger = world().addContact({ name: 'Stranger', waId: '1092712345' });
		world().addContact({ name: 'Nobody', waId: null, igId: null });
		expect(await results([{ name: 'Ana', waId: userId }])).toEqual(['created']);
		expect(contactWith(userId).name).toBe('Ana');
		expect(await results([{ name: 'Anna', waId: userId }])).toEqual(['updated']);
		expect(await results([{ name: 'Anna', waId: userId }])).toEqual(['unchanged']);
		expect(stranger.name).toBe('Stranger');
	});

	test('by Instagram ID', async () => {
		const contact = world().contacts.find(({ igId }) => igId !== null)!;
		const items = [
			{ name: contact.name, igId: contact.igId },
			{ name: 'New', igId: '17841400000000999' },
		];
		expect(await results(items, { matchBy: 'igId' })).toEqual(['unchanged', 'created']);
		expect(world().findContactByIgId('17841400000000999')!.name).toBe('New');
		expect(await results(items, { matchBy: 'igId' })).toEqual(['unchanged', 'unchanged']);
	});

	describe('by a custom field', () => {
		const byCrm = { matchBy: 'customField', keyLabel: 'CRM ID', keyValue: '={{ $json.crm }}' };
		const add = (crm: string | undefined, more: Partial<Contact>) => {
			const contact = world().addContact({ name: 'Ann', ...more });
			if (crm !== undefined)
				contact.customFields.push({ id: `crm ${contact.id}`, label: 'CRM ID', value: crm });
			return contact;
		};

		test('a customer with a new number keeps the contact', async () => {
			const contact = add('17', { waId: '12025550177' });
			const items = [{ crm: 17, name: 'Ann', waId: '+1 202 555 0178' }];
			const { json } = await sync(items, byCrm);
			expect(json[0]).toMatchObject({
				result: 'updated',
				changes: [{ field: 'waId', from: '12025550177', to: '12025550178' }],
			});
			expect(contact.waId).toBe('12025550178');
			expect(await results(items, byCrm)).toEqual(['unchanged']);
		});

		test('a new contact gets the key, and is found by it the next time', async () => {
			const items = [{ crm: 'A-17', name: 'Ann', waId: '12025550177' }];
			expect(await results(items, byCrm)).toEqual(['created']);
			expect(fieldsOf(contactWith('12025550177'))).toEqual({ 'CRM ID': 'A-17' });
			expect(await results(items, byCrm)).toEqual(['unchanged']);
		});

		test('a run that was interrupted before it set the key is completed by the next, without a second contact', async () => {
			const items = [{ crm: '17', name: 'Ann', waId: '12025550177' }];
			fail(500, ({ route }) => route === 'POST /contacts/{id}/fields');
			expect((await sync(items, byCrm)).error).toBeDefined();
			const count = world().contacts.size;
			expect(await results(items, byCrm)).toEqual(['updated']);
			expect(world().contacts.size).toBe(count);
			expect(await results(items, byCrm)).toEqual(['unchanged']);
		});

		test('keys match exactly; what only a person can decide is a conflict', async () => {
			add('0017', { waId: '12025550170' });
			add('18', { waId: '12025550171' });
			add('19', { waId: '12025550172' });
			add('19', { waId: '12025550173' });
			add(undefined, { waId: '12025550174', igId: 'ig-74' });
			const { json } = await sync(
				[
					{ crm: 17, name: 'A', waId: '12025550180' },
					{ crm: 20, name: 'B', waId: '12025550171' },
					{ crm: 19, name: 'C' },
					{ crm: 21, name: 'D' },
					{ crm: 22, waId: '12025550181' },
					{ crm: 23, name: 'E', waId: '12025550174' },
					{ crm: 24, name: 'F', igId: 'ig-74' },
				],
				byCrm,
			);
			expect(json.map(({ result, reason }) => reason ?? result)).toEqual([
				'created',
				expect.stringMatching(/but its CRM ID is 18$/),
				expect.stringMatching(/^Several contacts have the CRM ID 19: /),
				'A new contact needs a WhatsApp ID or an Instagram ID',
				'A new contact needs a name',
				expect.stringMatching(/^Items 5, 6 match the same contact/),
				expect.stringMatching(/^Items 5, 6 match the same contact/),
			]);
			expect(writes()).toEqual(['POST /contacts', 'POST /contacts/{id}/fields']);
		});

		test('a key field that contacts have in another spelling only stops the run, also a dry one', async () => {
			const [row] = rows(1) as unknown as [IDataObject];
			contactWith(row.waId).customFields.push({ id: 'f', label: 'crm id', value: '17' });
			for (const dryRun of [false, true]) {
				const { error } = await sync([{ ...row, crm: '17' }], { ...byCrm, dryRun });
				expect(error).toMatchObject({
					message: 'Contacts have the field crm id, but not CRM ID',
					description: 'Nothing was written. Enter Key Field Label as the service spells it.',
				});
				expect(writes()).toEqual([]);
			}
		});

		test('the key field is not among the custom fields', async () => {
			const { error } = await sync([{ crm: 1, name: 'A', waId: '12025550177' }], {
				...byCrm,
				customFields: { field: [{ label: 'CRM ID', value: 'x' }] },
			} as unknown as INodeParameters);
			expect(error!.message).toBe('Custom Fields contains CRM ID, which is also the key field');
		});
	});
});

describe('custom fields of contacts', () => {
	const parameters = customFields('City');
	const items = () => rows(3).map((row, n) => ({ ...row, city: `City ${n}` }));

	test.each(['customFields', 'fields', 'pairs', 'byId', 'byLabel', 'left out'] as const)(
		'that lists show as “%s” are compared and changed',
		async (listedFields) => {
			shapes.listedFields = listedFields;
			expect(await results(items(), parameters)).toEqual(Array(3).fill('updated'));
			expect(await results(items(), parameters)).toEqual(Array(3).fill('unchanged'));
			const changed = items().map((row) => ({ ...row, city: 'Rome' }));
			expect(await results(changed, parameters)).toEqual(Array(3).fill('updated'));
			for (const { waId } of changed) expect(fieldsOf(contactWith(waId)).City).toBe('Rome');
			expect(await results(changed, parameters)).toEqual(Array(3).fill('unchanged'));
			expect(writes()).toEqual([]);
		},
	);

	test('that lists show without their IDs are compared, but not changed', async () => {
		shapes.listedFields = 'labels';
		expect(await results(items(), parameters)).toEqual(Array(3).fill('updated'));
		expect(await results(items(), parameters)).toEqual(Array(3).fill('unchanged'));
		const { json } = await sync([{ ...items()[0]!, city: 'Rome' }], parameters);
		expect(json[0]!.reason).toBe(
			'The contact has a field City, but the service does not return its ID',
		);
	});

	test('that lists do not show stop the run once, before anything is written', async () => {
		shapes.listedFields = 'hidden';
		const byField = { matchBy: 'customField', keyLabel: 'City', keyValue: '={{ $json.city }}' };
		for (const more of [parameters, byField]) {
			const { error } = await sync(
				[...items(), { ...items()[0]!, waId: '12025550177', city: 'Bonn' }],
				more,
			);
			expect(error).toMatchObject({
				message:
					'The service’s list of contacts does not show custom fields, so they cannot be compared',
				description: expect.stringMatching(/^Nothing was written\. .*Contact Field → Set/),
			});
			expect(new Set(sent())).toEqual(new Set(['GET /contacts']));
		}
		// Items without custom fields need none.
		expect(await results(rows(3))).toEqual(Array(3).fill('unchanged'));
	});

	test('are set on new contacts if the service has no contacts at all', async () => {
		shapes.listedFields = 'hidden';
		for (const { id } of [...world().contacts.newestFirst()]) world().contacts.delete(id);
		const item = { name: 'New', waId: '12025550177', city: 'Rome' };
		expect(await results([item], parameters)).toEqual(['created']);
		expect(fieldsOf(contactWith('12025550177'))).toEqual({ City: 'Rome' });
	});

	test('are not taken from other lists of records with labels', async () => {
		const [row] = rows(1) as unknown as [IDataObject];
		const emails = [{ id: 'e1', label: 'work', value: 'ann@example.com' }];
		listShows([{ ...contactWith(row.waId), emails } as unknown as Contact]);
		expect(await results([{ ...row, work: 'Rome' }], customFields('Work'))).toEqual(['updated']);
		expect(writes()).toEqual(['POST /contacts/{id}/fields']);
	});

	test('with a label that differs only in case or spaces make their own item a conflict', async () => {
		const [one, other] = rows(2) as unknown as [IDataObject, IDataObject];
		const field = { id: 'f', label: 'plan', value: 'basic' };
		contactWith(one.waId).customFields = [field];
		const { json } = await sync(
			[
				{ ...one, plan: 'gold' },
				{ ...other, plan: 'gold' },
			],
			customFields('Plan'),
		);
		expect(json).toMatchObject([
			{
				result: 'conflict',
				contactId: contactWith(one.waId).id,
				reason:
					'The contact has the field plan, but not Plan. Enter the label as the service spells it',
			},
			{ result: 'updated' },
		]);
		expect(contactWith(one.waId).customFields).toEqual([field]);
		expect(field.value).toBe('basic');
	});

	test('that a new contact already has in another spelling are not set, and its error says so', async () => {
		const data = { id: 'c1', customFields: [{ id: 'f1', label: 'town', value: '' }] };
		respond({ success: true, data }, ({ route }) => route === 'POST /contacts');
		const item = { name: 'New', waId: '12025550177', town: 'Rome' };
		const { error } = await sync([item], customFields('Town'));
		expect(error).toMatchObject({
			message:
				'The contact c1 was created, but its other values are not set. The contact has the field town, but not Town',
			description: 'Enter the label as the service spells it.',
		});
		expect(writes()).toEqual(['POST /contacts']);
	});
});

test('a hint says that a name cannot be compared if the service never returns it', async () => {
	const { customName: _hidden, ...row } = contactWith(rows(1)[0]!.waId);
	listShows([row as Contact]);
	const { hints } = await sync(rows(1), { additionalFields: { customName: 'Boss' } });
	expect(hints[0]).toMatch(/^The service does not return Custom Name with its contacts/);
});

describe('a list that does not show every contact', () => {
	test.each(['12025550177', '+12025550177'])(
		'creates no second contact: %s is found after the service rejects a new one',
		async (stored) => {
			const contact = world().addContact({ name: 'Ann', waId: stored });
			listShows([]);
			fail(409, ({ route }) => route === 'POST /contacts');
			const { json } = await sync([{ name: 'Anna', waId: '12025550177' }]);
			expect(json[0]).toMatchObject({ result: 'updated', contactId: contact.id });
			expect(writes()).toEqual(['POST /contacts', 'PATCH /contacts/{id}']);
			expect(contact).toMatchObject({ name: 'Anna', waId: stored });
		},
	);

	test('a service that rejects paths with a plus is asked without', async () => {
		const contact = world().addContact({ name: 'Ann', waId: '5215512345678' });
		listShows([]);
		fail(409, ({ route }) => route === 'POST /contacts');
		fail(400, ({ path }) => path.includes('+') || path.includes('%2B'), 9);
		const { json } = await sync([{ name: 'Ana', waId: '525512345678' }]);
		expect(json[0]).toMatchObject({ result: 'updated', contactId: contact.id });
	});

	test('a contact whose addresses two items have is updated by one of them', async () => {
		const address = { waId: '12025550177', igId: 'ig-77' };
		const contact = world().addContact({ name: 'Ann', ...address });
		listShows([]);
		const items = [
			{ crm: '17', name: 'Ann', waId: address.waId },
			{ crm: '18', name: 'Ann', igId: address.igId },
		];
		const byCrm = { matchBy: 'customField', keyLabel: 'CRM ID', keyValue: '={{ $json.crm }}' };
		expect((await results(items, byCrm)).sort()).toEqual(['conflict', 'updated']);
		expect(contact.customFields.map(({ label }) => label)).toEqual(['CRM ID']);
	});

	test('rows that shift between pages create no second contact', async () => {
		const items = rows();
		harness.sandbox.faults.shiftRows('/contacts', 3, 6);
		expect(new Set(await results(items))).toEqual(new Set(['unchanged']));
		expect(writes()).toEqual([]);
	});

	test('a new contact that the service has, but does not find, is an error', async () => {
		fail(409, ({ route }) => route === 'POST /contacts');
		const { error, json } = await sync([{ name: 'New', waId: '12025550177' }]);
		expect(error).toMatchObject({ httpCode: '409' });
		expect(json).toEqual([]);
	});
});

describe('interruptions', () => {
	const changed = (count: number) =>
		rows(count).map((row) => ({ ...row, name: `${row.name as string} Jr.` }));

	test('without Continue, the first failure ends the run, and the next run does only what is left', async () => {
		const items = changed(100);
		fail(503, ({ path }) => path === `/contacts/${contactWith(items[20]!.waId).id}`);
		const { error } = await sync(items);
		expect(error!.message).toMatch(/503/);
		expect(error!.description).toMatch(
			/\d+ of 100 items had already succeeded; running the node again continues with the others\.$/,
		);
		const done = writes().length - 1;
		expect(done).toBeLessThan(60);
		const again = await results(items);
		expect(writes()).toHaveLength(100 - done);
		expect(again.filter((result) => result === 'updated')).toHaveLength(100 - done);
		expect(new Set(await results(items))).toEqual(new Set(['unchanged']));
	});

	test('with Continue, each item that failed has its message, and the others are synced', async () => {
		const items = changed(30);
		const failing = contactWith(items[7]!.waId).id;
		fail(400, ({ path }) => path === `/contacts/${failing}`, 9);
		const { json, error, hints } = await sync(items, {}, CONTINUE);
		expect(error).toBeUndefined();
		expect(json.map(({ result }) => result)).toEqual(
			items.map((_, n) => (n === 7 ? undefined : 'updated')),
		);
		expect(json[7]!.error).toMatch(/^The service rejected "Update contact".* \(400/);
		expect(hints).toEqual(['Sync: 0 created, 29 updated, 0 unchanged, 0 conflicts, 1 failed']);
	});

	test('an item that fails after its first write says what is written', async () => {
		const items = [
			{ ...changed(1)[0], city: 'Rome' },
			{ name: 'New', waId: '12025550177', city: 'Rome' },
		];
		fail(500, ({ route }) => route?.includes('/fields') === true, 9);
		const { json } = await sync(items, customFields('City'), CONTINUE);
		const { id } = contactWith('12025550177');
		expect(json).toEqual([
			{ error: expect.stringMatching(/contact field".*\(500.*\. Already written: name\. /) },
			{
				error: expect.stringContaining(`. Already written: the new contact ${id}. `),
			},
		]);
	});

	test('a 429 in the middle is waited for', async () => {
		const items = changed(30);
		harness.sandbox.faults.add(
			{ kind: 'status', status: 429, headers: { 'retry-after': '7' } },
			{ matches: ({ path }) => path === `/contacts/${contactWith(items[9]!.waId).id}` },
		);
		expect(await results(items)).toEqual(Array(30).fill('updated'));
		expect(writes()).toHaveLength(31);
	});

	test('if the list cannot be read, no item is synced', async () => {
		fail(403, () => true);
		const { json } = await sync(changed(3), {}, CONTINUE);
		expect(json).toEqual(Array(3).fill({ error: expect.stringMatching(/403/) }));
	});
});

describe('a segment', () => {
	const segment = () => world().segments.find(({ name }) => name === 'Returning customers')!;
	const into = (more: INodeParameters = {}) => ({ segmentId: byId(segment().id), ...more });
	const remove = () => into({ options: { removeFromSegment: true } });
	beforeEach(() => segment().members.clear());
	const puts = () => harness.sandbox.requests.filter(({ method }) => method === 'PUT');
	const ids = (list: IDataObject[]) => list.map(({ waId }) => contactWith(waId).id);
	const fill = (list: IDataObject[]) => {
		for (const id of ids(list)) segment().members.add(id);
	};

	test.each(['records', 'memberships', 'ids', 'names'] as const)(
		'whose members the list shows as “%s” gets the contacts that it lacks, once',
		async (listedSegments) => {
			shapes.listedSegments = listedSegments;
			const items = rows(5);
			fill([items[0]!]);
			expect(await results(items, into())).toEqual(['unchanged', ...Array(4).fill('updated')]);
			expect(puts().map(({ body }) => (body as IDataObject).contactIds)).toEqual([
				ids(items.slice(1)),
			]);
			expect(segment().members.size).toBe(5);
			expect(await results(items, into())).toEqual(Array(5).fill('unchanged'));
			expect(puts()).toEqual([]);
			// Names do not identify a segment, so its members are read, too.
			const segmentReads = sent().filter((route) => route === 'GET /segments/{id}');
			expect(segmentReads).toHaveLength(listedSegments === 'names' ? 2 : 1);
		},
	);

	test('whose members are memberships with the contact in them gets the contacts that it lacks, and loses the others', async () => {
		Object.assign(shapes, { listedSegments: 'names', memberRows: 'memberships' });
		const items = rows(5);
		const [known, other] = [items[0]!, items.pop()!];
		fill([known, other]);
		expect(await results(items, remove())).toEqual(['unchanged', ...Array(3).fill('updated')]);
		expect([...segment().members].sort()).toEqual(ids(items).sort());
		expect(puts().map(({ body }) => body)).toEqual([
			{ action: 'add', contactIds: ids(items.slice(1)) },
			{ action: 'remove', contactIds: ids([other]) },
		]);
		expect(await results(items, remove())).toEqual(Array(4).fill('unchanged'));
		expect(puts()).toEqual([]);
	});

	/** As many as three requests add. */
	const many = () => {
		for (let n = 0; n < 1_099; n++)
			world().addContact({ name: 'A', waId: String(12_025_600_000 + n) });
		return rows(1_100);
	};

	test('contacts are added in as few requests as possible, new ones too, but not conflicts', async () => {
		const [twice] = rows(1) as unknown as [IDataObject];
		const items = [...many(), { name: 'New', waId: '12025550177' }, twice, twice];
		const { json } = await sync(items, into());
		expect(puts()).toHaveLength(3);
		expect(json[1_100]).toMatchObject({
			result: 'created',
			changes: expect.arrayContaining([{ field: 'segment', from: null, to: segment().id }]),
		});
		expect(segment().members.size).toBe(1_100);
		expect(segment().members.has(contactWith(twice.waId).id)).toBe(false);
	});

	test('if the last request is rejected, only its items are not added: each keeps its result and says why', async () => {
		const items = many();
		items[0]!.name = 'Changed';
		items[1_099]!.name = 'Changed';
		let count = 0;
		fail(503, ({ method }) => method === 'PUT' && ++count === 3);
		const { json, error, hints } = await sync(items, remove(), CONTINUE);
		expect(error).toBeUndefined();
		const segmentReason = expect.stringMatching(
			/^The contact may not have been added to the segment: .*"Add contacts to segment".*503/,
		);
		expect(json.filter((row) => row.segmentReason === undefined)).toHaveLength(1_000);
		expect(json[0]).toMatchObject({ result: 'updated' });
		expect(json[1_050]).toMatchObject({ result: 'unchanged', segmentReason });
		expect(json[1_099]).toMatchObject({
			result: 'updated',
			changes: [{ field: 'name' }],
			segmentReason,
		});
		expect(hints).toContain(
			'No contact was removed from the segment, because some items are conflicts, failed, or could not be added to the segment. Resolve them, then run Sync again',
		);
		expect(await results(items, into())).toEqual([
			...Array(1_000).fill('unchanged'),
			...Array(100).fill('updated'),
		]);
	});

	test('if removing is rejected, the items keep their results and say so', async () => {
		const [kept, other] = rows(2) as unknown as [IDataObject, IDataObject];
		fill([other]);
		let count = 0;
		fail(400, ({ method }) => method === 'PUT' && ++count > 1, 2);
		const { json } = await sync([kept], remove(), CONTINUE);
		expect(json[0]).toMatchObject({
			result: 'updated',
			segmentReason: expect.stringMatching(
				/^1 contact that no item matches is still in the segment: .*"Remove contacts from segment".*400/,
			),
		});
		const { error } = await sync([kept], remove());
		expect(error!.message).toMatch(
			/"Remove contacts from segment".* \(400.*Already written: the contacts of the items$/,
		);
	});

	test('members that no item matches stay, unless Remove From Segment is on', async () => {
		const [kept, ...others] = rows(8) as unknown as [IDataObject, ...IDataObject[]];
		fill([kept, ...others]);
		await sync([kept], into());
		expect(segment().members.size).toBe(8);
		const dry = await sync([kept], { ...remove(), dryRun: true });
		expect(dry.hints[0]).toMatch(/7 removed from the segment$/);
		expect([segment().members.size, writes()]).toEqual([8, []]);
		const { hints } = await sync([kept], remove());
		expect(hints[0]).toBe(
			'Sync: 0 created, 0 updated, 1 unchanged, 0 conflicts, 7 removed from the segment',
		);
		expect([...segment().members]).toEqual(ids([kept]));
		for (const { waId } of others) expect(contactWith(waId)).toBeDefined();
	});

	test.each([
		[
			'is a conflict',
			(row: IDataObject) => [row, row],
			'some items are conflicts, failed, or could not be added to the segment. Resolve them, then run Sync again',
		],
		[
			'failed',
			(row: IDataObject) => {
				fail(400, ({ method }) => method === 'PATCH');
				return [{ ...row, name: 'Changed' }];
			},
			'some items are conflicts, failed, or could not be added to the segment. Resolve them, then run Sync again',
		],
		[
			'could not be used',
			() => [{ name: 'B', waId: 'n/a' }],
			'some input items (1 of 2) could not be used, or belong to another token',
		],
	])('nobody is removed while an item %s', async (_what, itemsOf, reason) => {
		const [kept, row, other] = rows(3) as unknown as [IDataObject, IDataObject, IDataObject];
		fill([kept, row, other]);
		const { hints } = await sync([kept, ...itemsOf(row)], remove(), CONTINUE);
		expect(segment().members.size).toBe(3);
		expect(hints).toContain(`No contact was removed from the segment, because ${reason}`);
	});

	test('nobody is removed if the list of contacts keeps changing while being read', async () => {
		const [kept, other] = rows(2) as unknown as [IDataObject, IDataObject];
		fill([kept, other]);
		harness.sandbox.faults.shiftRows('/contacts', 1, 99);
		const { hints } = await sync([kept], remove());
		expect(segment().members.size).toBe(2);
		expect(hints).toContain(
			'No contact was removed from the segment, because the list of contacts changed while being read',
		);
	});

	test('a contact that an incomplete list does not show gets no second one in another form', async () => {
		const contact = world().addContact({ name: 'Ann', waId: '+12025550177' });
		for (let i = 0; i < 2; i++)
			respond(
				{ success: true, data: [], meta: { total: 2 } },
				({ route }) => route === 'GET /contacts',
			);
		const count = world().contacts.size;
		expect(await results([{ name: 'Changed', waId: '12025550177' }])).toEqual(['updated']);
		expect(contact.name).toBe('Changed');
		expect(world().contacts.size).toBe(count);
	});

	test('a member that the list of contacts does not show is not added again', async () => {
		const [row] = rows(1) as unknown as [IDataObject];
		fill([row]);
		listShows([]);
		expect(await results([row], into())).toEqual(['unchanged']);
		expect(puts()).toEqual([]);
	});

	test('Remove From Segment needs a segment', async () => {
		const { error } = await sync(rows(1), { options: { removeFromSegment: true } });
		expect(error).toMatchObject({
			message: 'Remove From Segment is on, but Segment is empty',
			description: 'Choose the segment, or remove the option.',
		});
		expect(sent()).toEqual([]);
	});

	test.each(['members', 'segment'] as const)(
		'that cannot be used is reported before anything is written, also by Dry Run: %s',
		async (segmentMembers) => {
			shapes.segmentMembers = segmentMembers;
			const dynamic = world().segments.find(({ isDynamic }) => isDynamic)!;
			const items = [
				{ ...rows(1)[0]!, name: 'Changed' },
				{ name: 'New', waId: '12025550177' },
			];
			for (const [id, message, description] of [
				[
					dynamic.id,
					`The segment ${dynamic.name} is dynamic: rules define its members`,
					'Nothing was written. Choose a static segment.',
				],
				[
					'nobody',
					'The service rejected "Get segment": Segment not found (404 Not Found)',
					'Nothing was written. Choose an existing segment.',
				],
			] as const) {
				for (const dryRun of [false, true]) {
					const { error } = await sync(items, { segmentId: byId(id), dryRun });
					expect(error!.message).toContain(message);
					expect(error!.description).toContain(description);
					expect(writes()).toEqual([]);
				}
			}
		},
	);

	test('whose members cannot be read stops the run before anything is written', async () => {
		shapes.listedSegments = 'names';
		let count = 0;
		fail(403, ({ route }) => route === 'GET /segments/{id}' && ++count === 2);
		const { json } = await sync([{ name: 'New', waId: '12025550177' }], into(), CONTINUE);
		expect(json).toEqual([{ error: expect.stringMatching(/403/) }]);
		expect(writes()).toEqual([]);
	});

	test('without Continue, nobody is added or removed after a failure', async () => {
		const [one, other, same] = rows(3) as unknown as [IDataObject, IDataObject, IDataObject];
		fill([other]);
		fail(400, ({ method }) => method === 'PATCH');
		const items = [{ ...one, name: 'Changed' }, { name: 'New', waId: '12025550177' }, same];
		expect((await sync(items, remove())).error!.message).toMatch(/"Update contact".* \(400/);
		expect(puts()).toEqual([]);
		fail(400, ({ method }) => method === 'PUT');
		expect((await sync(items, remove())).error!.message).toMatch(
			/"Add contacts to segment".* \(400/,
		);
		expect(puts()).toHaveLength(1);
		expect(segment().members.size).toBe(1);
	});
});

test.each([
	[500, false],
	[501, true],
])('%i new contacts: a hint recommends an import first: %s', async (count, isRecommended) => {
	const items = Array.from({ length: count }, (_, n) => ({
		name: `New ${n}`,
		waId: String(12_025_600_000 + n),
	}));
	const { hints, json } = await sync(items, { dryRun: true });
	expect(json).toHaveLength(count);
	const hint =
		'501 contacts are new, and Sync creates them one by one. Before the next sync with this many, create them with Contact Import → Start.';
	expect(hints.includes(hint)).toBe(isRecommended);
});

test('items of two tenants are synced with the contacts of their own', async () => {
	const { tokens, otherWorld } = harness.sandbox;
	const items = ['12025550177', '12025550177'].map((waId, n) => ({
		name: `Tenant ${n}`,
		waId,
		token: n === 0 ? tokens.all.value : tokens.otherOrganization.value,
	}));
	const { json } = await sync(items, {}, { token: '={{ $json.token }}' });
	expect(json.map(({ result }) => result)).toEqual(['created', 'created']);
	expect(contactWith('12025550177').name).toBe('Tenant 0');
	expect(otherWorld.findContactByWaId('12025550177')!.name).toBe('Tenant 1');
});
