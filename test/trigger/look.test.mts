import type { Kind, Watched } from '../../dist/nodes/ConversationalMessaging/watch/kind.js';
import { broadcasts } from '../../dist/nodes/ConversationalMessaging/watch/kinds/broadcasts.js';
import { chats } from '../../dist/nodes/ConversationalMessaging/watch/kinds/chats.js';
import { importJobs } from '../../dist/nodes/ConversationalMessaging/watch/kinds/importJobs.js';
import { tickets } from '../../dist/nodes/ConversationalMessaging/watch/kinds/tickets.js';
import type { Memory } from '../../dist/nodes/ConversationalMessaging/watch/memory.js';
import { watch } from '../../dist/nodes/ConversationalMessaging/watch/watch.js';
import { FakeService, outage } from './service.mts';

const watched = (kind: Kind): Watched => ({
	kind,
	narrowing: {},
	filter: { statuses: [], appeared: true },
	details: false,
});

/** A service with so many records of each status, and what the first polls brought. */
async function begun(kind: Kind, counts: Record<string, number>, oldestFirst = false) {
	const service = new FakeService(kind, oldestFirst);
	// The ones that have ended are the oldest.
	for (const [status, count] of Object.entries(counts)) {
		for (let i = 0; i < count; i++) service.make(status);
	}
	let memory: Memory | undefined;
	const poll = async () => {
		service.begin();
		const watching = await watch(service.reader, watched(kind), memory, () => true);
		memory = watching.memory;
		const changes = watching.changes.map(
			({ id, previousStatus, status }) => `${id} ${previousStatus ?? '(new)'}>${status}`,
		);
		return { ...watching, changes, requests: service.requests };
	};
	await poll();
	await poll();
	return { service, poll };
}

describe('what a poll costs when nothing changes', () => {
	test.each<[string, Kind, Record<string, number>, number[]]>([
		['no tickets', tickets, {}, [1, 1]],
		['200 tickets', tickets, { CLOSED: 100, OPEN: 100 }, [1, 1]],
		['201 tickets', tickets, { CLOSED: 101, OPEN: 100 }, [2, 2]],
		['800 tickets', tickets, { CLOSED: 400, OPEN: 400 }, [4, 4]],
		['20,000 tickets, 600 open', tickets, { CLOSED: 19_400, OPEN: 600 }, [5, 5]],
		[
			'20,000 tickets, 600 open, evenly spread',
			tickets,
			{ CLOSED: 19_400, OPEN: 200, IN_PROGRESS: 200, RESOLVED: 200 },
			[4, 4],
		],
		[
			'20,000 tickets, 600 open, as unevenly as can be: head and last page take turns',
			tickets,
			{ CLOSED: 19_400, OPEN: 201, IN_PROGRESS: 201, RESOLVED: 198 },
			[5, 5],
		],
		['20,000 tickets, 598 in one', tickets, { CLOSED: 19_400, OPEN: 598, RESOLVED: 1 }, [5, 5]],
		['100,000 tickets, 600 open', tickets, { CLOSED: 99_400, OPEN: 600 }, [5, 5]],
		['20,000 tickets, 3,000 open', tickets, { CLOSED: 17_000, OPEN: 3_000 }, [17, 17]],
		['1,000 tickets, all open', tickets, { OPEN: 1_000 }, [5, 5]],
		['200 broadcasts', broadcasts, { COMPLETED: 195, SCHEDULED: 5 }, [1, 1]],
		['5,000 broadcasts', broadcasts, { COMPLETED: 4_990, SCHEDULED: 10 }, [4, 4]],
		['300 import jobs', importJobs, { completed: 300 }, [1, 1]],
		['5,000 chats, 100 of them escalated', chats, { NOT_ESCALATED: 4_900, ESCALATED: 100 }, [1, 1]],
	])('%s', async (_what, kind, counts, expected) => {
		const { poll } = await begun(kind, counts);
		const costs: number[] = [];
		for (let i = 0; i < expected.length; i++) {
			const { requests, changes } = await poll();
			expect(changes).toEqual([]);
			costs.push(requests.length);
		}
		expect(costs).toEqual(expected);
	});
});

