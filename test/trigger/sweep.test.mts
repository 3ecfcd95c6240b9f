/** Which pages a sweep and the rotation read, and where the next ones continue. */
import { fillLongLists } from '../../nodes/ConversationalMessaging/trigger/fill.ts';
import { LIMITS } from '../../nodes/ConversationalMessaging/trigger/limits.ts';
import {
	emptyMemory,
	type Memory,
	newLongList,
} from '../../nodes/ConversationalMessaging/trigger/memory.ts';
import { isPage, Reader } from '../../nodes/ConversationalMessaging/trigger/reader.ts';
import { Records } from '../../nodes/ConversationalMessaging/trigger/records.ts';
import { rotate } from '../../nodes/ConversationalMessaging/trigger/rotation.ts';
import { Seen } from '../../nodes/ConversationalMessaging/trigger/seen.ts';
import type { ListedPage } from '../../nodes/ConversationalMessaging/trigger/sources/source.ts';
import { tickets } from '../../nodes/ConversationalMessaging/trigger/sources/tickets.ts';
import { sweep } from '../../nodes/ConversationalMessaging/trigger/sweep.ts';
import { FakeService, outage } from './service.mts';
import { pollOf } from './sourcePoll.mts';

const SMALL_PAGES = { ...tickets, pageSize: 2 };

const CLOSED = SMALL_PAGES.partitions.find(({ status }) => status === 'CLOSED')!;

/** A service with this many closed tickets, and a reader of it. */
function serviceOf(closed: number, resolved = 0) {
	const service = new FakeService(SMALL_PAGES);
	service.makeAll([
		...Array.from({ length: closed }, () => 'CLOSED'),
		...Array.from({ length: resolved }, () => 'RESOLVED'),
	]);
	return { service, reader: new Reader(service.requested, SMALL_PAGES) };
}

const closedBy = (reader: Reader) => async (number: number) =>
	await reader.deepPage(number, CLOSED);

/** "CLOSED:2", or "all:1". */
const requestsOf = ({ requests }: FakeService): string =>
	requests
		.map((text) => {
			const { status, page } = JSON.parse(text.slice(5)) as { status?: string; page: number };
			return `${status ?? 'all'}:${page}`;
		})
		.join(' ');

describe('a sweep of a list of ten pages', () => {
	test.each<[range: { from: number; last?: number; budget: number }, expected: object]>([
		[
			{ from: 1, last: 10, budget: 99 },
			{ read: 10, next: 11, end: 'last' },
		],
		[
			{ from: 1, last: undefined, budget: 99 },
			{ read: 10, next: 11, end: 'last' },
		],
		[
			{ from: 3, last: 10, budget: 4 },
			{ read: 4, next: 7, end: 'budget' },
		],
		[
			{ from: 7, last: 10, budget: 4 },
			{ read: 4, next: 11, end: 'last' },
		],
		[
			{ from: 11, last: 10, budget: 4 },
			{ read: 0, next: 11, end: 'last' },
		],
		[
			{ from: 3, last: 10, budget: 0 },
			{ read: 0, next: 3, end: 'budget' },
		],
		// It became shorter.
		[
			{ from: 9, last: 12, budget: 9 },
			{ read: 2, next: 11, end: 'last' },
		],
	])('%j: %j', async (range, expected) => {
		const { reader } = serviceOf(20);
		const { pages, next, end } = await sweep(closedBy(reader), range);
		expect({ read: pages.length, next, end }).toEqual(expected);
		expect(pages.map(({ number }) => number)).toEqual(pages.map((_page, i) => range.from + i));
	});

	test('without totals, it ends at the first empty page', async () => {
		const { service, reader } = serviceOf(4);
		service.totals = false;
		const { next, end } = await sweep(closedBy(reader), { from: 1, budget: 99 });
		expect([end, next >= 3]).toEqual(['last', true]);
	});

	test('it ends early once that is enough', async () => {
		const { reader } = serviceOf(20);
		const range = { from: 2, last: 10, budget: 9 };
		const { pages, next, end } = await sweep(closedBy(reader), range, (read) =>
			read.some(({ number }) => number === 2),
		);
		expect([pages.length, next, end]).toEqual([1, 3, 'budget']);
	});

	test.each([
		[403, 'rejected'],
		[503, 'failed'],
	])('a page that answers %d ends it, %s, and is the next one', async (status, end) => {
		const { service, reader } = serviceOf(20);
		service.onRequest = () => {
			if (requestsOf(service).endsWith(':5')) throw outage(status);
		};
		const swept = await sweep(closedBy(reader), { from: 2, last: 10, budget: 9 });
		expect(swept.pages.map(({ number }) => number)).toEqual([2, 3, 4]);
		expect([swept.next, swept.end]).toEqual([5, end]);
	});

	test('its first page is read alone: where the service rejects deep pages, that is one request', async () => {
		const { service, reader } = serviceOf(20);
		service.deepest = { page: 4, status: 400 };
		await sweep(closedBy(reader), { from: 4, last: 10, budget: 9 });
		expect(requestsOf(service)).toBe('CLOSED:4');
	});
});

