/**
 * What docs/TRIGGER.md promises at each size, in all splits and orders, at an unknown rate limit: the number of requests and the
 * length of the state while nothing changes, and in how many polls each kind of change is found.
 */
import { broadcasts } from '../../nodes/ConversationalMessaging/trigger/status/sources/broadcasts.ts';
import { chats } from '../../nodes/ConversationalMessaging/trigger/status/sources/chats.ts';
import { importJobs } from '../../nodes/ConversationalMessaging/trigger/status/sources/importJobs.ts';
import { segments } from '../../nodes/ConversationalMessaging/trigger/status/sources/segments.ts';
import type { StatusSource } from '../../nodes/ConversationalMessaging/trigger/status/sources/source.ts';
import { templates } from '../../nodes/ConversationalMessaging/trigger/status/sources/templates.ts';
import { tickets } from '../../nodes/ConversationalMessaging/trigger/status/sources/tickets.ts';
import type { Order } from './service.mts';
import { type Counts, Watch } from './watch.mts';

/** Where the records of a service are. */
const SPLITS: [name: string, of: (all: number) => Counts][] = [
	['600 not closed', (all) => ({ CLOSED: all - 600, OPEN: 200, IN_PROGRESS: 200, RESOLVED: 200 })],
	['1,400 open', (all) => ({ OPEN: 1_400, CLOSED: all - 1_400 })],
	['all resolved', (all) => ({ RESOLVED: all })],
	['half resolved, half closed', (all) => ({ OPEN: 20, RESOLVED: all / 2 - 20, CLOSED: all / 2 })],
	[
		'a quarter in each status',
		(all) => ({ OPEN: all / 4, IN_PROGRESS: all / 4, RESOLVED: all / 4, CLOSED: all / 4 }),
	],
];

/** All of them in `npm run test:long`. */
const CASES = [3_000, 20_000, 30_000]
	.flatMap((all) =>
		SPLITS.map(([split, of], i) => {
			const order: Order = (i + all / 1_000) % 2 === 0 ? 'newest' : 'oldest';
			return {
				all,
				split,
				order,
				counts: of(all),
				isShort: all === 3_000 || (all === 20_000 && i === 2),
			};
		}),
	)
	.filter(({ isShort }) => isShort || process.env.LONG !== undefined);

/** Requests at rest, if the newest record is listed first: another one for each long list if the oldest is. */
const mostRequests = (all: number, order: Order): number =>
	(all <= 3_000 ? 8 : all <= 20_000 ? 20 : 21) + (order === 'oldest' ? 4 : 0);

const UNKNOWN = { windowSize: 'unknown' } as const;

const nothingNew = async (watch: Watch, polls: number, most: number): Promise<void> => {
	for (let i = 0; i < polls; i++) {
		const { events, requests } = await watch.poll();
		expect([events, requests.length <= most]).toStrictEqual([[], true]);
	}
};

test.each([0, 1, 200].flatMap((all) => SPLITS.slice(2).map(([split, of]) => ({ all, split, of }))))(
	'of $all tickets, $split: a poll at rest sends four requests, and every change is found by the next one',
	async ({ all, of }) => {
		const watch = await new Watch(tickets, all < 40 ? { OPEN: all } : of(all)).publish();
		await nothingNew(watch, 3, 4);
		const made = watch.service.make('OPEN');
		await watch.finds([`${made.id} new>OPEN`], 1);
		watch.service.change(made, 'CLOSED');
		await watch.finds([`${made.id} OPEN>CLOSED`], 1);
	},
);

test.each(CASES)(
	'of $all tickets, $split, $order first, every change is found in time, and nothing else',
	async ({ all, order, counts }) => {
		const watch = new Watch(tickets, counts, { order, windowSize: 'unknown' });
		const { service } = watch;
		// The first polls read as much as they may.
		await nothingNew(watch, 16, 100);
		await nothingNew(watch, 12, mostRequests(all, order));
		expect(JSON.stringify(watch.text).length).toBeLessThanOrEqual(all > 20_000 ? 255_000 : 200_000);

		const made = ['OPEN', 'RESOLVED', 'CLOSED'].map((status) => service.make(status));
		await watch.finds(
			made.map(({ id, status }) => `${id} new>${status}`),
			1,
		);

		// From each status to the next one, in the middle of their lists.
		const statuses = ['OPEN', 'IN_PROGRESS', 'RESOLVED', 'CLOSED'];
		for (const [i, from] of statuses.entries()) {
			const to = statuses[(i + 1) % 4]!;
			const rows = watch.rowsOf(from);
			const row = rows[Math.floor(rows.length / 3)];
			if (!row) continue;
			// What leaves a short list, or enters one, is found at once.
			const isShort = [from, to].some((status) => watch.rowsOf(status).length <= 800);
			service.change(row, to);
			await watch.finds([`${row.id} ${from}>${to}`], isShort ? 1 : all > 20_000 ? 16 : 11);
		}

		// A record that was deleted, and one whose requests always fail, hold up nobody.
		const [deleted, broken, other] = watch.rowsOf('OPEN');
		if (!deleted || !broken || !other) return;
		service.delete(deleted);
		service.rejected.set(broken.id, 500);
		for (const row of [broken, other]) service.change(row, 'CLOSED');
		const closed = [broken, other].map(({ id }) => `${id} OPEN>CLOSED`);
		await watch.finds(closed, all > 20_000 ? 16 : 11);
		expect(watch.checkpoint!.failures).toBe(0);
	},
);

