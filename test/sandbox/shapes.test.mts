import type { ErrorShape, SandboxOptions } from '../../sandbox/options.mts';
import type { Chat } from '../../sandbox/records.mts';
import { addText } from '../support/records.mts';
import { startService, useService } from '../support/sandboxClient.mts';
import { configOf, examplesOf } from './examples.mts';
import { operations } from './operations.mts';

/**
 * The shapes of responses that the document leaves open: each is one that is usual for such services. The other files of
 * this folder expect the default ones.
 */

type Shapes = SandboxOptions['shapes'];

const service = useService();
let standard: Shapes;
beforeAll(() => {
	standard = { ...service.sandbox.options.shapes };
});
afterEach(() => {
	Object.assign(service.sandbox.options.shapes, standard);
});

const shaped = (shapes: Partial<Shapes>) => Object.assign(service.sandbox.options.shapes, shapes);
const data = async (path: string, params: object = {}) => (await service.get(path, params)).data;
/** What is in the place of these names, one inside another. */
const at = (value: unknown, names: string[]) =>
	names.reduce<any>((inner, name) => inner[name], value);

const JSON_TYPE = 'application/json; charset=utf-8';
const message = 'Ticket not found';
const HTML = `<html><head><title>404 Not Found</title></head><body><p>${message}</p></body></html>`;
test.each<[ErrorShape, type: string, body: unknown]>([
	['string', JSON_TYPE, { success: false, error: message }],
	['object', JSON_TYPE, { success: false, error: { code: 'NOT_FOUND', message } }],
	['message', JSON_TYPE, { statusCode: 404, error: 'Not Found', message }],
	['messages', JSON_TYPE, { statusCode: 404, error: 'Not Found', message: [message] }],
	['errors', JSON_TYPE, { success: false, errors: [{ field: 'request', message }] }],
	['text', 'text/plain', message],
	['html', 'text/html', HTML],
	['empty', 'text/plain', ''],
])('an error: %s', async (errors, type, body) => {
	shaped({ errors });
	const { status, headers, data: shown } = await service.http.get('/tickets/0');
	expect([status, headers['content-type'], shown]).toStrictEqual([404, type, body]);
});

test.each([
	[429, 'TOO_MANY_REQUESTS'],
	[599, 'ERROR'],
])('an error with a code: %i', async (status, code) => {
	shaped({ errors: 'object' });
	service.sandbox.faults.add({ kind: 'status', status });
	expect((await service.get('/tickets')).error.code).toBe(code);
});

test.each(operations.filter(({ isList }) => isList).map((one) => [one.route, one] as const))(
	'the rows of a list are under its name: %s',
	async (_route, operation) => {
		shaped({ lists: 'wrapped' });
		const [{ path } = {}] = examplesOf(service.world, operation.id);
		const { data: body } = await service.http.request(configOf(operation, { path }));
		expect(body.data).toStrictEqual({ [operation.path.split('/').at(-1)!]: expect.any(Array) });
	},
);

describe('a job', () => {
	const CSV = 'name,waId\nAnn,12025550143\n';
	const importing = async (csv: string) => (await service.upload('/contacts/import', csv)).data;

	test.each<[Shapes['importStates'], unknown[]]>([
		['upper', ['QUEUED', 'PROCESSING', 'COMPLETED', 'FAILED']],
		['usual', ['PENDING', 'RUNNING', 'SUCCEEDED', 'ERRORED']],
		['unknown', ['stage-1', 'stage-2', 'stage-3', 'stage-4']],
		['none', [undefined, undefined, undefined, undefined]],
	])('has states: %s', async (importStates, states) => {
		shaped({ importStates });
		const { id } = await importing(CSV);
		const { id: bad } = await importing('name,waId\nAnn,\n');
		const status = async (job: string) => (await data(`/contacts/imports/${job}`)).status;
		const seen = [await status(id as string)];
		service.clock.advance(2_010);
		seen.push(await status(id as string));
		service.clock.advance(60_000);
		seen.push(await status(id as string), await status(bad as string));
		expect(seen).toStrictEqual(states);
	});

	test.each<[Partial<Shapes>, ofImport: string[], ofBroadcast: string[], form: RegExp]>([
		[{}, ['id'], ['id'], /^c[a-z0-9]{24}$/],
		[{ jobId: 'byType' }, ['importId'], ['broadcastId'], /^c/],
		[{ jobIdType: 'number' }, ['id'], ['id'], /^10\d{4}$/],
		[{ jobUnder: 'byType' }, ['import', 'id'], ['broadcast', 'id'], /^c/],
	])('has its ID: %j', async (shapes, ofImport, ofBroadcast, form) => {
		shaped(shapes);
		const [broadcast] = examplesOf(service.world, 'createBroadcast');
		const sent = await service.post('/broadcasts', broadcast!.body);
		for (const [path, made, place] of [
			['/contacts/imports', await importing(CSV), ofImport],
			['/broadcasts', sent.data, ofBroadcast],
		] as const) {
			const id = at(made, [...place]);
			expect(typeof id).toBe(shapes.jobIdType === 'number' ? 'number' : 'string');
			expect(String(id)).toMatch(form);
			expect(at(await data(`${path}/${String(id)}`), [...place])).toBe(id);
		}
		expect(at(await importing(CSV), ofImport)).not.toBe(at(await importing(CSV), ofImport));
	});

	test('shows no ID', async () => {
		shaped({ jobId: 'none' });
		const job = await importing(CSV);
		expect(job).toMatchObject({ status: 'queued', totalRows: 1 });
		expect(job).not.toHaveProperty('id');
	});

	test('has other columns, with those that the sandbox does not know after them', async () => {
		shaped({ importColumns: ['Nombre', 'Teléfono', 'Instagram', 'x'] });
		expect(await data('/contacts/import-template')).toBe('Nombre,Teléfono,Instagram,x\r\n');
		await importing('x,Instagram,Teléfono,Nombre\n1,,12025553001,Zoe\n1,ig-zoe,,Zoe\n');
		service.clock.advance(60_000);
		await data('/contacts/imports');
		for (const address of ['12025553001', 'ig-zoe'])
			expect((await data(`/contacts/${address}`)).name).toBe('Zoe');
	});
});

