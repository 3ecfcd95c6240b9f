import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { addSegment } from '../support/records.mts';
import { runs } from '../support/runs.mts';
import { byId, WELCOME_BROADCAST } from './harness.mts';
import { pairs, SharedHarness } from './sharedHarness.mts';

/**
 * What a segment says about its size, beside the members that it returns: Segment → Get says what is missing, and a broadcast
 * trusts no list that is shorter than the count beside it.
 */
const service = new SharedHarness({ contacts: 0, tickets: 1 });

const number = (index: number) => String(12_025_550_100 + index);
const rows = (count: number) =>
	Array.from({ length: count }, (_, index) => ({ id: `c${index}`, waId: number(index) }));

/** Where a service may show the size of a segment; the document names only `meta.total`. */
const COUNTS: Record<string, (count: number) => IDataObject> = {
	...Object.fromEntries(
		['memberCount', 'member_count', 'contactCount'].map((name) => [
			name,
			(count: number) => ({ [name]: count }),
		]),
	),
	'memberCount as text': (count) => ({ memberCount: String(count) }),
};
/** What is no count: it is shown, and says nothing. */
const NO_COUNTS: IDataObject[] = [
	{},
	{ memberCount: null },
	{ memberCount: '' },
	{ memberCount: 'many' },
	{ contactCount: -1 },
	{ memberCount: 2.5 },
];

/** The segment in a response, in the places where it may be. */
const PLACES: Record<string, (counts: IDataObject, members: IDataObject[]) => IDataObject> = {
	'in data': (counts, members) => ({ id: 's', isDynamic: false, ...counts, members }),
	'under its name': (counts, members) => ({
		segment: { id: 's', isDynamic: false, ...counts, members },
	}),
	'beside its members': (counts, members) => ({
		segment: { id: 's', isDynamic: false, ...counts },
		members,
	}),
};

/** The service has this segment: page 2 and the pages after it have no members. */
function segment(
	place: keyof typeof PLACES,
	counts: IDataObject,
	members: IDataObject[],
	meta?: IDataObject,
) {
	service.sandbox.faults.clear();
	service.requests.length = 0;
	const page = (found: IDataObject[]) => ({
		success: true,
		data: PLACES[place]!(counts, found),
		...(meta && { meta }),
	});
	const matches = ({ path }: { path: string }) => path === '/segments/s';
	service.respond(page([]), {
		times: 99,
		matches: (request) => matches(request) && Number(request.query.page) > 1,
	});
	service.respond(page(members), { times: 99, matches });
}

const sent = () => service.sent('POST /broadcasts').length;
const create = async (more: INodeParameters, options: INodeParameters) =>
	await service.run({ ...WELCOME_BROADCAST, ...more, options });

describe('Segment: Get', () => {
	const GET = { resource: 'segment', operation: 'get', segmentId: byId('s') };
	const get = async (more: INodeParameters) => {
		const outcome = await service.run({ ...GET, ...more });
		expect(outcome.error).toBeUndefined();
		return outcome;
	};

	test.each([['members'], ['segment']])(
		'50 of 260 members are no %s without a word',
		async (segmentOutput) => {
			const contacts = Array.from({ length: 260 }, (_, index) =>
				service.world.addContact({ name: `M ${index}`, waId: number(index), igId: null }),
			);
			const ids = contacts.map(({ id }) => id);
			const segmentId = byId(addSegment(service.world, ids).id);
			const some = await get({ segmentId, segmentOutput });
			expect(some.hints).toStrictEqual(['50 of 260 members returned. Turn on Return All.']);
			const all = await get({ segmentId, segmentOutput, returnAll: true });
			expect(all.hints).toStrictEqual([]);
			if (segmentOutput === 'segment') {
				expect(all.json).toMatchObject([{ id: segmentId.value, memberCount: 260 }]);
				expect(all.json[0]!.members).toHaveLength(260);
				return;
			}
			expect(all.json.map(({ waId }) => waId)).toStrictEqual(contacts.map(({ waId }) => waId));
			expect(new Set(pairs(all.items))).toStrictEqual(new Set([0]));
			expect(some.json).toHaveLength(50);
		},
	);

	test('the members are contacts, also where the service returns memberships', async () => {
		const members = [{ id: 'm1', contact: { id: 'c1', waId: '1' } }];
		service.respond({ success: true, data: { id: 's', members }, meta: { total: 1 } });
		expect((await get({ segmentOutput: 'members' })).json).toStrictEqual([{ id: 'c1', waId: '1' }]);
	});

	test('no members are no items', async () => {
		segment('in data', { memberCount: 0 }, []);
		expect((await get({ segmentOutput: 'members' })).json).toStrictEqual([]);
	});

	test('members that are missing are always said, in whatever place their number is shown', async () => {
		const property = fc.asyncProperty(
			fc.constantFrom(...Object.keys(PLACES)),
			fc.option(fc.constantFrom(...Object.keys(COUNTS)), { nil: undefined }),
			fc.nat({ max: 6 }),
			fc.nat({ max: 8 }),
			fc.option(fc.integer({ min: 1, max: 7 }), { nil: undefined }),
			async (place, name, members, count, limit) => {
				const page = rows(Math.min(members, limit ?? Infinity));
				segment(place, name === undefined ? {} : COUNTS[name]!(count), page);
				const { hints } = await get(limit === undefined ? { returnAll: true } : { limit });
				const got = Math.min(members, limit ?? Infinity);
				const missing = `${got} of ${count} members returned. `;
				const isMissing = name !== undefined && count > got;
				const isCut = limit !== undefined && got === limit;
				const mayBeMore = isCut && (name === undefined || count < got);
				const expected = isMissing
					? [
							isCut
								? `${missing}Turn on Return All.`
								: expect.stringContaining(`${missing}The service `),
						]
					: mayBeMore
						? [
								expect.stringMatching(
									`^${got} members? returned, and there may be more. Turn on Return All.$`,
								),
							]
						: [];
				const given = { place, name, members, count, limit };
				expect({ given, hints }).toEqual({ given, hints: expected });
			},
		);
		const whole = ['in data', 'memberCount', 3, 3, 3] as [string, string, number, number, number];
		await fc.assert(property, { numRuns: runs(20, 2_000), examples: [whole] });
	});
});

