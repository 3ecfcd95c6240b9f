/**
 * What each poll requests, emits and logs, in courses that a person can follow: what the model cannot know, because it compares
 * only events and history. The names of requests are those of `FakeService`.
 */
import { idOf } from '../../nodes/ConversationalMessaging/api/response/response.ts';
import { chats } from '../../nodes/ConversationalMessaging/trigger/status/sources/chats.ts';
import { importJobs } from '../../nodes/ConversationalMessaging/trigger/status/sources/importJobs.ts';
import { segments } from '../../nodes/ConversationalMessaging/trigger/status/sources/segments.ts';
import type { StatusSource } from '../../nodes/ConversationalMessaging/trigger/status/sources/source.ts';
import { templates } from '../../nodes/ConversationalMessaging/trigger/status/sources/templates.ts';
import { tickets } from '../../nodes/ConversationalMessaging/trigger/status/sources/tickets.ts';
import type { IDataObject } from 'n8n-workflow';
import { type Limits, LIMITS } from '../../nodes/ConversationalMessaging/trigger/limits.ts';
import { useFakeTime } from '../support/time.mts';
import { failure } from './histories.mts';
import { FakeService } from './service.mts';
import { Watch, type WatchSettings } from './watch.mts';

const time = useFakeTime();
let watch: Watch;

/** Opens a service with these records, the oldest first: R1, R2, … A page has three rows. */
function open(
	statuses: string[],
	{ limits, ...settings }: Omit<WatchSettings, 'limits'> & { limits?: Partial<Limits> } = {},
	source: StatusSource = { ...tickets, pageSize: 3 },
): void {
	const small = { wholePages: 1, mostWholePages: 1, changedPages: 0, cursorPages: 2 };
	watch = new Watch(source, {}, { ...settings, limits: { ...LIMITS, ...small, ...limits } });
	watch.service.makeAll(statuses);
}

/** As many of these statuses, in turn. */
const times = (count: number, ...statuses: string[]): string[] =>
	Array.from({ length: count }, () => statuses).flat();

const change = (status: string, ...ids: string[]): void => {
	for (const id of ids) watch.service.change(watch.row(id), status);
};

const make = (...statuses: string[]) => watch.service.makeAll(statuses);

/** @returns the events and the requests, and which failure in a row this is; with an error, what n8n shows */
const poll = async () => {
	const { events, requests, failures, error } = await watch.poll();
	return [events, requests.join(' '), ...(failures > 0 ? [failures] : []), ...(error ? ['!'] : [])];
};

/** A poll, of which each request from this one on fails. */
const failingPoll = async (at: number, status = 503) => {
	watch.service.onRequest = (request) => {
		if (request >= at) throw failure(status);
	};
	const polled = await poll();
	watch.service.onRequest = () => undefined;
	return polled;
};

/** The first page of the list of each status. */
const HEADS = 'OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1';

describe('short and long lists', () => {
	test.each([0, 1])(
		'a list that is read in full in every second poll does not send the cursor back to the first one: %d',
		async (phase) => {
			const source = { ...segments, pageSize: 3 };
			const limits = { changedPages: 3 };
			open(times(15, 'S1', 'S3'), { statuses: ['S1', 'S2', 'S3'], limits }, source);
			make(...times(9, 'S2'));
			await watch.publish();
			const read = new Set<string>();
			for (let i = 0; i < 24; i++) {
				if (i % 4 === phase) make('S2');
				if (i % 4 === phase + 2) watch.service.delete(watch.rowsOf('S2')[0]!);
				for (const name of (await watch.poll()).requests) read.add(name);
			}
			expect([...read].filter((name) => name.startsWith('S3'))).toHaveLength(5);
		},
	);

	test.each(['no rows', 'the first page', 400, 404, 416, 422])(
		'without totals, a list is read up to the first page that shows nothing new; behind its end, there is %s',
		async (behind) => {
			const source = { ...tickets, pageSize: 20 };
			open(times(50, 'CLOSED'), { limits: { cursorPages: 4 } }, source);
			watch.service.hasMeta = false;
			const { page } = watch.service.requested;
			watch.service.requested.page = async (query, how) => {
				const found = await page(query, how);
				const isBehind = found.rows.length === 0 && Number(query.page) > 1;
				return isBehind && behind === 'the first page'
					? await page({ ...query, page: 1 }, how)
					: found;
			};
			watch.service.onPage = (name) => {
				const [status = '', number] = name.split(':');
				const isBehind = Number(number) > Math.max(1, Math.ceil(watch.rowsOf(status).length / 20));
				return isBehind && typeof behind === 'number' ? behind : undefined;
			};
			await watch.publish();
			const made = make('CLOSED');
			await watch.finds([`${made[0]!.id} new>CLOSED`], 1);
			change('OPEN', 'R1');
			await watch.finds(['R1 CLOSED>OPEN'], 1);
		},
	);
});

