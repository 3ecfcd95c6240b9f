import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { FaultyRequest } from '../../sandbox/faults.mts';
import type { Contact } from '../../sandbox/records.mts';
import { byId, type NodeRun } from './harness.mts';
import { CONTINUE, on, pairs, SharedHarness } from './sharedHarness.mts';

/**
 * Contact → Sync, on n8n's engine against the sandbox: requests, messages and interruptions. What it makes of contacts is
 * in `syncTables`. The list of contacts has three pages.
 */
const service = new SharedHarness({ contacts: 100, tickets: 1, pageCap: 40 });

const addContact = (fields: Partial<Contact>): Contact =>
	service.world.addContact({ name: 'Ann', ...fields });
const contactWith = (waId: unknown): Contact =>
	service.world.contacts.find((contact) => contact.waId === waId)!;
const fieldsOf = ({ customFields: fields }: Contact) =>
	Object.fromEntries(fields.map(({ label, value }) => [label, value]));
const writes = () => service.routes().filter((route) => !route.startsWith('GET'));
const isPut = ({ method }: FaultyRequest) => method === 'PUT';

/** The contacts on WhatsApp, as another system has them. */
const rows = (count = Infinity): (IDataObject & { waId: string })[] =>
	[...service.world.contacts.newestFirst()]
		.filter(({ waId }) => waId !== null)
		.slice(0, count)
		.map(({ name, waId }) => ({ name, waId: waId! }));
/** The same with other names. */
const changed = (count: number) =>
	rows(count).map((row) => ({ ...row, name: `${row.name as string} Jr.` }));
const NEW = { name: 'New', waId: '12025550177' };

/** Custom fields whose values are in the items, under the label in small letters. */
const customFields = (...labels: string[]): INodeParameters => ({
	customFields: {
		field: labels.map((label) => ({ label, value: `={{ $json.${label.toLowerCase()} }}` })),
	},
});
const BY_CRM: INodeParameters = {
	matchBy: 'customField',
	keyLabel: 'CRM ID',
	keyValue: '={{ $json.crm }}',
};

async function sync(items: IDataObject[], more: INodeParameters = {}, options: NodeRun = {}) {
	service.requests.length = 0;
	return await service.run(
		{ resource: 'contact', operation: 'sync', dryRun: false, ...more },
		{ items, ...options },
	);
}
const results = async (...of: Parameters<typeof sync>) => {
	const { json, error } = await sync(...of);
	expect(error).toBeUndefined();
	return json.map(({ result }) => result);
};

/** The service creates NEW, but does not return it. */
const createsWithoutId = () => {
	let isCreated = false;
	const matches = ({ route }: FaultyRequest) => {
		if (route !== 'POST /contacts') return false;
		if (!isCreated) addContact(NEW);
		return (isCreated = true);
	};
	service.respond({ success: true, data: {} }, { matches });
};

/** The next list of contacts has these only. */
const listShows = (contacts: unknown[], total = contacts.length) =>
	service.respond({ success: true, data: contacts, meta: { total } }, on('GET /contacts'));
/** The same under other names: "waId" is renamed, and is not there if its new name is undefined. */
const listCalls = (waId: string | undefined, contacts: readonly IDataObject[]) =>
	listShows(
		contacts.map(({ waId: number, igId: _igId, ...contact }) => ({
			...contact,
			...(waId !== undefined && { [waId]: number }),
		})),
	);
/** The service says that it has the contact already. */
const rejectNewContact = () => service.reject(409, on('POST /contacts'));