describe('a count above the members that were returned is an incomplete list', () => {
	const list = { audience: 'list', recipients: `${number(0)}, ${number(9)}` };
	const exclude = { excludeSegments: { segment: [{ segmentId: byId('s') }] } };

	test('Exclude Segments: nothing is sent, unless the user allows it', async () => {
		const property = fc.asyncProperty(
			fc.constantFrom(...Object.keys(PLACES)),
			fc.constantFrom(...Object.keys(COUNTS)),
			fc.integer({ min: 0, max: 4 }),
			fc.integer({ min: 0, max: 8 }),
			fc.boolean(),
			async (place, name, members, count, isAllowed) => {
				segment(place, COUNTS[name]!(count), rows(members));
				const options = { ...exclude, ...(isAllowed && { allowIncompleteExclusion: true }) };
				const { error, hints } = await create(list, options);
				const isMissing = count > members;
				const what = { place, name, members, count, isAllowed };
				expect({ what, sent: sent() }).toStrictEqual({
					what,
					sent: isMissing && !isAllowed ? 0 : 1,
				});
				const note = `Exclude Segments ("s"): members may be missing, because the service counts ${count}, but returned ${members}`;
				if (isMissing && !isAllowed) {
					expect(error).toMatchObject({
						message: note,
						description:
							'Nothing was sent. Compare the segment with the dashboard, or add the option Allow Incomplete Exclusion.',
					});
				} else if (isMissing) expect(hints).toContain(note);
			},
		);
		await fc.assert(property, { numRuns: runs(20, 2_000) });
	});

	test('so is a total without any members: the segment did not change meanwhile', async () => {
		const note =
			'Exclude Segments ("s"): members may be missing, because the service counts 500, but returned 0';
		segment('in data', { isDynamic: true }, [], { total: 500 });
		expect((await create(list, exclude)).error?.message).toBe(note);
		expect(sent()).toBe(0);
		const { hints } = await create(list, { ...exclude, allowIncompleteExclusion: true });
		expect([hints.includes(note), sent()]).toStrictEqual([true, 1]);
	});

	test.each(Object.entries(PLACES))('what is no count says nothing, %s', async (place) => {
		for (const counts of NO_COUNTS) {
			segment(place, counts, rows(1));
			const { error } = await create(list, exclude);
			expect([counts, error, sent()]).toStrictEqual([counts, undefined, 1]);
		}
	});

	test('the audience, if its members are sent as a list', async () => {
		segment('in data', { memberCount: 3 }, rows(1));
		const other = addSegment(service.world, []);
		const { error } = await create(
			{ audience: 'segment', segmentId: byId('s') },
			{ excludeSegments: { segment: [{ segmentId: byId(other.id) }] } },
		);
		expect([error?.message, sent()]).toStrictEqual([
			'Segment ("s"): members may be missing, because the service counts 3, but returned 1',
			0,
		]);
	});

	test('Max Recipients: the larger number counts, beside the total', async () => {
		const property = fc.asyncProperty(
			fc.constantFrom(...Object.keys(PLACES)),
			fc.option(fc.constantFrom(...Object.keys(COUNTS)), { nil: undefined }),
			fc.integer({ min: 0, max: 6 }),
			fc.integer({ min: 0, max: 8 }),
			fc.boolean(),
			fc.integer({ min: 0, max: 8 }),
			async (place, name, members, count, hasMeta, maxRecipients) => {
				segment(
					place,
					name === undefined ? {} : COUNTS[name]!(count),
					rows(members),
					hasMeta ? { total: members } : undefined,
				);
				await create({ audience: 'segment', segmentId: byId('s') }, { maxRecipients });
				const size = Math.max(members, name === undefined ? 0 : count);
				const what = { place, name, members, count, hasMeta, maxRecipients };
				const isSent = hasMeta && maxRecipients > 0 && size <= maxRecipients;
				expect({ what, sent: sent() }).toStrictEqual({ what, sent: isSent ? 1 : 0 });
			},
		);
		await fc.assert(property, {
			numRuns: runs(20, 2_000),
			examples: [
				['in data', 'memberCount', 5, 1, true, 3],
				['in data', 'memberCount', 0, 0, true, 0],
			],
		});
	});
});