describe('while a list is read for the first time', () => {
	test('a record that a new one moves to another page is no event', async () => {
		open(times(12, 'OPEN'));
		watch.service.onRequest = (request) => {
			if (request === 6 && watch.service.made === 12) make('OPEN');
		};
		for (let i = 0; i < 3; i++) expect((await watch.poll()).events).toStrictEqual([]);
		expect([...watch.memory.known].sort()).toHaveLength(4);
		expect(watch.memory.hashes.size + watch.memory.keys.size).toBe(13);
	});

	test.each(['OPEN', 'RESOLVED'])(
		'nor is one that no page shows because another one leaves the list, and one that was OPEN gets %s',
		async (status) => {
			open([...times(11, 'RESOLVED'), 'OPEN'], { order: 'oldest' }, { ...tickets, pageSize: 5 });
			watch.service.showsCreated = false;
			watch.service.rejectedPages = { from: 3, to: 3, status: 500 };
			expect((await watch.poll()).events).toStrictEqual([]);
			watch.service.rejectedPages = undefined;
			// Page 2 was read before R11 comes to it.
			watch.service.onRequest = () => {
				if (watch.service.requests.at(-1) !== 'RESOLVED:3') return;
				watch.service.onRequest = () => undefined;
				change('CLOSED', 'R1');
				change(status, 'R12');
			};
			const events: string[] = [];
			for (let i = 0; i < 12; i++) events.push(...(await watch.poll()).events);
			expect(events.filter((event) => event.startsWith('R11 '))).toStrictEqual([]);
			change('OPEN', 'R11');
			await watch.finds(['R11 RESOLVED>OPEN'], 3);
		},
	);
});

test.each([
	['makes a list less certain', true, undefined],
	['does not if the list has grown by it', false, ['OPEN']],
])(
	'a record that any reading finds %s, not only one of all its pages',
	async (_, leaves, quiet) => {
		open(times(30, 'OPEN'), { order: 'oldest', windowSize: 40 });
		for (let i = 0; i < 2; i++) await watch.poll();
		expect(watch.memory.quiet).toStrictEqual(['OPEN']);
		watch.settings.windowSize = 20;
		const [made] = make('OPEN');
		if (leaves) watch.service.delete(watch.row('R30'));
		expect((await watch.poll()).events).toStrictEqual([`${made!.id} new>OPEN`]);
		expect(watch.memory.quiet).toStrictEqual(quiet);
		expect(watch.memory.known.has('OPEN')).toBe(false);
	},
);

test('a list that grows in every poll becomes known, and its new records are emitted', async () => {
	open(times(40, 'S1'), { statuses: ['S1'], windowSize: 40 }, { ...segments, pageSize: 3 });
	const found: string[] = [];
	for (let i = 0; i < 8; i++) {
		found.push(...(await watch.poll()).events);
		make('S1');
	}
	// The first three polls read the list.
	expect(found).toStrictEqual([43, 44, 45, 46, 47].map((made) => `R${made} new>ADDED`));
});

describe.each<[string, string[], StatusSource]>([
	['a ticket list', [], tickets],
	['a segment', ['S'], segments],
])(
	'a first page of %s that is empty although the service counts some records',
	(_, ids, source) => {
		const status = ids[0] ?? 'OPEN';
		const emptyPoll = async () => {
			const { page } = watch.service.requested;
			watch.service.requested.page = async (...args) => ({ ...(await page(...args)), rows: [] });
			const { events } = await watch.poll();
			watch.service.requested.page = page;
			return events;
		};

		test.each([0, 1, 3])(
			'shows nothing after %i polls: neither that they are new nor that they left',
			async (polls) => {
				open(times(4, status), { statuses: ids }, { ...source, pageSize: 3 });
				watch.service.showsCreated = false;
				for (let i = 0; i < polls; i++) expect((await watch.poll()).events).toStrictEqual([]);
				expect(await emptyPoll()).toStrictEqual([]);
				for (let i = 0; i < 3; i++) expect((await watch.poll()).events).toStrictEqual([]);
				const made = make(status)[0]!;
				const events = await watch.poll();
				expect(events.events).toStrictEqual([`${made.id} new>${ids[0] ? 'ADDED' : status}`]);
			},
		);
	},
);

