/**
 * What is guaranteed at 3,000, 20,000 and 100,000 records: the number of requests and the length of the state while
 * nothing changes, and in how many polls each kind of change is found.
 */
import { decode, encode } from '../../nodes/ConversationalMessaging/trigger/checkpoint.ts';
import { LIMITS } from '../../nodes/ConversationalMessaging/trigger/limits.ts';
import { pollSource } from '../../nodes/ConversationalMessaging/trigger/poll.ts';
import { broadcasts } from '../../nodes/ConversationalMessaging/trigger/sources/broadcasts.ts';
import { chats } from '../../nodes/ConversationalMessaging/trigger/sources/chats.ts';
import { importJobs } from '../../nodes/ConversationalMessaging/trigger/sources/importJobs.ts';
import type { StatusSource } from '../../nodes/ConversationalMessaging/trigger/sources/source.ts';
import { tickets } from '../../nodes/ConversationalMessaging/trigger/sources/tickets.ts';
import { FakeService, outage, type Order, type Row } from './service.mts';

type Counts = Record<string, number>;

/** A service and the polls of a trigger, which has not polled yet. */
class Watch {
	readonly service: FakeService;

	token = 'one';

	private text = '';

	constructor(
		readonly source: StatusSource,
		counts: Counts,
		order: Order = 'newest',
		private readonly scope: Record<string, string> = {},
		private readonly limits = LIMITS,
	) {
		this.service = new FakeService(source, order);
		this.service.makeAll(mixed(counts));
	}

	get checkpoint() {
		return decode(this.text)[this.source.event]!;
	}

	get memory() {
		return this.checkpoint.memory!;
	}

	async poll() {
		const { service, source, scope, limits, token } = this;
		service.begin();
		const { checkpoint, items, error } = await pollSource(
			service.requested,
			{ source, scope, filter: { statuses: [], includeNew: true }, details: false },
			{ scope: 'scope', token },
			decode(this.text)[source.event],
			limits,
		);
		this.text = encode({ [source.event]: checkpoint }, limits);
		const changes = items.map(({ json }) => {
			const { recordId, previousStatus, status } = json as Record<string, string | null>;
			return `${recordId!} ${previousStatus ?? '(new)'}>${status!}`;
		});
		const { length } = service.requests;
		return { changes, requests: length, error, size: JSON.stringify(this.text).length };
	}

	/** The first poll, and those that read the long lists once. */
	async publish(): Promise<this> {
		let polls = 0;
		do expect([polls < 5, (await this.poll()).changes]).toEqual([polls++ < 5, []]);
		while (Object.values(this.memory.lists).some(({ passes }) => passes > 0));
		return this;
	}

	/** Polls until all of these are found, at most so many times, and expects nothing else. */
	async finds(expected: string[], polls: number): Promise<void> {
		const found: string[] = [];
		for (let i = 0; i < polls && found.length < expected.length; i++)
			found.push(...(await this.poll()).changes);
		expect(found.sort()).toEqual(expected.sort());
	}

	rowsOf(status: string): Row[] {
		return this.service.rows.filter((row) => row.status === status);
	}
}

/** Statuses, spread evenly over the age of the records. */
function mixed(counts: Counts): string[] {
	const all = Object.entries(counts).flatMap(([status, count]) =>
		Array.from({ length: count }, (_, i) => ({ status, at: (i + 0.5) / count })),
	);
	return all.sort((one, other) => one.at - other.at).map(({ status }) => status);
}

const SPLITS: [name: string, of: (all: number) => Counts][] = [
	['600 not closed', (all) => ({ CLOSED: all - 600, OPEN: 200, IN_PROGRESS: 200, RESOLVED: 200 })],
	['all resolved', (all) => ({ RESOLVED: all })],
	['half resolved, half closed', (all) => ({ OPEN: 20, RESOLVED: all / 2 - 20, CLOSED: all / 2 })],
	[
		'a quarter in each status',
		(all) => ({ OPEN: all / 4, IN_PROGRESS: all / 4, RESOLVED: all / 4, CLOSED: all / 4 }),
	],
];

const CASES = [3_000, 20_000, 100_000].flatMap((all) =>
	SPLITS.flatMap(([split, of], i) =>
		(['newest', 'oldest'] as const)
			// At 100,000, each split in one order: these take most of the time.
			.filter((_order, at) => all < 100_000 || at === i % 2)
			.map((order) => ({ all, split, order, counts: of(all) })),
	),
);

