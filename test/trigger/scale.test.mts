import { decode, encode } from '../../nodes/ConversationalMessaging/trigger/checkpoint.ts';
import type { Checkpoint } from '../../nodes/ConversationalMessaging/trigger/checkpoint.ts';
import { LIMITS } from '../../nodes/ConversationalMessaging/trigger/limits.ts';
import { pollSource } from '../../nodes/ConversationalMessaging/trigger/poll.ts';
import { broadcasts } from '../../nodes/ConversationalMessaging/trigger/sources/broadcasts.ts';
import { chats } from '../../nodes/ConversationalMessaging/trigger/sources/chats.ts';
import { importJobs } from '../../nodes/ConversationalMessaging/trigger/sources/importJobs.ts';
import type { StatusSource } from '../../nodes/ConversationalMessaging/trigger/sources/source.ts';
import { tickets } from '../../nodes/ConversationalMessaging/trigger/sources/tickets.ts';
import { subscriptionTo } from '../../nodes/ConversationalMessaging/trigger/subscription.ts';
import { FakeService, outage, type Order } from './service.mts';

type Counts = Record<string, number>;

/** A service with this many records of each status, mixed, and a trigger with a complete baseline. */
async function setUpTrigger(
	source: StatusSource,
	counts: Counts,
	order: Order = 'newest',
	scopeQuery = {},
	limits = LIMITS,
	oddities: Partial<Pick<FakeService, 'cap' | 'hidden'>> = {},
) {
	const service = new FakeService(source, order);
	Object.assign(service, oddities);
	const left = { ...counts };
	const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
	// Spread evenly over the age of the records.
	const statuses = Array.from({ length: all }, (_, i) => {
		const due = (status: string) =>
			(counts[status]! * (i + 1)) / all - (counts[status]! - left[status]!);
		const status = Object.keys(left).reduce((one, other) => (due(other) > due(one) ? other : one));
		left[status]!--;
		return status;
	});
	service.makeAll(statuses);
	const subscription = subscriptionTo(
		source,
		scopeQuery,
		{ statuses: [], includeNew: true },
		false,
	);
	let text = '';
	const poll = async () => {
		service.begin();
		const saved: Checkpoint | undefined = decode(text)[source.event];
		const { checkpoint, items } = await pollSource(
			service.reader,
			subscription,
			'scope',
			saved,
			limits,
		);
		text = encode({ [source.event]: checkpoint }, limits);
		const changes = items.map(({ json }) => {
			const { recordId, previousStatus, status } = json as Record<string, string | null>;
			return `${recordId!} ${previousStatus ?? '(new)'}>${status!}`;
		});
		return { changes, requests: service.requests, size: JSON.stringify(text).length };
	};
	await poll();
	for (let i = 0; decode(text)[source.event]?.baseline?.backfill.is === 'running'; i++)
		expect([i < 9, (await poll()).changes]).toEqual([true, []]);
	const baseline = () => decode(text)[source.event]!.baseline!;
	return { service, poll, baseline };
}

const OPEN_600 = (all: number): Counts => ({
	CLOSED: all - 600,
	OPEN: 200,
	IN_PROGRESS: 200,
	RESOLVED: 200,
});
const QUARTERS = (all: number): Counts => ({
	OPEN: all / 4,
	IN_PROGRESS: all / 4,
	RESOLVED: all / 4,
	CLOSED: all / 4,
});

const SPLITS: [string, Counts, number][] = [
	['200 tickets in four statuses', QUARTERS(200), 1],
	['200 closed tickets', { CLOSED: 200 }, 1],
	['20,000 tickets, 600 of them not closed', OPEN_600(20_000), 6],
	['20,000 tickets, 600 of them open', { CLOSED: 19_400, OPEN: 600 }, 6],
	[
		'20,000 tickets, 600 of them in short lists of just over a page',
		{ CLOSED: 19_400, OPEN: 201, IN_PROGRESS: 201, RESOLVED: 198 },
		6,
	],
	['20,000 resolved tickets', { RESOLVED: 20_000 }, 8],
	['20,000 open tickets', { OPEN: 20_000 }, 8],
	['20,000 tickets, 5,000 in each status', QUARTERS(20_000), 8],
	['100,000 tickets, 600 of them not closed', OPEN_600(100_000), 8],
	['100,000 resolved tickets', { RESOLVED: 100_000 }, 8],
	['100,000 open tickets', { OPEN: 100_000 }, 8],
	['100,000 tickets, 25,000 in each status', QUARTERS(100_000), 8],
];