test('of 20,000 tickets, those that change between two long lists are found within 11 polls, 500 at once or two that swap', async () => {
	const watch = new Watch(tickets, { RESOLVED: 10_000, CLOSED: 10_000 }, UNKNOWN);
	await nothingNew(watch, 12, 100);
	// No total changes.
	for (const at of [250, 3_000, 6_666, 9_990]) {
		const [one, other] = [watch.rowsOf('RESOLVED')[at]!, watch.rowsOf('CLOSED')[10_000 - at]!];
		watch.service.change(one, 'CLOSED');
		watch.service.change(other, 'RESOLVED');
		await watch.finds([`${one.id} RESOLVED>CLOSED`, `${other.id} CLOSED>RESOLVED`], 11);
	}
	const chosen = watch.rowsOf('RESOLVED').filter((_row, i) => i % 20 === 7);
	for (const row of chosen) watch.service.change(row, 'CLOSED');
	await watch.finds(
		chosen.map(({ id }) => `${id} RESOLVED>CLOSED`),
		11,
	);
});

test.each<
	[
		what: string,
		polls: number,
		source: StatusSource,
		counts: Counts,
		from: string,
		to: string,
		windowSize: number | 'unknown',
	]
>([
	['tickets of 3,000', 1, tickets, { CLOSED: 2_400, OPEN: 600 }, 'OPEN', 'CLOSED', 'unknown'],
	['tickets of 20,000', 1, tickets, { CLOSED: 19_400, OPEN: 600 }, 'OPEN', 'CLOSED', 300],
	[
		...(['chats of 5,000', 1, chats, { NOT_ESCALATED: 4_400, ESCALATED: 600 }] as const),
		...(['ESCALATED', 'NOT_ESCALATED', 'unknown'] as const),
	],
	[
		...([
			'chats of 2,400, at 20 requests',
			20,
			chats,
			{ NOT_ESCALATED: 1_800, ESCALATED: 600 },
		] as const),
		...(['ESCALATED', 'NOT_ESCALATED', 20] as const),
	],
])('300 %s that leave a short list at once are found in %d polls', async (...of) => {
	const [, polls, source, counts, from, to, windowSize] = of;
	const watch = await new Watch(source, counts, { windowSize }).publish();
	const rows = watch.rowsOf(from).filter((_row, i) => i % 2 === 0);
	for (const row of rows) watch.service.change(row, to);
	await watch.finds(
		rows.map(({ id }) => `${id} ${from}>${to}`),
		polls,
	);
});

test('a long list whose number of records changes is read in full, up to 20 pages', async () => {
	const watch = await new Watch(
		segments,
		{ S1: 3_500 },
		{ statuses: ['S1'], ...UNKNOWN },
	).publish();
	const [row] = watch.service.makeAll(['S1']);
	watch.service.rows.splice(1_700, 0, watch.service.rows.shift()!);
	await watch.finds([`${row!.id} new>ADDED`], 1);
});

test('lists that are not known are read in full as far as there is enough', async () => {
	const watch = new Watch(tickets, { RESOLVED: 11_000, CLOSED: 11_000 }, UNKNOWN);
	const first = await watch.poll();
	// The first pages, and one of the lists; then at the cursor.
	expect(first.requests.length).toBe(4 + 55 + 10);
	await nothingNew(watch, 5, 100);
	expect([...watch.memory.known].sort()).toStrictEqual([
		'CLOSED',
		'IN_PROGRESS',
		'OPEN',
		'RESOLVED',
	]);
});