describe.each(CASES)('$all tickets, $split, $order first', ({ all, order, counts }) => {
	/** For a search of all pages, 40 in each poll. */
	const polls = 1 + Math.ceil(all / 200 / 40);

	test('every change is found in time, and nothing else', async () => {
		const watch = await new Watch(tickets, counts, order).publish();
		const { service } = watch;
		for (let i = 0; i < (all < 100_000 ? 11 : 3); i++) {
			const { changes, requests, size } = await watch.poll();
			expect(changes).toEqual([]);
			expect(requests).toBeLessThanOrEqual(8);
			expect(size).toBeLessThanOrEqual(256 * 1024);
		}

		const made = ['OPEN', 'RESOLVED', 'CLOSED'].map((status) => service.make(status));
		await watch.finds(
			made.map(({ id, status }) => `${id} (new)>${status}`),
			1,
		);

		// From each status to the next one: among them, between short and long lists, and between two long ones.
		const statuses = ['OPEN', 'IN_PROGRESS', 'RESOLVED', 'CLOSED'];
		for (const [i, from] of statuses.entries()) {
			const to = statuses[(i + 1) % 4]!;
			const rows = watch.rowsOf(from);
			const row = rows[Math.floor(rows.length / 3)];
			if (!row) continue;
			const isShort = [from, to].some((status) => watch.memory.lists[status] === undefined);
			service.change(row, to);
			// What enters a long list from a short one was looked up.
			const isReopened = watch.memory.lists[to] === undefined;
			await watch.finds([`${row.id} ${from}>${to}`], isShort || isReopened ? 1 : polls);
		}

		// A record that was deleted, and one whose requests always fail, hold up nobody.
		const [deleted, broken, other] = watch.rowsOf('OPEN');
		if (!deleted || !broken || !other) return;
		service.delete(deleted);
		service.rejected.set(broken.id, 500);
		service.change(broken, 'CLOSED');
		service.change(other, 'CLOSED');
		const closed = [`${broken.id} OPEN>CLOSED`, `${other.id} OPEN>CLOSED`];
		await watch.finds(closed, polls);
		expect(watch.checkpoint.failures).toBe(0);
	}, 120_000);
});

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

describe('a service that rejects some pages', () => {
	test.each([3_000, 20_000])(
		'if those of %d tickets from page 5 on are rejected while publishing, none is emitted as new later',
		async (all) => {
			const watch = new Watch(tickets, { CLOSED: all - 600, OPEN: 600 });
			watch.service.deepest = { page: 5, status: 403 };
			for (let i = 0; i < 4; i++) {
				const { changes, requests, error } = await watch.poll();
				expect([changes, error]).toEqual([[], undefined]);
				expect(requests).toBeLessThanOrEqual(20);
			}
			expect(watch.checkpoint.failures).toBe(0);
			watch.service.deepest = undefined;
			await watch.publish();
			for (let i = 0; i < 30; i++) expect((await watch.poll()).changes).toEqual([]);
			const made = watch.service.make('CLOSED');
			await watch.finds([`${made.id} (new)>CLOSED`], 1);
		},
		120_000,
	);

	test('if pages 40 to 60 of 20,000 tickets are rejected, the rotation goes on behind them', async () => {
		const all = 20_000;
		const watch = await new Watch(tickets, { RESOLVED: 400, CLOSED: all - 400 }).publish();
		watch.service.onRequest = () => {
			const page = /"page":(\d+)/.exec(watch.service.requests.at(-1)!);
			if (page && Number(page[1]) >= 40 && Number(page[1]) <= 60) throw outage(403);
		};
		const one = watch.rowsOf('CLOSED')[65 * 200]!;
		const other = watch.rowsOf('RESOLVED')[7]!;
		watch.service.change(one, 'RESOLVED');
		watch.service.change(other, 'CLOSED');
		const found: string[] = [];
		for (let i = 0; i < 80; i++) {
			const { changes, error, requests } = await watch.poll();
			expect([error, requests <= 8]).toEqual([undefined, true]);
			found.push(...changes);
		}
		expect(found.sort()).toEqual(
			[`${one.id} CLOSED>RESOLVED`, `${other.id} RESOLVED>CLOSED`].sort(),
		);
		const open = watch.service.make('OPEN');
		await watch.finds([`${open.id} (new)>OPEN`], 1);
	}, 120_000);
});

describe.each([3_000, 20_000])('%d tickets, and a new token', (all) => {
	const counts = { CLOSED: all - 600, OPEN: 600 };

	test('of the same organization: what changed while the old one was rejected is emitted', async () => {
		const watch = await new Watch(tickets, counts).publish();
		watch.service.onRequest = () => {
			throw outage(401);
		};
		const [one] = watch.rowsOf('OPEN');
		watch.service.change(one!, 'CLOSED');
		const made = watch.service.make('OPEN');
		watch.token = 'two';
		for (let i = 0; i < 3; i++)
			expect((await watch.poll()).error).toMatchObject({ httpCode: '401' });
		watch.service.onRequest = () => undefined;
		watch.token = 'three';
		await watch.finds([`${made.id} (new)>OPEN`, `${one!.id} OPEN>CLOSED`], 1);
	}, 120_000);

	test('of another organization: its records are a new beginning', async () => {
		const watch = await new Watch(tickets, counts).publish();
		const { epoch } = watch.memory;
		const other = new FakeService(tickets, 'newest', 'S');
		other.makeAll(mixed(counts));
		Object.assign(watch, { service: other, token: 'two' });
		await watch.publish();
		expect(watch.memory.epoch).not.toBe(epoch);
		const made = other.make('OPEN');
		await watch.finds([`${made.id} (new)>OPEN`], 1);
	}, 120_000);
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
		const isKnown = (id: string) => watch.memory.records.statusOf(id) !== undefined;
		const expected = rows.map(({ id }) => `${id} ${isKnown(id) ? 'CLOSED' : '(new)'}>OPEN`);
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
				if (Object.values(watch.memory.lists).some(({ passes }) => passes > 0)) refills++;
			}
			for (const row of watch.service.rows.slice(-100)) watch.service.delete(row);
			for (let i = 0; i < 3; i++) expect((await watch.poll()).changes).toEqual([]);
			expect(watch.memory.lists.CLOSED!.isKnown).toBe(true);
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
