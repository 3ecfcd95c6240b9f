/** The members of a segment: whom a broadcast is sent to, whom it leaves out, and how many there are. */
import {
	readExcluded,
	readMembers,
	segmentSize,
} from '../../../nodes/ConversationalMessaging/resources/broadcast/audience/readMembers.ts';
import { OperationContext } from '../../../nodes/ConversationalMessaging/runner/operationContext.ts';
import { serviceOf } from '../../api/service.mts';

const PURPOSE = { endpoint: 'POST /broadcasts', action: 'Create broadcast' } as const;

/** The context of a broadcast, with a service that has these pages of a segment's members. */
function segmentWith(...pages: object[]) {
	const service = serviceOf(({ page }) => pages[Number(page) - 1] ?? members());
	return { ...service, context: new OperationContext(service.client, PURPOSE) };
}

const members = (...contacts: unknown[]) => ({ data: { members: contacts } });
const numbered = (count: number) =>
	Array.from({ length: count }, (_, n) => ({ id: n, waId: `${12_025_550_100 + n}` }));

describe('the members of a segment', () => {
	const read = async (...contacts: unknown[]) =>
		await readMembers(segmentWith(members(...contacts)).context, 's1', 'Segment');

	test.each<[where: string, member: unknown, address: string]>([
		['in waId', { id: 'c1', waId: '12025550100' }, '12025550100'],
		['with separators', { id: 'c1', waId: ' +1 202 555-0100 ' }, '+1 202 555-0100'],
		['as a user ID', { id: 'c1', waId: 'US.13491208655302741918' }, 'US.13491208655302741918'],
		['under another name', { id: 'c1', waId: ' ', phone: '12025550100' }, '12025550100'],
		[
			'in the contact of a membership',
			{ id: 'm1', waId: 'x', contact: { id: 'c1', waId: '12025550100' } },
			'12025550100',
		],
	])('have their address %s', async (_where, member, address) => {
		expect(await read(member)).toStrictEqual({
			reachable: [[address]],
			incomparable: [],
			withoutAddress: 0,
		});
	});

	test('without an address, or with one that cannot be compared, are counted', async () => {
		const rows = ['12025550100', 'n/a', '015123456789', null].map((waId, id) => ({ id, waId }));
		expect(await read(...rows, { id: 'c5', igId: '17841400000000001' }, 'c6', null)).toStrictEqual({
			reachable: [['12025550100']],
			incomparable: ['n/a', '015123456789'],
			withoutAddress: 4,
		});
	});

	test('are excluded by the keys of their contacts', async () => {
		const rows = ['+52 1 55 1234 5678', 'CO.1092712345'].map((waId, id) => ({ id, waId }));
		const { context } = segmentWith(members(...rows));
		expect(await readExcluded(context, 's1')).toStrictEqual({
			excluded: new Set(['525512345678', 'CO.1092712345']),
			notes: [],
		});
		expect(await readExcluded(context, undefined)).toStrictEqual({
			excluded: new Set(),
			notes: [],
		});
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
		const context = new OperationContext(service.client, PURPOSE);
		return { ...(await segmentSize(context, 's1', max)), queries: service.queries, context };
	}

	test('is shown by the service, in one request for all items', async () => {
		const { context, ...shown } = await size(10, 5, { meta: { total: 5_000 } });
		expect(shown).toStrictEqual({
			members: 5_000,
			isDynamic: false,
			queries: [{ page: '1', limit: '1' }],
		});
		await segmentSize(context, 's1', 5);
		expect(shown.queries).toHaveLength(1);
	});

	test.each<[members: number, max: number, shown: object]>([
		[0, 0, { members: 0, isMinimum: false }],
		[1, 0, { members: 1, isMinimum: true }],
		[4, 4, { members: 4, isMinimum: false }],
		[5, 4, { members: 5, isMinimum: true }],
		[250, 200, { members: 201, isMinimum: true }],
	])('of %i members without a total is counted up to %i', async (count, max, shown) => {
		expect(await size(count, max)).toMatchObject(shown);
	});

	test('is not less than the members that are shown', async () => {
		expect((await size(5, undefined, { meta: { total: 0 } })).members).toBeUndefined();
		expect((await size(5, 10, { meta: { total: 0 } })).members).toBe(5);
	});

	test.each([
		[{ isDynamic: true }, true],
		[{ segment: { id: 's1', isDynamic: true } }, true],
		[{ isDynamic: 'no' }, false],
	])('of a segment with %j may change until the start: %s', async (shape, isDynamic) => {
		expect((await size(2, undefined, shape)).isDynamic).toBe(isDynamic);
	});
});
