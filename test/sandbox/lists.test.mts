import type { World } from '../../sandbox/world.mts';
import { useService } from '../support/sandboxClient.mts';

/** Which rows lists have: a filter leaves out all others, and pages follow each other without a gap or an overlap. */

const service = useService();

interface Row {
	id: string;
	[field: string]: any;
}

const idsOf = (rows: Row[]) => rows.map(({ id }) => id);
const withValue = (rows: Row[], name: string) => rows.find((row) => row[name] !== null)!;
const isIn = ({ segments }: Row, id: unknown) => segments.some((one: Row) => one.id === id);
const segmentOf = ({ segments }: World, dynamic: boolean) =>
	segments.find(({ isDynamic }) => isDynamic === dynamic)!.id;

/** A filter with the value of one of the rows, or with another one. */
test.each<
	[
		path: string,
		name: string,
		value: (rows: Row[]) => unknown,
		has: (row: Row, value: any) => boolean,
	]
>([
	['/tickets', 'status', () => 'OPEN', (row, value) => row.status === value],
	[
		'/tickets',
		'assigneeId',
		(rows) => withValue(rows, 'assigneeId').assigneeId,
		(row, value) => row.assigneeId === value,
	],
	[
		'/tickets',
		'contactId',
		(rows) => withValue(rows, 'contactId').contactId,
		(row, value) => row.contactId === value,
	],
	['/chats', 'needsEscalation', () => true, (row) => row.escalation.active],
	['/chats', 'needsEscalation', () => false, (row) => !row.escalation.active],
	['/chats', 'channel', () => 'INSTAGRAM', (row, value) => row.channel === value],
	['/chats', 'channelId', ([row]) => row!.channelId, (row, value) => row.channelId === value],
	['/chats', 'contactId', ([row]) => row!.contactId, (row, value) => row.contactId === value],
	[
		'/chats',
		'assigneeId',
		(rows) => withValue(rows, 'assignee').assignee.id,
		(row, value) => row.assignee?.id === value,
	],
	[
		'/chats',
		'waId',
		(rows) => rows.find(({ contact }) => contact.waId)!.contact.waId,
		(row, value) => row.contact.waId === value,
	],
	['/chats', 'waId', () => '12015550000', () => false],
	['/contacts', 'channel', () => 'WHATSAPP', (row) => row.waId !== null],
	['/contacts', 'channel', () => 'INSTAGRAM', (row) => row.igId !== null],
	[
		'/contacts',
		'search',
		([row]) => row!.name.slice(0, 4).toUpperCase(),
		(row, value) => row.name.toUpperCase().includes(value),
	],
	['/contacts', 'segmentId', () => segmentOf(service.world, false), isIn],
	['/contacts', 'segmentId', () => segmentOf(service.world, true), isIn],
	['/contacts', 'segmentId', () => 'none', () => false],
	['/broadcasts', 'status', () => 'PARTIAL', (row, value) => row.status === value],
	['/broadcasts', 'channelId', () => 'none', () => false],
])('%s by %s: the rows that match, and how many there are', async (path, name, value, has) => {
	const rows = (await service.get(path, { limit: 200 })).data as Row[];
	const wanted = value(rows);
	const expected = idsOf(rows.filter((row) => has(row, wanted))).toSorted();
	expect(expected.length).toBeLessThan(rows.length);
	const { data, meta } = await service.get(path, { [name]: wanted, limit: 200 });
	expect(idsOf(data as Row[]).toSorted()).toStrictEqual(expected);
	expect(meta.total).toBe(expected.length);
	if (path !== '/contacts') return;
	const file = (await service.get('/contacts/export', { [name]: wanted })).data as string;
	const lines = file.trim().split('\r\n').slice(1);
	expect(lines.map((line) => line.split(',')[0]).toSorted()).toStrictEqual(expected);
});

test('a channel has its templates and those of the organization; without one, only the latter are listed', async () => {
	const { templates, channels } = service.world;
	const channelId = channels.find(({ name }) => name === 'Marketing')!.id;
	for (const own of [channelId, 'another'])
		templates.add({ ...templates.find(() => true)!, id: own, channelId: own });
	const listed = async (params: object) => (await service.get('/templates', params)).data as Row[];
	const own = await listed({ channelId });
	expect(new Set(own.map((row) => row.channelId))).toStrictEqual(new Set([channelId, null]));
	expect(idsOf(await listed({}))).toStrictEqual(idsOf(own.filter((row) => row.channelId === null)));
});

test.each<[path: string, params: object]>([
	['/tickets', {}],
	['/tickets', { status: 'OPEN' }],
	['/contacts', {}],
	['/contacts', { channel: 'WHATSAPP' }],
	['/chats', {}],
	['/broadcasts', {}],
	['/segments/{id}', {}],
	['/chats/{id}/messages', {}],
])('the pages of %s with %j are the whole list', async (path, params) => {
	const { world } = service;
	const chat = world.chats.find(({ id }) => (world.messages.get(id)?.length ?? 0) > 1)!;
	const ids: Record<string, string> = { chats: chat.id, segments: segmentOf(world, false) };
	const url = path.replace(/(\w+)\/\{id\}/, (_all, table: string) => `${table}/${ids[table]}`);
	const read = async (more: object) => {
		const { data } = await service.get(url, { ...params, ...more });
		return idsOf((data.members ?? data) as Row[]);
	};
	const hasCursor = path.endsWith('messages');
	const whole = await read(hasCursor ? { take: 50 } : { limit: 200 });
	const size = Math.ceil(whole.length / 3);
	const found: string[] = [];
	for (let page = 1; page <= 4; page++) {
		const cursor = found.at(-1);
		found.push(...(await read(hasCursor ? { take: size, cursor } : { limit: size, page })));
	}
	expect(size).toBeGreaterThan(0);
	expect(found).toStrictEqual(whole);
});