const STATUSES = ['OPEN', 'IN_PROGRESS', 'RESOLVED', 'CLOSED'];

test.each(SPLITS)(
	'with %s, polls without changes send few requests, emit no events, and save at most 256 KB',
	async (_what, counts, most) => {
		const { poll } = await setUpTrigger(tickets, counts);
		for (let i = 0; i < 11; i++) {
			const { changes, requests, size } = await poll();
			expect(changes).toEqual([]);
			expect(requests.length).toBeLessThanOrEqual(most);
			expect(size).toBeLessThanOrEqual(256 * 1024);
		}
	},
	120_000,
);

/** Changes records evenly spread over the list, and polls until all are found. */
async function changed(
	{ service, poll }: Awaited<ReturnType<typeof setUpTrigger>>,
	count: number,
	from: string,
	to: string,
) {
	const rows = service.rows.filter(({ status }) => status === from);
	const step = Math.floor(rows.length / count);
	const chosen = rows.filter((_row, i) => i % step === step >> 1).slice(0, count);
	const expected = chosen.map(({ id }) => `${id} ${from}>${to}`);
	for (const row of chosen) service.change(row, to);
	const found: string[] = [];
	let requests = 0;
	let polls = 0;
	for (; polls < 12 && found.length < count; polls++) {
		const polled = await poll();
		requests += polled.requests.length;
		found.push(...polled.changes);
	}
	found.push(...(await poll()).changes);
	return { found: found.sort(), expected: expected.sort(), requests, polls };
}

const CHANGING: [string, Counts, Order][] = [
	['20,000 tickets, 600 of them not closed, newest first', OPEN_600(20_000), 'newest'],
	['20,000 resolved tickets, newest first', { RESOLVED: 20_000 }, 'newest'],
	[
		'40,000 tickets, half of them resolved and half closed, newest first',
		{ RESOLVED: 20_000, CLOSED: 20_000 },
		'newest',
	],
	['20,000 tickets, 5,000 in each status, newest first', QUARTERS(20_000), 'newest'],
	['20,000 tickets, 5,000 in each status, oldest first', QUARTERS(20_000), 'oldest'],
	['20,000 tickets, 5,000 in each status, last updated first', QUARTERS(20_000), 'updated'],
];

test.each(CHANGING)(
	'with %s, all changes between two statuses are found, and nothing else',
	async (_what, counts, order) => {
		const service = await setUpTrigger(tickets, counts, order);
		for (const count of [1, 10, 500])
			for (const [i, from] of STATUSES.entries()) {
				const to = STATUSES[(i + count) % 4]!;
				const there = service.service.rows.filter(({ status }) => status === from).length;
				if (from === to || there < count) continue;
				const { found, expected, requests, polls } = await changed(service, count, from, to);
				expect([count, from, to, found]).toEqual([count, from, to, expected]);
				// 4 to 8 per poll without changes; twice the logarithm of 25 pages per record; at most all pages of
				// both lists.
				expect(requests).toBeLessThanOrEqual(8 * polls + Math.min(10 * count, 110 + count));
			}
	},
	300_000,
);

describe('Records whose keys are so short that some share one', () => {
	/** As many bits beyond those that number the records as at 100,000: about ten. */
	const limits = {
		...LIMITS,
		wholePages: 2,
		extraPages: 1,
		markEvery: 10,
		spareKeyBits: 8,
		characters: 14_000,
	};

	test.each<Order>(['newest', 'oldest', 'updated'])(
		'every change is found with its previous status, and nothing else (%s first)',
		async (order) => {
			const known4000 = await setUpTrigger(
				{ ...tickets, pageSize: 20 },
				QUARTERS(4_000),
				order,
				{},
				limits,
			);
			const { service, baseline } = known4000;
			const keys = new Set(service.rows.map(({ id }) => baseline().tracked.key(id)));
			expect(keys.size).toBeLessThan(4_000);
			// Each status changes to each other one, with one of these numbers.
			for (const [step, count] of [1, 5, 50].entries())
				for (const [i, from] of STATUSES.entries()) {
					const to = STATUSES[(i + step + 1) % 4]!;
					const { found, expected } = await changed(known4000, count, from, to);
					expect([count, from, to, found]).toEqual([count, from, to, expected]);
				}
			expect(baseline().tracked.size).toBe(4_000);
		},
		120_000,
	);
});