test('without totals, page 2 shows whether the service has pages, before many are requested at once', async () => {
	open(times(30, 'OPEN', 'CLOSED'), {}, { ...tickets, pageSize: 20 });
	watch.service.hasMeta = false;
	const { page } = watch.service.requested;
	const requested: string[] = [];
	watch.service.requested.page = async (query, how) => {
		const { status, page: number } = query as Record<string, string | number>;
		requested.push(`${status}:${number}`);
		return await page({ ...query, page: 1 }, how);
	};
	await watch.poll();
	expect(requested.join(' ')).toBe(
		`${HEADS} OPEN:1 OPEN:2 OPEN:1 OPEN:2 CLOSED:1 CLOSED:2 CLOSED:1 CLOSED:2`,
	);
	expect([...watch.memory.known].sort()).toHaveLength(4);
});

describe('records and pages that cannot be read', () => {
	test('while changed records cannot be fetched in full, the log says so', async () => {
		open(['OPEN'], { details: true });
		await poll();
		watch.service.rejected.set('R1', 503);
		for (const status of ['IN_PROGRESS', 'RESOLVED']) {
			change(status, 'R1');
			expect((await poll())[0]).toHaveLength(1);
		}
		watch.service.rejected.clear();
		change('CLOSED', 'R1');
		await poll();
		expect(watch.logged).toStrictEqual([
			expect.stringMatching(/^! A changed ticket could not be fetched in full/),
			'Changed tickets can be fetched in full again.',
		]);
	});

	test('look-ups that fail hold up no other change, and are logged once', async () => {
		open(times(4, 'OPEN'), { limits: { wholePages: 3 } });
		await poll();
		for (const id of ['R1', 'R2']) watch.service.rejected.set(id, 500);
		change('ON_HOLD', 'R1', 'R2', 'R3');
		make('OPEN');
		expect((await poll())[0]).toHaveLength(2);
		for (let i = 0; i < 3; i++) expect((await poll())[0]).toStrictEqual([]);
		expect(watch.logged).toStrictEqual([
			expect.stringMatching(/^! Not every ticket that left its list/),
		]);
		watch.service.rejected.clear();
		expect((await poll())[0]).toHaveLength(2);
		expect(watch.logged[1]).toMatch(/^Every ticket that left its list/);
	});

	test('look-ups of which every tenth fails are all made in one poll', async () => {
		open(times(50, 'OPEN'), { limits: { wholePages: 50 } });
		await poll();
		const ids = Array.from({ length: 50 }, (_, i) => `R${i + 1}`);
		for (const id of ids) if (id.endsWith('5')) watch.service.rejected.set(id, 500);
		change('ON_HOLD', ...ids);
		expect((await poll())[0]).toHaveLength(45);
	});

	test.each([403, 500])(
		'page 3 of a long list that answers %d for an hour holds up no other, and is logged once',
		async (status) => {
			open([...times(12, 'CLOSED'), 'OPEN']);
			await poll();
			watch.service.onPage = (name) => (name === 'CLOSED:3' ? status : undefined);
			for (let i = 0; i < 60; i++) expect((await poll()).slice(2)).toStrictEqual([]);
			change('CLOSED', 'R13');
			change('OPEN', 'R1');
			expect((await poll())[0]).toStrictEqual(['R1 CLOSED>OPEN', 'R13 OPEN>CLOSED']);
			watch.service.onPage = () => undefined;
			for (let i = 0; i < 6; i++) await poll();
			expect(watch.logged).toStrictEqual([
				expect.stringMatching(/^! Page 3 of the CLOSED tickets could not be read/),
				'All pages of the CLOSED tickets could be read again.',
			]);
		},
	);

	test('a list whose length changes in each poll leaves a request to look up what left another one', async () => {
		open([...times(31, 'CLOSED'), 'OPEN'], { limits: { changedPages: 20 } });
		await watch.publish();
		watch.settings.windowSize = 30;
		change('ON_HOLD', 'R32');
		make('CLOSED');
		expect((await poll())[0]).toStrictEqual(['R33 new>CLOSED', 'R32 OPEN>ON_HOLD']);
	});

	test('a page of the chats that are not escalated that fails is logged once, and so is its end', async () => {
		open(times(12, 'ESCALATED'), {}, { ...chats, pageSize: 3 });
		await watch.publish();
		watch.service.onPage = (name) => (name === 'needsEscalation=false:2' ? 500 : undefined);
		change('NOT_ESCALATED', ...[1, 2, 3, 4, 5, 6].map((n) => `R${n}`));
		expect((await poll())[0]).toHaveLength(6);
		watch.service.onPage = () => undefined;
		change('NOT_ESCALATED', ...[7, 8, 9, 10, 11].map((n) => `R${n}`));
		expect((await poll())[0]).toHaveLength(5);
		expect(watch.logged).toStrictEqual([
			expect.stringMatching(/^! Page 2 of the NOT_ESCALATED chats could not be read/),
			'All pages of the NOT_ESCALATED chats could be read again.',
		]);
	});

	const rejected = async () => await Promise.reject(failure(500));
	const empty = async () => ({ rows: [], meta: {} });
	test.each([
		['is rejected', '', rejected, false],
		['is empty, in front of others', '.* no rows', empty, false],
		['is rejected', '', rejected, true],
	])(
		'while a page %s at first, the log says so%s, and new records in its list are emitted if they show when they were created: %#',
		async (_what, reason, broken, showsCreated) => {
			open(times(30, 'CLOSED'), { limits: { fillEvery: 4 } });
			Object.assign(watch.service, { showsCreated });
			const { page } = watch.service.requested;
			watch.service.requested.page = async (query, how) =>
				query.status === 'CLOSED' && query.page === 3
					? { ...(await page(query, how)), ...(await broken()) }
					: await page(query, how);
			for (let i = 0; i < 4; i++) expect((await poll())[0]).toStrictEqual([]);
			make('CLOSED', 'OPEN');
			const created = showsCreated ? ['R31 new>CLOSED'] : [];
			expect((await poll())[0]).toStrictEqual(['R32 new>OPEN', ...created]);
			watch.service.requested.page = page;
			for (let i = 0; i < 9; i++) expect((await poll())[0]).toStrictEqual([]);
			make('CLOSED');
			expect((await poll())[0]).toStrictEqual(['R33 new>CLOSED']);
			expect(watch.logged).toStrictEqual([
				expect.stringMatching(`^! Page 3 of the CLOSED tickets could not be read\\.${reason}`),
				expect.stringMatching(/^! Not all tickets in the list CLOSED have been read yet/),
				expect.stringMatching(/^All pages of the CLOSED/),
				'All tickets are remembered.',
			]);
		},
	);

	test('that a page could be read again is logged although the list has one page by then', async () => {
		open(times(4, 'OPEN'));
		await watch.publish();
		watch.service.onPage = (name) => (name === 'OPEN:2' ? 500 : undefined);
		await poll();
		watch.service.onPage = () => undefined;
		change('CLOSED', 'R1');
		await poll();
		expect(watch.logged).toStrictEqual([
			expect.stringMatching(/^! Page 2 of the OPEN tickets could not be read/),
			'All pages of the OPEN tickets could be read again.',
		]);
	});

	test('the first page of a list that cannot be read fails the poll, which changes nothing; the fifth in a row is shown', async () => {
		open(times(2, 'OPEN'));
		await poll();
		change('CLOSED', 'R1');
		for (const [i, status] of [503, 408, 429, 500].entries())
			expect(await failingPoll(2, status)).toStrictEqual([[], HEADS, i + 1]);
		expect(await failingPoll(4)).toStrictEqual([[], HEADS, 5, '!']);
		expect(await failingPoll(4, 403)).toStrictEqual([[], HEADS, 6, '!']);
		expect((await poll())[0]).toStrictEqual(['R1 OPEN>CLOSED']);
		expect(watch.logged).toHaveLength(2);
	});

	test('the rate limit, later on, ends the requests, and what was seen is emitted', async () => {
		open([...times(12, 'CLOSED'), ...times(2, 'OPEN')]);
		await poll();
		change('CLOSED', 'R13');
		change('IN_PROGRESS', 'R14');
		expect(await failingPoll(5, 429)).toStrictEqual([
			['R14 OPEN>IN_PROGRESS', 'R13 OPEN>CLOSED'],
			`${HEADS} CLOSED:2`,
		]);
		for (let i = 0; i < 5; i++) await poll();
		expect(watch.logged).toStrictEqual([
			expect.stringMatching(/^! Page 2 of the CLOSED tickets could not be read.* Status 429$/),
			'All pages of the CLOSED tickets could be read again.',
		]);
	});
});

