/**
 * What is guaranteed at 3,000 and 20,000 records: the number of requests and the length of the state while
 * nothing changes, and in how many polls each kind of change is found. All splits and orders at all sizes, and faults at
 * each, are in scale.long.test.mts.
 */
import { LIMITS } from '../../nodes/ConversationalMessaging/trigger/limits.ts';
import { broadcasts } from '../../nodes/ConversationalMessaging/trigger/sources/broadcasts.ts';
import { chats } from '../../nodes/ConversationalMessaging/trigger/sources/chats.ts';
import { importJobs } from '../../nodes/ConversationalMessaging/trigger/sources/importJobs.ts';
import type { StatusSource } from '../../nodes/ConversationalMessaging/trigger/sources/source.ts';
import { tickets } from '../../nodes/ConversationalMessaging/trigger/sources/tickets.ts';
import { type Counts, expectChangesToBeFound, pollsToSearch, SPLITS, Watch } from './scale.mts';
import { outage } from './service.mts';

const CASES = [
	...SPLITS.flatMap(([split, of]) =>
		(['newest', 'oldest'] as const).map((order) => ({ all: 3_000, split, order, of })),
	),
	...SPLITS.slice(2).map(([split, of]) => ({ all: 20_000, split, order: 'oldest' as const, of })),
];

test.each(CASES)(
	'of $all tickets, $split, $order first, every change is found in time, and nothing else',
	async ({ all, order, of }) => {
		const watch = await new Watch(tickets, of(all), order).publish();
		await expectChangesToBeFound(watch, { all, polls: pollsToSearch(all) });
	},
);

test.each<[all: number, polls: number]>([
	[3_000, 20],
	[20_000, 112],
])(
	'of %d tickets, two that swap statuses, so that no total changes, are found within %d polls',
	async (all, polls) => {
		const watch = await new Watch(tickets, { RESOLVED: all / 2, CLOSED: all / 2 }).publish();
		const one = watch.rowsOf('RESOLVED')[Math.floor(all / 3)]!;
		const other = watch.rowsOf('CLOSED')[Math.floor(all / 4)]!;
		watch.service.change(one, 'CLOSED');
		watch.service.change(other, 'RESOLVED');
		await watch.finds([`${one.id} RESOLVED>CLOSED`, `${other.id} CLOSED>RESOLVED`], polls);
	},
);

test('500 tickets that change between two long lists at once are found in the next polls', async () => {
	const watch = await new Watch(tickets, { RESOLVED: 10_000, CLOSED: 10_000 }).publish();
	const chosen = watch.rowsOf('RESOLVED').filter((_row, i) => i % 20 === 7);
	for (const row of chosen) watch.service.change(row, 'CLOSED');
	await watch.finds(
		chosen.map(({ id }) => `${id} RESOLVED>CLOSED`),
		3,
	);
});

test('deletions are no changes, and hide none that come after them', async () => {
	const watch = await new Watch(tickets, { RESOLVED: 10_000, CLOSED: 10_000 }).publish();
	for (const row of watch.rowsOf('CLOSED').slice(0, 500)) watch.service.delete(row);
	for (let i = 0; i < 3; i++) expect((await watch.poll()).changes).toEqual([]);
	const row = watch.rowsOf('RESOLVED')[5_000]!;
	watch.service.change(row, 'CLOSED');
	await watch.finds([`${row.id} RESOLVED>CLOSED`], 3);
});

describe('other sources', () => {
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
				const { changes, requests } = await watch.poll();
				expect([changes, requests <= most]).toEqual([[], true]);
			}
		},
	);

	test('import jobs with ever new statuses do not make the checkpoint grow', async () => {
		const watch = await new Watch(importJobs, { processing: 20 }).publish();
		let size = 0;
		for (let i = 0; i < 200; i++) {
			watch.service.change(watch.service.rows[i % 20]!, `processing ${i} of 50,000`);
			const polled = await watch.poll();
			expect(polled.changes.length).toBe(1);
			if (i === 50) ({ size } = polled);
			if (i > 50) expect(polled.size).toBeLessThan(size + 200);
		}
	});
});

