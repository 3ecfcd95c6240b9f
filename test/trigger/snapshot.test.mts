/** How reliably a poll has read a list, with which requests, and which page of an archive is its turn. */
import type { Baseline } from '../../nodes/ConversationalMessaging/trigger/baseline.ts';
import { Lister } from '../../nodes/ConversationalMessaging/trigger/lister.ts';
import type { Reading } from '../../nodes/ConversationalMessaging/trigger/snapshot.ts';
import {
	rotationPage,
	takeSnapshot,
} from '../../nodes/ConversationalMessaging/trigger/snapshot.ts';
import { tickets } from '../../nodes/ConversationalMessaging/trigger/sources/tickets.ts';
import { TrackedRecords } from '../../nodes/ConversationalMessaging/trigger/tracked.ts';
import { baseline as baselineOf } from './checkpoints.mts';
import { SMALL } from './script.mts';
import { FakeService, outage, type Order } from './service.mts';

/** Pages of three rows. */
const SOURCE = { ...tickets, pageSize: 3 };

interface Course {
	/** Open tickets at first. */
	open: number;
	/** The request before which something happens, and what. */
	at?: number;
	happens?: 'create' | 'delete' | 'fail';
	hidden?: number;
	order?: Order;
	totals?: boolean;
	wholePages?: number;
}

/** A snapshot, with its requests: "OPEN:2" or "all:1". */
async function snapshotOf(course: Course, isFirst = false) {
	const { open, at, happens, hidden = 0, totals = true, wholePages = 3 } = course;
	const service = new FakeService(SOURCE, course.order);
	Object.assign(service, { hidden, totals });
	service.makeAll(Array.from({ length: open }, () => 'OPEN'));
	service.onRequest = (request) => {
		if (happens === 'fail' && request >= at!) throw outage();
		if (request !== at) return;
		if (happens === 'create') service.make('OPEN');
		else service.delete(service.rows[0]!);
	};
	const known = baselineOf(new TrackedRecords(), { counts: { OPEN: open }, pageSize: 3 });
	const lister = new Lister(service.reader, SOURCE);
	const limits = { ...SMALL, wholePages };
	const before = isFirst ? undefined : known;
	const snapshot = await takeSnapshot(lister, SOURCE.partitions, before, limits);
	const requests = service.requests.map((request) => {
		const { status = 'all', page } = JSON.parse(request.slice(5)) as Record<string, string>;
		return `${status}:${page}`;
	});
	return { ...snapshot, requests };
}

describe('the whole list, if it is short,', () => {
	test.each<[what: string, course: Course, reading: Reading | undefined]>([
		['of one page is certain', { open: 3 }, 'certain'],
		[
			'of one page is certain without a total, if it is not full',
			{ open: 2, totals: false },
			'certain',
		],
		[
			'of several pages is consistent, if their totals agree with their records',
			{ open: 5 },
			'consistent',
		],
		[
			'is shifting, if a record was created meanwhile',
			{ open: 5, at: 2, happens: 'create' },
			'shifting',
		],
		[
			'is shifting, if a record was deleted meanwhile',
			{ open: 5, at: 2, happens: 'delete' },
			'shifting',
		],
		['is shifting, if a page lacks a record', { open: 2, hidden: 1 }, 'shifting'],
		['is shifting, if one of the pages lacks a record', { open: 4, hidden: 1 }, 'shifting'],
		[
			'is shifting, if the total changed meanwhile, although there are enough records',
			{ open: 5, at: 2, happens: 'create', order: 'oldest' },
			'shifting',
		],
		['was not read, after an outage', { open: 5, at: 2, happens: 'fail' }, undefined],
	])('%s', async (_what, course, reading) => {
		const { whole, complete, archives } = await snapshotOf(course);
		expect([whole, archives.size]).toEqual([reading, 0]);
		for (const { status } of SOURCE.partitions) expect(complete.get(status)).toBe(reading);
		expect(complete.size).toBe(reading ? 4 : 0);
	});

	test.each<[what: string, course: Course, pages: number[]]>([
		['of one page is read once', { open: 3 }, [1]],
		// Pages may be shorter than the response says.
		['of one page that lacks a record is read as two pages', { open: 2, hidden: 1 }, [1, 2, 1, 2]],
		['that is empty, but counts a record, is read twice', { open: 0, hidden: 1 }, [1, 1]],
		['of several pages is read twice', { open: 5 }, [1, 2, 1, 2]],
		[
			'that has another record the second time is read a third time',
			{ open: 4, at: 3, happens: 'create' },
			[1, 2, 1, 2, 1, 2],
		],
		[
			'that changes during the second time is read a third time',
			{ open: 5, at: 4, happens: 'delete' },
			[1, 2, 1, 2, 1, 2],
		],
	])('%s in the first poll', async (_what, course, pages) => {
		const { whole, requests } = await snapshotOf(course, true);
		expect(requests).toEqual(pages.map((page) => `all:${page}`));
		expect(whole).toBe('certain');
	});

	test('that never stays the same is read three times in the first poll', async () => {
		const service = new FakeService(SOURCE);
		service.makeAll(Array.from({ length: 4 }, () => 'OPEN'));
		service.onRequest = (request) => {
			if (request % 2 === 0) service.make('OPEN');
		};
		const lister = new Lister(service.reader, SOURCE);
		const limits = { ...SMALL, wholePages: 3 };
		const { whole } = await takeSnapshot(lister, SOURCE.partitions, undefined, limits);
		expect(whole).toBe('shifting');
	});
});