const ofAgent = { assigneeId: 'A1' };

test.each<[shows: IDataObject, of: StatusSource, scope: Record<string, string>]>([
	[{ status: 'ON_HOLD' }, tickets, {}],
	[{ assigneeId: 'A2' }, tickets, ofAgent],
	[{ needsEscalation: false }, chats, {}],
	[{ escalated: false }, chats, ofAgent],
	[{ needs_escalation: false }, chats, ofAgent],
	[{ assigneeId: null, assignee: { id: 'A2' } }, chats, ofAgent],
	[{ agentId: 'A2' }, chats, ofAgent],
])('a row that shows %j contradicts its filter: it is left out, and logged once', async (...of) => {
	const [shows, source, scope] = of;
	open([], { scope }, source);
	await poll();
	const { page } = watch.service.requested;
	watch.service.requested.page = async () =>
		await Promise.resolve({ rows: [{ id: 'X', ...shows }], json: {}, meta: { total: 1 } });
	for (let i = 0; i < 2; i++) expect((await poll())[0]).toStrictEqual([]);
	watch.service.requested.page = page;
	await poll();
	expect(watch.logged).toStrictEqual([
		expect.stringMatching(/^! The service lists \w+ that do not match the filter/),
		expect.stringMatching(/^The service lists only \w+ that match/),
	]);
});