describe('with a filter for an agent', () => {
	test('a chat that is escalated first and assigned later emits an event, as does the end of its escalation', async () => {
		const watch = new Watch(chats, { NOT_ESCALATED: 300 }, 'newest', { assigneeId: 'A1' });
		const { service } = await watch.publish();
		const [row] = service.rows;
		service.assign(row!, '');
		service.change(row!, 'ESCALATED');
		expect((await watch.poll()).changes).toEqual([]);
		service.assign(row!, 'A1');
		expect((await watch.poll()).changes).toEqual([`${row!.id} (new)>ESCALATED`]);
		service.change(row!, 'NOT_ESCALATED');
		expect((await watch.poll()).changes).toEqual([`${row!.id} ESCALATED>NOT_ESCALATED`]);
	});

	test.each([true, false])(
		'tickets that are assigned to another agent are looked up once (agent in a record of its own: %j)',
		async (isNested) => {
			const watch = new Watch(tickets, { OPEN: 150 }, 'newest', { assigneeId: 'A1' });
			const { service } = await watch.publish();
			service.isNested = isNested;
			for (const row of service.rows.slice(0, 120)) service.assign(row, 'A2');
			const requests: number[] = [];
			for (let i = 0; i < 3; i++) requests.push((await watch.poll()).requests);
			expect(requests).toEqual([101, 21, 1]);
		},
	);
});

describe('records that cannot be looked up', () => {
	test.each([400, 403, 410, 500])(
		'200 records whose look-ups are answered with %d do not keep the others from being looked up',
		async (status) => {
			const watch = await new Watch(tickets, { CLOSED: 3_000, OPEN: 600 }).publish();
			const rows = watch.rowsOf('OPEN').slice(0, 250);
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
});

test.each([
	[199, 20],
	[150, 100],
	[201, 20],
])(
	'of %d tickets, every change is found if the service repeats the requested page size but serves %d rows',
	async (count, cap) => {
		const watch = new Watch(tickets, { OPEN: count });
		watch.service.cap = cap;
		await watch.publish();
		const expected = watch.service.rows.map(({ id }) => `${id} OPEN>CLOSED`);
		for (const row of [...watch.service.rows]) watch.service.change(row, 'CLOSED');
		await watch.finds(expected, 8);
	},
);

test('a search that an outage interrupts in every poll goes on where it stopped', async () => {
	const watch = await new Watch(tickets, { RESOLVED: 10_000, CLOSED: 10_000 }).publish();
	const chosen = watch.rowsOf('RESOLVED').filter((_row, i) => i % 20 === 0);
	for (const row of chosen) watch.service.change(row, 'CLOSED');
	watch.service.onRequest = (request) => {
		if (request >= 20) throw outage();
	};
	await watch.finds(
		chosen.map(({ id }) => `${id} RESOLVED>CLOSED`),
		12,
	);
});

describe('more records than fit', () => {
	const small = { ...tickets, pageSize: 20 };
	/** For about 2,200 records with keys of 42 bits. */
	const limits = { ...LIMITS, wholePages: 2, extraPages: 1, keyBits: 42, characters: 12_500 };

	test('of records that were forgotten, changes into short lists are emitted without the previous status', async () => {
		const watch = new Watch(small, { CLOSED: 3_000, OPEN: 10 }, 'newest', {}, limits);
		await watch.publish();
		expect(watch.memory.records.keys.size).toBeLessThan(2_500);
		for (let i = 0; i < 20; i++) expect((await watch.poll()).changes).toEqual([]);
		const rows = watch.rowsOf('CLOSED').filter((_row, i) => i % 30 === 0);
		const isComplete = (id: string) => watch.memory.records.statusOf(id) !== undefined;
		const expected = rows.map(({ id }) => `${id} ${isComplete(id) ? 'CLOSED' : '(new)'}>OPEN`);
		expect(new Set(expected.map((text) => text.split(' ')[1])).size).toBe(2);
		for (const row of rows) watch.service.change(row, 'OPEN');
		await watch.finds(expected, 9);
	});

	test('deleted records make room: the long lists are read again before a record is forgotten', async () => {
		const watch = new Watch(small, { CLOSED: 1_800 }, 'newest', {}, limits);
		await watch.publish();
		let refills = 0;
		for (let day = 0; day < 30; day++) {
			for (let i = 0; i < 100; i++) watch.service.make('CLOSED');
			for (let i = 0; i < 8; i++) {
				await watch.poll();
				if (Object.values(watch.memory.long).some(({ passes }) => passes > 0)) refills++;
			}
			for (const row of watch.service.rows.slice(-100)) watch.service.delete(row);
			for (let i = 0; i < 3; i++) expect((await watch.poll()).changes).toEqual([]);
			expect(watch.memory.long.CLOSED!.isComplete).toBe(true);
		}
		expect([refills > 0, refills < 20]).toEqual([true, true]);
	});
});

test.each([150, 300, 900])(
	'new records are found among %d although every total is too high by one',
	async (count) => {
		const quarters = { OPEN: count / 4, IN_PROGRESS: count / 4, RESOLVED: count / 4 };
		const watch = new Watch(tickets, quarters);
		watch.service.hidden = 1;
		await watch.publish();
		const made = ['OPEN', 'CLOSED'].map((status) => watch.service.make(status));
		await watch.finds(
			made.map(({ id, status }) => `${id} (new)>${status}`),
			1,
		);
	},
);