describe('the list of a status', () => {
	test.each<[what: string, course: Course, reading: Reading | undefined]>([
		['is consistent', { open: 5, wholePages: 1 }, 'consistent'],
		['is consistent without totals', { open: 5, totals: false }, 'consistent'],
		[
			'was not read, after an outage',
			{ open: 5, wholePages: 1, at: 5, happens: 'fail' },
			undefined,
		],
		[
			'was not read without totals, after an outage',
			{ open: 5, totals: false, at: 6, happens: 'fail' },
			undefined,
		],
	])('%s', async (_what, course, reading) => {
		const { whole, complete, requests } = await snapshotOf(course);
		expect([whole, complete.get('OPEN')]).toEqual([undefined, reading]);
		expect(complete.has('OPEN')).toBe(reading !== undefined);
		expect(requests).toContain('OPEN:2');
	});
});

describe('the page of an archive that is read', () => {
	const known = (change: Partial<Baseline>) =>
		baselineOf(new TrackedRecords(), {
			counts: { OPEN: 9, IN_PROGRESS: 0, RESOLVED: 4, CLOSED: 7 },
			exact: ['OPEN', 'IN_PROGRESS'],
			pageSize: 3,
			...change,
		});
	const pageIn = (rotation: number, change: Partial<Baseline> = {}): string => {
		const { status, page } = rotationPage(known({ rotation, ...change }), SOURCE.partitions) ?? {};
		return page === undefined ? 'none' : `${status!} ${page}`;
	};

	test('is each page of each archive in turn; in one of ten polls, the head of the whole list instead', () => {
		const turns = Array.from({ length: 21 }, (_, rotation) => pageIn(rotation));
		const round = ['RESOLVED 1', 'RESOLVED 2', 'CLOSED 1', 'CLOSED 2', 'CLOSED 3'];
		expect(turns).toEqual([
			...round,
			...round.slice(0, 4),
			'CLOSED head',
			// The page that was left out.
			'CLOSED 3',
			...round,
			...round.slice(0, 3),
			'CLOSED head',
			'CLOSED 2',
		]);
	});

	test('is the first one of an archive that is empty', () => {
		expect(pageIn(0, { counts: { CLOSED: 0 } })).toBe('CLOSED 1');
	});

	test('is none if there is no archive, or if no total is known', () => {
		expect(pageIn(3, { counts: { OPEN: 9, IN_PROGRESS: 1 } })).toBe('none');
		expect(pageIn(3, { counts: {} })).toBe('none');
	});
});