test.each([0, 2])(
	'a ticket that is assigned to nobody, and shows no agent, is looked up once; assigned again, it comes: after %d repeats of each request',
	async (repeats) => {
		open(times(5, 'OPEN'), { scope: ofAgent, windowSize: 20 }, tickets);
		watch.service.showsAgent = false;
		watch.service.onRequest = () => {
			for (let i = 0; i < repeats; i++) watch.service.requested.budget.spend();
		};
		await poll();
		watch.service.onRequest = () => undefined;
		watch.service.assign(watch.row('R1'), '');
		expect((await watch.poll()).requests).toHaveLength(5);
		expect((await watch.poll()).requests).toHaveLength(4);
		watch.service.assign(watch.row('R1'), 'A1');
		expect((await poll())[0]).toStrictEqual(['R1 new>OPEN']);
	},
);

test('a ticket that no list shows any more is looked up once; reopened, it comes with its previous status', async () => {
	open(times(5, 'CLOSED'), {}, tickets);
	await poll();
	const { page } = watch.service.requested;
	watch.service.requested.page = async (...of) => {
		const { rows, ...found } = await page(...of);
		const shown = rows.filter((row) => idOf(row) !== 'R1' || of[0].status !== 'CLOSED');
		return { ...found, rows: shown, meta: { total: shown.length } };
	};
	expect((await watch.poll()).requests).toHaveLength(5);
	expect((await watch.poll()).requests).toHaveLength(4);
	change('OPEN', 'R1');
	expect((await poll())[0]).toStrictEqual(['R1 CLOSED>OPEN']);
});

test('a chat whose agent is shown by name does not contradict its filter', async () => {
	open([], { scope: ofAgent }, chats);
	await poll();
	watch.service.requested.page = async () =>
		await Promise.resolve({ rows: [{ id: 'C', assignee: 'Kim' }], json: {}, meta: { total: 1 } });
	expect((await poll())[0]).toStrictEqual(['C new>ESCALATED']);
});

test('a chat that leaves the list is looked up by what it shows, whatever the filter lists', async () => {
	open(times(2, 'ESCALATED'), {}, chats);
	await poll();
	const { page } = watch.service.requested;
	watch.service.requested.page = async ({ needsEscalation, ...query }, how) => {
		const found = await page(query, how);
		const rows = found.rows.map((row) => ({ ...(row as object), escalated: true }));
		return { ...found, rows: needsEscalation === true ? rows.slice(1) : rows };
	};
	expect((await poll())[0]).toStrictEqual([]);
});

test('without totals, a state that is full is not read again in every poll', async () => {
	const settings = { characters: 900, limits: { fillEvery: 50 } };
	open(times(300, 'CLOSED'), settings, { ...tickets, pageSize: 20 });
	watch.service.hasMeta = false;
	for (let i = 0; i < 6; i++) await poll();
	expect(watch.memory.isCut).toBe(true);
	for (let i = 0; i < 6; i++) expect((await watch.poll()).requests.length).toBeLessThan(8);
	// A new record is emitted once, although it may not fit in.
	time.clock.advance(60_000);
	make('CLOSED');
	expect((await poll())[0]).toStrictEqual(['R301 new>CLOSED']);
	expect((await poll())[0]).toStrictEqual([]);
});

