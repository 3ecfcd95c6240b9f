import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { addSegment } from '../support/records.mts';
import { runs } from '../support/runs.mts';
import { byId, WELCOME_BROADCAST } from './harness.mts';
import { sentOf, type Campaign, type Member, type Sent } from './recipientsReference.mts';
import { SharedHarness } from './sharedHarness.mts';
import { sha256 } from '../support/sha256.mts';

/**
 * The recipients of random broadcasts, on n8n's engine against the sandbox: what the service is sent is what the reference
 * says, or nothing. `RUNS=10000 npx jest test/engine/recipientTables` tries many with new values.
 */
const service = new SharedHarness({ contacts: 0, tickets: 1, pageCap: 3 });

/** Numbers as a user enters them; the same ones in several forms. */
const ENTERED = [
	...['12025550101', '(+1) 202 555-0101', '12025550102', '4915112345678', '15112345678'],
	...['5215512345678', '525512345678', '5511987654321', '551187654321', '5491112345678'],
	'US.13491208655302741918',
];
/** Numbers as a service may have stored them. */
const STORED = [
	...[...ENTERED, '(+49) 15112345678', '0049 151/12345678', '015112345678', '5512345678'],
	...['11987654321', '5550101', 'us.13491208655302741918', 'n/a'],
];

const oneOf = <T,>(...values: T[]) => fc.constantFrom(...values);
const on = (waId: string | null, igId: string | null): Member => ({ waId, igId });
const member: fc.Arbitrary<Member> = fc.oneof(
	{ weight: 12, arbitrary: oneOf(...ENTERED).map((waId) => on(waId, null)) },
	{ weight: 3, arbitrary: oneOf(...STORED).map((waId) => on(waId, null)) },
	{ weight: 2, arbitrary: fc.constant(on(null, '17841400000000001')) },
	{ weight: 1, arbitrary: fc.constant(on(null, null)) },
);

const campaign: fc.Arbitrary<Campaign & { changes: string[] }> = fc.record({
	audience: oneOf('list', 'items', 'csv', 'csvItems', 'segment'),
	numbers: fc.array(oneOf(...ENTERED), { minLength: 1, maxLength: 6 }),
	names: fc.array(oneOf('Ann', 'Bob'), { minLength: 6, maxLength: 6 }),
	members: fc.array(member, { maxLength: 7 }),
	excluded: fc.option(
		fc.array(fc.array(member, { maxLength: 4 }), { minLength: 1, maxLength: 3 }),
		{
			nil: undefined,
			freq: 4,
		},
	),
	isDynamic: fc.boolean(),
	allowIncompleteExclusion: oneOf(false, false, true),
	skipRepeated: fc.boolean(),
	maxRecipients: fc.option(fc.nat({ max: 7 }), { nil: undefined }),
	/** What happens to the first of Exclude Segments while its members are read. */
	changes: fc
		.tuple(fc.nat({ max: 4 }), fc.array(oneOf('none', 'joins', 'leaves'), { maxLength: 3 }))
		.map(([n, changes]) => (n === 0 ? changes : [])),
});

/** A segment of new contacts. A dynamic one has all contacts on WhatsApp, and the sandbox has no other rule. */
function segmentOf(members: readonly Member[], isDynamic = false) {
	const ids = members.map((each, n) => service.world.addContact({ name: `M ${n}`, ...each }).id);
	return addSegment(service.world, ids, {
		isDynamic,
		rules: isDynamic ? { channel: 'NONE' } : null,
	});
}

const csvOf = (rows: string[][], lineBreak: string) =>
	[['phone', 'name'], ...rows].map((row) => row.join(',')).join(lineBreak);
