import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { recordNames } from '../../nodes/ConversationalMessaging/api/recordNames.ts';
import { resources } from '../../nodes/ConversationalMessaging/resources/index.ts';
import type { SandboxOptions } from '../../sandbox/options.mts';
import { byId, openHarness, type Harness } from './harness.mts';

/** Operations with the shapes of responses that the document does not define. Jobs have a separate test. */
type Shapes = SandboxOptions['shapes'];

let harness: Harness;
let plain: Shapes;
beforeAll(async () => {
	harness = await openHarness({ contacts: 1300, rateLimit: { requests: 0 } });
	plain = { ...harness.sandbox.options.shapes };
});
afterAll(async () => await harness.close());
beforeEach(() => {
	Object.assign(harness.sandbox.options.shapes, plain);
	harness.sandbox.faults.clear();
	harness.sandbox.requests.length = 0;
});

const shaped = (shapes: Partial<Shapes>) => Object.assign(harness.sandbox.options.shapes, shapes);
const world = () => harness.sandbox.world;
const methods = () => harness.sandbox.requests.map(({ method }) => method);

async function ok(parameters: INodeParameters): Promise<IDataObject> {
	const { json, error } = await harness.run(parameters);
	expect(error).toBeUndefined();
	return json[0]!;
}

describe('Segment: Get', () => {
	const named = () => world().segments.find(({ name }) => name === 'Newsletter')!;
	const get = (more: INodeParameters) => ({
		resource: 'segment',
		operation: 'get',
		segmentId: byId(named().id),
		...more,
	});

	test.each([
		['members', ['members']],
		['contacts', ['contacts']],
		['data', ['members']],
		['items', ['members']],
		['segment', ['members']],
	] as const)(
		'all members are returned, not only those of the first page, if they are under “%s”',
		async (shape, place) => {
			shaped({ segmentMembers: shape });
			const { id, members } = named();
			expect(members.size).toBeGreaterThan(200);
			const json = await ok(get({ returnAll: true }));
			const found = place.reduce<unknown>((value, key) => (value as IDataObject)[key], json);
			expect(new Set((found as IDataObject[]).map((row) => row.id))).toEqual(members);
			// No list of only the first page is left, and everything else is unchanged.
			expect(json).toMatchObject({ id, name: 'Newsletter', memberCount: members.size });
			const lists = Object.entries(json).filter(([, value]) => typeof value === 'object' && value);
			expect(lists.map(([key]) => key).filter((key) => !['tags', 'rules'].includes(key))).toEqual([
				place.at(-1),
			]);
			if ('tags' in json) expect(json.tags).toEqual(['a']);
			const pages = Math.ceil(members.size / 200);
			expect(harness.sandbox.requests).toHaveLength(pages);

			const some = await ok(get({ limit: 210 }));
			expect(place.reduce<unknown>((value, key) => (value as IDataObject)[key], some)).toHaveLength(
				210,
			);
		},
	);

	test.each(['top', 'meta', 'pagination', 'fields'] as const)(
		'all members are returned if their page is described as “%s”',
		async (segmentPaging) => {
			const { members } = named();
			const pages = Math.ceil(members.size / 200);
			for (const segmentMembers of ['members', 'contacts', 'segment'] as const) {
				shaped({ segmentPaging, segmentMembers });
				harness.sandbox.requests.length = 0;
				const json = await ok(get({ returnAll: true }));
				const record = (json.segment ?? json) as IDataObject;
				expect(record.members ?? record.contacts).toHaveLength(members.size);
				// Without the length of the list, pages are read until one has nothing new.
				const more = segmentPaging === 'fields' ? 1 : 0;
				expect(harness.sandbox.requests.length).toBeLessThanOrEqual(pages + more);
			}
		},
	);

	test.each(['members', 'contacts', 'data', 'items', 'segment'] as const)(
		'an empty list of members is returned, if it is under “%s”',
		async (segmentMembers) => {
			shaped({ segmentMembers });
			const empty = world().segments.find(({ name }) => name === 'Returning customers')!;
			empty.members.clear();
			const json = await ok({ ...get({ returnAll: true }), segmentId: byId(empty.id) });
			expect(JSON.stringify(json)).toContain(
				segmentMembers === 'contacts' ? '"contacts":[]' : '"members":[]',
			);
		},
	);
});