describe('in a list too long to be read whole', () => {
	const long = { CLOSED: 3_000, OPEN: 300 };

	it('looks up a record that left its part, and nothing else', async () => {
		const { service, poll } = await begun(tickets, long);
		// Beyond the head of the list.
		const row = service.rows[250]!;
		service.change(row, 'CLOSED');
		const { changes, requests } = await poll();
		expect(changes).toEqual([`${row.id} OPEN>CLOSED`]);
		expect(requests.filter((request) => request.startsWith('get'))).toHaveLength(1);
	});

	it('knows where a reopened record stood, however old it is', async () => {
		const { service, poll } = await begun(tickets, long);
		service.change(service.rows.at(-1)!, 'OPEN');
		expect((await poll()).changes).toEqual(['R1 CLOSED>OPEN']);
	});

	test.each([false, true])(
		'finds records that came and ended between two polls (oldest first: %s)',
		async (oldestFirst) => {
			const { service, poll } = await begun(tickets, long, oldestFirst);
			for (let i = 0; i < 450; i++) service.make('CLOSED');
			expect((await poll()).changes).toHaveLength(450);
			expect((await poll()).changes).toEqual([]);
		},
	);

	it('looks up a hundred at a time, and the others in the next polls', async () => {
		const { service, poll } = await begun(tickets, { CLOSED: 3_000, OPEN: 500 });
		for (const row of service.rows.slice(200, 450)) service.change(row, 'CLOSED');
		const told = [];
		for (let i = 0; i < 3; i++) told.push((await poll()).changes.length);
		expect(told).toEqual([100, 100, 50]);
	});

	it('forgets a deleted record without a word', async () => {
		const { service, poll } = await begun(tickets, long);
		service.delete(service.rows[0]!);
		expect((await poll()).changes).toEqual([]);
		expect((await poll()).requests.some((request) => request.startsWith('get'))).toBe(false);
	});

	it('follows a status that no filter of the service shows', async () => {
		const { service, poll } = await begun(tickets, long);
		const row = service.rows[20]!;
		service.change(row, 'ON_HOLD');
		expect((await poll()).changes).toEqual([`${row.id} OPEN>ON_HOLD`]);
		service.change(row, 'CLOSED');
		expect((await poll()).changes).toEqual([`${row.id} ON_HOLD>CLOSED`]);
	});
});

describe('more records than are remembered', () => {
	const huge = { CLOSED: 40_000, OPEN: 100 };

	it('one that came and ended between two polls is told by the length of the list', async () => {
		const { service, poll } = await begun(tickets, huge);
		const row = service.make('CLOSED');
		expect((await poll()).changes).toEqual([`${row.id} (new)>CLOSED`]);
		expect((await poll()).changes).toEqual([]);
	});

	it('an old one that turns up because others were deleted is none', async () => {
		const { service, poll } = await begun(tickets, huge);
		// All that are known among the closed ones.
		service.rows = service.rows.filter((_row, i) => i < 100 || i > 35_000);
		expect((await poll()).changes).toEqual([]);
	});

	it('one that was forgotten comes back without its previous status', async () => {
		const { service, poll } = await begun(tickets, huge);
		service.change(service.rows.at(-1)!, 'OPEN');
		expect((await poll()).changes).toEqual(['R1 (new)>OPEN']);
	});
});

describe('records that come and go during the first look', () => {
	const small: Kind = { ...tickets, pageSize: 2 };

	const firstLook = async (
		counts: Record<string, number>,
		oldestFirst: boolean,
		during: (request: number, service: FakeService) => void,
	) => {
		const service = new FakeService(small, oldestFirst);
		for (const [status, count] of Object.entries(counts))
			for (let i = 0; i < count; i++) service.make(status);
		const old = new Set(service.rows.map(({ id }) => id));
		service.begin();
		service.onRequest = (request) => during(request, service);
		let { memory } = await watch(service.reader, watched(small), undefined, () => true);
		service.onRequest = () => undefined;
		const told: string[] = [];
		for (let i = 0; i < 4; i++) {
			const watching = await watch(service.reader, watched(small), memory, () => true);
			memory = watching.memory;
			told.push(...watching.changes.map(({ id }) => id));
		}
		return told.filter((id) => old.has(id));
	};

	it('make no record look new that was there, when it passed unseen between two pages', async () => {
		const told = await firstLook({ OPEN: 5 }, true, (request, service) => {
			if (request !== 3) return;
			service.delete(service.rows[1]!);
			service.make('OPEN');
		});
		expect(told).toEqual([]);
	});

	it('nor when it was pushed behind the last page that was learned', async () => {
		const told = await firstLook({ CLOSED: 1, OPEN: 7 }, false, (request, service) => {
			if (request === 1) for (let i = 0; i < 2; i++) service.make('OPEN');
			if (request === 2) service.make('OPEN');
		});
		expect(told).toEqual([]);
	});
});