describe('a long list that is read for the first time, with shortened keys', () => {
	const filled = async (passes: number) => {
		const { reader } = serviceOf(2);
		const seen = new Seen();
		seen.firstPages.set('CLOSED', (await reader.page(1, CLOSED)) as ListedPage);
		const records = new Records(new Map(), new Map(), 30).with([{ id: 'R1', status: 'RESOLVED' }]);
		const long = { CLOSED: { ...newLongList(false), passes, hasFound: false } };
		const memory = { ...emptyMemory(), records, long };
		const limits = { ...LIMITS, fillPages: 2 };
		return await fillLongLists(pollOf(reader, { seen, limits }), memory);
	};

	test('at first, a record that is known with another status is another one', async () => {
		const { records } = await filled(4);
		expect(records.counts).toEqual(
			new Map([
				['RESOLVED', 1],
				['CLOSED', 2],
			]),
		);
	});

	test('in a later reading, it has changed since: this remains a difference, and the list is known', async () => {
		const { records, long } = await filled(3);
		expect(records.statusOf('R1', 'CLOSED')).toBe('RESOLVED');
		expect(records.statusOf('R2')).toBe('CLOSED');
		expect(long.CLOSED?.isComplete).toBe(true);
	});
});

describe('the rotation', () => {
	/** The requests of as many polls as given, after the first pages of both lists. */
	async function rotated(
		{ service }: ReturnType<typeof serviceOf>,
		polls: number,
		start = emptyMemory().next,
		each: (poll: number) => void = () => undefined,
	) {
		let next: Memory['next'] = start;
		for (let poll = 0; poll < polls; poll++) {
			each(poll);
			const seen = new Seen();
			const own = new Reader(service.requested, SMALL_PAGES);
			for (const list of SMALL_PAGES.partitions) {
				const page = await new Reader(service.requested, SMALL_PAGES).page(1, list);
				service.requests.pop();
				if (!isPage(page) || page.total! <= 2) continue;
				seen.firstPages.set(list.status, page);
				seen.long.add(list.status);
			}
			next = await rotate(pollOf(own, { memory: { ...emptyMemory(), next }, seen }));
		}
		return { requests: requestsOf(service), next };
	}

	test('reads every page of every long list but the first ones, and then begins again', async () => {
		const { requests } = await rotated(serviceOf(6, 4), 6);
		expect(requests).toBe('all:1 RESOLVED:2 all:1 CLOSED:2 CLOSED:3 all:1');
	});

	test('stays where it is after a rate limit, and leaves out a page that cannot be read', async () => {
		const position = { status: 'CLOSED', page: 2 };
		const failing = serviceOf(8);
		failing.service.deepest = { page: 2, status: 429 };
		expect((await rotated(failing, 1, position)).next).toEqual(position);
		for (const status of [503, 403]) {
			failing.service.deepest.status = status;
			expect((await rotated(failing, 1, position)).next).toEqual({ status: 'CLOSED', page: 3 });
		}
	});

	test('goes on with the next list if one became shorter than its position', async () => {
		const { requests, next } = await rotated(serviceOf(6, 4), 1, { status: 'RESOLVED', page: 9 });
		expect([requests, next]).toEqual(['all:1', { status: 'CLOSED', page: 2 }]);
	});

	test('leaves out lists that are not complete if keys are shortened', async () => {
		const { service, reader } = serviceOf(6, 4);
		const seen = new Seen();
		for (const status of ['RESOLVED', 'CLOSED']) {
			const list = SMALL_PAGES.partitions.find((each) => each.status === status)!;
			seen.firstPages.set(status, (await reader.page(1, list)) as ListedPage);
			seen.long.add(status);
		}
		service.requests = [];
		const memory = {
			...emptyMemory(),
			records: new Records(new Map(), new Map(), 30),
			long: { RESOLVED: newLongList(false), CLOSED: newLongList(true) },
			next: { status: 'RESOLVED', page: 2 },
		};
		await rotate(pollOf(reader, { memory, seen }));
		expect(requestsOf(service)).toBe('all:1');
		expect((await rotate(pollOf(reader, { memory, seen }))).status).toBe('CLOSED');
	});

	test('requests nothing without long lists', async () => {
		const start = { status: 'CLOSED', page: 7 };
		expect(await rotated(serviceOf(2), 1, start)).toEqual({ requests: '', next: start });
	});
});