describe('the names of an address', () => {
	const listed = () =>
		[...service.world.contacts.newestFirst()].filter(
			({ waId }) => waId !== null,
		) as unknown as IDataObject[];

	test.each(['waId', 'wa_id'])('the list may call the number %s: nobody is new', async (name) => {
		for (const more of [{}, BY_CRM]) {
			listCalls(name, listed());
			const [{ waId } = NEW] = rows(1);
			expect(await results([{ crm: '7', waId }], { ...more, dryRun: true })).not.toStrictEqual([
				'wouldCreate',
			]);
		}
	});

	const BY_IG = { matchBy: 'igId', igId: '17841400000000009' };
	test.each([
		[{}, 1],
		[{ dryRun: true }, 40],
		[BY_IG, 40],
		[BY_CRM, 40],
	])(
		'if no contact shows a number or an Instagram ID, nothing is written: %j, %d contacts',
		async (more, count) => {
			for (const name of ['phone', undefined]) {
				listCalls(name, listed().slice(0, count));
				expect((await sync([{ ...NEW, crm: '7' }], more)).error).toMatchObject({
					message: expect.stringMatching(
						/list of contacts shows neither a WhatsApp ID nor an Instagram ID, so every item would be/,
					),
					description: expect.stringMatching(/^Nothing was written\. .*check-service/),
				});
				expect(writes()).toStrictEqual([]);
			}
		},
	);

	const IG_ID = '17841400000000001';
	const NO_ID = { id: 1, name: 'A', customFields: [], waId: null };
	const ON_INSTAGRAM = { id: 2, name: 'B', customFields: [], waId: null, igId: IG_ID };
	const ON_WHATSAPP = { id: 3, name: 'C', customFields: [], waId: '12025550188' };
	const VISITOR = { ...NO_ID, channel: 'WEBCHAT' };
	test.each<[what: string, contacts: IDataObject[], more: INodeParameters]>([
		['there is no contact', [], {}],
		['one contact shows a number', [NO_ID, ON_WHATSAPP], {}],
		['every contact shows an Instagram ID instead', [ON_INSTAGRAM], {}],
		['one contact shows an Instagram ID, by Instagram ID', [NO_ID, ON_INSTAGRAM], BY_IG],
		['every contact shows a number instead, by Instagram ID', [ON_WHATSAPP], BY_IG],
		['one contact shows an address, by custom field', [NO_ID, ON_INSTAGRAM], BY_CRM],
		['there are only visitors', [VISITOR, { ...VISITOR, id: 4, channel: 'tiktok_shop' }], {}],
		['there are only visitors, by custom field', [VISITOR], BY_CRM],
		['there are only visitors and contacts on Instagram', [VISITOR, ON_INSTAGRAM], {}],
	])('an item may be new if %s', async (_what, contacts, more) => {
		listShows(contacts);
		const items = [{ ...NEW, crm: '7' }];
		expect(await results(items, { ...more, dryRun: true })).toStrictEqual(['wouldCreate']);
	});

	test.each<[by: string, contacts: IDataObject[], more: INodeParameters]>([
		['a WhatsApp ID', [NO_ID, ON_INSTAGRAM], {}],
		['an Instagram ID', [ON_WHATSAPP, NO_ID], BY_IG],
		['a WhatsApp ID', [{ ...NO_ID, channel: 'WHATSAPP' }, VISITOR, ON_INSTAGRAM], {}],
		['a WhatsApp ID', [{ ...NO_ID, channel: 'cm4k2w8qx0001v8l4' }, ON_INSTAGRAM], {}],
	])(
		'no item is new if a contact shows no ID, and none shows %s, by which items are matched',
		async (by, contacts, more) => {
			listShows(contacts);
			expect((await sync([NEW], more)).error).toMatchObject({
				message: `No contact in the service’s list shows ${by}, so every item would be a new contact`,
				description: expect.stringMatching(/^Nothing was written\. .*check-service/),
			});
			expect(writes()).toStrictEqual([]);
		},
	);
});