test('what the service is sent is what the reference says, as the preview predicts', async () => {
	const property = fc.asyncProperty(campaign, async ({ changes, ...given }) => {
		service.sandbox.faults.clear();
		service.requests.length = 0;
		const { audience, numbers, names, excluded, maxRecipients } = given;
		// The sandbox shows members of dynamic segments by rules only: here, one that shows none.
		const isDynamic =
			given.isDynamic && excluded?.every((members) => members.length === 0) === true;
		const rows = numbers.map((phone, n) => ({ phone, waId: phone, name: names[n]! }));
		const excludedSegments = excluded?.map((members) => segmentOf(members, isDynamic));
		const excludedSegment = excludedSegments?.[0];
		const parameters = {
			...WELCOME_BROADCAST,
			audience,
			recipients: numbers.join('\n'),
			segmentId: byId(segmentOf(given.members).id),
			options: {
				...(excludedSegments && {
					excludeSegments: {
						segment: excludedSegments.map(({ id }) => ({ segmentId: byId(id) })),
					},
				}),
				...(given.allowIncompleteExclusion && { allowIncompleteExclusion: true }),
				...(given.skipRepeated && { skipRepeatedNumbers: true }),
				...(maxRecipients !== undefined && { maxRecipients }),
			},
		};
		const isOfAll = audience === 'items' || audience === 'csvItems';
		const file = csvOf(
			rows.map(({ phone, name }) => [`"${phone}"`, name]),
			'\n',
		);
		const input = { items: isOfAll ? rows : [{}], file };
		const expected = sentOf({ ...given, isDynamic });

		const preview = await service.run({ ...parameters, operation: 'preview' }, input);
		expect(preview.error).toBeUndefined();
		expect(service.sent('POST /broadcasts')).toStrictEqual([]);

		const before = new Set(excludedSegment?.members);
		changeWhileRead(excludedSegment, changes);
		const { error } = await service.run(parameters, input);
		const posts = service.sent('POST /broadcasts');
		if (changes.length > 0 && excludedSegment) {
			// Whoever was in the segment all the while receives nothing.
			const [first = [], ...others] = excluded!;
			const stayed = first.filter((_, n) => excludedSegment.members.has([...before][n]!));
			const recipients = (posts[0]?.body as IDataObject | undefined)?.recipients ?? [];
			const safe = sentOf({
				...given,
				excluded: [stayed, ...others],
				allowIncompleteExclusion: true,
			});
			const allowed = safe !== 'stops' && safe.mode === 'list' ? safe.recipients : [];
			expect(allowed).toEqual(expect.arrayContaining(recipients as string[]));
			return;
		}
		expect(posts).toHaveLength(expected === 'stops' ? 0 : 1);
		if (expected === 'stops') {
			expect(error?.description).toMatch(/Nothing was sent|Remove the option/);
			expect(preview.json[0]).toMatchObject({ ready: false, recipients: null });
			return;
		}
		const body = posts[0]!.body as IDataObject;
		expect({ given, sent: sentIn(body, posts[0]!.file?.sha256) }).toStrictEqual({
			given,
			sent: shownOf(expected, file),
		});
		expect(preview.json[0]).toMatchObject({ ready: true, recipients: countOf(expected, given) });
	});
	await fc.assert(property, { numRuns: runs(40, 1_000) });
});

/** Before each page of its members is read, one change of the segment. */
function changeWhileRead(
	segment: { id: string; members: Set<string> } | undefined,
	changes: readonly string[],
): void {
	const left = [...changes];
	const matches = ({ path }: { path: string }) => {
		if (segment === undefined || path !== `/segments/${segment.id}`) return false;
		const change = left.shift();
		const [first] = segment.members;
		if (change === 'leaves' && first !== undefined) segment.members.delete(first);
		if (change === 'joins')
			segment.members.add(service.world.addContact({ name: 'New', waId: '12025559999' }).id);
		return false;
	};
	service.sandbox.faults.add({ kind: 'reset' }, { matches });
}

const sentIn = ({ audienceMode, recipients }: IDataObject, file?: string) => ({
	audienceMode,
	...(audienceMode === 'list' && { recipients }),
	...(file !== undefined && { file }),
});

/** @param file the one that the user chose */
function shownOf(sent: Exclude<Sent, 'stops'>, file: string) {
	if (sent.mode !== 'csv') {
		const { mode: audienceMode, ...rest } = sent;
		return { audienceMode, ...rest };
	}
	return { audienceMode: 'csv', file: sha256(sent.isFile ? file : csvOf(sent.rows, '\r\n')) };
}

function countOf(sent: Exclude<Sent, 'stops'>, { members }: Campaign): number {
	if (sent.mode === 'segment') return members.length;
	return sent.mode === 'list' ? sent.recipients.length : sent.rows.length;
}
