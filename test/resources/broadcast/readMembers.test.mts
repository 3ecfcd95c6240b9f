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

test.each<[shape: object, total: number, count: number | undefined, isDynamic: boolean]>([
	[{}, 0, undefined, false],
	[{ segment: { id: 's1', isDynamic: true } }, 1, 1, true],
	[{ isDynamic: 'no' }, 1, 1, false],
])('the size of a segment with one member, %j and the total %i', async (shape, total, ...size) => {
	const page = { data: { members: [{ id: 'c1' }], ...shape }, meta: { total } };
	const [count, isDynamic] = size;
	const { context, queries } = segmentWith(page);
	// One request for all items.
	for (let item = 0; item < 2; item++)
		expect(await segmentSize(context, 's1')).toStrictEqual({ count, isDynamic });
	expect(queries).toStrictEqual([{ page: '1', limit: '1' }]);
});