test.each<Order>(['newest', 'oldest', 'updated'])(
	'with the %s records first, new records that are already closed are found, and deletions are no changes',
	async (order) => {
		const { service, poll } = await setUpTrigger(tickets, QUARTERS(20_000), order);
		const made = Array.from({ length: 450 }, () => service.make('CLOSED').id);
		const found = new Set<string>();
		for (let i = 0; i < 4; i++) for (const change of (await poll()).changes) found.add(change);
		expect(found).toEqual(new Set(made.map((id) => `${id} (new)>CLOSED`)));
		for (let i = 0; i < 500; i++) service.delete(service.rows[(i * 31) % service.rows.length]!);
		for (let i = 0; i < 4; i++) expect((await poll()).changes).toEqual([]);
	},
	120_000,
);

test('two records that swap statuses, so that no total changes, are found by the rotation', async () => {
	const { service, poll } = await setUpTrigger(tickets, QUARTERS(4_000));
	const one = service.rows.filter(({ status }) => status === 'RESOLVED')[600]!;
	const other = service.rows.filter(({ status }) => status === 'CLOSED')[300]!;
	service.change(one, 'CLOSED');
	service.change(other, 'RESOLVED');
	const found: string[] = [];
	// 20 pages, and every tenth poll reads the head of the whole list.
	for (let i = 0; i < 24; i++) found.push(...(await poll()).changes);
	expect(found.sort()).toEqual([`${one.id} RESOLVED>CLOSED`, `${other.id} CLOSED>RESOLVED`].sort());
});

describe('polls of other sources without changes', () => {
	test.each<[string, number, StatusSource, Counts]>([
		['200 broadcasts', 1, broadcasts, { COMPLETED: 195, SCHEDULED: 5 }],
		['5,000 broadcasts', 7, broadcasts, { COMPLETED: 4_990, QUEUED: 10 }],
		['300 import jobs', 1, importJobs, { completed: 300 }],
		['5,000 chats, 100 of them escalated,', 1, chats, { NOT_ESCALATED: 4_900, ESCALATED: 100 }],
	])(
		'a poll of %s sends at most this number of requests: %d',
		async (_what, most, source, counts) => {
			const { poll } = await setUpTrigger(source, counts);
			for (let i = 0; i < 12; i++) {
				const { changes, requests } = await poll();
				expect(changes).toEqual([]);
				expect(requests.length).toBeLessThanOrEqual(most);
			}
		},
	);
});

describe('records that cannot be looked up', () => {
	test.each([400, 403, 410])(
		'a record whose lookup is rejected with %d does not delay the others',
		async (status) => {
			const { service, poll } = await setUpTrigger(tickets, { CLOSED: 3_000, OPEN: 300 });
			const [bad, good] = service.rows.filter((row) => row.status === 'OPEN');
			service.rejected.set(bad!.id, status);
			service.change(bad!, 'CLOSED');
			service.change(good!, 'CLOSED');
			expect((await poll()).changes).toContain(`${good!.id} OPEN>CLOSED`);
			service.rejected.clear();
			const later: string[] = [];
			for (let i = 0; i < 3; i++) later.push(...(await poll()).changes);
			expect(later.filter((change) => !change.startsWith(`${bad!.id} `))).toEqual([]);
		},
	);

	test('200 records whose lookups are rejected do not keep the others from being looked up', async () => {
		const { service, poll } = await setUpTrigger(tickets, { CLOSED: 3_000, OPEN: 600 });
		const rows = service.rows.filter((row) => row.status === 'OPEN').slice(0, 250);
		for (const row of rows.slice(0, 200)) service.rejected.set(row.id, 403);
		for (const row of rows) service.change(row, 'ON_HOLD');
		const found: string[] = [];
		for (let i = 0; i < 3; i++) found.push(...(await poll()).changes);
		for (const { id } of rows.slice(200)) expect(found).toContain(`${id} OPEN>ON_HOLD`);
	});
});

