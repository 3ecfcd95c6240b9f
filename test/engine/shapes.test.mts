import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { allFields } from '../../nodes/ConversationalMessaging/runner/operation.ts';
import type { SandboxOptions } from '../../sandbox/options.mts';
import { byId, WELCOME, WELCOME_BROADCAST } from './harness.mts';
import { operations } from '../support/operationList.mts';
import { on, SharedHarness } from './sharedHarness.mts';

/** Operations with the shapes of responses that the document does not define. Jobs have a separate test. */
type Shapes = SandboxOptions['shapes'];

/** The most rows of a page. */
const PAGE = 20;

const service = new SharedHarness({ contacts: 60, pageCap: PAGE });

const shaped = (shapes: Partial<Shapes>) => Object.assign(service.shapes, shapes);

/** The first item of a run. */
const ok = async (parameters: INodeParameters): Promise<IDataObject> =>
	(await service.ok(parameters))[0]!;

describe('Segment: Get', () => {
	const named = () => service.world.segments.find(({ name }) => name === 'Newsletter')!;
	const get = (more: INodeParameters) => ({
		resource: 'segment',
		operation: 'get',
		segmentId: byId(named().id),
		...more,
	});

	test.each(['members', 'contacts', 'segment'] as const)(
		'all members are returned, not only those of the first page, if they are under “%s”',
		async (shape) => {
			shaped({ segmentMembers: shape });
			const { id, members } = named();
			const key = shape === 'contacts' ? 'contacts' : 'members';
			expect(members.size).toBeGreaterThan(PAGE);
			const json = await ok(get({ returnAll: true }));
			expect(new Set((json[key] as IDataObject[]).map((row) => row.id))).toStrictEqual(members);
			// No list of only the first page is left, and everything else is unchanged.
			expect(json).toMatchObject({ id, name: 'Newsletter', memberCount: members.size });
			const names = Object.keys(json).filter((name) => Array.isArray(json[name]));
			expect(names.filter((name) => !['tags', 'rules'].includes(name))).toStrictEqual([key]);
			if ('tags' in json) expect(json.tags).toStrictEqual(['a']);
			expect(service.requests).toHaveLength(Math.ceil(members.size / PAGE));
			expect((await ok(get({ limit: PAGE + 1 })))[key]).toHaveLength(PAGE + 1);
		},
	);

	test('members under a general name of rows stay there', async () => {
		const data = { id: 's', items: [{ id: 'a' }] };
		service.respond({ success: true, data, meta: { total: 1 } });
		expect(await ok(get({ returnAll: true }))).toStrictEqual(data);
	});

	test.each<[data: unknown, came: string]>([
		[{ id: 's', audience: { members: [{ id: 'a' }] } }, 'data has the keys id, audience'],
		[{ id: 's', members: { data: [{ id: 'a' }] } }, 'data has the keys id, members'],
		[null, 'data is null'],
	])('members in another place are an error that names what came: %j', async (data, came) => {
		service.respond({ success: true, data });
		expect((await service.error(get({ returnAll: true }))).message).toBe(
			`Get segment: the response contains no list (${came})`,
		);
	});

	test.each(['top', 'meta', 'fields'] as const)(
		'all members are returned if their page is described as “%s”',
		async (segmentPaging) => {
			const { members } = named();
			const pages = Math.ceil(members.size / PAGE);
			for (const segmentMembers of ['members', 'contacts', 'segment'] as const) {
				shaped({ segmentPaging, segmentMembers });
				service.requests.length = 0;
				const json = await ok(get({ returnAll: true }));
				const record = (json.segment ?? json) as IDataObject;
				expect(record.members ?? record.contacts).toHaveLength(members.size);
				// Without the length of the list, pages are read until one has nothing new.
				const more = segmentPaging === 'fields' ? 1 : 0;
				expect(service.requests.length).toBeLessThanOrEqual(pages + more);
			}
		},
	);
});

