/** The members of a segment: whom a broadcast is sent to, whom it leaves out, and how many there are. */
import {
	readMembers,
	segmentSize,
} from '../../../nodes/ConversationalMessaging/resources/broadcast/audience/readMembers.ts';
import { serviceOf } from '../../support/service.mts';
import { contextOf } from '../../support/runOne.mts';
import { useFakeTime } from '../../support/time.mts';

useFakeTime();

const PURPOSE = { endpoint: 'POST /broadcasts', action: 'Create broadcast' } as const;

/** The context of a broadcast, with a service that has these pages of a segment's members. */
function segmentWith(...pages: object[]) {
	const service = serviceOf(({ page }) => pages[Number(page) - 1] ?? members());
	return { ...service, context: contextOf(service.client, PURPOSE) };
}

const members = (...contacts: unknown[]) => ({ data: { members: contacts } });
const numbered = (count: number) =>
	Array.from({ length: count }, (_, n) => ({ id: n, waId: `${12_025_550_100 + n}` }));

describe('the members of a segment', () => {
	const read = async (...contacts: unknown[]) =>
		(await readMembers(segmentWith(members(...contacts)).context, 's1', 'Segment')).members;

	test.each<[where: string, member: unknown, address: string]>([
		['with separators', { id: 'c1', waId: ' +1 202 555-0100 ' }, '+1 202 555-0100'],
		['as a user ID', { id: 'c1', waId: 'US.13491208655302741918' }, 'US.13491208655302741918'],
		[
			'in the contact of a membership',
			{ id: 'm1', waId: 'x', contact: { id: 'c1', waId: '12025550100' } },
			'12025550100',
		],
	])('have their address %s', async (_where, member, address) => {
		expect(await read(member)).toMatchObject([
			{ waId: address, id: expect.any(Object), isUncertain: false },
		]);
	});

	test.each<[member: unknown, isUncertain: boolean, shown: string]>([
		[{ id: 'c1', waId: '015123456789' }, true, '015123456789'],
		[{ id: 'c1', waId: null, igId: '17841400000000001' }, false, 'c1'],
		[{ id: 'c1', ig_id: 17841400000000 }, false, 'c1'],
		[{ id: 'c1', igId: ' ' }, true, 'c1'],
		[{ id: 'c1', waId: null, name: 'Ann' }, true, 'Ann'],
		[{ id: 'c1' }, true, 'c1'],
		['c1', true, 'c1'],
		[null, true, ''],
	])('%j may be anybody: %s; it is shown as “%s”', async (member, isUncertain, shown) => {
		const [, read1] = await read({ id: 'c0', waId: '12025550199' }, member);
		expect(read1).toMatchObject({ isUncertain, shown });
	});
});

describe('the size of a segment', () => {
	interface Shape extends Record<string, unknown> {
		meta?: { total?: number };
	}

	/** The size of a segment with this many members, and the queries that it took. */
	async function size(count: number, max?: number, { meta = {}, ...more }: Shape = {}) {
		const all = numbered(count);
		const service = serviceOf(({ page, limit }) => {
			const end = Number(page) * Number(limit);
			return { data: { members: all.slice(end - Number(limit), end), ...more }, meta };
		});
		const context = contextOf(service.client, PURPOSE);
		return { ...(await segmentSize(context, 's1', max)), queries: service.queries, context };
	}

	test('is shown by the service, in one request for all items', async () => {
		const { context, ...shown } = await size(10, 5, { meta: { total: 5_000 } });
		expect(shown).toStrictEqual({
			count: 5_000,
			isDynamic: false,
			queries: [{ page: '1', limit: '1' }],
		});
		await segmentSize(context, 's1', 5);
		expect(shown.queries).toHaveLength(1);
	});

	test('is counted for each maximum', async () => {
		const { context } = await size(5, 3);
		const shown = { count: 5, isDynamic: false, isMinimum: false };
		expect(await segmentSize(context, 's1', 9)).toStrictEqual(shown);
	});

	test.each<[count: number, max: number, shown: object]>([
		[0, 0, { count: 0, isMinimum: false }],
		[1, 0, { count: 1, isMinimum: true }],
		[4, 4, { count: 4, isMinimum: false }],
		[5, 4, { count: 5, isMinimum: true }],
		[250, 200, { count: 201, isMinimum: true }],
	])('of %i members without a total is counted up to %i', async (count, max, shown) => {
		expect(await size(count, max)).toMatchObject(shown);
	});

	test('is not less than the members that are shown', async () => {
		expect((await size(5, undefined, { meta: { total: 0 } })).count).toBeUndefined();
		expect((await size(5, 10, { meta: { total: 0 } })).count).toBe(5);
	});

	test.each([
		[{ isDynamic: true }, true],
		[{ segment: { id: 's1', isDynamic: true } }, true],
		[{ isDynamic: 'no' }, false],
	])('of a segment with %j may change until the start: %s', async (shape, isDynamic) => {
		expect((await size(2, undefined, shape)).isDynamic).toBe(isDynamic);
	});
});
