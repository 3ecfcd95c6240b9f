import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { iso } from '../../sandbox/clock.mts';
import { sha256 } from '../support/sha256.mts';
import {
	BroadcastHarness,
	exclude,
	isSegment,
	list,
	phones,
	plusOne,
} from './broadcastHarness.mts';
import { byId } from './harness.mts';
import { on } from './sharedHarness.mts';

/** What keeps a broadcast from people: Exclude Segments, Max Recipients and Quiet Hours. */
const service = new BroadcastHarness();

describe('Exclude Segments', () => {
	const AUDIENCE = ['15123456789', '4915123456780', '442079460958', '12025550100'];

	test('a member whose number has the 0 of a national one, or a country code in brackets, is left out', async () => {
		const members = ['49015123456780', '+44 020 7946 0958', '(+1) 202 555 0100'];
		await service.create({ ...list(...AUDIENCE), options: exclude(service.segmentOf(members)) });
		expect(service.broadcastBody!.recipients).toStrictEqual([AUDIENCE[0]]);
	});

	const IG = { id: 'c1', igId: '17841400000000001' };
	const ANN = { id: 'c2', name: 'Ann' };
	test.each<[members: IDataObject[], message?: string]>([
		[[IG, { id: 'c3', ig_id: '2' }]],
		[[IG, { id: 'c3', waId: '12025550177' }]],
		[
			[IG, ANN, { id: 'c3', igId: '' }],
			'2 members of Exclude Segments cannot be compared with the recipients: "Ann", "c3"',
		],
		[
			[ANN, { id: 'c3', igId: null }],
			'The service shows neither a WhatsApp ID nor an Instagram ID of any member of "s" (Exclude Segments)',
		],
	])(
		'members on Instagram exclude nobody, unknown ones stop it: %j',
		async (members, message = '') => {
			service.showSegment({ id: 's', isDynamic: false, members }, { total: members.length }, 9);
			const parameters = { ...list(...AUDIENCE), options: exclude('s') };
			if (message !== '') {
				await service.expectStop(parameters, message, /^Nothing was sent/);
				return;
			}
			expect((await service.preview(parameters)).shown).toMatchObject({
				ready: true,
				recipients: 4,
			});
			expect((await service.create(parameters)).error).toBeUndefined();
			expect(service.broadcastBody!.recipients).toStrictEqual(AUDIENCE);
		},
	);

	test('an audience whose members are all on Instagram has no recipients', async () => {
		const options = exclude(service.segmentOf(['12025550177']));
		const data = { id: 's', members: [IG] };
		const matches = ({ path }: { path: string }) => path === '/segments/s';
		service.respond({ success: true, data, meta: { total: 1 } }, { matches, times: 9 });
		await service.expectStop(
			{ segmentId: byId('s'), options },
			'The broadcast has no recipients',
			/Left out 1 contact without a WhatsApp ID\./,
		);
	});

	const mayReceive = /^Nothing was sent, because .* might receive .*Allow Incomplete Exclusion\.$/;
	test.each<[what: string, members: string[], count: number]>([
		['national numbers', ['015123456789', '12025550100'], 1],
		['the end of a recipient’s number', ['5123456789', '3456789', '15123456780'], 3],
		['a number that ends as a recipient’s', ['4915123456789'], 1],
		['a 0 that numbers of the country do not have', ['105123456789', '+120 2555 0100'], 1],
	])(
		'a member who may be a recipient stops it, and is named: %s',
		async (_what, members, count) => {
			const options = exclude(
				service.segmentOf(['12025550177'], 'Holdout'),
				service.segmentOf(members),
			);
			const names = members.slice(0, count).map((name) => `"${name}"`);
			await service.expectStop(
				{ ...list(...AUDIENCE), options },
				`${count === 1 ? '1 member' : `${count} members`} of Exclude Segments cannot be compared with the recipients: ${names.join(', ')}`,
				mayReceive,
			);
		},
	);

	test('a segment that may be dynamic and shows no members stops it', async () => {
		const excluded = service.segmentOf([], 'Opted out', true);
		const parameters = { ...list(...AUDIENCE), options: exclude(excluded) };
		for (const contact of service.world.contacts.filter(({ waId }) => waId !== null))
			service.world.contacts.delete(contact.id);
		const message = (name: string) =>
			`The service shows no members of "${name}" (Exclude Segments), and does not show that it is static`;
		await service.expectStop(parameters, message('Opted out'), mayReceive);
		// A segment that shows no name either.
		service.showSegment({ members: [] }, { total: 0 }, 2);
		await service.expectStop(parameters, message(excluded), mayReceive);
	});

	test('with Allow Incomplete Exclusion, they may receive it, and a note names the first ten', async () => {
		const members = Array.from({ length: 12 }, (_, n) => `01512345678${n}`);
		const options = {
			...exclude(service.segmentOf([...members, '12025550100'])),
			allowIncompleteExclusion: true,
		};
		const { json, hints } = await service.create({ ...list(...AUDIENCE), options });
		expect(service.broadcastBody!.recipients).toStrictEqual(AUDIENCE.slice(0, 3));
		expect(hints.at(-1)).toMatch(
			/^12 members of Exclude Segments may receive the broadcast, because they cannot be compared with the recipients: ("\d+", ){10}and 2 more$/,
		);
		expect(json[0]!.guards).toMatchObject({ leftOut: 1, notes: hints });
		expect((await service.preview({ ...list(...AUDIENCE), options })).shown.notes).toStrictEqual([
			...hints,
			plusOne('1 recipient', 'US 1'),
		]);
	});

	test('a member of the segment who cannot be compared is left out', async () => {
		const members = ['015123456789', 'n/a', '0012025550101', '12025550102', null];
		const { json } = await service.create({
			segmentId: byId(service.segmentOf(members)),
			options: exclude(service.segmentOf(['12025550102', '4915123456789'])),
		});
		expect(service.broadcastBody!.recipients).toStrictEqual(['0012025550101']);
		expect(json[0]!.guards).toStrictEqual({
			recipients: 1,
			leftOut: 4,
			notes: [
				'Left out 1 member of "Opted out"',
				'Left out 1 contact without a WhatsApp ID',
				'Left out 2 numbers that cannot be compared with Exclude Segments: "015123456789", "n/a"',
			],
		});
	});

	test.each(['', '{ "success": true, "data": null }'])(
		'the response %j is no empty exclusion: nothing is sent',
		async (body) => {
			service.respondWith('application/json', body, { matches: isSegment });
			const options = exclude(service.segmentOf(['12025550102']));
			const { error } = await service.create({ ...list('12025550102'), options });
			expect(error!.message).toMatch(
				/^Read Exclude Segments \(".*"\): the response contains no list/,
			);
			expect(service.sentBroadcasts).toStrictEqual([]);
		},
	);

	test('several leave out their union; notes say how many each one leaves out, and each is read once', async () => {
		const options = exclude(
			service.segmentOf(phones(2)),
			service.segmentOf(phones(3, 1), 'Messaged <this> week'),
			service.segmentOf(['12025550177'], 'Holdout'),
			service.segmentOf([null], 'Instagram'),
		);
		const notes = [
			'Left out 2 members of "Opted out"',
			'Left out 3 members of "Messaged <this> week"',
			'No recipient is a member of "Holdout"',
			'"Instagram" excludes nobody: the service shows no members with a phone number',
		];
		const parameters = { ...list(...phones(6)), options };
		expect((await service.preview(parameters)).shown).toMatchObject({
			ready: true,
			recipients: 2,
			notes: [...notes, plusOne('2 recipients', 'US 2')],
		});
		service.requests.length = 0;
		const { json, hints } = await service.create(parameters, { items: [{}, {}] });
		for (const row of json) expect(row.guards).toStrictEqual({ recipients: 2, leftOut: 4, notes });
		expect(hints).toStrictEqual(notes.map((note) => note.replace('<', '‹')));
		expect(service.sent('GET /segments/{id}')).toHaveLength(4);
		expect(service.bodies('POST /broadcasts')).toMatchObject(
			Array(2).fill({ recipients: phones(2, 4) }),
		);
	});

	test('one of several that may be incomplete stops the broadcast, and is named', async () => {
		const other = service.segmentOf(['015123456789'], 'Holdout');
		const data = { name: 'Holdout', memberCount: 3, members: [{ id: 'c', waId: '12025550101' }] };
		const matches = ({ path }: { path: string }) => path === `/segments/${other}`;
		service.respond({ success: true, data }, { matches });
		const options = exclude(service.segmentOf(phones(1)), other);
		const { error } = await service.create({ ...list(...phones(3)), options });
		expect(error!.message).toBe(
			'Exclude Segments ("Holdout"): members may be missing, because the service counts 3, but returned 1',
		);
		expect(service.sentBroadcasts).toStrictEqual([]);
	});

	test('several may be a list of IDs from an expression', async () => {
		const ids = [service.segmentOf(phones(1)), service.segmentOf(phones(1, 2))];
		const options = exclude({ __rl: true, mode: 'id', value: '={{ $json.ids }}' });
		await service.create({ ...list(...phones(4)), options }, { items: [{ ids }] });
		const [, second, , fourth] = phones(4);
		expect(service.broadcastBody!.recipients).toStrictEqual([second, fourth]);
	});

	const NO_LIST = { __rl: true, mode: 'list', value: '' };
	const returning = (value: string) => ({ __rl: true, mode: 'id', value });
	test.each<[rows: (id: string) => INodeParameters, message: string]>([
		[() => ({ excludeSegments: {} }), 'Exclude Segments is empty'],
		[() => exclude(), 'Exclude Segments is empty'],
		[(id) => exclude(id, NO_LIST), 'Excluded Segment is empty'],
		[(id) => exclude(id, returning('={{ $json.nothing }}')), 'Excluded Segment is empty'],
		[(id) => exclude(id, returning('={{ [] }}')), 'Excluded Segment is empty'],
		[
			(id) => exclude(returning(`=${id},{{ $json.nothing }}`)),
			'Excluded Segment expects a list without empty entries, but got a list: ["ID",""]',
		],
		[(id) => exclude(id, id), 'Exclude Segments contains the segment ID twice'],
		[(id) => exclude(id), 'Exclude Segments contains the segment that is the audience'],
	])('nothing is sent, and a message says what to do: %#', async (rows, message) => {
		const id = service.segmentOf(phones(3));
		await service.expectStop(
			{ segmentId: byId(id), options: rows(id) },
			message.replace('ID', id),
			/remove|Choose another|Pick or enter one|expression/,
		);
	});
});