test('escalated chats that do not fit into the state by their IDs: some are missed when they leave, and the log says so', async () => {
	const source = { ...chats, pageSize: 3 };
	open([], { characters: 1_500 }, source);
	// As long as a cuid.
	watch.service = new FakeService(source, 'newest', 'cm4k2w8qx000000000000000');
	make(...times(60, 'ESCALATED'));
	for (let i = 0; i < 3; i++) expect((await poll())[0]).toStrictEqual([]);
	const byId = [...watch.memory.keys.keys()];
	expect([byId.length > 20, watch.memory.known.size]).toStrictEqual([true, 1]);
	const { id } = make('ESCALATED')[0]!;
	expect((await poll())[0]).toStrictEqual([`${id} NOT_ESCALATED>ESCALATED`]);
	change('NOT_ESCALATED', byId[0]!);
	expect((await poll())[0]).toStrictEqual([`${byId[0]!} ESCALATED>NOT_ESCALATED`]);
	expect(watch.logged).toStrictEqual([
		expect.stringMatching(/^! Not all chats fit into the state/),
	]);
});

describe('Start From: Existing Records', () => {
	const existing = { fromExisting: true };

	test('the first successful poll emits what matches; if it is repeated after a crash, with the same IDs', async () => {
		open(['OPEN', 'CLOSED', 'OPEN'], existing);
		watch.filter = { statuses: ['OPEN'], includeNew: false, fields: {} };
		expect((await failingPoll(1))[0]).toStrictEqual([]);
		const eventIds = async () => (await watch.poll()).items.map(({ json }) => json.eventId);
		watch.n8n.save();
		const first = await eventIds();
		expect(new Set(first).size).toBe(2);
		watch.n8n.restart();
		expect(await eventIds()).toStrictEqual(first);
	});

	test('of more than one poll emits, the oldest come, and the log says so', async () => {
		open(times(3, 'OPEN'), { ...existing, limits: { existing: 2 } });
		expect((await poll())[0]).toStrictEqual(['R1 new>OPEN', 'R2 new>OPEN']);
		expect(watch.logged).toStrictEqual([
			'! Start From emits the oldest 2 of the 3 existing tickets that match. Read the others with Get Many.',
		]);
	});

	test('of a list that is too long for one poll, what this poll reads comes, and the log says so', async () => {
		open([...times(24, 'CLOSED'), 'OPEN'], { ...existing, windowSize: 20 });
		expect((await poll())[0]).toHaveLength(7);
		expect(watch.logged[0]).toBe(
			'! Start From emits 7 existing tickets, because the first poll could not read all of them. Read the others with Get Many.',
		);
	});
});

describe('another token', () => {
	test('of another organization: the trigger starts over, silently', async () => {
		open(times(2, 'OPEN'));
		await poll();
		for (const id of ['R1', 'R2']) watch.service.delete(watch.row(id));
		make('OPEN', 'CLOSED');
		watch.token = 'foreign';
		expect((await failingPoll(2))[0]).toStrictEqual([]);
		expect((await poll())[0]).toStrictEqual([]);
		expect(watch.logged.at(-1)).toMatch(/^! The trigger starts over with the tickets/);
		change('CLOSED', 'R3');
		expect((await poll())[0]).toStrictEqual(['R3 OPEN>CLOSED']);
	});

	test('with nothing remembered, the records that its organization has are old', async () => {
		open([]);
		await poll();
		make('OPEN', 'CLOSED');
		watch.token = 'other';
		expect((await poll())[0]).toStrictEqual([]);
		change('CLOSED', 'R1');
		expect((await poll())[0]).toStrictEqual(['R1 OPEN>CLOSED']);
	});

	test('of another organization without records: nothing comes as new when the first one is back', async () => {
		open(times(2, 'OPEN'));
		await poll();
		const { service } = watch;
		Object.assign(watch, { service: new FakeService(tickets), token: 'foreign' });
		expect((await poll())[0]).toStrictEqual([]);
		Object.assign(watch, { service, token: 'one' });
		expect((await poll())[0]).toStrictEqual([]);
		change('CLOSED', 'R1');
		expect((await poll())[0]).toStrictEqual(['R1 OPEN>CLOSED']);
	});

	test('while all known records were assigned to somebody else: they still exist', async () => {
		open(times(2, 'OPEN'), { scope: { assigneeId: 'A1' } });
		await poll();
		for (const id of ['R1', 'R2']) watch.service.assign(watch.row(id), 'A2');
		make('OPEN');
		watch.token = 'new';
		expect((await poll())[0]).toStrictEqual(['R3 new>OPEN']);
	});
});