/** Where the rows are, where the page is described in the body, if anywhere, and lists of something else. */
test.each<[Partial<Shapes>, rows: string[], page?: string[], others?: string[]]>([
	[{}, ['members'], ['meta']],
	[{ segmentMembers: 'contacts' }, ['contacts'], ['meta'], ['rules', 'tags']],
	[{ segmentMembers: 'segment' }, ['segment', 'members'], ['meta'], ['tags']],
	[{ segmentPaging: 'meta' }, ['members'], ['data', 'meta']],
	[{ segmentPaging: 'fields' }, ['members'], ['data']],
	[{ segmentPaging: 'none' }, ['members'], undefined],
])('the members of a segment: %j', async (shapes, rows, page, others = []) => {
	shaped(shapes);
	const { id, members } = service.world.segments.find(({ name }) => name === 'Newsletter')!;
	const { data: body } = await service.http.get(`/segments/${id}?limit=5&page=2`);
	expect(at(body.data, rows).map((row: Chat) => row.id)).toStrictEqual([...members].slice(5, 10));
	const counts = { total: members.size, page: 2, limit: 5 };
	if (page) expect(at(body, page)).toMatchObject(counts);
	else expect(JSON.stringify(body)).not.toMatch(/"(total|page|limit|totalPages)":/);
	expect('meta' in body).toBe(page?.[0] === 'meta');
	const lists = Object.entries(body.data.segment ?? body.data).filter(([, value]) =>
		Array.isArray(value),
	);
	const names = lists.map(([name]) => name).filter((name) => name !== rows.at(-1));
	expect(names.toSorted()).toStrictEqual(others);
});

test('the members of a segment: memberships', async () => {
	shaped({ memberRows: 'memberships' });
	const { id, members } = service.world.segments.find(({ name }) => name === 'Newsletter')!;
	const [row] = (await data(`/segments/${id}`)).members;
	const [first] = members;
	expect(row).toStrictEqual({ id: `of ${first}`, contact: expect.objectContaining({ id: first }) });
});

const asRecords = { customFields: [{ id: 'f', label: 'City', value: 'Rome' }] };
test.each<[Shapes['listedFields'], shown: Record<string, unknown>]>([
	['customFields', asRecords],
	['fields', { fields: [{ id: 'f', label: 'City', value: 'Rome' }] }],
	['labels', { customFields: [{ label: 'City', value: 'Rome' }] }],
	['hidden', {}],
	['left out', asRecords],
])('the custom fields of a contact: %s', async (shape, shown) => {
	const without = service.world.addContact({ name: 'A', igId: `without-${shape}` });
	const contact = service.world.addContact({ name: 'B', ...structuredClone(asRecords) });
	const fieldsIn = ({ customFields, fields }: Record<string, unknown>) =>
		JSON.parse(JSON.stringify({ customFields, fields })) as object;
	shaped({ listedFields: shape });
	const [row, other] = await data('/contacts');
	expect([row.id, other.id, fieldsIn(row as object as Shown)]).toStrictEqual([
		contact.id,
		without.id,
		shown,
	]);
	const isListed = Object.keys(fieldsIn(other as Shown)).length > 0;
	expect(isListed).toBe(shape !== 'left out' && shape !== 'hidden');
	if (shape === 'left out') return;
	shaped({ customFields: shape });
	expect(fieldsIn((await data(`/contacts/${contact.id}`)) as Shown)).toStrictEqual(shown);
	shaped({ contactUnder: 'contact' });
	const { contact: inner } = await data(`/contacts/${contact.id}`);
	expect([inner.id, fieldsIn(inner as Shown)]).toStrictEqual([contact.id, shown]);
});
type Shown = Record<string, unknown>;