describe('the results', () => {
	test('each item has its own, in input order and paired with it', async () => {
		const [same, other, twice] = rows(3) as unknown as [IDataObject, IDataObject, IDataObject];
		const items = [
			same,
			{ name: 'New', waId: '+1 (202) 555-0190' },
			twice,
			{ ...other, name: 'Changed' },
			twice,
		];
		const { json, items: output, error } = await sync(items);
		expect(error).toBeUndefined();
		expect(pairs(output)).toStrictEqual([...items.keys()]);
		const idOf = ({ waId }: IDataObject) => contactWith(waId).id;
		const { name, waId } = twice;
		const conflict = {
			...{ result: 'conflict', key: waId, contactId: idOf(twice), changes: [] },
			reason: `${name as string} (row 3), ${name as string} (row 5) have the same WhatsApp ID: ${waId as string}`,
		};
		expect(json).toStrictEqual([
			{ result: 'unchanged', key: same.waId, contactId: idOf(same), changes: [] },
			{
				...{ result: 'created', key: '12025550190', contactId: contactWith('12025550190').id },
				changes: [
					{ field: 'waId', from: null, to: '12025550190' },
					{ field: 'name', from: null, to: 'New' },
				],
			},
			conflict,
			{
				...{ result: 'updated', key: other.waId, contactId: idOf(other) },
				changes: [{ field: 'name', from: other.name, to: 'Changed' }],
			},
			conflict,
		]);
		expect(Object.keys(json[4]!)).toStrictEqual([
			'result',
			'key',
			'reason',
			'contactId',
			'changes',
		]);
		expect(writes().sort()).toStrictEqual(['PATCH /contacts/{id}', 'POST /contacts']);
	});
});

test('a value that cannot be used stops the run; with Continue, only its item fails', async () => {
	const [row] = rows(1) as unknown as [IDataObject];
	const items = [row, { name: 'B', waId: '0151 234' }, { name: 'C' }, { ...row, city: { a: 1 } }];
	const { error } = await sync(items, customFields('City'));
	expect(error).toMatchObject({
		message:
			'WhatsApp ID expects a phone number with country code, or a user ID, but got "0151 234": +0151234 has an unknown country code. The option Country of Numbers adds a country code',
		description: expect.stringMatching(/Items 2, 3 cannot be used either\./),
	});
	expect(service.requests).toStrictEqual([]);
	const { json } = await sync(items, customFields('City'), CONTINUE);
	expect(json.map(({ result, error: text }) => result ?? text)).toStrictEqual([
		'unchanged',
		expect.stringMatching(/^WhatsApp ID expects/),
		expect.stringMatching(/^WhatsApp ID is empty/),
		expect.stringMatching(/^The custom field City expects one value, but got an object/),
	]);
});

describe('by a custom field', () => {
	const item = { crm: 17, ...NEW };

	test('a new contact gets the key; a run that was interrupted before that is completed by the next', async () => {
		service.reject(500, on('POST /contacts/{id}/fields'));
		expect((await sync([item], BY_CRM)).error).toBeDefined();
		const count = service.world.contacts.size;
		expect(await results([item], BY_CRM)).toStrictEqual(['updated']);
		expect(service.world.contacts.size).toBe(count);
		expect(fieldsOf(contactWith(NEW.waId))).toStrictEqual({ 'CRM ID': '17' });
		expect(await results([item], BY_CRM)).toStrictEqual(['unchanged']);
		expect(await results([{ crm: 18, name: 'B', waId: '12025550178' }], BY_CRM)).toStrictEqual([
			'created',
		]);
		expect(fieldsOf(contactWith('12025550178'))).toStrictEqual({ 'CRM ID': '18' });
	});

	test('a key field that contacts have in another spelling only stops the run, also a dry one', async () => {
		contactWith(rows(1)[0]!.waId).customFields = [{ id: 'f', label: 'crm id', value: '17' }];
		for (const dryRun of [false, true]) {
			const { error } = await sync([item], { ...BY_CRM, dryRun });
			expect(error).toMatchObject({
				message: 'Contacts have the field crm id, but not CRM ID',
				description: 'Nothing was written. Enter Key Field Label as the service spells it.',
			});
			expect(writes()).toStrictEqual([]);
		}
	});
});