describe('a poll in which a request fails', () => {
	it('tells what it saw for certain, and the next one the rest', async () => {
		const { service, poll } = await begun(tickets, { CLOSED: 3_000, OPEN: 300, RESOLVED: 100 });
		const [first, second] = [service.rows[0]!, service.rows[250]!];
		service.change(first, 'IN_PROGRESS');
		service.change(second, 'CLOSED');
		// The head shows the first one; the look-up of the second one fails.
		service.onRequest = (request) => {
			if (service.requests[request - 1]!.startsWith('get')) throw outage();
		};
		const half = await poll();
		expect(half.changes).toEqual([`${first.id} RESOLVED>IN_PROGRESS`]);
		expect(half.failure?.httpCode).toBe('503');
		service.onRequest = () => undefined;
		expect((await poll()).changes).toEqual([`${second.id} OPEN>CLOSED`]);
	});

	it('remembers nothing of half a first look', async () => {
		const service = new FakeService(tickets);
		for (let i = 0; i < 3_000; i++) service.make(i < 2_000 ? 'CLOSED' : 'OPEN');
		service.begin();
		service.onRequest = (request) => {
			if (request > 3) throw outage(429);
		};
		const { memory, failure } = await watch(
			service.reader,
			watched(tickets),
			undefined,
			() => true,
		);
		expect(memory).toBeUndefined();
		expect(failure?.httpCode).toBe('429');
	});
});

describe('a chat', () => {
	it('that left the escalated ones is looked for on the other side', async () => {
		const { service, poll } = await begun(chats, { NOT_ESCALATED: 500, ESCALATED: 20 });
		const row = service.rows[3]!;
		service.change(row, 'NOT_ESCALATED');
		const { changes, requests } = await poll();
		expect(changes).toEqual([`${row.id} ESCALATED>NOT_ESCALATED`]);
		expect(requests.slice(1)).toEqual([
			`get ${row.id}`,
			`list ${JSON.stringify({ needsEscalation: false, contactId: `contact of ${row.id}`, page: 1, limit: 100 })}`,
		]);
	});

	it('that comes in was not escalated before', async () => {
		const { service, poll } = await begun(chats, { NOT_ESCALATED: 500, ESCALATED: 20 });
		service.change(service.rows.at(-1)!, 'ESCALATED');
		expect((await poll()).changes).toEqual(['R1 NOT_ESCALATED>ESCALATED']);
	});
});

// The memory is measured where it can be collected before: bench/trigger.mts.
test('10,000 polls in a row leave the state as it is', async () => {
	const { service, poll } = await begun(tickets, { CLOSED: 50, OPEN: 50 });
	const { pack } = await import('../../dist/nodes/ConversationalMessaging/watch/state.js');
	const size = (memory?: Memory) =>
		pack({ t: { scope: '', filter: { statuses: [], appeared: true }, failures: 0, memory } })
			.length;
	let told = 0;
	const state: number[] = [];
	for (let i = 1; i <= 10_000; i++) {
		// One record goes to and fro between two statuses.
		service.change(service.rows[7]!, i % 2 === 0 ? 'OPEN' : 'RESOLVED');
		const { changes, memory } = await poll();
		told += changes.length;
		if (i % 2_500 === 0) state.push(size(memory));
	}
	expect(told).toBe(10_000);
	expect(Math.max(...state) - Math.min(...state)).toBeLessThan(20);
});