test.each<[Shapes['plus'], found: number]>([
	['other', 404],
	['same', 200],
])('a number with a plus is that of another contact or the same: %s', async (plus, found) => {
	const own = await startService({ shapes: { plus }, rateLimit: { requests: 0 } });
	const { world } = own;
	const chat = world.chats.find(({ channel, session }) => channel === 'WHATSAPP' && !!session)!;
	const contact = world.contacts.get(chat.contactId)!;
	const to = `+${contact.waId!}`;
	const path = `/contacts/${encodeURIComponent(to)}`;
	const isSame = plus === 'same';
	expect((await own.get(path)).status).toBe(found);
	expect((await own.patch(path, { customName: 'C' })).status).toBe(found);
	expect((await own.get('/chats/session', { waId: to })).status).toBe(found);
	expect((await own.get('/chats', { waId: to })).data).toHaveLength(isSame ? 1 : 0);
	expect((await own.post('/flows/trigger', { to, flowKeyword: 'welcome' })).status).toBe(found);
	const ticket = { title: 'T', contactWaId: to };
	expect((await own.post('/tickets', ticket)).status).toBe(isSame ? 200 : 400);
	expect((await own.post('/contacts', { name: 'N', waId: to })).status).toBe(isSame ? 409 : 200);
	await own.upload('/contacts/import', `name,waId\nRenamed,${to}\n`);
	own.clock.advance(60_000);
	await own.get('/contacts/imports');
	expect(contact.name === 'Renamed').toBe(isSame);
	await own.close();
});

test.each<[Shapes['templateLimit'], counts: [ofOne: number, ofThree: number, standard: number]]>([
	['exact', [1, 3, 100]],
	['fewer', [1, 2, 99]],
	['more', [2, 4, 101]],
])('the limit of templates is approximate, and about 100: %s', async (templateLimit, counts) => {
	shaped({ templateLimit });
	const { templates } = service.world;
	const sample = templates.find(({ channelId }) => channelId === null)!;
	const ids = Array.from({ length: 110 }, (_, n) => `more-${n}`);
	for (const id of ids) templates.add({ ...sample, id });
	const all = templates.filter(({ channelId }) => channelId === null);
	for (const [i, limit] of [1, 3, undefined].entries()) {
		const { data: rows, meta } = await service.get('/templates', { limit });
		expect(rows).toMatchObject(all.slice(0, counts[i]).map(({ id }) => ({ id })));
		expect(meta).toMatchObject({ total: all.length, page: 1 });
	}
	for (const id of ids) templates.delete(id);
});

test('priority and status of a new ticket are objects with a name in them, and not names', async () => {
	shaped({ ticketChoices: 'object' });
	const fields = { priority: { name: 'URGENT' }, status: { value: 'RESOLVED' } };
	const { data: made } = await service.post('/tickets', { title: 'T', ...fields });
	expect(made).toMatchObject({ priority: 'URGENT', status: 'RESOLVED' });
	for (const rejected of [
		{ priority: 'URGENT' },
		{ status: 'RESOLVED' },
		{ priority: { name: 'SOON' } },
		{ priority: {} },
	])
		expect((await service.post('/tickets', { title: 'T', ...rejected })).status).toBe(400);
	// An update has names still.
	const update = async (priority: unknown) =>
		(await service.put('/tickets/1001', { priority })).status;
	expect([await update('HIGH'), await update({ name: 'HIGH' })]).toStrictEqual([200, 400]);
});