describe('names and addresses of contacts', () => {
	const additionalFields = { customName: '={{ $json.custom }}', igUsername: '={{ $json.user }}' };
	const LISTED: IDataObject = {
		...{ id: 1, name: 'Ann', customName: 'A', igUsername: 'a', waId: '12025550188', igId: '178' },
		customFields: [{ id: 'f', label: 'CRM ID', value: '17' }],
	};
	const ROW = { ...LISTED, crm: '17', custom: 'Annie', user: 'ann' };
	/** JSON has no undefined. */
	const without = (field: string) => ({ ...LISTED, [field]: undefined });

	test.each<[field: string, more: INodeParameters, row?: IDataObject]>([
		['customName', { additionalFields }],
		['igUsername', { additionalFields }],
		['customName', { additionalFields, options: { clearEmpty: true } }, { custom: '' }],
		['name', {}],
		['igId', BY_CRM],
		['waId', BY_CRM],
	])(
		'that no contact in the list shows stop the run before anything is written: %s, %j',
		async (field, more, row = {}) => {
			for (const dryRun of [false, true]) {
				listShows([without(field), { ...without(field), id: 2 }]);
				expect((await sync([{ ...ROW, ...row }], { ...more, dryRun })).error).toMatchObject({
					message: `No contact in the service’s list shows ${field}, so it cannot be compared`,
					description: expect.stringMatching(/^Nothing was written\. .*Contact → Create or Update/),
				});
				expect(writes()).toStrictEqual([]);
			}
			listShows([]);
			const isNew = { ...more, dryRun: true };
			expect(await results([{ ...ROW, ...row }], isNew)).toStrictEqual(['wouldCreate']);
		},
	);

	test('are empty if others show them, and unchanged if no item has them', async () => {
		const other = { ...without('customName'), id: 2, waId: '12025550189' };
		for (const field of ['customName', 'custom_name']) {
			listShows([without('customName'), { ...other, [field]: null }]);
			const { json } = await sync([{ ...ROW, user: 'a' }], { additionalFields, dryRun: true });
			expect(json).toMatchObject([{ changes: [{ field: 'customName', from: null, to: 'Annie' }] }]);
		}
		listShows([other]);
		const rest = { waId: other.waId, name: 'Ann', custom: null };
		expect(await results([rest], { additionalFields })).toStrictEqual(['unchanged']);
	});
});

describe('custom fields of contacts', () => {
	const parameters = customFields('City');
	const items = () => rows(3).map((row, n) => ({ ...row, city: `Town ${n}` }));

	test('that lists do not show stop the run once, before anything is written', async () => {
		service.shapes.listedFields = 'hidden';
		const byField = {
			matchBy: 'customField',
			keyLabel: byId('City'),
			keyValue: '={{ $json.city }}',
		};
		for (const more of [parameters, byField]) {
			const { error } = await sync([...items(), { ...NEW, city: 'Bonn' }], more);
			expect(error).toMatchObject({
				message:
					'The service’s list of contacts does not show custom fields, so they cannot be compared',
				description: expect.stringMatching(/^Nothing was written\. .*Contact Field → Set/),
			});
			expect(writes()).toStrictEqual([]);
		}
		// Items without custom fields need none.
		expect(await results(rows(3))).toStrictEqual(Array(3).fill('unchanged'));
	});

	test('are set on new contacts if the service has no contacts at all', async () => {
		service.shapes.listedFields = 'hidden';
		for (const { id } of [...service.world.contacts.newestFirst()])
			service.world.contacts.delete(id);
		expect(await results([{ ...NEW, city: 'Rome' }], parameters)).toStrictEqual(['created']);
		expect(fieldsOf(contactWith(NEW.waId))).toStrictEqual({ City: 'Rome' });
	});

	test('that a new contact already has in another spelling are not set, and its error says so', async () => {
		const data = { id: 'c1', customFields: [{ id: 'f1', label: 'town', value: '' }] };
		service.respond({ success: true, data }, on('POST /contacts'));
		const { error } = await sync([{ ...NEW, town: 'Rome' }], customFields('Town'));
		expect(error).toMatchObject({
			message:
				'The contact c1 was created, but its other values are not set. The contact has the field town, but not Town',
			description: expect.stringMatching(/^Enter the label as the service spells it\./),
		});
		expect(writes()).toStrictEqual(['POST /contacts']);
	});
});

test('a new contact whose ID the service does not return gets its custom fields and its segment', async () => {
	createsWithoutId();
	const { id, members } = service.world.segments.find(({ isDynamic }) => !isDynamic)!;
	const into = { ...customFields('City'), segmentId: byId(id) };
	const { json } = await sync([{ ...NEW, city: 'Linz' }], into);
	expect(json).toMatchObject([{ result: 'created' }]);
	expect(json[0]!.changes).toContainEqual({ field: 'segment', from: null, to: id });
	const created = contactWith(NEW.waId);
	expect([fieldsOf(created), members.has(created.id)]).toStrictEqual([{ City: 'Linz' }, true]);
});