describe('Contact Field: Set', () => {
	const contact = () => world().contacts.find(({ waId }) => waId === '12015550100')!;
	const set = (value: string, label = 'City') => ({
		resource: 'contactField',
		operation: 'set',
		contactId: byId('12015550100'),
		label,
		value,
	});
	const cities = () =>
		contact()
			.customFields.filter(({ label }) => label === 'City')
			.map(({ value }) => value);
	beforeEach(() => {
		contact().customFields.length = 0;
	});

	describe.each(['top', 'contact'] as const)(
		'a contact that is returned as “%s”',
		(contactUnder) => {
			test.each(['customFields', 'fields', 'byId', 'byLabel'] as const)(
				'with fields as “%s”, a field is updated and not added again',
				async (customFields) => {
					shaped({ customFields, contactUnder });
					await ok(set('Rome'));
					await ok(set('Berlin'));
					await ok(set('7', 'Age'));
					await ok(set('Paris'));
					expect(cities()).toEqual(['Paris']);
					expect(methods().filter((method) => method !== 'GET')).toEqual([
						'POST',
						'PATCH',
						'POST',
						'PATCH',
					]);
				},
			);

			test('Get returns it the same way', async () => {
				shaped({ contactUnder });
				const found = await ok({
					resource: 'contact',
					operation: 'get',
					contactId: byId(contact().id),
				});
				expect(found).toMatchObject({ id: contact().id, waId: '12015550100' });
				expect(found).not.toHaveProperty('contact');
			});

			test('with labels alone, a new field is added, and an existing one is not changed', async () => {
				shaped({ customFields: 'labels', contactUnder });
				await ok(set('Rome'));
				expect(await ok(set('Rome'))).toEqual({ label: 'City', value: 'Rome', unchanged: true });
				const { error } = await harness.run(set('Berlin'));
				expect(error).toMatchObject({
					message: 'The contact has a field City, but the service does not return its ID',
					description: 'Use Contact Field → Update with the ID of the field.',
				});
				expect(cities()).toEqual(['Rome']);
			});

			test('without fields, nothing is added, and the message says what to do', async () => {
				shaped({ customFields: 'hidden', contactUnder });
				const { error } = await harness.run(set('Rome'));
				expect(error!.message).toMatch(/^It is unknown whether the contact has a field City/);
				expect(error!.description).toMatch(/Use Contact Field → Add if the field is new/);
				expect([cities(), methods()]).toEqual([[], ['GET']]);
			});
		},
	);

	test('several fields with the same label are rejected', async () => {
		for (const [id, value] of Object.entries({ f1: 'Rome', f2: 'Berlin' }))
			contact().customFields.push({ id, label: 'City', value });
		const { error } = await harness.run(set('Paris'));
		expect(error).toMatchObject({
			message: 'The contact has 2 fields with the label City',
			description: expect.stringContaining('f1, f2'),
		});
		expect(cities()).toEqual(['Rome', 'Berlin']);
	});
});

describe('lists of one request', () => {
	const templates = (more: INodeParameters) => ({
		resource: 'template',
		operation: 'getAll',
		...more,
	});
	const respondWith = (body: IDataObject) =>
		harness.sandbox.faults.add({
			kind: 'status',
			status: 200,
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(body),
		});
	const rows = (count: number) => Array.from({ length: count }, (_, id) => ({ id }));

	test.each([
		['exact', 3, 3, []],
		['more', 3, 3, []],
		['fewer', 3, 2, [/^Get many templates: got 2 of \d+ records/]],
	] as const)(
		'if the service treats a limit as “%s”, it is met, or a hint says that rows are missing',
		async (templateLimit, limit, count, hints) => {
			shaped({ templateLimit });
			expect(world().templates.size).toBeGreaterThan(3);
			const { json, hints: shown } = await harness.run(templates({ limit }));
			expect(json).toHaveLength(count);
			expect(shown).toEqual(hints.map((hint) => expect.stringMatching(hint)));
		},
	);

	test.each([
		['all were requested, and there are more', { returnAll: true }, { total: 9, limit: 4 }, true],
		[
			'all were requested, and all were returned',
			{ returnAll: true },
			{ total: 4, limit: 4 },
			false,
		],
		['all were requested, and no total was returned', { returnAll: true }, {}, false],
		['all were requested, and a full page was returned', { returnAll: true }, { limit: 4 }, true],
		[
			'all were requested, and there are several pages',
			{ returnAll: true },
			{ totalPages: 2 },
			true,
		],
		['more were requested than there are', { limit: 9 }, { total: 4, limit: 9 }, false],
		['as many were requested as were returned', { limit: 4 }, { total: 9, limit: 4 }, false],
		['fewer were requested than were returned', { limit: 3 }, { total: 9, limit: 4 }, false],
	] as const)(
		'a hint about missing rows is shown only if rows are missing: %s',
		async (_name, wanted, meta, isSaid) => {
			for (const [resource, name] of [
				['template', 'templates'],
				['segment', 'segments'],
				['contactImport', 'contact imports'],
			]) {
				respondWith({ success: true, data: rows(4), meta });
				const { hints } = await harness.run({ ...templates(wanted), resource: resource! });
				expect(hints).toEqual(
					isSaid ? [expect.stringMatching(new RegExp(`^Get many ${name!}: got 4 `))] : [],
				);
			}
		},
	);
});