describe('Contact Field: Set', () => {
	const contact = () => service.world.contacts.find(({ waId }) => waId === '12015550100')!;
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

	test.each([
		['customFields', 'top'],
		['fields', 'contact'],
	] as const)(
		'with fields as “%s” of a contact under “%s”, a field is updated and not added again',
		async (customFields, contactUnder) => {
			shaped({ customFields, contactUnder });
			await ok(set('Rome'));
			await ok(set('Berlin'));
			await ok(set('7', 'Age'));
			await ok(set('Paris'));
			expect(cities()).toStrictEqual(['Paris']);
			const methods = service.requests.map(({ method }) => method);
			const writes = methods.filter((method) => method !== 'GET');
			expect(writes).toStrictEqual(['POST', 'PATCH', 'POST', 'PATCH']);
		},
	);

	test('with labels alone, a new field is added, and an existing one is not changed', async () => {
		shaped({ customFields: 'labels' });
		await ok(set('Rome'));
		expect(await ok(set('Rome'))).toStrictEqual({ label: 'City', value: 'Rome', unchanged: true });
		const { error } = await service.run(set('Berlin'));
		expect(error).toMatchObject({
			message: 'The contact has a field City, but the service does not return its ID',
			description: 'Use Contact Field → Update with the ID of the field.',
		});
		expect(cities()).toStrictEqual(['Rome']);
	});

	test('without fields, nothing is added, and the message says what to do', async () => {
		shaped({ customFields: 'hidden', contactUnder: 'contact' });
		const { error } = await service.run(set('Rome'));
		expect(error!.message).toMatch(/^It is unknown whether the contact has a field City/);
		expect(error!.description).toMatch(/Use Contact Field → Add if the field is new/);
		expect([cities(), service.routes()]).toStrictEqual([[], ['GET /contacts/{id}']]);
	});
});

test.each(['exact', 'more', 'fewer'] as const)(
	'if the service treats a limit as “%s”, it is met',
	async (templateLimit) => {
		shaped({ templateLimit });
		expect(service.world.templates.size).toBeGreaterThan(3);
		const templates = { resource: 'template', operation: 'getAll', limit: 3 };
		const { json, hints } = await service.run(templates);
		expect([json.length, hints]).toStrictEqual([3, []]);
	},
);

describe('an envelope', () => {
	const contact = { id: 'c1', name: 'Ann', data: { vip: true }, success: 0 };
	const GET = { resource: 'contact', operation: 'get', contactId: byId('12015550100') };
	const ALL = { resource: 'contact', operation: 'getAll', returnAll: true };

	test.each<[body: unknown, came: string]>([
		[{ result: { contact } }, 'the body has the keys result'],
		[{ success: true, result: contact }, 'the body has the keys success, result'],
		[{ success: true, data: {} }, 'data is empty'],
	])('%j contains neither a record nor a list: %s', async (body, came) => {
		service.respond(body, { times: 2 });
		expect(await service.error(GET)).toMatchObject({
			message: `Get contact: the response contains no record (${came})`,
			description: 'Check that the record exists, and that its ID is complete.',
		});
		expect((await service.error(ALL)).message).toBe(
			`Get many contacts: the response contains no list (${came})`,
		);
	});

	test.each<[unknown]>([
		[{ success: false, message: 'No such person' }],
		[{ success: 'FALSE', data: null, message: 'No such person' }],
		[{ error: 'No such person' }],
		[{ statusCode: 404, error: 'Not Found', message: 'No such person' }],
		[{ errors: [{ message: 'No such person' }] }],
		[{ data: null, error: { code: 7, message: 'No such person' } }],
		[{ data: null, errors: ['No such person'], meta: {}, elapsedMs: 3 }],
		[{ data: [], error: 'No such person', message: null }],
		[{ data: {}, error: 'No such person' }],
		[{ error: { message: 'No such person' }, requestId: 'r', timestamp: 1 }],
	])('%j is a rejection', async (body) => {
		service.respond(body, { times: 3 });
		const update = { ...GET, operation: 'update', updateFields: { name: 'A' } };
		for (const parameters of [GET, ALL, update])
			expect((await service.error(parameters)).message).toMatch(
				/^The service rejected ".*": No such person/,
			);
	});

	test.each([
		[{ errors: [{ message: 'Labels are missing' }] }, 1],
		[{ success: true, error: 'Partly' }, 1],
		[{ errors: [], error: null }, 0],
	])('%j beside a record or rows: %i hint', async (beside, count) => {
		const row = { ...contact, error: 'No mail was sent' };
		const update = { ...GET, operation: 'update', updateFields: { name: 'A' } };
		for (const [parameters, data] of [
			[GET, row],
			[ALL, [row]],
			[update, row],
		] as const) {
			service.respond({ data, meta: { total: 1 }, ...beside });
			const { json, hints } = await service.run(parameters);
			expect([json.length, hints]).toStrictEqual([
				1,
				Array(count).fill(expect.stringMatching(/has data, but also says that something was rej/)),
			]);
		}
	});
});