describe('a list that does not show every contact', () => {
	test('creates no second contact in another form: if it is incomplete, contacts are looked up first', async () => {
		const contact = addContact({ waId: '+12025550177' });
		for (let reading = 0; reading < 2; reading++) listShows([], 2);
		const count = service.world.contacts.size;
		expect(await results([NEW])).toStrictEqual(['updated']);
		expect(contact.name).toBe('New');
		expect(service.world.contacts.size).toBe(count);
	});

	test('a contact whose addresses two items have is updated by one of them', async () => {
		const contact = addContact({ waId: '12025550177', igId: 'ig-77' });
		listShows([]);
		const items = [
			{ crm: '17', name: 'Ann', waId: '12025550177' },
			{ crm: '18', name: 'Ann', igId: 'ig-77' },
		];
		expect((await results(items, BY_CRM)).sort()).toStrictEqual(['conflict', 'updated']);
		expect(contact.customFields.map(({ label }) => label)).toStrictEqual(['CRM ID']);
	});

	test('a contact with both addresses of an item is one contact', async () => {
		const address = { waId: '12025550177', igId: 'ig-77' };
		addContact(address);
		listShows([]);
		const items = [{ crm: '17', name: 'Ann', ...address }];
		expect(await results(items, BY_CRM)).toStrictEqual(['updated']);
	});

	test('a new contact that the service has, but does not find, is an error', async () => {
		rejectNewContact();
		const { error, json } = await sync([NEW]);
		expect([error!.httpCode, json]).toStrictEqual(['409', []]);
	});
});

test('of two runs at the same moment, the second one finds nothing to do', async () => {
	const items = [...rows(20), NEW].map((row) => ({ ...row, vip: 'yes' }));
	const run = async () => await results(items, customFields('VIP'));
	const [one, other] = await Promise.all([run(), run()]);
	expect([...new Set(one), ...new Set(other)].toSorted()).toStrictEqual([
		...['created', 'unchanged', 'updated'],
	]);
	for (const { waId } of items)
		expect(contactWith(waId).customFields.filter(({ label }) => label === 'VIP')).toHaveLength(1);
});