describe('a chat', () => {
	const aChat = () => service.world.chats.find(({ channel }) => channel === 'WHATSAPP')!;
	const write = (chat: Chat, direction: 'INBOUND' | 'OUTBOUND' = 'INBOUND') => {
		service.clock.advance(1_000);
		return addText(service.world, chat, 'Hello', { direction });
	};
	const rowOf = async ({ id }: Chat) =>
		(await data('/chats?limit=100')).find((row: Chat) => row.id === id);
	const history = async (params: object = {}) =>
		await data(`/chats/${aChat().id}/messages`, params);

	test.each<[Shapes['chatActivity'], changes: boolean[]]>([
		['none', [false, false]],
		['lastMessageAt', [true, true]],
		['sometimes', [false, true]],
	])('has a row that changes with each message, or not: %s', async (chatActivity, changes) => {
		shaped({ chatActivity });
		const { chats, messages } = service.world;
		const chat = chats.find(({ id }) => messages.get(id)!.length % 2 === 0)!;
		const rows = [await rowOf(chat)];
		for (let i = 0; i < 2; i++) {
			write(chat);
			rows.push(await rowOf(chat));
		}
		const texts = rows.map((row) => JSON.stringify(row));
		expect([texts[1] !== texts[0], texts[2] !== texts[1]]).toStrictEqual(changes);
	});

	test('has no time of the last message without one', async () => {
		shaped({ chatActivity: 'lastMessageAt' });
		const chat = service.world.addChat({ ...aChat() });
		expect(await rowOf(chat)).toMatchObject({ lastMessageAt: null });
		service.world.chats.delete(chat.id);
	});

	test.each<[Shapes['chatFetchedAt'], isSame: boolean]>([
		['no', true],
		['yes', false],
	])('has a row that differs in every response: %s', async (chatFetchedAt, isSame) => {
		shaped({ chatFetchedAt });
		const rows = [JSON.stringify(await rowOf(aChat())), JSON.stringify(await rowOf(aChat()))];
		expect(rows[0] === rows[1]).toBe(isSame);
	});

	test.each<[Shapes['chatOrder'], Shapes['chatActivity'], isFirst: boolean]>([
		['creation', 'lastMessageAt', false],
		['activity', 'lastMessageAt', true],
		// The order follows the message whether or not the row shows it.
		['activity', 'none', true],
	])('has its place by %s, with rows that show %s', async (chatOrder, chatActivity, isFirst) => {
		const oldest = service.world.chats.filter(() => true).at(-1)!;
		shaped({ chatOrder, chatActivity });
		write(oldest);
		const all = (await data('/chats', { limit: 100 })).map((row: Chat) => row.id);
		expect([all.length, all[0] === oldest.id]).toStrictEqual([service.world.chats.size, isFirst]);
		const pages = [];
		for (let page = 1; page <= Math.ceil(all.length / 7); page++)
			pages.push(...(await data('/chats', { limit: 7, page })).map((row: Chat) => row.id));
		expect(pages).toStrictEqual(all);
	});

	test.each<[Shapes['channelTotals'], growth: number]>([
		['stats', 1],
		['stuck', 0],
		['none', NaN],
	])('adds its messages to the totals of its channel: %s', async (channelTotals, growth) => {
		shaped({ channelTotals });
		const count = async () =>
			((await data(`/channels/${aChat().channelId}`)).stats?.messages ?? NaN) as number;
		const before = await count();
		write(aChat());
		expect((await count()) - before).toBe(growth);
	});

	test.each<[Partial<Shapes>, inbound: object, outbound: object]>([
		[{}, { direction: 'INBOUND', text: 'Hello' }, { direction: 'OUTBOUND' }],
		[{ messageDirection: 'fromMe' }, { fromMe: false }, { fromMe: true }],
		[
			{ messageDirection: 'senderType' },
			{ sender: { type: 'CONTACT' } },
			{ sender: { type: 'AGENT' } },
		],
		[{ messageDirection: 'kind' }, { kind: 'L' }, { kind: 'R' }],
		[{ messageText: 'body' }, { text: { body: 'Hello' } }, { text: { body: 'Hello' } }],
	])('has messages in the shape %j', async (shapes, inbound, outbound) => {
		shaped(shapes);
		write(aChat());
		write(aChat(), 'OUTBOUND');
		expect(await history({ take: 2 })).toMatchObject([outbound, inbound]);
	});

	test('has messages that show neither who sent them nor when', async () => {
		shaped({ messageDirection: 'none', messageTime: 'none' });
		const { id } = write(aChat());
		expect((await history())[0]).toStrictEqual({ id, type: 'text', text: 'Hello', agentId: null });
	});

	test.each<[Shapes['messageTime'], (at: number) => object]>([
		['seconds', (time) => ({ timestamp: String(Math.floor(time / 1000)) })],
		['milliseconds', (time) => ({ timestamp: time })],
	])('has messages with a time: %s', async (messageTime, shown) => {
		shaped({ messageTime });
		write(aChat());
		expect((await history())[0]).toMatchObject(shown(service.clock.now()));
	});

	test('has the oldest message first, and a cursor in that order', async () => {
		shaped({ messageOrder: 'oldest' });
		const expected = service.world.messages.get(aChat().id)!.map(({ id }) => id);
		const ids = (await history({ take: 100 })).map((row: Chat) => row.id);
		expect(ids).toStrictEqual(expected);
		const after = await history({ take: 100, cursor: ids[0] });
		expect(after.map((row: Chat) => row.id)).toStrictEqual(expected.slice(1));
	});
});