describe('a write', () => {
	const id = 'c1';
	const waId = '12015550100';
	const [chatId, contactId, ticketId] = [byId('ch1'), byId(id), byId('tk1')];
	const assign = { resource: 'chat', operation: 'assign', chatId, agentId: byId('u1') };
	const create = { resource: 'contact', operation: 'create', name: 'Ann', waId };
	const end = { resource: 'session', operation: 'end', contactId };
	const addField = {
		resource: 'contactField',
		operation: 'add',
		contactId,
		label: 'A',
		value: '1',
	};
	const changeField = {
		...{ resource: 'contactField', operation: 'update', contactId, fieldId: byId('f1') },
		updateFields: { value: '2' },
	};
	const note = { resource: 'ticket', operation: 'addNote', ticketId, body: 'Hi' };
	const update = { resource: 'ticket', operation: 'update', ticketId };
	const close = { ...update, updateFields: { status: 'CLOSED' } };
	const remove = { resource: 'segment', operation: 'delete', segmentId: byId('s1') };
	const WRITES: [name: string, parameters: INodeParameters, asked: IDataObject][] = [
		['Chat: Assign', assign, { id: 'ch1', requested: { agentId: 'u1' } }],
		['Contact: Create', create, { requested: { name: 'Ann', waId } }],
		['Contact Field: Add', addField, { contactId: id, requested: { label: 'A', value: '1' } }],
		['Contact Field: Update', changeField, { contactId: id, id: 'f1', requested: { value: '2' } }],
		['Session: End', end, { requested: { contactId: id, action: 'END' } }],
		['Template: Sync', { resource: 'template', operation: 'sync' }, {}],
		['Ticket: Add Note', note, { ticketId: 'tk1', requested: { body: 'Hi' } }],
		['Ticket: Update', close, { id: 'tk1', requested: { status: 'CLOSED' } }],
	];

	test.each([...WRITES, ['Segment: Delete', remove]] as typeof WRITES)(
		'%s with errors and no record is rejected',
		async (_name, parameters) => {
			const error = { code: 'E7', message: 'Not now' };
			for (const body of [
				{ data: null, error },
				{ error },
				{ data: { error } },
				{ data: { errors: [error] }, message: '' },
			]) {
				service.respond(body);
				const { error: thrown, json } = await service.run(parameters);
				expect([body, thrown?.message.split('"').at(-1), json]).toStrictEqual([
					body,
					': Not now (200)',
					[],
				]);
				expect(thrown!.message).toMatch(/^The service rejected "/);
			}
			// It says both.
			for (const body of [
				{ success: true, data: null, error },
				{ success: 'true', data: { errors: [error] } },
			]) {
				service.respond(body);
				expect(await service.error(parameters)).toMatchObject({
					message: expect.stringMatching(/^The service did not complete ".+": Not now \(200\)$/),
					description: expect.stringMatching(/^Not retried because it may have succeeded/),
				});
			}
		},
	);

	/** What is in a body without a record, besides what was asked. */
	const NO_RECORD: [body: string, said: IDataObject][] = [
		['', {}],
		['{}', {}],
		['null', {}],
		['{ "success": true }', { success: true }],
		['{ "data": null, "message": "Done" }', { message: 'Done' }],
		['{ "success": true, "data": {}, "error": null }', { success: true }],
		['{ "success": true, "data": true }', { success: true, data: true }],
		['{ "data": "done" }', { data: 'done' }],
		['{ "data": [] }', { data: [] }],
		['{ "data": { "success": true, "message": "Done" } }', { success: true, message: 'Done' }],
		['{ "data": { "id": null } }', {}],
		['"OK"', { data: 'OK' }],
		['true', { data: true }],
	];
	test.each(WRITES)('%s without a record returns what was asked', async (_name, of, asked) => {
		// What shows no record is read by the same code for all of them.
		for (const [body, said] of of === close ? NO_RECORD : NO_RECORD.slice(0, 4)) {
			service.respondWith('application/json', body);
			const expected = { ...said, ...asked, recordReturned: false };
			expect([body, await service.ok(of)]).toStrictEqual([body, [expected]]);
		}
	});

	test('a record is returned as it is, with what was asked nowhere in it', async () => {
		for (const data of [
			{ id: 't9' },
			{ status: 'CLOSED' },
			{ ticket: { id: 't9' } },
			[{ id: 't9' }],
		]) {
			service.respond({ success: true, data });
			const [item] = await service.ok(close);
			expect([item!.recordReturned, item!.requested]).toStrictEqual([undefined, undefined]);
		}
	});

	test('Selected Fields keeps what was asked, and says nothing of fields that it cannot know', async () => {
		service.respond({ success: true });
		const options = { outputFieldNames: 'id, title' };
		const { json, hints } = await service.run({ ...close, options });
		const requested = { status: 'CLOSED' };
		expect(json).toStrictEqual([{ id: 'tk1', requested, recordReturned: false }]);
		expect(hints).toStrictEqual([]);
	});

	test('of several requests for the members of a segment, all are returned', async () => {
		service.respond({ success: true }, { times: 2 });
		const ids = Array.from({ length: 501 }, (_, n) => `c${n}`);
		const add = { resource: 'segment', operation: 'addContacts', segmentId: byId('s1') };
		expect(await service.ok({ ...add, contactId: byId(ids.join()) })).toStrictEqual([
			{
				...{ id: 's1', requested: { action: 'add', contactIds: ids } },
				...{ success: true, recordReturned: false },
			},
		]);
		expect(service.requests).toHaveLength(2);
	});
});

describe('the response to something that cannot be taken back', () => {
	const to = byId('12015550100');
	const message = { resource: 'message', operation: 'send', to, text: 'Hello' };
	const fallback = {
		templateId: { __rl: true, mode: 'name', value: 'welcome en_US' },
		fallbackVariables: { variable: [{ id: 'name', value: 'Ann' }] },
	};
	const SENT: [noun: string, verb: string, parameters: INodeParameters][] = [
		['message', 'sent', message],
		['message', 'sent', { ...message, options: fallback }],
		['message', 'sent', { ...message, type: 'template', ...WELCOME }],
		['flow', 'started', { resource: 'flow', operation: 'trigger', to, flowId: byId('f1') }],
		['broadcast', 'sent', { ...WELCOME_BROADCAST, audience: 'list', recipients: '12015550100' }],
	];
	const respondWith = (body: unknown) => {
		const text = body === '' ? '' : JSON.stringify(body);
		service.respondWith('application/json', text, on('POST'));
	};

	test.each(SENT)(
		'a %s with success: false in data was not %s, and with success: true and an error may have been',
		async (noun, _verb, parameters) => {
			for (const [data, reason] of [
				[{ success: false }, ''],
				[{ [noun]: { success: false, message: 'Number blocked' } }, ': Number blocked'],
				[{ success: false, id: null, message: 'Opted out' }, ': Opted out'],
			] as const) {
				respondWith({ success: true, message: reason && 'Done', data });
				const { error, json } = await service.run(parameters);
				expect(error?.message).toMatch(/^The service rejected "/);
				expect([error?.message.split('"').at(-1), json]).toStrictEqual([`${reason} (200)`, []]);
			}
			respondWith({ success: true, error: 'No credits' });
			expect(await service.error(parameters)).toMatchObject({
				message: expect.stringMatching(/^The service did not complete ".+": No credits \(200\)$/),
				description: expect.stringMatching(/^Not retried because it may have succeeded/),
			});
		},
	);

	test.each(SENT)(
		'a response that does not show whether a %s was %s is a notice',
		async (noun, verb, parameters) => {
			const failed = { id: 'x1', status: 'FAILED', error: { message: 'Undeliverable' } };
			for (const body of [
				...['OK', {}, { data: {} }, { data: [] }, { message: 'Done' }, ''],
				...[{ success: true, data: failed }, failed],
				...[{ success: true, data: [failed] }, [{ to: '12015550100', error: failed.error }]],
				{ success: true, data: { messages: [], errors: [failed.error] } },
				...[
					{ status: 'error', message: 'No credits' },
					{ ok: false, message: 'No credits' },
				],
				{ statusCode: 402, message: 'No credits' },
			]) {
				respondWith(body);
				const { error, hints } = await service.run(parameters);
				expect([body, error, hints]).toStrictEqual([
					body,
					undefined,
					[
						`The service’s response does not show whether the ${noun} was ${verb}. Check in the service before you run the node again.`,
					],
				]);
			}
			for (const body of [
				{ success: true },
				{ success: true, data: null },
				{ data: { id: 'x1' } },
				{ data: { id: 'x1', success: 0 } },
				{ data: { id: 'x1', status: 'SENT', error: null }, error: null, errors: [] },
				{ status: 'queued' },
			]) {
				respondWith(body);
				const { error, hints } = await service.run(parameters);
				expect([body, error, hints]).toStrictEqual([body, undefined, []]);
			}
		},
	);
});

const LISTS = operations.filter(([, , { result }]) => result === 'list');

test.each(LISTS)(
	'%s returns the rows under the name that its path has, not those of another list',
	async (_name, resource, operation) => {
		const rows = operation.endpoint.split('/').at(-1)!;
		service.respond({ data: { others: [{ id: 'b' }], [rows]: [{ id: 'a' }] } });
		const required = allFields(operation).filter((field) => field.required);
		const owners = Object.fromEntries(required.map(({ name }) => [name, byId('r1')]));
		const parameters = { resource, operation: operation.value, ...owners, limit: 1 };
		expect(await service.ok(parameters)).toStrictEqual([{ id: 'a' }]);
	},
);

/** As numbers, both would be 17841400000000124. */
describe('IDs that a service returns as numbers of more than 15 digits', () => {
	const [ID, ANOTHER] = ['17841400000000123', '17841400000000124'];
	const rows = (...list: string[]) =>
		`{"success":true,"data":[${list.join()}],"meta":{"total":${list.length},"page":1,"limit":200}}`;
	const contact = `{"id":"c1","name":"Ada","igId":${ID},"customFields":[],"segments":[]}`;
	const respondWith = (body: string) =>
		service.respondWith('application/json', body, { matches: ({ method }) => method === 'GET' });

	test('Sync does not take another person’s contact for that of the item', async () => {
		respondWith(rows(contact));
		const [synced] = await service.ok(
			{ resource: 'contact', operation: 'sync', matchBy: 'igId', dryRun: false },
			{ items: [{ igId: ANOTHER, name: 'Bob' }] },
		);
		expect([synced?.result, service.routes()]).toStrictEqual([
			'created',
			['GET /contacts', 'POST /contacts'],
		]);
	});

	test('a recipient in a list is the contact that it names', async () => {
		respondWith(rows(contact));
		const { results } = await service.search('searchRecipients', { channel: 'INSTAGRAM' });
		expect(results.map(({ value }) => value)).toStrictEqual([ID]);
	});

	test('two records are not taken for one, and their IDs are returned exactly', async () => {
		respondWith(rows(`{"id":${ID}}`, `{"id":${ANOTHER}}`));
		const all = { resource: 'ticket', operation: 'getAll', returnAll: true };
		const { json, hints } = await service.run(all);
		expect([json, hints]).toStrictEqual([[{ id: ID }, { id: ANOTHER }], []]);
	});
});