describe('interruptions', () => {
	test('without Continue, the first failure ends the run, and the next run does only what is left', async () => {
		const items = changed(60);
		const { id } = contactWith(items[12]!.waId);
		service.reject(503, { matches: ({ path }) => path.endsWith(id) });
		const { error } = await sync(items);
		expect(error!.message).toMatch(/503/);
		const done = writes().length - 1;
		// Those that are under way are finished, and no other is begun.
		expect(done).toBeLessThan(55);
		expect(error!.description).toContain(
			`${done} of 60 items had already succeeded; running the node again continues with the others.`,
		);
		const again = await results(items);
		expect(writes()).toHaveLength(60 - done);
		expect(again.filter((result) => result === 'updated')).toHaveLength(60 - done);
	});

	test('with Continue, each item that failed has its message, and the others are synced', async () => {
		const items = changed(10);
		const { id } = contactWith(items[7]!.waId);
		service.reject(400, { matches: ({ path }) => path.endsWith(id) });
		const { json, error, hints } = await sync(items, {}, CONTINUE);
		expect(error).toBeUndefined();
		expect(json.map(({ result }) => result)).toStrictEqual(
			items.map((_, n) => (n === 7 ? undefined : 'updated')),
		);
		expect(json[7]!.error).toMatch(/^The service rejected "Update contact".* \(400/);
		expect(hints).toStrictEqual(['Sync: 0 created, 9 updated, 0 unchanged, 0 conflicts, 1 failed']);
	});

	test('an item that fails after its first write says what is written', async () => {
		const items = [...changed(1), NEW].map((row) => ({ ...row, city: 'Oslo' }));
		service.reject(500, { matches: ({ route }) => route!.includes('/fields'), times: 9 });
		const { json } = await sync(items, customFields('City'), CONTINUE);
		const { id } = contactWith(NEW.waId);
		expect(json).toStrictEqual([
			{ error: expect.stringMatching(/contact field".*\(500.*\. Already written: name\. /) },
			{ error: expect.stringContaining(`. Already written: the new contact ${id}. `) },
		]);
	});
});

describe('a segment', () => {
	const segment = () => service.world.segments.find(({ isDynamic }) => !isDynamic)!;
	const into = (more: INodeParameters = {}) => ({ segmentId: byId(segment().id), ...more });
	const remove = () => into({ options: { removeFromSegment: true } });
	const puts = () => service.bodies('PUT /segments/{id}/members');
	const ids = (list: IDataObject[]) => list.map(({ waId }) => contactWith(waId).id);
	const fill = (list: IDataObject[]) => {
		for (const id of ids(list)) segment().members.add(id);
	};
	beforeEach(() => segment().members.clear());

	test.each(['contacts', 'memberships'] as const)(
		'gets the contacts that its list of %s lacks, and loses the others, whatever the list of contacts shows',
		async (memberRows) => {
			service.shapes.memberRows = memberRows;
			const segments = [{ id: segment().id, name: 'Newsletter' }];
			const showSegments = () =>
				listShows(
					[...service.world.contacts.newestFirst()].map((contact) => ({ ...contact, segments })),
				);
			const items = rows(5);
			const [known, other] = [items[0]!, items.pop()!];
			fill([known, other]);
			showSegments();
			expect(await results(items, remove())).toStrictEqual([
				'unchanged',
				...Array(3).fill('updated'),
			]);
			expect([...segment().members].sort()).toStrictEqual(ids(items).sort());
			expect(puts()).toStrictEqual([
				{ action: 'add', contactIds: ids(items.slice(1)) },
				{ action: 'remove', contactIds: ids([other]) },
			]);
			showSegments();
			expect(await results(items, remove())).toStrictEqual(Array(4).fill('unchanged'));
			expect([puts(), service.sent('GET /segments/{id}').length]).toStrictEqual([[], 1]);
		},
	);

	test('if a request is rejected, only its items are not added: each keeps its result and says why', async () => {
		// One more than a request adds.
		const more = 501 - rows().length;
		for (let n = 0; n < more; n++) addContact({ waId: String(12_025_600_000 + n) });
		const items = rows();
		items[500]!.name = 'Changed';
		let count = 0;
		service.reject(503, { matches: (request) => isPut(request) && ++count === 2 });
		const { json, error, hints } = await sync(items, remove(), CONTINUE);
		expect(error).toBeUndefined();
		expect(json.filter((row) => row.segmentReason === undefined)).toHaveLength(500);
		const changes = [{ field: 'segment', from: null, to: segment().id }];
		expect(json[0]).toMatchObject({ result: 'updated', changes });
		expect(json[500]).toMatchObject({
			result: 'updated',
			changes: [{ field: 'name' }],
			segmentReason: expect.stringMatching(
				/^The contact may not have been added to the segment: .*"Add contacts to segment".*503/,
			),
		});
		expect(hints).toContain(
			'No contact was removed from the segment, because some items are conflicts, failed, or could not be added to the segment. Resolve them, then run Sync again',
		);
		expect(segment().members.size).toBe(500);
	});

	test('if removing is rejected, the items keep their results and say so', async () => {
		const [kept, other] = rows(2) as unknown as [IDataObject, IDataObject];
		fill([other]);
		let count = 0;
		service.reject(400, { matches: (request) => isPut(request) && ++count > 1, times: 2 });
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

	test('says how many contacts a run removes, also a dry one, in which a new contact has no ID', async () => {
		const [kept, ...others] = rows(8) as unknown as [IDataObject, ...IDataObject[]];
		fill([kept, ...others]);
		const dry = await sync([kept, NEW], { ...remove(), dryRun: true });
		expect(dry.hints[0]).toMatch(/: 1 created, .* 7 removed from the segment$/);
		expect([segment().members.size, writes()]).toStrictEqual([8, []]);
		expect((await sync([kept], remove())).hints).toStrictEqual([
			'Sync: 0 created, 0 updated, 1 unchanged, 0 conflicts, 7 removed from the segment',
		]);
		for (const { waId } of others) expect(contactWith(waId)).toBeDefined();
	});

	test('nobody is removed while an item failed or could not be used, and a hint says which', async () => {
		const [kept, row] = rows(2) as unknown as [IDataObject, IDataObject];
		fill(rows(3));
		const hintsWith = async (item: IDataObject) =>
			(await sync([kept, item], remove(), CONTINUE)).hints;
		service.reject(400, on('PATCH'));
		expect(await hintsWith({ ...row, name: 'Changed' })).toContain(
			'No contact was removed from the segment, because some items are conflicts, failed, or could not be added to the segment. Resolve them, then run Sync again',
		);
		expect(await hintsWith({ name: 'B', waId: 'n/a' })).toContain(
			'No contact was removed from the segment, because some input items (1 of 2) could not be used, or belong to another token',
		);
		expect(segment().members.size).toBe(3);
	});

	test('nobody is removed if the list of contacts keeps changing while being read', async () => {
		const [kept, other] = rows(2) as unknown as [IDataObject, IDataObject];
		fill([kept, other]);
		service.sandbox.faults.shiftRows('/contacts', 1, 99);
		expect((await sync([kept], remove())).hints).toContain(
			'No contact was removed from the segment, because the list of contacts is incomplete',
		);
		expect(segment().members.size).toBe(2);
	});

	test('members that the service counts, but does not show, are mentioned', async () => {
		const [row] = rows(1);
		fill([row as IDataObject]);
		const data = { ...segment(), members: [contactWith((row as IDataObject).waId)] };
		service.respond({ success: true, data, meta: { total: 2 } }, on('GET /segments/{id}'));
		expect((await sync(rows(1), into())).hints).toContainEqual(
			expect.stringMatching(/: got 1 of 2 rows/),
		);
	});

	test('a member that the list of contacts does not show is not added again', async () => {
		const [row] = rows(1) as unknown as [IDataObject];
		fill([row]);
		listShows([]);
		expect(await results([row], into())).toStrictEqual(['unchanged']);
		expect(puts()).toStrictEqual([]);
	});

	test('Remove From Segment needs a segment', async () => {
		const { error } = await sync(rows(1), { options: { removeFromSegment: true } });
		expect(error).toMatchObject({
			message: 'Remove From Segment is on, but Segment is empty',
			description: 'Choose the segment, or remove the option.',
		});
		expect(service.requests).toStrictEqual([]);
	});

	test.each<[what: string, message: RegExp, step: string]>([
		['dynamic', /is dynamic: rules define its members/, 'Choose a static segment.'],
		['unknown', /"Get segment": Segment not found \(404/, 'Choose an existing segment.'],
	])(
		'that is %s is reported before anything is written, also by Dry Run',
		async (what, message, step) => {
			const dynamic = service.world.segments.find(({ isDynamic }) => isDynamic)!.id;
			const segmentId = byId(what === 'dynamic' ? dynamic : 'nobody');
			for (const dryRun of [false, true]) {
				const { error } = await sync([...changed(1), NEW], { segmentId, dryRun });
				expect(error!.message).toMatch(message);
				expect(error!.description).toContain(`Nothing was written. ${step}`);
				expect(writes()).toStrictEqual([]);
			}
			service.respond(
				{ data: { id: 's', is_dynamic: true, members: [] } },
				on('GET /segments/{id}'),
			);
			const { error } = await sync([NEW], { segmentId: byId('s') });
			if (what === 'dynamic') expect(error!.message).toMatch(message);
		},
	);

	test('without Continue, nobody is added or removed after a failure', async () => {
		const [one, other] = rows(2) as unknown as [IDataObject, IDataObject];
		fill([other]);
		service.reject(400, on('PATCH'));
		const items = [{ ...one, name: 'Changed' }, NEW];
		expect((await sync(items, remove())).error!.message).toMatch(/"Update contact".* \(400/);
		expect(puts()).toStrictEqual([]);
		service.reject(400, on('PUT'));
		expect((await sync(items, remove())).error!.message).toMatch(
			/"Add contacts to segment".* \(400/,
		);
		expect(puts()).toHaveLength(1);
		expect(segment().members.size).toBe(1);
	});
});