test('an import job that the list of recent ones does not show any more is looked up until it has ended', async () => {
	open(['queued', ...times(2, 'completed')], {}, { ...importJobs, pageSize: 3 });
	await poll();
	make('queued');
	expect(await poll()).toStrictEqual([['R4 new>queued'], 'all get:R1']);
	change('failed', 'R1');
	expect(await poll()).toStrictEqual([['R1 queued>failed'], 'all get:R1']);
	expect(await poll()).toStrictEqual([[], 'all']);
});

test('import jobs that end with an unknown status cost no requests once the list does not show them any more', async () => {
	open([], {}, importJobs);
	watch.service.window = 19;
	await poll();
	for (let i = 0; i < 60; i++) {
		const [job] = make('queued');
		await poll();
		change('finished_with_warnings', job!.id);
		const event = `${job!.id} queued>finished_with_warnings`;
		expect(await poll()).toStrictEqual([[event], 'all']);
	}
});

test.each<[rows: number, total: number, showsTotal: boolean, showsCreated: boolean, of: string]>([
	[20, 30, true, true, ' of 30'],
	[20, 30, true, false, ' of 30'],
	[50, 60, false, true, ', and may have more'],
	[50, 60, false, false, ', and may have more'],
	[19, 30, false, true, ''],
	[19, 30, false, false, ''],
])(
	'a list without pages that shows %d of %d (total: %j, creation: %j): an old record that takes the place of a deleted one is no event; the log says how many it shows',
	async (window, total, hasMeta, showsCreated, of) => {
		open(times(total, 'PENDING'), {}, templates);
		Object.assign(watch.service, { window, hasMeta, showsCreated });
		await poll();
		const [newest] = watch.service.rows;
		watch.service.delete(newest!);
		expect((await poll())[0]).toStrictEqual([]);
		const made = make('PENDING')[0]!.id;
		expect((await poll())[0]).toStrictEqual(showsCreated ? [`${made} new>PENDING`] : []);
		const beginning = `! The service lists ${window} templates${of}. Changes of the others are not emitted`;
		const end = showsCreated
			? '.'
			: ', nor are all new ones, because they do not show when they were created.';
		expect(watch.logged).toStrictEqual(of ? [beginning + end] : []);
	},
);

test.each([
	[true, []],
	[
		false,
		['! The service lists 50 templates, and may have more.', 'The service lists all templates.'],
	],
])(
	'undated templates are emitted one by one, also those around the fiftieth; with a total: %j',
	async (hasMeta, logged) => {
		open(times(48, 'APPROVED'), {}, templates);
		Object.assign(watch.service, { hasMeta, showsCreated: false });
		await poll();
		for (let i = 49; i <= 53; i++) {
			make('PENDING');
			expect((await poll())[0]).toStrictEqual([`R${i} new>PENDING`]);
		}
		expect(watch.logged.map((line) => line.replace(/(more\.) .*/, '$1'))).toStrictEqual(logged);
	},
);