describe('the guards of Broadcast: Create', () => {
	test('a CSV file is sent byte for byte, even if its rows are counted', async () => {
		const bytes = Buffer.from('phone;name\r\n12025550100;J\u00f6rg\n12025550100;\n', 'latin1');
		await service.create({ audience: 'csv', options: { maxRecipients: 9 } }, { file: { bytes } });
		expect(service.sentBroadcasts[0]!.file!.sha256).toBe(sha256(bytes));
	});

	test('without a guard, Create reads nothing about its audience', async () => {
		const segmentId = byId(service.segmentOf([], 'All', true));
		const guarded = await service.create({ segmentId, options: { maxRecipients: 99 } });
		expect(guarded.hints).toStrictEqual([
			'The segment is dynamic: its members may change until the start',
		]);
		// None of these changes anything alone.
		const options = {
			allowIncompleteExclusion: true,
			recipientTimeZone: 'Asia/Tokyo',
			skipRepeatedNumbers: false,
		};
		for (const without of [{}, options]) {
			service.requests.length = 0;
			const { json, hints } = await service.create({ segmentId, options: without });
			expect(hints).toStrictEqual([]);
			expect(json[0]).not.toHaveProperty('guards');
			expect(service.sent('GET /segments/{id}')).toStrictEqual([]);
		}
	});

	test('what no guard needed to read is unknown in the output, also after a wait', async () => {
		const options = { quietHours: '02:00-02:01', waitForCompletionMinutes: 5 };
		const file = 'phone,name\n12025550100,A';
		const { json } = await service.create({ audience: 'csv', options }, { file });
		expect(json[0]).toMatchObject({
			status: 'COMPLETED',
			guards: { recipients: null, leftOut: 0, notes: [] },
		});
	});

	const berlin = { timezone: 'Europe/Berlin' };
	const at = (text: string) =>
		service.time.clock.advance(Date.parse(text) - service.time.clock.now());

	test('a start in Quiet Hours is scheduled for their end: sent in UTC, returned in the workflow’s time zone', async () => {
		at('2041-05-06T23:30:00-04:00');
		const options = { quietHours: '21:00-08:00', recipientTimeZone: 'America/New_York' };
		const { json, hints } = await service.create({ ...list('12025550100'), options }, berlin);
		const startsAt = '2041-05-07T14:00:00+02:00';
		const sendAt = '2041-05-07T12:00:00.000Z';
		expect(service.broadcastBody).toMatchObject({ scheduleType: 'schedule', sendAt });
		expect(json[0]).toMatchObject({
			status: 'SCHEDULED',
			guards: { recipients: 1, leftOut: 0, startsAt, notes: hints },
		});
		expect(hints).toStrictEqual([
			'Quiet Hours: starts Tuesday 7 May 2041 08:00, America/New_York, instead of Monday 6 May 2041 23:30, America/New_York',
		]);
	});

	test.each(['list', 'csvItems'])(
		'a broadcast that waits for the rate limit until Quiet Hours begin is postponed, too: %s',
		async (audience) => {
			// Not in another year: the rate limiter outlives this test.
			const day = (offset: number) =>
				iso(service.time.clock.now() + offset * 86_400_000).slice(0, 10);
			const startsAt = `${day(1)}T08:00:00+00:00`;
			at(`${day(0)}T20:59:57+00:00`);
			const wait = { kind: 'status', status: 429, headers: { 'retry-after': '4' } } as const;
			service.sandbox.faults.add(wait, on('POST /broadcasts'));
			const { json, hints } = await service.create(
				{ ...list('12025550100'), audience, options: { quietHours: '21:00-08:00' } },
				{ timezone: 'UTC', items: [{ phone: '12025550100', name: 'Ann' }] },
			);
			expect(service.sentBroadcasts).toHaveLength(2);
			const sendAt = iso(Date.parse(startsAt));
			expect(service.broadcastBody).toMatchObject({ scheduleType: 'schedule', sendAt });
			expect(json[0]!.guards).toMatchObject({ startsAt, notes: hints });
		},
	);

	test('a start at this very moment is in the past, a second later is not', async () => {
		at('2041-05-06T12:00:00+02:00');
		const startAt = async (sendAt: string) =>
			await service.create({ ...list('12025550100'), scheduleType: 'schedule', sendAt }, berlin);
		const { error } = await startAt('2041-05-06T12:00:00');
		expect(error!.message).toMatch(/^Date and Time is in the past/);
		await startAt('2041-05-06T12:00:01');
		expect(service.broadcastBody).toMatchObject({ sendAt: '2041-05-06T10:00:01.000Z' });
	});
});