describe('responses of any shape', () => {
	const given: INodeParameters = {
		name: 'n',
		label: 'L',
		value: 'V',
		waId: '12015550100',
		title: 'T',
		body: 'B',
		type: 'text',
		text: 'x',
		fieldId: 'x',
		templateName: 'welcome',
		templateId: byId('1 welcome en_US'),
		updateFields: { name: 'N', status: 'OPEN', label: 'L' },
		...Object.fromEntries(
			['to', 'contactId', 'ticketId', 'chatId', 'agentId', 'channelId', 'segmentId'].map((name) => [
				name,
				byId('12015550100'),
			]),
		),
		...Object.fromEntries(['broadcastId', 'importId', 'flowId'].map((name) => [name, byId('x')])),
	};
	const single = resources.flatMap(({ value, operations }) =>
		operations
			.filter(({ result }) => result === 'record' || result === 'deleted')
			.map(
				(operation) =>
					[`${value}: ${operation.value}`, value, operation.value, operation.endpoint] as const,
			),
	);
	const payloads = ['text', 7, true, [], [null, 1, 'x', [], { id: 'a' }], { data: null }];

	test.each(single)(
		'%s returns an item, or says that there is no record, whatever the response contains',
		async (_name, resource, operation, endpoint) => {
			for (const data of payloads) {
				harness.sandbox.faults.clear();
				harness.sandbox.faults.add(
					{
						kind: 'status',
						status: 200,
						headers: { 'content-type': 'application/json' },
						body: JSON.stringify({ success: true, data }),
					},
					{ times: 9 },
				);
				const { json, error } = await harness.run({ resource, operation, ...given });
				const readsRecord = endpoint.startsWith('GET ') && recordNames(endpoint).length > 0;
				if (readsRecord && (typeof data !== 'object' || Object.keys(data).length === 0)) {
					expect(error!.message).toContain('the response contains no record');
					continue;
				}
				expect(error).toBeUndefined();
				expect(json.length).toBeGreaterThan(0);
				for (const item of json) expect(Array.isArray(item)).toBe(false);
			}
		},
	);
});

describe('a response without data', () => {
	const respondWith = (body: string) =>
		harness.sandbox.faults.add({
			kind: 'status',
			status: 200,
			headers: { 'content-type': 'application/json' },
			body,
		});

	test.each<[string, INodeParameters]>([
		['Get ticket', { resource: 'ticket', operation: 'get', ticketId: byId('1001') }],
		['Get contact', { resource: 'contact', operation: 'get', contactId: byId('12015550101') }],
		['Get organization', { resource: 'organization', operation: 'get' }],
	])('is no record: %s', async (action, parameters) => {
		for (const body of ['{ "success": true, "data": null }', 'null', '']) {
			respondWith(body);
			const { error } = await harness.run(parameters);
			expect(error).toMatchObject({
				message: `${action}: the response contains no record`,
				description: 'Check that the record exists, and that its ID is complete.',
			});
		}
	});

	test('is a contact without a session', async () => {
		respondWith('{ "success": true, "data": null }');
		const session = { resource: 'session', operation: 'get', contactId: byId('12015550101') };
		expect(await ok(session)).toEqual({ data: null });
	});

	test('shows that a write succeeded', async () => {
		respondWith('{ "success": true, "data": null }');
		expect(await ok({ resource: 'ticket', operation: 'create', title: 'T' })).toEqual({
			success: true,
		});
	});
});

test('a template look-up that failed is repeated for the next message, and the message names it', async () => {
	const { id } = world().templates.find(({ name }) => name === 'welcome')!;
	const message = {
		resource: 'message',
		operation: 'send',
		to: byId('={{ "1201555010" + $itemIndex }}'),
		type: 'template',
		templateId: byId(id),
	};
	const status = { kind: 'status', status: 400, headers: {} } as const;
	harness.sandbox.faults.add(status);
	const { json } = await harness.run(message, {
		items: Array(20).fill({}),
		settings: { onError: 'continueRegularOutput' },
	});
	const failed = json.filter(({ error }) => JSON.stringify(error ?? '').includes('List templates'));
	expect(failed.length).toBeGreaterThan(0);
	// Those that waited for the same look-up.
	expect(failed.length).toBeLessThanOrEqual(8);
	expect(harness.sandbox.requests.filter(({ path }) => path === '/templates')).toHaveLength(2);
});