describe('the members of segments', () => {
	test('a contact that was removed and is added again is emitted again, and one that is in two, for each', async () => {
		open(['S1', 'S2'], { statuses: ['S1', 'S2'] }, segments);
		expect(await poll()).toStrictEqual([[], 'S1:1 S2:1']);
		change('S2', 'R1');
		const item = (await watch.poll()).items[0]!.json;
		expect(item).toMatchObject({
			...{ event: 'contactAddedToSegment', status: 'ADDED', previousStatus: null, recordId: 'R1' },
			...{ segment: { id: 'S2', name: 'Segment S2' }, record: { id: 'R1' } },
		});
		expect(await poll()).toStrictEqual([[], 'S1:1 S2:1']);
		change('S1', 'R1');
		expect((await poll())[0]).toStrictEqual(['R1 new>ADDED']);
	});

	test('a segment that does not exist any more is left out, and logged once by its ID', async () => {
		open(['S1', 'S2'], { statuses: ['S1', 'S2'] }, segments);
		watch.service.onPage = (name) => (name === 'S2:1' ? 404 : undefined);
		const { error } = await watch.poll();
		expect(error?.description).toContain('S2');
		watch.service.onPage = () => undefined;
		await poll();
		watch.service.onPage = (name) => (name === 'S2:1' ? 404 : undefined);
		make('S1', 'S2');
		expect((await poll())[0]).toStrictEqual(['R3 new>ADDED']);
		expect(await poll()).toStrictEqual([[], 'S1:1 S2:1']);
		watch.service.onPage = () => undefined;
		expect((await poll())[0]).toStrictEqual(['R4 new>ADDED']);
		expect(watch.logged.slice(2)).toStrictEqual([
			expect.stringMatching(
				/^! The service has no list of members with the ID S2\. It is left out/,
			),
			expect.stringMatching(/^The list of members with the ID S2 could be read again/),
		]);
	});

	test('a dynamic segment that shows no members is watched, and logged until it shows some', async () => {
		open([], { statuses: ['S1'] }, segments);
		const { page } = watch.service.requested;
		watch.service.requested.page = async (query, how) => ({
			...(await page(query, how)),
			json: { data: { id: 'S1', name: 'Buyers', isDynamic: true } },
		});
		for (let i = 0; i < 2; i++) expect((await poll())[0]).toStrictEqual([]);
		make('S1');
		expect((await poll())[0]).toStrictEqual(['R1 new>ADDED']);
		expect(watch.logged).toStrictEqual([
			expect.stringMatching(/^! The service shows no members of the dynamic segment "Buyers"/),
			'The list S1 shows members.',
		]);
	});

	test.each(['R2', ''])(
		'members that one response misses are not added again: all but "%s"',
		async (kept) => {
			open(times(3, 'S1'), { statuses: ['S1'] }, segments);
			for (let i = 0; i < 2; i++) await poll();
			const { page } = watch.service.requested;
			watch.service.requested.page = async (...args) => {
				watch.service.requested.page = page;
				const { rows, ...found } = await page(...args);
				return { ...found, rows: rows.filter((row) => idOf(row) === kept) };
			};
			for (let i = 0; i < 3; i++) expect((await poll())[0]).toStrictEqual([]);
		},
	);

	test('the membership of a contact that was deleted is no member', async () => {
		open(times(2, 'S1'), { statuses: ['S1'] }, segments);
		await poll();
		const { page } = watch.service.requested;
		watch.service.requested.page = async (...of) => {
			const { rows, ...found } = await page(...of);
			return { ...found, rows: [...rows.slice(1), { id: 'M1', contactId: null, contact: null }] };
		};
		for (let i = 0; i < 2; i++) expect((await poll())[0]).toStrictEqual([]);
	});

	test('one that a new one moves to another page is not added again', async () => {
		const limits = { wholePages: 9, mostWholePages: 9 };
		open(times(6, 'S1'), { statuses: ['S1'], limits }, { ...segments, pageSize: 3 });
		for (let i = 0; i < 3; i++) await poll();
		watch.service.onRequest = (request) => {
			if (request === 2 && watch.service.made === 6) make('S1');
		};
		const events: string[] = [];
		for (let i = 0; i < 3; i++) events.push(...(await watch.poll()).events);
		expect(events).toStrictEqual(['R7 new>ADDED']);
	});

	test('the only one that leaves and is added again is emitted again, as is one of many segments at a low limit', async () => {
		open(['S1'], { statuses: ['S1'] }, segments);
		for (let i = 0; i < 2; i++) await poll();
		change('elsewhere', 'R1');
		expect(await poll()).toStrictEqual([[], 'S1:1']);
		change('S1', 'R1');
		expect((await poll())[0]).toStrictEqual(['R1 new>ADDED']);

		const statuses = Array.from({ length: 12 }, (_, i) => `S${i}`);
		open(statuses, { statuses, windowSize: 20 }, segments);
		for (let i = 0; i < 3; i++) await poll();
		change('elsewhere', 'R5');
		for (let i = 0; i < 2; i++) await poll();
		change('S4', 'R5');
		expect((await poll())[0]).toStrictEqual(['R5 new>ADDED']);
	});

	test.each([20, 150, 700])('without totals, so is one of %d', async (count) => {
		open(times(count, 'S1'), { statuses: ['S1'], limits: LIMITS }, segments);
		watch.service.hasMeta = false;
		for (let i = 0; i < 2; i++) await poll();
		change('elsewhere', 'R5');
		expect((await poll())[0]).toStrictEqual([]);
		change('S1', 'R5');
		expect((await poll())[0]).toStrictEqual(['R5 new>ADDED']);
	});

	test('a segment that is chosen later starts silently, and the others go on', async () => {
		open(['S1', 'S2'], { statuses: ['S1'] }, segments);
		await poll();
		watch.filter = { statuses: ['S1', 'S2'], includeNew: false, fields: {} };
		make('S1');
		expect((await poll())[0]).toStrictEqual(['R3 new>ADDED']);
		make('S2');
		expect((await poll())[0]).toStrictEqual(['R4 new>ADDED']);
	});
});
