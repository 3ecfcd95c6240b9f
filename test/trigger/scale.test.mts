/**
 * What docs/TRIGGER.md promises at 3,000 and 20,000 records: the number of requests and the length of the state while
 * nothing changes, and in how many polls each kind of change is found. All splits and orders at all sizes, and faults at
 * each, are in scale.long.test.mts.
 */
import { LIMITS } from '../../nodes/ConversationalMessaging/trigger/limits.ts';
import { broadcasts } from '../../nodes/ConversationalMessaging/trigger/status/sources/broadcasts.ts';
import { chats } from '../../nodes/ConversationalMessaging/trigger/status/sources/chats.ts';
import { importJobs } from '../../nodes/ConversationalMessaging/trigger/status/sources/importJobs.ts';
import type { StatusSource } from '../../nodes/ConversationalMessaging/trigger/status/sources/source.ts';
import { tickets } from '../../nodes/ConversationalMessaging/trigger/status/sources/tickets.ts';
import { expectChangesToBeFound, pollsToSearch, SPLITS } from './scale.mts';
import { outage } from './service.mts';
import { type Counts, Watch } from './watch.mts';

test.each([
	...SPLITS.map(([split, of], i) => {
		const order = i % 2 === 0 ? ('newest' as const) : ('oldest' as const);
		return { all: 3_000, split, order, of };
	}),
	{ all: 20_000, split: 'half resolved, half closed', order: 'oldest' as const, of: SPLITS[2]![1] },
])(
	'of $all tickets, $split, $order first, every change is found in time, and nothing else',
	async ({ all, order, of }) => {
		const watch = await new Watch(tickets, of(all), { order }).publish();
		await expectChangesToBeFound(watch, { all, polls: pollsToSearch(all) });
	},
);

test('of 3,000 tickets, two that swap statuses, so that no total changes, are found within 20 polls', async () => {
	const watch = await new Watch(tickets, { RESOLVED: 1_500, CLOSED: 1_500 }).publish();
	const [one, other] = [watch.rowsOf('RESOLVED')[1_000]!, watch.rowsOf('CLOSED')[750]!];
	watch.service.change(one, 'CLOSED');
	watch.service.change(other, 'RESOLVED');
	await watch.finds([`${one.id} RESOLVED>CLOSED`, `${other.id} CLOSED>RESOLVED`], 20);
});

test('the first poll reads at most 200 pages of long lists, and later ones search at most 40', async () => {
	const watch = new Watch(tickets, { RESOLVED: 11_000, CLOSED: 11_000 });
	const first = await watch.poll();
	// Before them, the first pages of all records and of each status.
	expect(first.requests.length).toBe(1 + 4 + 200);
	// Everything else that uses the token comes before them.
	expect(watch.service.background).toBe(200);
	await watch.publish();
	for (const row of watch.rowsOf('RESOLVED').slice(8_500, 8_510))
		watch.service.change(row, 'CLOSED');
	expect((await watch.poll()).requests.length).toBe(4 + 40);
});

test('deletions are no changes, and hide none that come after them', async () => {
	const watch = await new Watch(tickets, { RESOLVED: 3_000, CLOSED: 3_000 }).publish();
	for (const row of watch.rowsOf('CLOSED').slice(0, 500)) watch.service.delete(row);
	for (let i = 0; i < 3; i++) expect((await watch.poll()).events).toStrictEqual([]);
	const row = watch.rowsOf('RESOLVED')[1_500]!;
	watch.service.change(row, 'CLOSED');
	await watch.finds([`${row.id} RESOLVED>CLOSED`], 1);
});

test.each<[string, number, StatusSource, Counts]>([
	['200 broadcasts', 1, broadcasts, { COMPLETED: 195, SCHEDULED: 5 }],
	['5,000 broadcasts', 8, broadcasts, { COMPLETED: 4_990, QUEUED: 10 }],
	['300 import jobs', 1, importJobs, { completed: 300 }],
	['5,000 chats, 100 of them escalated,', 1, chats, { NOT_ESCALATED: 4_900, ESCALATED: 100 }],
])(
	'a poll of %s sends at most this number of requests: %d',
	async (_what, most, source, counts) => {
		const watch = await new Watch(source, counts).publish();
		for (let i = 0; i < 12; i++) {
			const { events, requests } = await watch.poll();
			expect([events, requests.length <= most]).toStrictEqual([[], true]);
		}
	},
);