test.each<[string, number, StatusSource, Counts]>([
	['200 broadcasts', 7, broadcasts, { COMPLETED: 195, SCHEDULED: 5 }],
	['3,000 broadcasts', 9, broadcasts, { COMPLETED: 2_990, QUEUED: 10 }],
	['20,000 broadcasts', 20, broadcasts, { COMPLETED: 19_990, QUEUED: 10 }],
	['300 import jobs', 1, importJobs, { completed: 300 }],
	['900 templates', 1, templates, { APPROVED: 900 }],
	['5,000 chats, 100 of them escalated,', 1, chats, { NOT_ESCALATED: 4_900, ESCALATED: 100 }],
])(
	'a poll of %s sends at most this number of requests: %d',
	async (_what, most, source, counts) => {
		const watch = await new Watch(source, counts).publish();
		await nothingNew(watch, 12, most);
	},
);

test('import jobs with ever new statuses do not make the state grow', async () => {
	const watch = await new Watch(importJobs, { processing: 20 }).publish();
	const sizes: number[] = [];
	for (let i = 0; i < 90; i++) {
		watch.service.change(watch.service.rows[i % 20]!, `processing ${i} of 50,000`);
		expect((await watch.poll()).events).toHaveLength(1);
		sizes.push(watch.text.length);
	}
	expect(sizes[89]).toBeLessThan(sizes[30]! + 200);
});

test('tickets that are assigned to another agent are looked up once, as far as the rate limit allows', async () => {
	const scope = { assigneeId: 'A1' };
	const watch = await new Watch(tickets, { OPEN: 150 }, { scope, windowSize: 60 }).publish();
	for (const row of watch.service.rows.slice(0, 40)) watch.service.assign(row, 'A2');
	const requests: number[] = [];
	for (let i = 0; i < 3; i++) requests.push((await watch.poll()).requests.length);
	expect(requests).toStrictEqual([30, 18, 4]);
	expect(watch.logged).toHaveLength(2);
});

test.each([199, 201])(
	'of %d tickets, every change is found if the service repeats the requested page size but serves 20 rows',
	async (count) => {
		const watch = new Watch(tickets, { OPEN: count });
		watch.service.cap = 20;
		await watch.publish();
		const expected = watch.service.rows.map(({ id }) => `${id} OPEN>CLOSED`);
		for (const row of [...watch.service.rows]) watch.service.change(row, 'CLOSED');
		await watch.finds(expected, 8);
	},
);

describe('more records than fit into the state', () => {
	const small = { ...tickets, pageSize: 20 };
	/** For about 1,600 records. */
	const settings = { characters: 12_500 };

	test('changes into short lists are emitted, without the previous status if it was forgotten', async () => {
		const watch = new Watch(small, { CLOSED: 3_000, OPEN: 10 }, settings);
		for (let i = 0; i < 20; i++) expect((await watch.poll()).events).toStrictEqual([]);
		expect(watch.memory.hashes.size).toBeLessThan(2_000);
		expect(watch.logged).toStrictEqual([
			expect.stringMatching(/^! Not all tickets in the list CLOSED fit/),
		]);
		const rows = watch.rowsOf('CLOSED').filter((_row, i) => i % 30 === 0);
		for (const row of rows) watch.service.change(row, 'OPEN');
		const found: string[] = [];
		for (let i = 0; i < 9; i++) found.push(...(await watch.poll()).events);
		const of = (before: string) => rows.filter(({ id }) => found.includes(`${id} ${before}>OPEN`));
		expect([found.length, of('CLOSED').length + of('new').length]).toStrictEqual([100, 100]);
		expect([of('CLOSED').length > 20, of('new').length > 20]).toStrictEqual([true, true]);
	});

	test('deleted records make room: the long lists are read again, silently', async () => {
		const watch = await new Watch(small, { CLOSED: 1_200 }, settings).publish();
		let cuts = 0;
		for (let day = 0; day < 10; day++) {
			watch.service.makeAll(Array.from({ length: 100 }, () => 'CLOSED'));
			for (let i = 0; i < 12; i++) {
				await watch.poll();
				if (watch.memory.isCut) cuts++;
			}
			for (const row of watch.service.rows.slice(-100)) watch.service.delete(row);
			for (let i = 0; i < 3; i++) expect((await watch.poll()).events).toStrictEqual([]);
			expect(watch.memory.known.has('CLOSED')).toBe(true);
		}
		expect([cuts > 0, cuts < 7]).toStrictEqual([true, true]);
	});
});

test('new records are found although every total is too high by one', async () => {
	const watch = new Watch(tickets, { OPEN: 225, IN_PROGRESS: 225, RESOLVED: 225 });
	watch.service.hidden = 1;
	await watch.publish();
	const made = ['OPEN', 'CLOSED'].map((status) => watch.service.make(status));
	await watch.finds(
		made.map(({ id, status }) => `${id} new>${status}`),
		1,
	);
});
