import { createHash } from 'node:crypto';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { SandboxOptions } from '../../sandbox/options.mts';
import type { Contact } from '../../sandbox/records.mts';
import { FakeTime } from '../time.mts';
import { byId, openHarness, type Harness, type NodeRun } from './harness.mts';

/** Contact → Sync, on n8n's engine against the sandbox. */
const CONTACTS = 600;

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
/** From now on, the service returns this contact for an ID that is not its own. */
const findsBy = (id: string, contact: Contact) =>
	harness.sandbox.faults.add(
		{
			kind: 'status',
			status: 200,
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ success: true, data: contact }),
		},
		{ matches: ({ path }) => path.endsWith(`/contacts/${id}`) },
	);
const fieldsOf = ({ customFields: fields }: Contact) =>
	Object.fromEntries(fields.map(({ label, value }) => [label, value]));

describe('10,000 contacts', () => {
	beforeEach(async () => {
		await harness.close();
		// Three more have neither a WhatsApp ID nor an Instagram ID.
		harness = await openHarness({ contacts: 0, clock: time.clock, rateLimit: { requests: 0 } });
		for (let n = 0; n < 9_997; n++)
			world().addContact({ name: `Contact ${n}`, waId: String(12_025_600_000 + n) });
		expect(world().contacts.size).toBe(10_000);
	});

	test('of which 20 changed need 50 reads and 20 writes, and nothing is written the second time', async () => {
		const items = rows();
		for (let n = 0; n < 20; n++) items[n * 300]!.name = `New name ${n}`;
		const before = await sync(items);
		expect([reads(), writes()]).toEqual([50, Array(20).fill('PATCH /contacts/{id}')]);
		expect(before.json.filter(({ result }) => result === 'updated')).toHaveLength(20);
		expect(before.hints).toContain('Sync: 0 created, 20 updated, 9,977 unchanged, 0 conflicts');
		expect(contactWith(items[300]!.waId).name).toBe('New name 1');

		expect(new Set(await results(items))).toEqual(new Set(['unchanged']));
		expect([reads(), writes()]).toEqual([50, []]);
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
			'Dry run: nothing was changed. A real run gives: 1 created, 1 updated, 1 unchanged, 1 conflict',
		]);
		const real = await sync(items, parameters);
		const withoutId = ({ contactId: _id, ...json }: IDataObject) => json;
		expect(dry.json.map(withoutId)).toEqual(
			real.json.map((json) => ({ ...withoutId(json), dryRun: true })),
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

	test('values that cannot be used are listed in one message, and nothing is sent', async () => {
		const items = [row, { name: 'B', waId: '0151 234' }, { name: 'C' }, { ...row, city: { a: 1 } }];
		const { error } = await sync(items, customFields('City'));
		expect(error!.message).toBe(
			'WhatsApp ID expects a phone number with country code and no leading 0, but got "0151 234" (item 1), nothing (item 2)',
		);
		expect(sent()).toEqual([]);
		const { json } = await sync(items, customFields('City'), CONTINUE);
		expect(json.map(({ result, error: text }) => result ?? text)).toEqual([
			'unchanged',
			expect.stringMatching(/^WhatsApp ID expects/),
			expect.stringMatching(/^WhatsApp ID expects/),
			expect.stringMatching(/^The custom field City expects one value, but got an object/),
		]);
	});

	test.each([
		[{ field: [{ label: '', value: 'x' }] }, /^A value under Custom Fields has no label$/],
		[
			{
				field: [
					{ label: 'City', value: 'x' },
					{ label: ' City ', value: 'y' },
				],
			},
			/^Custom Fields contains the label City twice$/,
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

	test('two contacts with one number, with a plus and without, are a conflict', async () => {
		const ids = ['12025550177', '+12025550177'].map(
			(waId) => world().addContact({ name: 'A', waId }).id,
		);
		const { json } = await sync([{ name: 'B', waId: '12025550177' }]);
		expect(json[0]).toMatchObject({
			result: 'conflict',
			reason: `Several contacts have the WhatsApp ID 12025550177: ${ids.reverse().join(', ')}`,
		});
		expect(writes()).toEqual([]);
	});

	describe('a number with two WhatsApp IDs', () => {
		const [own, other] = ['525512345678', '5215512345678'];
		const items = [{ name: 'Ana', waId: own }];
		const reason = (id: string) =>
			`The WhatsApp ID ${own} and that of an existing contact belong to the same number: ${other} (${id}). Enter the WhatsApp ID as the contact has it`;

		test('gets no second contact', async () => {
			const { id } = world().addContact({ name: 'Ann', waId: other });
			for (const dryRun of [true, false]) {
				const { json, hints } = await sync(items, { dryRun });
				expect(json[0]).toMatchObject({ result: 'conflict', contactId: id, reason: reason(id) });
				expect(hints[0]).toContain('0 created, 0 updated, 0 unchanged, 1 conflict');
				expect(writes()).toEqual([]);
			}
			// Nor by an import
			expect(await results(items, { options: { minNewForImport: 1 } })).toEqual(['conflict']);
			expect(writes()).toEqual([]);
			expect(await results([{ name: 'Ann', waId: other }])).toEqual(['unchanged']);
		});

		test('gets no second contact if the list does not show the first', async () => {
			const { id } = world().addContact({ name: 'Ann', waId: other });
			harness.sandbox.faults.add({
				kind: 'status',
				status: 200,
				headers: { 'content-type': 'application/json' },
				body: '{"success":true,"data":[],"meta":{"total":0,"page":1,"limit":200,"totalPages":0}}',
			});
			const { json } = await sync(items);
			expect(json[0]).toMatchObject({ result: 'conflict', contactId: id, reason: reason(id) });
			expect(writes()).toEqual([]);
		});

		test('is updated if the service finds the contact by either', async () => {
			const contact = world().addContact({ name: 'Ann', waId: other });
			findsBy(own, contact);
			expect(await results(items)).toEqual(['updated']);
			expect(contact).toMatchObject({ name: 'Ana', waId: other });
			expect(writes()).toEqual(['PATCH /contacts/{id}']);
		});

		test.each([
			['does not find', 'conflict', 0],
			['finds', 'updated', 300],
		])(
			'of 300 contacts, the service is asked for a few, whether it %s them',
			async (finds, result, count) => {
				const numbers = Array.from({ length: 300 }, (_, n) => String(5_512_345_000 + n));
				for (const number of numbers) {
					const contact = world().addContact({ name: 'Ann', waId: `521${number}` });
					if (finds !== 'finds') continue;
					findsBy(`52${number}`, contact);
				}
				const found = await results(
					numbers.map((number) => ({ name: 'Ana', waId: `52${number}` })),
				);
				expect(found).toEqual(Array(300).fill(result));
				expect(writes()).toHaveLength(count);
				const gets = sent().filter((route) => route === 'GET /contacts/{id}');
				// Those that are asked for at the same time as the first one.
				expect(gets.length).toBeLessThanOrEqual(2 * 64);
			},
		);

		test('is updated once if two items have its IDs, and the service finds the contact by either', async () => {
			const contact = world().addContact({ name: 'Ann', waId: other });
			findsBy(own, contact);
			const { json } = await sync([
				{ name: 'Ana', waId: other },
				{ name: 'Bob', waId: own },
			]);
			expect(json).toMatchObject([
				{ result: 'updated', contactId: contact.id },
				{ result: 'conflict', reason: `Another item matches the same contact ${contact.id}` },
			]);
			expect(contact.name).toBe('Ana');
			expect(writes()).toEqual(['PATCH /contacts/{id}']);
		});

		test('of another country is asked for, too', async () => {
			const numbers = Array.from({ length: 100 }, (_, n) => String(5_512_345_000 + n));
			for (const number of numbers) {
				const contact = world().addContact({ name: 'Ann', waId: `521${number}` });
				findsBy(`52${number}`, contact);
			}
			const brazilian = world().addContact({ name: 'Bia', waId: '5511987654321' });
			const found = await results([
				...numbers.map((number) => ({ name: 'Ana', waId: `52${number}` })),
				{ name: 'Eva', waId: '551187654321' },
			]);
			expect(found).toEqual([...Array(100).fill('updated'), 'conflict']);
			expect(brazilian.name).toBe('Bia');
		});

		test('stays in the segment', async () => {
			const contact = world().addContact({ name: 'Ann', waId: other });
			const segment = world().segments.add({
				id: world().newId(),
				name: 'Customers',
				description: null,
				isDynamic: false,
				rules: null,
				members: new Set([contact.id]),
				createdAt: new Date(0).toISOString(),
			});
			const { json } = await sync(
				[
					{ name: 'Ana', waId: own },
					{ name: 'Bob', waId: own },
				],
				{
					segmentId: byId(segment.id),
					options: { removeFromSegment: true },
				},
			);
			// The same number twice: their contact is unknown.
			expect(json.map(({ result }) => result)).toEqual(['conflict', 'conflict']);
			expect(segment.members).toEqual(new Set([contact.id]));
		});

		test('a new contact in one of these countries needs one request more', async () => {
			expect(await results(items)).toEqual(['created']);
			expect(sent().filter((route) => route === 'GET /contacts/{id}')).toHaveLength(3);
			expect(contactWith(own).name).toBe('Ana');
			expect(await results(items)).toEqual(['unchanged']);
		});
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
			harness.sandbox.faults.add(
				{ kind: 'status', status: 500 },
				{ matches: ({ route }) => route === 'POST /contacts/{id}/fields' },
			);
			expect((await sync(items, byCrm)).error).toBeDefined();
			const count = world().contacts.size;
			expect(await results(items, byCrm)).toEqual(['updated']);
			expect(world().contacts.size).toBe(count);
			expect(await results(items, byCrm)).toEqual(['unchanged']);
		});

		test('what only a person can decide is a conflict', async () => {
			add('0017', { waId: '12025550170' });
			add('18', { waId: '12025550171' });
			add('19', { waId: '12025550172' });
			add('19', { waId: '12025550173' });
			const { json } = await sync(
				[
					{ crm: 17, name: 'A', waId: '12025550180' },
					{ crm: 20, name: 'B', waId: '12025550171' },
					{ crm: 19, name: 'C' },
					{ crm: 21, name: 'D' },
					{ crm: 22, waId: '12025550181' },
				],
				byCrm,
			);
			expect(json.map(({ reason }) => reason)).toEqual([
				expect.stringMatching(/differs only in spelling from that of an existing contact: 0017/),
				expect.stringMatching(/but its CRM ID is 18$/),
				expect.stringMatching(/^Several contacts have the CRM ID 19: /),
				'A new contact needs a WhatsApp ID or an Instagram ID',
				'A new contact needs a name',
			]);
			expect(writes()).toEqual([]);
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

describe('the shape of contacts in the list', () => {
	const parameters = customFields('City');
	const items = () => rows(3).map((row, n) => ({ ...row, city: `City ${n}` }));

	test.each(['customFields', 'fields', 'pairs', 'nested', 'byId', 'byLabel', 'left out'] as const)(
		'custom fields as “%s” are compared and changed',
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

	test.each(['labels', 'hidden'] as const)(
		'if lists show custom fields as “%s”, contacts are read one by one, but only those that may differ',
		async (listedFields) => {
			shapes.listedFields = listedFields;
			const parts = listedFields === 'hidden' ? items().length : 0;
			await sync(items(), parameters);
			expect(await results(items(), parameters)).toEqual(Array(3).fill('unchanged'));
			const pages = Math.ceil(world().contacts.size / 200);
			expect([reads(), writes()]).toEqual([pages + parts, []]);
			const changed = items().map((row) => ({ ...row, city: 'Rome' }));
			expect(await results(changed, parameters)).toEqual(Array(3).fill('updated'));
			expect(fieldsOf(contactWith(changed[0]!.waId)).City).toBe('Rome');
		},
	);

	test('if custom fields are shown nowhere, items with any are conflicts, and one contact is read', async () => {
		shapes.listedFields = shapes.customFields = 'hidden';
		const many = rows(40).map((row) => ({ ...row, city: 'Rome' }));
		const { json } = await sync(many, parameters);
		expect(new Set(json.map(({ reason }) => reason))).toEqual(
			new Set([
				'It is unknown whether the contact has a field City: the service does not return all of its custom fields',
			]),
		);
		expect(writes()).toEqual([]);
		const pages = Math.ceil(world().contacts.size / 200);
		// Those that are read at the same time as the first one.
		expect(reads()).toBeLessThanOrEqual(pages + 64);
		expect(await results(rows(40))).toEqual(Array(40).fill('unchanged'));
	});

	test('a hint says that a name cannot be compared if the service never returns it', async () => {
		const row = { ...contactWith(rows(1)[0]!.waId) } as unknown as IDataObject;
		delete row.customName;
		harness.sandbox.faults.add({
			kind: 'status',
			status: 200,
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ success: true, data: [row] }),
		});
		harness.sandbox.faults.add({
			kind: 'status',
			status: 200,
			headers: { 'content-type': 'application/json' },
			body: '{"data":[]}',
		});
		const { hints } = await sync(rows(1), { additionalFields: { customName: 'Boss' } });
		expect(hints[0]).toMatch(/^The service does not return Custom Name with its contacts/);
	});
});

describe('a list that does not show every contact', () => {
	const list = (contacts: Contact[], meta: IDataObject) => ({
		kind: 'status' as const,
		status: 200,
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ success: true, data: contacts, meta }),
	});

	test('a total that is too low creates no second contact', async () => {
		const [known] = rows(1) as unknown as [IDataObject & { waId: string }];
		const count = world().contacts.size;
		harness.sandbox.faults.add(list([], { total: 0, page: 1, limit: 200, totalPages: 0 }));
		const { json } = await sync([{ ...known, name: 'Changed' }]);
		expect(json).toEqual([
			expect.objectContaining({ result: 'updated', contactId: contactWith(known.waId).id }),
		]);
		expect(world().contacts.size).toBe(count);
		// Found by its digits, the contact is not looked for with a plus.
		expect(sent().filter((route) => route === 'GET /contacts/{id}')).toHaveLength(1);
	});

	test('a contact whose addresses two items have is updated by one of them', async () => {
		const address = { waId: '12025550177', igId: 'ig-77' };
		const contact = world().addContact({ name: 'Ann', ...address });
		const items = [
			{ crm: '17', name: 'Ann', waId: address.waId },
			{ crm: '18', name: 'Ann', igId: address.igId },
		];
		for (const dryRun of [true, false]) {
			harness.sandbox.faults.add(list([], { total: 0, page: 1, limit: 200, totalPages: 0 }));
			const found = await results(items, {
				matchBy: 'customField',
				keyLabel: 'CRM ID',
				keyValue: '={{ $json.crm }}',
				dryRun,
			});
			expect(found.sort()).toEqual(['conflict', 'updated']);
		}
		expect(contact.customFields.map(({ label }) => label)).toEqual(['CRM ID']);
	});

	test('rows that shift between pages create no second contact', async () => {
		const items = rows();
		harness.sandbox.faults.shiftRows('/contacts', 3, 6);
		expect(new Set(await results(items))).toEqual(new Set(['unchanged']));
		expect(writes()).toEqual([]);
	});

	test('a contact that is created elsewhere at the same moment is updated', async () => {
		const contact = world().addContact({ name: 'Ann', waId: '12025550177' });
		harness.sandbox.faults.add(list([], { total: 0, page: 1, limit: 200, totalPages: 0 }));
		harness.sandbox.faults.add(
			{ kind: 'status', status: 404 },
			{ times: 2, matches: ({ route }) => route === 'GET /contacts/{id}' },
		);
		const { json } = await sync([{ name: 'Anna', waId: '12025550177' }]);
		expect(json[0]).toMatchObject({ result: 'updated', contactId: contact.id });
		expect(writes()).toEqual(['POST /contacts', 'PATCH /contacts/{id}']);
	});
});

describe('interruptions', () => {
	const changed = (count: number) =>
		rows(count).map((row) => ({ ...row, name: `${row.name as string} Jr.` }));

	test('without Continue, the first failure ends the run, and the next run does only what is left', async () => {
		const items = changed(100);
		harness.sandbox.faults.add(
			{ kind: 'status', status: 503 },
			{ matches: ({ path }) => path === `/contacts/${contactWith(items[20]!.waId).id}` },
		);
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
		harness.sandbox.faults.add(
			{ kind: 'status', status: 400, body: 'No' },
			{ times: 9, matches: ({ path }) => path === `/contacts/${failing}` },
		);
		const { json, error, hints } = await sync(items, {}, CONTINUE);
		expect(error).toBeUndefined();
		expect(json.map(({ result }) => result)).toEqual(
			items.map((_, n) => (n === 7 ? undefined : 'updated')),
		);
		expect(json[7]!.error).toMatch(/^The service rejected "Update contact": No \(400/);
		expect(hints).toEqual(['Sync: 0 created, 29 updated, 0 unchanged, 0 conflicts, 1 failed']);
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
		harness.sandbox.faults.add({ kind: 'status', status: 403 });
		const { json } = await sync(changed(3), {}, CONTINUE);
		expect(json).toEqual(Array(3).fill({ error: expect.stringMatching(/403/) }));
	});
});

describe('a segment', () => {
	const segment = () => world().segments.find(({ name }) => name === 'Returning customers')!;
	const into = (more: INodeParameters = {}) => ({ segmentId: byId(segment().id), ...more });
	beforeEach(() => segment().members.clear());
	const puts = () => harness.sandbox.requests.filter(({ method }) => method === 'PUT');

	test.each(['records', 'memberships', 'ids', 'names'] as const)(
		'whose members the list shows as “%s” gets the contacts that it lacks, once',
		async (listedSegments) => {
			shapes.listedSegments = listedSegments;
			const items = rows(5);
			segment().members.add(contactWith(items[0]!.waId).id);
			expect(await results(items, into())).toEqual(['unchanged', ...Array(4).fill('updated')]);
			expect(puts().map(({ body }) => (body as IDataObject).contactIds)).toEqual([
				items.slice(1).map(({ waId }) => contactWith(waId).id),
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
		const [known, other] = [items[0]!, items.pop()!].map(({ waId }) => contactWith(waId).id);
		segment().members.add(known!).add(other!);
		const remove = into({ options: { removeFromSegment: true } });
		expect(await results(items, remove)).toEqual(['unchanged', ...Array(3).fill('updated')]);
		const wanted = items.map(({ waId }) => contactWith(waId).id);
		expect([...segment().members].sort()).toEqual([...wanted].sort());
		expect(puts().map(({ body }) => body)).toEqual([
			{ action: 'add', contactIds: wanted.slice(1) },
			{ action: 'remove', contactIds: [other] },
		]);
		expect(await results(items, remove)).toEqual(Array(4).fill('unchanged'));
		expect(puts()).toEqual([]);
	});

	test('contacts are added in as few requests as possible, new ones too, but not conflicts', async () => {
		for (let n = 0; n < 700; n++)
			world().addContact({ name: 'A', waId: String(12_025_600_000 + n) });
		const [twice] = rows(1) as unknown as [IDataObject];
		const items = [...rows(1_100), { name: 'New', waId: '12025550177' }, twice];
		const { json } = await sync(items, into());
		expect(puts()).toHaveLength(3);
		expect(json.at(-2)).toMatchObject({
			result: 'created',
			changes: expect.arrayContaining([{ field: 'segment', from: null, to: segment().id }]),
		});
		expect(segment().members.size).toBe(items.length - 2);
		expect(segment().members.has(contactWith(twice.waId).id)).toBe(false);
	});

	test('members that no item matches stay, unless Remove From Segment is on', async () => {
		const [kept, inConflict, ...others] = rows(8) as unknown as [
			IDataObject,
			IDataObject,
			...IDataObject[],
		];
		const ids = (list: IDataObject[]) => list.map(({ waId }) => contactWith(waId).id);
		const fill = () => {
			for (const id of ids([kept, inConflict, ...others])) segment().members.add(id);
		};
		fill();
		const items = [kept, inConflict, inConflict];
		await sync(items, into());
		expect(segment().members.size).toBe(8);
		const remove = { options: { removeFromSegment: true } };
		const dry = await sync(items, into({ ...remove, dryRun: true }));
		expect(dry.hints[0]).toMatch(/6 removed from the segment$/);
		expect([segment().members.size, writes()]).toEqual([8, []]);
		const { hints } = await sync(items, into(remove));
		expect(hints[0]).toBe(
			'Sync: 0 created, 0 updated, 1 unchanged, 2 conflicts, 6 removed from the segment',
		);
		expect([...segment().members]).toEqual(ids([kept, inConflict]));
		for (const { waId } of others) expect(contactWith(waId)).toBeDefined();
	});

	test('a contact with the number of an item is not removed, although the item is a conflict without a contact', async () => {
		const [first, second, other] = rows(3) as unknown as [IDataObject, IDataObject, IDataObject];
		for (const { waId } of [first, second, other]) segment().members.add(contactWith(waId).id);
		const byKey = {
			matchBy: 'customField',
			keyLabel: 'Customer No',
			keyValue: '={{ $json.customer }}',
			options: { removeFromSegment: true },
		};
		// One key in two rows: which of the contacts has it is unknown.
		const items = [first, second].map((row) => ({ ...row, customer: 'C-1' }));
		const { json } = await sync(items, into(byKey));
		expect(json.map(({ result }) => result)).toEqual(['conflict', 'conflict']);
		expect([...segment().members]).toEqual([first, second].map(({ waId }) => contactWith(waId).id));
	});

	test('a contact with the Instagram ID of an item is not removed either', async () => {
		const [row, other] = rows(2) as unknown as [IDataObject, IDataObject];
		const kept = [contactWith(row.waId), world().addContact({ name: 'Ann', igId: 'ig-77' })];
		for (const { id } of [...kept, contactWith(other.waId)]) segment().members.add(id);
		const { json } = await sync(
			[
				{ ...row, customer: 'C-1' },
				{ name: 'Ann', igId: 'ig-77', customer: 'C-1' },
			],
			into({
				matchBy: 'customField',
				keyLabel: 'Customer No',
				keyValue: '={{ $json.customer }}',
				options: { removeFromSegment: true },
			}),
		);
		expect(json.map(({ result }) => result)).toEqual(['conflict', 'conflict']);
		expect([...segment().members]).toEqual(kept.map(({ id }) => id));
	});

	test('contacts that may have an item’s key without showing it are not removed', async () => {
		const contacts = rows(6).map(({ waId }) => contactWith(waId));
		for (const [n, { id, customFields: fields }] of contacts.entries()) {
			segment().members.add(id);
			fields.push({ id: world().newId(), label: 'CRM ID', value: `K${n}` });
		}
		const byKey = {
			matchBy: 'customField',
			keyLabel: 'CRM ID',
			keyValue: '={{ $json.id }}',
			options: { removeFromSegment: true },
		};
		// Without addresses, only the key could show whose items these are.
		const items = [0, 1, 2, 3].map((n) => ({ id: `K${n}`, name: 'Ann' }));
		shapes.listedFields = 'hidden';
		const { json } = await sync(items, into(byKey));
		expect(json.map(({ result }) => result)).toEqual(Array(4).fill('conflict'));
		expect(segment().members.size).toBe(6);
		// Once the list shows the keys, the others are removed.
		shapes.listedFields = shapes.customFields;
		await sync(items, into(byKey));
		expect([...segment().members]).toEqual(contacts.slice(0, 4).map(({ id }) => id));
	});

	test.each([
		['one key twice', [{ id: '007' }, { id: '007' }]],
		[
			'one address twice',
			[
				{ id: '7', waId: '12025550191' },
				{ id: '8', waId: '12025550191' },
			],
		],
	])(
		'a contact with the key, or a spelling of it, stays if items have %s',
		async (_case, items) => {
			for (const listedFields of [shapes.listedFields, 'hidden'] as const) {
				shapes.listedFields = listedFields;
				const [contact, other] = rows(2).map(({ waId }) => contactWith(waId)) as [Contact, Contact];
				contact.customFields = [{ id: 'crm', label: 'CRM ID', value: '7' }];
				other.customFields = [{ id: 'crm', label: 'CRM ID', value: '9' }];
				segment().members.add(contact.id).add(other.id);
				const { json } = await sync(
					items,
					into({
						matchBy: 'customField',
						keyLabel: 'CRM ID',
						keyValue: '={{ $json.id }}',
						options: { removeFromSegment: true },
					}),
				);
				expect(json.map(({ result }) => result)).toEqual(['conflict', 'conflict']);
				// The other one may have the key, too, unless it shows another.
				const kept = listedFields === 'hidden' ? [contact.id, other.id] : [contact.id];
				expect([...segment().members]).toEqual(kept);
			}
		},
	);

	test('contacts that show no address stay as long as items without a contact may be theirs', async () => {
		const [failing, twice, other] = rows(3) as unknown as [IDataObject, IDataObject, IDataObject];
		for (const { waId } of [failing, twice, other]) segment().members.add(contactWith(waId).id);
		const listed = [...world().contacts.newestFirst()].map(({ id, name }) => ({ id, name }));
		const withoutAddresses = {
			kind: 'status',
			status: 200,
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ success: true, data: listed, meta: { total: listed.length } }),
		} as const;
		const isList = {
			times: 2,
			matches: ({ route }: { route?: string }) => route === 'GET /contacts',
		};
		harness.sandbox.faults.add(withoutAddresses, isList);
		harness.sandbox.faults.add(
			{ kind: 'status', status: 400 },
			{ matches: ({ method }) => method === 'PATCH' },
		);
		const remove = into({ options: { removeFromSegment: true } });
		const items = [{ ...failing, name: 'Changed' }, twice, twice];
		await sync(items, remove, CONTINUE);
		expect(segment().members.size).toBe(3);
		harness.sandbox.faults.clear();
		harness.sandbox.faults.add(withoutAddresses, isList);
		await sync([failing, twice], remove);
		expect([...segment().members]).toEqual(
			[failing, twice].map(({ waId }) => contactWith(waId).id),
		);
	});

	test('a dry run with a new contact tells how many members a real run removes if contacts show no address', async () => {
		const [member] = rows(1) as unknown as [IDataObject];
		segment().members.add(contactWith(member.waId).id);
		const listed = [...world().contacts.newestFirst()].map(({ id, name }) => ({ id, name }));
		for (const dryRun of [true, false]) {
			harness.sandbox.faults.add(
				{
					kind: 'status',
					status: 200,
					headers: { 'content-type': 'application/json' },
					body: JSON.stringify({ success: true, data: listed, meta: { total: listed.length } }),
				},
				{ matches: ({ route }) => route === 'GET /contacts' },
			);
			const { hints } = await sync(
				[{ name: 'New', waId: '12025550177' }],
				into({ dryRun, options: { removeFromSegment: true } }),
			);
			expect(hints.at(-1)).toMatch(/: 1 created, .*, 1 removed from the segment$/);
		}
		expect([...segment().members]).toEqual([contactWith('12025550177').id]);
	});

	test('a member that the list of contacts does not show is not added again', async () => {
		const [row] = rows(1) as unknown as [IDataObject];
		segment().members.add(contactWith(row.waId).id);
		harness.sandbox.faults.add(
			{
				kind: 'status',
				status: 200,
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify({ success: true, data: [], meta: { total: 0 } }),
			},
			{ matches: ({ route }) => route === 'GET /contacts' },
		);
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

	test('nobody is removed if an item could not be used: its contact is unknown', async () => {
		const items = rows(3);
		for (const { waId } of items) segment().members.add(contactWith(waId).id);
		const { hints } = await sync(
			[items[0]!, { name: 'B', waId: 'n/a' }],
			into({ options: { removeFromSegment: true } }),
			CONTINUE,
		);
		expect(segment().members.size).toBe(3);
		expect(hints).toContain(
			'No contact was removed from the segment, because some input items (1 of 2) could not be used, or belong to another token',
		);
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
					expect(sent().filter((route) => route.includes('/segments'))).toEqual([
						'GET /segments/{id}',
					]);
					expect(writes()).toEqual([]);
				}
			}
			const { json } = await sync(items, { segmentId: byId(dynamic.id) }, CONTINUE);
			expect(json).toEqual(
				Array(2).fill({ error: expect.stringMatching(/^The segment .* is dynamic/) }),
			);
			expect(writes()).toEqual([]);
		},
	);

	test('nobody is removed if the list of contacts keeps changing while being read', async () => {
		const [kept, other] = rows(2) as unknown as [IDataObject, IDataObject];
		segment().members.add(contactWith(kept.waId).id).add(contactWith(other.waId).id);
		harness.sandbox.faults.shiftRows('/contacts', 1, 99);
		const { hints } = await sync([kept], into({ options: { removeFromSegment: true } }));
		expect(segment().members.size).toBe(2);
		expect(hints).toContain(
			'No contact was removed from the segment, because the list of contacts changed while being read',
		);
	});

	test('nobody is added or removed after a failure that ends the run', async () => {
		const [one, other, same] = rows(3) as unknown as [IDataObject, IDataObject, IDataObject];
		segment().members.add(contactWith(other.waId).id);
		const remove = into({ options: { removeFromSegment: true } });
		const fail = (method: string) =>
			harness.sandbox.faults.add(
				{ kind: 'status', status: 400 },
				{ matches: (request) => request.method === method },
			);
		fail('PATCH');
		const items = [{ ...one, name: 'Changed' }, { name: 'New', waId: '12025550177' }, same];
		expect((await sync(items, remove)).error!.message).toMatch(/"Update contact".* \(400/);
		expect(puts()).toEqual([]);
		// Without the members that were to be added, the segment loses none.
		fail('PUT');
		expect((await sync(items, remove)).error!.message).toMatch(/"Add contacts to segment".* \(400/);
		expect(puts()).toHaveLength(1);
		expect(segment().members.size).toBe(1);
	});

	test('if adding is rejected, the items that were to be added fail, with what to do', async () => {
		harness.sandbox.faults.add(
			{ kind: 'status', status: 400 },
			{ times: 9, matches: ({ method }) => method === 'PUT' },
		);
		const { json } = await sync(rows(2), into(), CONTINUE);
		expect(json).toEqual(
			Array(2).fill({
				error: expect.stringMatching(/Add contacts to segment.*choose a static segment/),
			}),
		);
	});
});

describe('labels of custom fields are compared exactly', () => {
	const byKey = {
		matchBy: 'customField',
		keyLabel: 'Customer No',
		keyValue: '={{ $json.customer }}',
	};
	const give = (row: IDataObject, label: string) =>
		contactWith(row.waId).customFields.push({ id: `f ${label}`, label, value: 'C-1' });

	test.each([
		['key field', 'customer no', byKey, 'Customer No', 'Key Field Label'],
		['custom field', 'TOWN', customFields('Town'), 'Town', 'Custom Fields'],
	] as const)(
		'a %s that contacts have in another spelling is rejected before anything is written',
		async (_kind, label, parameters, entered, field) => {
			const [row] = rows(1) as unknown as [IDataObject];
			give(row, label);
			for (const dryRun of [false, true]) {
				const { error } = await sync([{ ...row, customer: 'C-1', town: 'Rome' }], {
					...parameters,
					dryRun,
				});
				expect(error).toMatchObject({
					message: `Contacts have the field ${label}, but not ${entered}`,
					description: `Enter the label under ${field} as the service spells it. Nothing was written.`,
				});
				expect(writes()).toEqual([]);
			}
		},
	);

	test.each(['labels', 'hidden'] as const)(
		'a contact whose list does not show the other spelling is a conflict, and gets no second field: %s',
		async (listedFields) => {
			shapes.listedFields = listedFields === 'labels' ? 'left out' : 'hidden';
			const [row, other] = rows(2) as unknown as [IDataObject, IDataObject];
			give(row, 'town');
			if (listedFields === 'labels') {
				// The list shows the fields of others only.
				const { waId } = row;
				for (const contact of world().contacts.newestFirst())
					if (contact.waId !== waId) contact.customFields.length = 0;
			}
			const before = structuredClone(contactWith(row.waId).customFields);
			const { json } = await sync(
				[
					{ ...row, town: 'Rome' },
					{ ...other, town: 'Rome' },
				],
				customFields('Town'),
				CONTINUE,
			);
			const known = contactWith(row.waId);
			if (listedFields === 'hidden')
				expect(json).toMatchObject([
					{
						result: 'conflict',
						contactId: known.id,
						reason:
							'The contact has the field town, but not Town. Enter the label as the service spells it',
					},
					{ result: 'updated' },
				]);
			expect(known.customFields).toEqual(before);
		},
	);

	test('a new contact that the service gives the field in another spelling gets no second one', async () => {
		const data = { id: 'c1', customFields: [{ id: 'f1', label: 'town', value: '' }] };
		harness.sandbox.faults.add(
			{
				kind: 'status',
				status: 200,
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify({ success: true, data }),
			},
			{ matches: ({ route }) => route === 'POST /contacts' },
		);
		const item = { name: 'New', waId: '12025550177', town: 'Rome' };
		const { error } = await sync([item], customFields('Town'));
		expect(error).toMatchObject({
			message:
				'The contact was created, but the service spells its field Town differently: town. Its other values are not set',
			description: 'Enter the label as the service spells it, and run the node again.',
		});
		expect(writes()).toEqual(['POST /contacts']);
	});

	test('a new contact that the service has, but does not find, is an error', async () => {
		harness.sandbox.faults.add(
			{ kind: 'status', status: 409 },
			{ matches: ({ route }) => route === 'POST /contacts' },
		);
		const { error, json } = await sync([{ name: 'New', waId: '12025550177' }]);
		expect(error).toMatchObject({ httpCode: '409' });
		expect(json).toEqual([]);
	});

	test('two spellings of a label that no contact has are rejected, in one item or in two', async () => {
		const [one, two] = rows(2) as unknown as [IDataObject, IDataObject];
		const message = 'The labels Shoe and SHOE differ only in spelling';
		const both = {
			customFields: { field: ['Shoe', 'SHOE'].map((label) => ({ label, value: '7' })) },
		};
		expect((await sync([one], both)).error).toMatchObject({ message });
		const items = [
			{ ...one, label: 'Shoe' },
			{ ...two, label: 'SHOE' },
		];
		const ofItem = { customFields: { field: [{ label: '={{ $json.label }}', value: '7' }] } };
		expect((await sync(items, ofItem)).error).toMatchObject({ message });
		expect(writes()).toEqual([]);
	});

	test('a contact gets the field if another contact has it in exactly this spelling', async () => {
		const [one, two] = rows(2) as unknown as [IDataObject, IDataObject];
		give(one, 'town');
		give(two, 'Town');
		expect(await results([{ ...one, town: 'Rome' }], customFields('Town'))).toEqual(['updated']);
		expect(fieldsOf(contactWith(one.waId))).toMatchObject({ town: 'C-1', Town: 'Rome' });
	});
});

describe('many new contacts', () => {
	const fresh = (count: number) =>
		Array.from({ length: count }, (_, n) => ({
			name: `New ${n}`,
			waId: `+1 202 560 ${String(1_000 + n)}`,
			city: `City ${n % 3}`,
		}));
	const withImport = (from: number, more: INodeParameters = {}) => ({
		...customFields('City'),
		options: { minNewForImport: from, ...more },
	});

	test('are created by one import job, and returned with their IDs; what the import did not set is set', async () => {
		const [known] = rows(1) as unknown as [IDataObject];
		const items = [{ ...known, name: 'Changed' }, ...fresh(60)];
		const { json, error, hints } = await sync(items, withImport(60));
		expect(error).toBeUndefined();
		expect(hints).toContain('Sync: 60 created, 1 updated, 0 unchanged, 0 conflicts');
		expect(sent().filter((route) => route === 'POST /contacts/import')).toHaveLength(1);
		expect(sent()).not.toContain('POST /contacts');
		const job = [...world().imports.newestFirst()][0]!;
		for (const [n, row] of json.slice(1).entries()) {
			const contact = contactWith(String(12_025_601_000 + n));
			expect(row).toMatchObject({ result: 'created', contactId: contact.id, importId: job.id });
			expect(fieldsOf(contact)).toEqual({ City: `City ${n % 3}` });
		}
		expect(new Set(await results(items, withImport(60)))).toEqual(new Set(['unchanged']));
		expect(writes()).toEqual([]);
	});

	test('are created one by one below the number, and in a dry run not at all', async () => {
		expect(new Set(await results(fresh(9), withImport(10)))).toEqual(new Set(['created']));
		expect(sent()).not.toContain('POST /contacts/import');
		const dry = await sync(fresh(30), { ...withImport(10), dryRun: true });
		expect([dry.json.filter(({ result }) => result === 'created').length, writes()]).toEqual([
			21,
			[],
		]);
	});

	test('are created one by one if the list of contacts keeps changing while being read', async () => {
		harness.sandbox.faults.shiftRows('/contacts', 1, 99);
		expect(await results(fresh(3), withImport(1))).toEqual(Array(3).fill('created'));
		expect(sent()).not.toContain('POST /contacts/import');
	});

	test.each([0, -1])('%j is no number of contacts for an import', async (minNewForImport) => {
		const { error } = await sync(fresh(1), withImport(minNewForImport));
		expect(error!.message).toBe(
			`Min New Contacts for Import expects a number of 1 or more, but got ${minNewForImport}`,
		);
		expect(sent()).toEqual([]);
	});

	test('are in the segment after the import', async () => {
		const segment = world().segments.find(({ name }) => name === 'Returning customers')!;
		segment.members.clear();
		await sync(fresh(20), { ...withImport(1), segmentId: byId(segment.id) });
		expect(segment.members.size).toBe(20);
	});

	test('a column of the template with the label of a field is filled', async () => {
		shapes.importColumns = ['Full name', 'Phone', 'Instagram', 'city'];
		const { error } = await sync(fresh(3), withImport(1));
		expect(error).toBeUndefined();
		expect([...world().imports.newestFirst()][0]!.pending).toHaveLength(3);
		const lines = [0, 1, 2].map((n) => `New ${n},1202560100${n},,City ${n}`);
		const csv = ['Full name,Phone,Instagram,city', ...lines].join('\r\n');
		expect(harness.sandbox.requests.find(({ file }) => file)!.file).toMatchObject({
			sha256: createHash('sha256').update(csv).digest('hex'),
		});
	});

	test('a field with the label of the column for the number does not replace the number', async () => {
		shapes.importColumns = ['Full name', 'Phone', 'Instagram'];
		const items = fresh(2).map((row) => ({ ...row, phone: 'ext. 7' }));
		const { json, error } = await sync(items, { ...withImport(1), ...customFields('Phone') });
		expect(error).toBeUndefined();
		expect(json.map(({ result }) => result)).toEqual(['created', 'created']);
		for (const waId of ['12025601000', '12025601001'])
			expect(fieldsOf(contactWith(waId))).toEqual({ Phone: 'ext. 7' });
	});

	test('a rejected row fails with the service’s reason', async () => {
		// Without a number, the sandbox rejects the row.
		shapes.importColumns = ['name', 'unknown', 'igId'];
		harness.sandbox.faults.add(
			{
				kind: 'status',
				status: 200,
				headers: { 'content-type': 'text/csv' },
				body: 'name,waId\r\n',
			},
			{ matches: ({ route }) => route === 'GET /contacts/import-template' },
		);
		harness.sandbox.faults.add(
			{
				kind: 'status',
				status: 200,
				headers: { 'content-type': 'text/csv' },
				body: 'Row,Number,Error\r\n2, +1 202 560 1000 ,name is missing\r\n',
			},
			{ matches: ({ route }) => route === 'GET /contacts/imports/{id}/errors' },
		);
		const { json } = await sync(fresh(1), withImport(1), CONTINUE);
		expect(json).toEqual([
			{
				error: expect.stringMatching(
					/^The import ended without creating the contact 12025601000: name is missing/,
				),
			},
		]);
	});

	test('no import is started while another is active', async () => {
		const busy = { id: 'busy', fileName: 'a.csv', createdAt: '', queuedAt: world().now() };
		world().imports.add({ ...busy, total: 9, failedRows: [], pending: [], taken: 0 });
		const { json } = await sync(fresh(3), withImport(1));
		expect(json).toEqual(
			Array(3).fill(
				expect.objectContaining({
					result: 'pending',
					importId: 'busy',
					reason: expect.stringMatching(/^The import busy is still active/),
				}),
			),
		);
		expect(writes()).toEqual([]);
	});

	test('an import that does not end in time leaves its items pending, and the next run creates nobody twice', async () => {
		const items = fresh(5);
		const body = JSON.stringify({ success: true, data: { id: 'x', status: 'processing' } });
		harness.sandbox.faults.add(
			{ kind: 'status', status: 200, body, headers: { 'content-type': 'application/json' } },
			{ times: 999, matches: ({ route }) => route === 'GET /contacts/imports/{id}' },
		);
		const { json } = await sync(items, withImport(1, { maxWaitMinutes: 2 }));
		expect(json.map(({ result, reason }) => [result, reason])).toEqual(
			Array(5).fill(['pending', expect.stringMatching(/^Stopped waiting after 2 minutes/)]),
		);
		harness.sandbox.faults.clear();
		const [job] = [...world().imports.newestFirst()];
		await harness.run({ resource: 'contactImport', operation: 'get', importId: byId(job!.id) });
		const count = world().contacts.size;
		await sync(items, withImport(1));
		expect(world().contacts.size).toBe(count);
		expect(sent()).not.toContain('POST /contacts/import');
	});

	describe('of an organization without any', () => {
		beforeEach(async () => {
			await harness.close();
			harness = await openHarness({
				contacts: 0,
				clock: time.clock,
				rateLimit: { requests: 0 },
			});
			({ shapes } = harness.sandbox.options);
			for (const { id } of [...world().contacts.newestFirst()]) world().contacts.delete(id);
		});
		const byKey = { matchBy: 'customField', keyLabel: 'CRM ID', keyValue: '={{ $json.name }}' };

		test.each(
			(['left out', 'hidden'] as const).flatMap((listed) =>
				(['records', 'hidden'] as const).flatMap((single) =>
					(['WhatsApp ID', 'Custom Field'] as const).map((by) => [listed, single, by] as const),
				),
			),
		)(
			'get their custom fields if lists have these %s, and single contacts as %s, matched by %s',
			async (listedFields, single, by) => {
				shapes.listedFields = listedFields;
				if (single === 'hidden') shapes.customFields = single;
				const parameters = { ...withImport(1), ...(by === 'Custom Field' && byKey) };
				const { json } = await sync(fresh(6), parameters);
				expect(json.map(({ result, reason }) => [result, reason])).toEqual(
					Array(6).fill(['created', undefined]),
				);
				for (let n = 0; n < 6; n++)
					expect(fieldsOf(contactWith(String(12_025_601_000 + n)))).toEqual({
						City: `City ${n % 3}`,
						...(by === 'Custom Field' && { 'CRM ID': `New ${n}` }),
					});
			},
		);
	});

	test('a field that the import has set is not set again if the service shows no fields', async () => {
		shapes.importColumns = ['name', 'waId', 'igId', 'city'];
		shapes.listedFields = shapes.customFields = 'hidden';
		const { json } = await sync(fresh(3), withImport(1));
		expect(json.map(({ result }) => result)).toEqual(Array(3).fill('created'));
		expect(sent()).not.toContain('POST /contacts/{id}/fields');
	});

	test('a contact that existed before stays a conflict if the service shows no fields', async () => {
		shapes.listedFields = shapes.customFields = 'hidden';
		const [known] = rows(1) as unknown as [IDataObject];
		expect(await results([{ ...known, city: 'Rome' }, ...fresh(2)], withImport(1))).toEqual([
			'conflict',
			'created',
			'created',
		]);
	});

	test('a contact that got the number of an item in the meantime is not taken for a new one', async () => {
		shapes.listedFields = shapes.customFields = 'hidden';
		const ann = world().addContact({ name: 'Ann', igId: 'ig-77' });
		ann.customFields = [{ id: 'f1', label: 'City', value: 'Rome' }];
		harness.sandbox.faults.add(
			{ kind: 'status', status: 500 },
			{
				matches: ({ route }) => {
					if (route === 'POST /contacts/import')
						world().changeContact(ann, { waId: '12025601000' });
					return false;
				},
			},
		);
		const { json } = await sync(fresh(2), withImport(1));
		expect(json).toMatchObject([{ result: 'conflict', contactId: ann.id }, { result: 'created' }]);
		expect(fieldsOf(ann)).toEqual({ City: 'Rome' });
	});

	test('if the list does not show a contact that exists, the others are created one by one', async () => {
		const items = fresh(3);
		world().addContact({ name: 'New 0', waId: '12025601000' });
		harness.sandbox.faults.add({
			kind: 'status',
			status: 200,
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ success: true, data: [], meta: { total: 0 } }),
		});
		const { hints, json } = await sync(items, withImport(1));
		expect(hints[0]).toMatch(/^The list of contacts does not contain all contacts/);
		expect(json.map(({ result }) => result)).toEqual(['updated', 'created', 'created']);
		expect(sent()).not.toContain('POST /contacts/import');
	});
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