test('with an agent filter, a chat that is assigned to the agent later emits an event only when its escalation ends', async () => {
	const { service, poll } = await setUpTrigger(chats, { NOT_ESCALATED: 300 }, 'newest', {
		assigneeId: 'A1',
	});
	const [one, other] = service.rows;
	service.assign(one!, 'A2');
	service.change(one!, 'ESCALATED');
	expect((await poll()).changes).toEqual([]);
	service.assign(one!, 'A1');
	service.change(other!, 'ESCALATED');
	expect((await poll()).changes).toEqual([`${other!.id} NOT_ESCALATED>ESCALATED`]);
	service.change(one!, 'NOT_ESCALATED');
	expect((await poll()).changes).toEqual([`${one!.id} ESCALATED>NOT_ESCALATED`]);
});

test.each([
	[199, 20],
	[150, 100],
	[201, 20],
])(
	'of %d tickets, every change is found if the service repeats the requested page size but serves %d rows',
	async (count, cap) => {
		const { service, poll } = await setUpTrigger(tickets, { OPEN: count }, 'newest', {}, LIMITS, {
			cap,
		});
		const expected = service.rows.map(({ id }) => `${id} OPEN>CLOSED`);
		for (const row of [...service.rows]) service.change(row, 'CLOSED');
		const found: string[] = [];
		for (let i = 0; i < 8; i++) found.push(...(await poll()).changes);
		expect(found.sort()).toEqual(expected.sort());
	},
);

test('a search that an outage interrupts in every poll goes on where it stopped', async () => {
	const { service, poll } = await setUpTrigger(tickets, { RESOLVED: 10_000, CLOSED: 10_000 });
	const changed = service.rows.filter(({ status }) => status === 'RESOLVED').slice(0, 5_000);
	const chosen = changed.filter((_row, i) => i % 10 === 0);
	for (const row of chosen) service.change(row, 'CLOSED');
	service.onRequest = (request) => {
		if (request >= 15) throw outage();
	};
	const found = new Set<string>();
	for (let i = 0; i < 12; i++) for (const change of (await poll()).changes) found.add(change);
	expect(found.size).toBe(500);
}, 120_000);

test('import jobs with ever new statuses do not make the checkpoint grow', async () => {
	const { service, poll } = await setUpTrigger(importJobs, { processing: 20 });
	let size = 0;
	for (let i = 0; i < 200; i++) {
		service.change(service.rows[i % 20]!, `processing ${i} of 50,000`);
		const polled = await poll();
		expect(polled.changes.length).toBe(1);
		if (i === 50) ({ size } = polled);
		if (i > 50) expect(polled.size).toBeLessThan(size + 200);
	}
});

test('deleted records make room: the archives are read again before a record is dropped', async () => {
	// Keys so long that no two records share one.
	const limits = {
		...LIMITS,
		wholePages: 2,
		extraPages: 1,
		spareKeyBits: 18,
		characters: 11_000,
	};
	const small = { ...tickets, pageSize: 20 };
	const { service, poll, baseline } = await setUpTrigger(
		small,
		{ CLOSED: 1_800 },
		'newest',
		{},
		limits,
	);
	let restarts = 0;
	for (let day = 0; day < 30; day++) {
		const { epoch } = baseline();
		const made = Array.from({ length: 100 }, () => `${service.make('CLOSED').id} (new)>CLOSED`);
		const found: string[] = [];
		for (let i = 0; i < 8; i++) found.push(...(await poll()).changes);
		if (baseline().epoch === epoch) expect(found.sort()).toEqual(made.sort());
		else restarts++;
		for (const row of service.rows.slice(-100)) service.delete(row);
		for (let i = 0; i < 3; i++) expect((await poll()).changes).toEqual([]);
		expect(baseline().backfill.is).not.toBe('truncated');
	}
	expect([restarts > 0, restarts < 10]).toEqual([true, true]);
}, 120_000);

test.each([150, 300, 900])(
	'new records are found among %d although every total is too high by one',
	async (count) => {
		const { service, poll } = await setUpTrigger(tickets, QUARTERS(count), 'newest', {}, LIMITS, {
			hidden: 1,
		});
		const made = STATUSES.map((status) => `${service.make(status).id} (new)>${status}`);
		expect((await poll()).changes.sort()).toEqual(made.sort());
	},
);