test('import jobs with ever new statuses do not make the checkpoint grow', async () => {
	const watch = await new Watch(importJobs, { processing: 20 }).publish();
	const sizes: number[] = [];
	for (let i = 0; i < 90; i++) {
		watch.service.change(watch.service.rows[i % 20]!, `processing ${i} of 50,000`);
		expect((await watch.poll()).events).toHaveLength(1);
		sizes.push(watch.text.length);
	}
	expect(sizes[89]).toBeLessThan(sizes[30]! + 200);
});

test('tickets that are assigned to another agent are looked up once, at most 100 in one poll', async () => {
	const scope = { assigneeId: 'A1' };
	const watch = await new Watch(tickets, { OPEN: 150 }, { scope }).publish();
	for (const row of watch.service.rows.slice(0, 120)) watch.service.assign(row, 'A2');
	const requests: number[] = [];
	for (let i = 0; i < 3; i++) requests.push((await watch.poll()).requests.length);
	expect(requests).toStrictEqual([101, 21, 1]);
});

test.each([403, 500])(
	'records whose look-ups are answered with %d do not keep the others from being looked up',
	async (status) => {
		const watch = await new Watch(tickets, { CLOSED: 3_000, OPEN: 600 }).publish();
		// Not those on the first page of the list of all.
		const rows = watch.rowsOf('OPEN').slice(-250);
		const bad = rows.slice(0, status === 500 ? 1 : 200);
		const good = rows.slice(200);
		for (const row of bad) watch.service.rejected.set(row.id, status);
		for (const row of [...bad, ...good]) watch.service.change(row, 'ON_HOLD');
		await watch.finds(
			good.map(({ id }) => `${id} OPEN>ON_HOLD`),
			12,
		);
	},
);

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

test('a search that an outage interrupts in every poll goes on where it stopped', async () => {
	const watch = await new Watch(tickets, { RESOLVED: 4_000, CLOSED: 4_000 }).publish();
	const chosen = watch.rowsOf('RESOLVED').filter((_row, i) => i % 20 === 0);
	for (const row of chosen) watch.service.change(row, 'CLOSED');
	watch.service.onRequest = (request) => {
		if (request >= 12) throw outage();
	};
	await watch.finds(
		chosen.map(({ id }) => `${id} RESOLVED>CLOSED`),
		9,
	);
});

describe('more records than fit', () => {
	const small = { ...tickets, pageSize: 20 };
	/** For about 2,200 records with keys of 42 bits. */
	const limits = { ...LIMITS, wholePages: 2, extraPages: 1, keyBits: 42, characters: 12_500 };

	test('of records that were forgotten, changes into short lists are emitted without the previous status', async () => {
		const watch = await new Watch(small, { CLOSED: 3_000, OPEN: 10 }, { limits }).publish();
		expect(watch.memory.records.keys.size).toBeLessThan(2_500);
		for (let i = 0; i < 20; i++) expect((await watch.poll()).events).toStrictEqual([]);
		const { records } = watch.memory;
		const rows = watch.rowsOf('CLOSED').filter((_row, i) => i % 30 === 0);
		const before = rows.map(({ id }) => (records.statusOf(id) === undefined ? 'new' : 'CLOSED'));
		expect(new Set(before).size).toBe(2);
		for (const row of rows) watch.service.change(row, 'OPEN');
		await watch.finds(
			rows.map(({ id }, i) => `${id} ${before[i]!}>OPEN`),
			9,
		);
	});

	test('deleted records make room: the long lists are read again before a record is forgotten', async () => {
		const watch = await new Watch(small, { CLOSED: 1_800 }, { limits }).publish();
		let refills = 0;
		for (let day = 0; day < 10; day++) {
			for (let i = 0; i < 100; i++) watch.service.make('CLOSED');
			for (let i = 0; i < 8; i++) {
				await watch.poll();
				if (Object.values(watch.memory.long).some(({ passes }) => passes > 0)) refills++;
			}
			for (const row of watch.service.rows.slice(-100)) watch.service.delete(row);
			for (let i = 0; i < 3; i++) expect((await watch.poll()).events).toStrictEqual([]);
			expect(watch.memory.long.CLOSED!.isKnown).toBe(true);
		}
		expect([refills > 0, refills < 7]).toStrictEqual([true, true]);
	});
});

test.each([150, 900])(
	'new records are found among %d although every total is too high by one',
	async (count) => {
		const quarters = { OPEN: count / 4, IN_PROGRESS: count / 4, RESOLVED: count / 4 };
		const watch = new Watch(tickets, quarters);
		watch.service.hidden = 1;
		await watch.publish();
		const made = ['OPEN', 'CLOSED'].map((status) => watch.service.make(status));
		await watch.finds(
			made.map(({ id, status }) => `${id} new>${status}`),
			1,
		);
	},
);
