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
	/** The size of a segment with this many members, and the queries that it took. */
	async function size(count: number, total: number | undefined, more: object = {}) {
		const service = serviceOf(() => ({
			data: { members: numbered(count), ...more },
			meta: { total },
		}));
		const context = contextOf(service.client, PURPOSE);
		return { ...(await segmentSize(context, 's1')), queries: service.queries, context };
	}

	test('is shown by the service, in one request for all items', async () => {
		const { context, ...shown } = await size(10, 5_000);
		expect(shown).toStrictEqual({
			count: 5_000,
			isDynamic: false,
			queries: [{ page: '1', limit: '1' }],
		});
		await segmentSize(context, 's1');
		expect(shown.queries).toHaveLength(1);
	});

	test.each([
		[0, undefined, {}],
		[1, undefined, { memberCount: 9 }],
		[1, 0, {}],
	])('of %i members with the total %j and %j is unknown', async (count, total, more) => {
		expect((await size(count, total, more)).count).toBeUndefined();
	});

	test.each([
		[{ isDynamic: true }, true],
		[{ segment: { id: 's1', isDynamic: true } }, true],
		[{ isDynamic: 'no' }, false],
	])('of a segment with %j may change until the start: %s', async (shape, isDynamic) => {
		expect((await size(2, 2, shape)).isDynamic).toBe(isDynamic);
	});
});
