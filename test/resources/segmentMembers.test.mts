/** The members of a segment: in which forms they are found, and what a broadcast learns about them. */
import { OperationContext } from '../../nodes/ConversationalMessaging/runner/operationContext.ts';
import {
	contactIdOfMember,
	memberRequests,
	membersErrorHint,
} from '../../nodes/ConversationalMessaging/resources/shared/segmentMembers.ts';
import {
	readMembers,
	summarize,
} from '../../nodes/ConversationalMessaging/resources/broadcast/segmentMembers.ts';
import { serviceOf } from '../api/service.mts';

test.each<[row: unknown, id: string | undefined]>([
	[{ id: 'c1' }, 'c1'],
	[{ _id: 7 }, '7'],
	[{ id: 'm1', contact: { id: 'c1' } }, 'c1'],
	[{ id: 'm1', contactId: 'c1' }, 'c1'],
	[{ id: 'm1', contact: { id: 'x', contactId: 7 } }, '7'],
	[{ id: 'c1', contactId: '' }, 'c1'],
	[{ id: 'c1', contact: null }, 'c1'],
	[{ name: 'Ann' }, undefined],
	[{ id: 'm1', contact: {} }, undefined],
	['c1', undefined],
	[null, undefined],
])('the contact of the member %j has the ID %s', (row, id) => {
	expect(contactIdOfMember(row) || undefined).toBe(id);
});

test.each([
	[0, []],
	[1, [1]],
	[500, [500]],
	[501, [500, 1]],
	[1_000, [500, 500]],
	[1_001, [500, 500, 1]],
])('%i contacts are added with requests of %j', (count, sizes) => {
	const ids = Array.from({ length: count }, (_, n) => `c${n}`);
	const requests = memberRequests(ids);
	expect(requests.map(({ length }) => length)).toEqual(sizes);
	expect(requests.flat()).toEqual(ids);
});

test('a rejected change of members says what to check, and other failures keep their own step', () => {
	expect(membersErrorHint(400)).toMatch(/^Enter the contact IDs/);
	for (const status of [403, 404, 500]) expect(membersErrorHint(status)).toBeUndefined();
});

/** The context of a broadcast, with a service that has these pages of a segment's members. */
function segmentWith(...pages: object[]) {
	const service = serviceOf(({ page }) => pages[Number(page) - 1]);
	const purpose = { endpoint: 'POST /broadcasts', action: 'Create broadcast' } as const;
	return { ...service, context: new OperationContext(service.client, purpose) };
}

const members = (...contacts: unknown[]) => ({ data: { members: contacts } });
const numbered = (count: number, from = 0) =>
	Array.from({ length: count }, (_, n) => ({ id: from + n, waId: `${12_025_550_100 + from + n}` }));

describe('the members of a segment for a broadcast', () => {
	const read = async (...contacts: unknown[]) =>
		await readMembers(segmentWith(members(...contacts)).context, 's1', 'Segment');

	test('are read page by page, once for all items', async () => {
		const all = numbered(203);
		const meta = { total: 203 };
		const { context, queries, requests } = segmentWith(
			{ ...members(...all.slice(0, 200)), meta },
			{ ...members(...all.slice(200)), meta },
		);
		const [found] = await Promise.all([
			readMembers(context, 's1', 'Segment'),
			readMembers(context, 's1', 'Segment'),
		]);
		expect(found.members.map(({ to }) => to)).toEqual(all.map(({ waId }) => waId));
		expect(queries).toEqual(['1', '2'].map((page) => ({ page, limit: '200' })));
		expect(requests[0]).toEqual(['GET /segments/s1']);
		await readMembers(context, 's2', 'Segment');
		expect(requests.slice(2).map(([route]) => route)).toContain('GET /segments/s2');
	});

	test.each<[where: string, member: unknown, to: string, digits: string]>([
		['in waId', { id: 'c1', waId: '12025550100' }, '12025550100', '12025550100'],
		['as a number', { id: 'c1', waId: 12_025_550_100 }, '12025550100', '12025550100'],
		['with separators', { id: 'c1', waId: ' +1 202 555-0100 ' }, '+1 202 555-0100', '12025550100'],
		['under another name', { id: 'c1', mobile: '12025550100' }, '12025550100', '12025550100'],
		[
			'in waId before other names',
			{ id: 'c1', phone: '12025550199', waId: '12025550100' },
			'12025550100',
			'12025550100',
		],
		[
			'under another name if waId is empty',
			{ id: 'c1', waId: ' ', phone: '12025550100' },
			'12025550100',
			'12025550100',
		],
		[
			'in the contact of a membership',
			{ id: 'm1', waId: 'x', contact: { id: 'c1', waId: '12025550100' } },
			'12025550100',
			'12025550100',
		],
	])('have their phone number %s', async (_where, member, to, digits) => {
		expect(await read(member)).toMatchObject({ members: [{ to, digits }], withoutNumber: 0 });
	});

	test('without a phone number are counted, whatever else they have', async () => {
		const rows = [
			{ id: 'c1', waId: '12025550100' },
			{ id: 'c2', waId: null },
			{ id: 'c3', igId: '17841400000000001' },
			{ id: 'c4', contact: { waId: '' } },
			'c5',
			null,
		];
		const found = await read(...rows);
		expect(found.members.map(({ to }) => to)).toEqual(['12025550100']);
		expect(found.withoutNumber).toBe(5);
	});

	test('with a number that cannot be compared with others are not among them, and are returned', async () => {
		const rows = ['12025550100', 'n/a', '015123456789', null].map((waId, id) => ({ id, waId }));
		const found = await read(...rows);
		expect(found.members.map(({ to }) => to)).toEqual(['12025550100']);
		expect(found).toMatchObject({ invalid: ['n/a', '015123456789'], withoutNumber: 1 });
	});

	test('occur once, even if they changed while they were read; without IDs, all count', async () => {
		const changed = ['Ann', 'Anna'].map((name) => ({ id: 'c1', waId: '12025550100', name }));
		expect((await read(...changed)).members).toHaveLength(1);
		const nameless = numbered(2).map(({ waId }) => ({ waId }));
		expect((await read(...nameless)).members).toHaveLength(2);
	});

	test('may be nobody', async () => {
		expect(await read()).toMatchObject({ members: [], withoutNumber: 0 });
		expect(await read({ id: 'c1', waId: '' })).toMatchObject({ members: [], withoutNumber: 1 });
	});

	test.each([[[{ id: 'c1', name: 'Ann' }]], [['c1', 'c2']]])(
		'cannot be used if the service shows no phone numbers: %j',
		async (rows) => {
			await expect(read(...rows)).rejects.toMatchObject({
				message: 'The service shows no phone numbers for the members of Segment',
				description: expect.stringMatching(/^Nothing was sent\./),
			});
		},
	);

	test('cannot be used if some are missing, because somebody could receive the broadcast by mistake', async () => {
		const { context } = segmentWith({ ...members(...numbered(2)), meta: { total: 3 } });
		await expect(readMembers(context, 's1', 'Exclude Segment')).rejects.toMatchObject({
			message: 'Exclude Segment changed while its members were read: got 2 of 3',
			description: 'Nothing was sent. Run it again.',
		});
	});
});

