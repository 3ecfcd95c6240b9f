import { decode, encode } from '../../dist/nodes/ConversationalMessaging/trigger/checkpoint.js';
import type { Checkpoint } from '../../dist/nodes/ConversationalMessaging/trigger/checkpoint.js';
import { pollSource } from '../../dist/nodes/ConversationalMessaging/trigger/poll.js';
import { broadcasts } from '../../dist/nodes/ConversationalMessaging/trigger/sources/broadcasts.js';
import { chats } from '../../dist/nodes/ConversationalMessaging/trigger/sources/chats.js';
import { importJobs } from '../../dist/nodes/ConversationalMessaging/trigger/sources/importJobs.js';
import type { StatusSource } from '../../dist/nodes/ConversationalMessaging/trigger/sources/source.js';
import { tickets } from '../../dist/nodes/ConversationalMessaging/trigger/sources/tickets.js';
import { subscriptionTo } from '../../dist/nodes/ConversationalMessaging/trigger/subscription.js';
import { FakeService, type Order, type Row } from './service.mts';

type Counts = Record<string, number>;

/** A service with that many records of each status, in turns, and a trigger that has got to know it. */
async function known(source: StatusSource, counts: Counts, order: Order = 'newest') {
	const service = new FakeService(source, order);
	const left = { ...counts };
	const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
	// Spread evenly over the age of the records.
	for (let i = 1; i <= all; i++) {
		const statuses = Object.keys(left);
		const due = (status: string) => (counts[status]! * i) / all - (counts[status]! - left[status]!);
		const status = statuses.reduce((one, other) => (due(other) > due(one) ? other : one));
		left[status]!--;
		service.make(status);
	}
	const subscription = subscriptionTo(source, {}, { statuses: [], includeNew: true }, false);
	let text = '';
	const poll = async () => {
		service.begin();
		const saved: Checkpoint | undefined = decode(text)[source.event];
		const { checkpoint, items } = await pollSource(service.reader, subscription, 'scope', saved);
		text = encode({ [source.event]: checkpoint });
		const changes = items.map(({ json }) => {
			const { recordId, previousStatus, status } = json as Record<string, string | null>;
			return `${recordId!} ${previousStatus ?? '(new)'}>${status!}`;
		});
		return { changes, requests: service.requests, size: JSON.stringify(text).length };
	};
	await poll();
	for (let i = 0; decode(text)[source.event]?.baseline?.backfill.is === 'running'; i++)
		expect([i < 9, (await poll()).changes]).toEqual([true, []]);
	return { service, poll };
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
	['200 in four statuses', QUARTERS(200), 1],
	['200, all closed', { CLOSED: 200 }, 1],
	['20,000, 600 not closed', OPEN_600(20_000), 6],
	['20,000, 600 open', { CLOSED: 19_400, OPEN: 600 }, 6],
	[
		'20,000, 600 as unevenly as can be',
		{ CLOSED: 19_400, OPEN: 201, IN_PROGRESS: 201, RESOLVED: 198 },
		6,
	],
	['20,000, all resolved', { RESOLVED: 20_000 }, 8],
	['20,000, all open', { OPEN: 20_000 }, 8],
	['20,000, 5,000 in each', QUARTERS(20_000), 8],
	['100,000, 600 not closed', OPEN_600(100_000), 8],
	['100,000, all resolved', { RESOLVED: 100_000 }, 8],
	['100,000, all open', { OPEN: 100_000 }, 8],
	['100,000, 25,000 in each', QUARTERS(100_000), 8],
];

const STATUSES = ['OPEN', 'IN_PROGRESS', 'RESOLVED', 'CLOSED'];

describe.each(SPLITS)('%s', (_what, counts, most) => {
	test('at rest: few requests, no events, a small checkpoint', async () => {
		const { poll } = await known(tickets, counts);
		for (let i = 0; i < 24; i++) {
			const { changes, requests, size } = await poll();
			expect(changes).toEqual([]);
			expect(requests.length).toBeLessThanOrEqual(most);
			expect(size).toBeLessThanOrEqual(256 * 1024);
		}
	});

	test('changes between any two statuses: all of them, nothing else', async () => {
		const { service, poll } = await known(tickets, counts);
		const log: unknown[] = [];
		for (const count of [1, 10, 500])
			for (const from of STATUSES)
				for (const to of STATUSES) {
					const rows = service.rows.filter(({ status }) => status === from);
					if (from === to || rows.length < count) continue;
					const step = Math.floor(rows.length / count);
					const chosen = rows.filter((_row, i) => i % step === (step >> 1)).slice(0, count);
					const expected = new Set(chosen.map(({ id }) => `${id} ${from}>${to}`));
					for (const row of chosen) service.change(row, to);
					let requests = 0;
					let polls = 0;
					const found: string[] = [];
					for (; polls < 30 && found.length < count; polls++) {
						const polled = await poll();
						requests += polled.requests.length;
						found.push(...polled.changes);
					}
					const rest = await poll();
					found.push(...rest.changes);
					const invented = found.filter((change) => !expected.has(change));
					log.push([`${count} ${from}>${to}`, found.length, requests, polls, invented.length]);
				}
		const bad = (log as [string, number, number, number, number][]).filter(
			([what, found, , , invented]) => found !== Number(what.split(' ')[0]) || invented > 0,
		);
		if (process.env.SHOW) console.info(log.map((line) => (line as unknown[]).join(' ')).join('\n'));
		expect(bad).toEqual([]);
	});
});

export type { Row };
export { broadcasts, chats, importJobs };