describe('the size of a segment', () => {
	/** The summary of a segment with so many members, and the queries that it took. */
	async function sizeOf(count: number, countUpTo?: number, { meta = {}, ...more }: Shape = {}) {
		const all = numbered(count);
		const service = serviceOf(({ page, limit }) => {
			const end = Number(page) * Number(limit);
			return { data: { members: all.slice(end - Number(limit), end), ...more }, meta };
		});
		const purpose = { endpoint: 'POST /broadcasts', action: 'Create broadcast' } as const;
		const context = new OperationContext(service.client, purpose);
		const { first, ...summary } = await summarize(context, 's1', countUpTo);
		return { ...summary, first: first.map(({ to }) => to), queries: service.queries, context };
	}
	interface Shape extends Record<string, unknown> {
		meta?: { total?: number };
	}
	const numbers = numbered(3).map(({ waId }) => waId);

	test('is shown by the service, with its first members, in one request', async () => {
		expect(await sizeOf(10, 5, { meta: { total: 5_000 } })).toMatchObject({
			isDynamic: false,
			count: 5_000,
			first: numbers,
			queries: [{ page: '1', limit: '3' }],
		});
	});

	test('is read once for all items', async () => {
		const { context, queries } = await sizeOf(10, 5, { meta: { total: 10 } });
		await summarize(context, 's1', 5);
		expect(queries).toHaveLength(1);
	});

	test.each([
		[0, undefined, { count: 0 }],
		[2, undefined, { count: 2 }],
		// Nobody needs it.
		[3, undefined, {}],
		[0, 0, { count: 0 }],
		[1, 0, { count: 1 }],
		[2, 4, { count: 2 }],
		[4, 4, { count: 4 }],
		[5, 4, { moreThan: 4 }],
		[250, 200, { moreThan: 200 }],
		[250, 300, { count: 250 }],
		[3, 3, { count: 3 }],
		[4, 3, { moreThan: 3 }],
	])(
		'of %i members, of whom the service shows no total, counted up to %p, is %j',
		async (members, countUpTo, { count, moreThan }: { count?: number; moreThan?: number }) => {
			const summary = await sizeOf(members, countUpTo);
			expect([summary.count, summary.moreThan]).toEqual([count, moreThan]);
			expect(summary.first).toEqual(numbers.slice(0, members));
		},
	);

	test('is not less than the members that are shown', async () => {
		expect((await sizeOf(5, undefined, { meta: { total: 1 } })).count).toBeUndefined();
		expect((await sizeOf(5, undefined, { meta: { total: 3 } })).count).toBe(3);
		expect((await sizeOf(2, undefined, { meta: { total: 7 } })).count).toBe(7);
		expect((await sizeOf(5, 10, { meta: { total: 1 } })).count).toBe(5);
	});

	test.each([
		[{ isDynamic: true }, true],
		[{ segment: { id: 's1', isDynamic: true } }, true],
		[{ isDynamic: false }, false],
		[{ isDynamic: 'no' }, false],
		[{}, false],
	])('of a segment with %j may change until the start: %s', async (shape, isDynamic) => {
		expect((await sizeOf(2, undefined, shape)).isDynamic).toBe(isDynamic);
	});

	test('a segment that is only a list of members is not known to be dynamic', async () => {
		const { context } = segmentWith({ data: numbered(2) });
		expect(await summarize(context, 's1', undefined)).toMatchObject({ isDynamic: false, count: 2 });
	});
});
