/**
 * What each poll requests and emits, in courses that a person can follow, with short lists and low limits: what the model
 * cannot know, because it compares only events and memory. The names of requests are those of `FakeService`.
 */
import { LatestStates } from '../../nodes/ConversationalMessaging/trigger/latest.ts';
import { type Limits, LIMITS } from '../../nodes/ConversationalMessaging/trigger/limits.ts';
import { chats } from '../../nodes/ConversationalMessaging/trigger/status/sources/chats.ts';
import { importJobs } from '../../nodes/ConversationalMessaging/trigger/status/sources/importJobs.ts';
import type { StatusSource } from '../../nodes/ConversationalMessaging/trigger/status/sources/source.ts';
import { tickets } from '../../nodes/ConversationalMessaging/trigger/status/sources/tickets.ts';
import { useFakeTime } from '../support/time.mts';
import { type Order, outage } from './service.mts';
import { Watch, type WatchSettings } from './watch.mts';

const time = useFakeTime();
let watch: Watch;

/** Opens a service with these tickets, the oldest first: R1, R2, … A page has three rows. */
function open(
	statuses: string[],
	{ limits, ...settings }: Omit<WatchSettings, 'limits'> & { limits?: Partial<Limits> } = {},
	source: StatusSource = { ...tickets, pageSize: 3 },
): void {
	const small = { wholePages: 1, extraPages: 1, lookups: 2, unlistedLookups: 1, searchPages: 4 };
	const all = { ...LIMITS, ...small, fillPages: 8, ...limits };
	watch = new Watch(source, {}, { ...settings, limits: all });
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
		if (request >= at) throw outage(status);
	};
	const polled = await poll();
	watch.service.onRequest = () => undefined;
	return polled;
};

/** The first page of the list of each status. */
const HEADS = 'OPEN:1 IN_PROGRESS:1 RESOLVED:1 CLOSED:1';

/** R1 to R8 are closed, in a long list; R9 is open. */
const openOneLong = async (settings?: Parameters<typeof open>[1]): Promise<void> => {
	open([...times(8, 'CLOSED'), 'OPEN'], settings);
	expect((await poll())[0]).toStrictEqual([]);
};

/** R1 is closed, R2 resolved, …, in two long lists; R17 is open. */
const openTwoLong = async (): Promise<void> => {
	open([...times(8, 'CLOSED', 'RESOLVED'), 'OPEN']);
	for (let i = 0; i < 2; i++) expect((await poll())[0]).toStrictEqual([]);
};

describe('a list that is read in full', () => {
	test('is read twice at first, because rows shift while it is read; absence is no change', async () => {
		open(times(7, 'OPEN'), { limits: { wholePages: 3 } });
		expect(await poll()).toStrictEqual([[], 'all:1 all:2 all:3 all:1 all:2 all:3']);
		watch.service.onRequest = (request) => {
			if (request === 2) watch.service.delete(watch.row('R6'));
		};
		expect(await poll()).toStrictEqual([[], 'all:1 all:2 all:3 get:R4']);
		watch.service.onRequest = () => undefined;
		expect(await poll()).toStrictEqual([[], 'all:1 all:2 get:R6']);
	});
});

describe('short and long lists', () => {
	test('a long list is read twice, silently; then its first page, and one page of long lists in rotation', async () => {
		open([...times(8, 'CLOSED'), 'OPEN']);
		const twice = 'CLOSED:1 CLOSED:2 CLOSED:3 CLOSED:1 CLOSED:2 CLOSED:3';
		expect(await poll()).toStrictEqual([[], `all:1 ${HEADS} ${twice}`]);
		for (const page of ['all:1', 'CLOSED:2', 'CLOSED:3', 'all:1'])
			expect(await poll()).toStrictEqual([[], `${HEADS} ${page}`]);
	});

	test('what leaves a short list is looked up, as many records as one poll may look up', async () => {
		open([...times(8, 'CLOSED'), ...times(3, 'OPEN')]);
		await poll();
		change('CLOSED', 'R9', 'R10', 'R11');
		make('OPEN');
		change('IN_PROGRESS', 'R2');
		expect(await poll()).toStrictEqual([
			[
				...['R2 CLOSED>IN_PROGRESS', 'R11 OPEN>CLOSED', 'R10 OPEN>CLOSED'],
				...['R9 OPEN>CLOSED', 'R12 new>OPEN'],
			],
			'OPEN:1 IN_PROGRESS:1 RESOLVED:1 get:R11 get:R10 CLOSED:1 all:1',
		]);
		expect(await poll()).toStrictEqual([[], `${HEADS} CLOSED:2`]);
	});

	test('until the long list is known, a ticket that enters a short list may be old or new', async () => {
		await openOneLong({ limits: { fillPages: 2 } });
		change('OPEN', 'R2');
		make('CLOSED');
		expect(await poll()).toStrictEqual([['R2 new>OPEN'], `${HEADS} CLOSED:2 CLOSED:3`]);
	});

	test('a short list becomes a long one, and is known already; later, it becomes short again', async () => {
		open(times(2, 'OPEN'));
		await poll();
		make(...times(8, 'OPEN'));
		const made = [10, 9, 8, 7, 6, 5, 4, 3].map((n) => `R${n} new>OPEN`);
		expect(await poll()).toStrictEqual([made, `all:1 ${HEADS} OPEN:2 OPEN:3 OPEN:4`]);
		const others = 'IN_PROGRESS:1 RESOLVED:1 CLOSED:1';
		expect(await poll()).toStrictEqual([[], `${others} OPEN:1 all:1`]);
		change('CLOSED', 'R1', 'R2', 'R3', 'R4', 'R5', 'R6', 'R7', 'R8');
		expect((await poll())[0]).toHaveLength(8);
		change('CLOSED', 'R9');
		const looked = 'OPEN:1 IN_PROGRESS:1 RESOLVED:1 get:R9 CLOSED:1 all:1';
		expect(await poll()).toStrictEqual([['R9 OPEN>CLOSED'], looked]);
	});

	test('what was deleted hides nothing when a long list becomes short, and long again', async () => {
		open(times(7, 'OPEN'), { order: 'oldest' });
		await poll();
		const remove = (id: string): void => watch.service.delete(watch.row(id));
		remove('R1');
		for (let i = 0; i < 3; i++) expect((await poll())[0]).toStrictEqual([]);
		make('OPEN');
		expect((await poll())[0]).toStrictEqual(['R8 new>OPEN']);
		remove('R2');
		expect((await poll())[0]).toStrictEqual([]);
		// By the time of the poll that would read it in full, it is long again.
		make('OPEN', 'OPEN');
		expect((await poll())[0]).toStrictEqual(['R9 new>OPEN', 'R10 new>OPEN']);
	});

	test('a status that the service does not document has no list: its tickets are looked up', async () => {
		await openOneLong();
		change('ON_HOLD', 'R9');
		const looked = 'OPEN:1 IN_PROGRESS:1 RESOLVED:1 get:R9 CLOSED:1';
		expect(await poll()).toStrictEqual([['R9 OPEN>ON_HOLD'], `${looked} all:1`]);
		expect(await poll()).toStrictEqual([[], `${looked} CLOSED:2`]);
		change('OPEN', 'R9');
		expect(await poll()).toStrictEqual([['R9 ON_HOLD>OPEN'], `${HEADS} CLOSED:3`]);
	});

	test('an unexplained total shows a change: the list that grew is read, or its last page if it is too long, then all lists in turn, until it is explained', async () => {
		await openTwoLong();
		change('CLOSED', 'R8');
		expect(await poll()).toStrictEqual([['R8 RESOLVED>CLOSED'], `${HEADS} CLOSED:2 CLOSED:3`]);
		expect(await poll()).toStrictEqual([[], `${HEADS} all:1`]);
		// A total that is lower than it should be, because another one was deleted there.
		change('CLOSED', 'R6');
		watch.service.delete(watch.row('R1'));
		const search = 'RESOLVED:2 all:1 CLOSED:2 CLOSED:3';
		expect(await poll()).toStrictEqual([['R6 RESOLVED>CLOSED'], `${HEADS} ${search}`]);
		for (let i = 0; i < 3; i++) expect((await poll())[0]).toStrictEqual([]);
	});

	test('a total that stays too high is searched for once', async () => {
		await openTwoLong();
		watch.service.hidden = 1;
		const heads = HEADS.replace('IN_PROGRESS:1', 'IN_PROGRESS:1 OPEN:2');
		expect((await poll())[1]).toBe(`${heads} RESOLVED:2 RESOLVED:3 CLOSED:3 all:1`);
		for (let i = 0; i < 2; i++) expect((await poll())[0]).toStrictEqual([]);
		for (let i = 0; i < 3; i++) expect(watch.service.requests.length).toBeLessThan(10);
		make('RESOLVED');
		expect((await poll())[0]).toStrictEqual(['R18 new>RESOLVED']);
		for (let i = 0; i < 3; i++)
			expect((await poll())[1]).toMatch(new RegExp(`^${heads} \\w+:\\d$`));
	});

	test('a ticket that an exchange hides from the first reading is not new later: the second one shows it', async () => {
		open(times(8, 'CLOSED', 'RESOLVED'), { order: 'oldest' });
		watch.service.onRequest = (request) => {
			if (request !== 9) return;
			change('CLOSED', 'R10');
			change('RESOLVED', 'R15');
		};
		expect((await poll())[0]).toStrictEqual([]);
		watch.service.onRequest = () => undefined;
		expect((await poll())[0]).toStrictEqual(['R10 RESOLVED>CLOSED']);
		for (let i = 0; i < 3; i++) expect((await poll())[0]).toStrictEqual([]);
	});
});

describe('records that cannot be read', () => {
	test('with Include Details, a change waits for its record, and the others do not wait for it', async () => {
		open(times(2, 'OPEN'), { details: true });
		await poll();
		watch.service.rejected.set('R1', 500);
		change('CLOSED', 'R1', 'R2');
		make('OPEN');
		expect(await poll()).toStrictEqual([
			['R2 OPEN>CLOSED', 'R3 new>OPEN'],
			'all:1 get:R2 get:R1 get:R3',
		]);
		expect(await poll()).toStrictEqual([[], 'all:1 get:R1']);
		// One that is rejected is emitted with what its list shows.
		watch.service.rejected.set('R1', 403);
		expect(await poll()).toStrictEqual([['R1 OPEN>CLOSED'], 'all:1 get:R1']);
		expect(await poll()).toStrictEqual([[], 'all:1']);
		expect(watch.logged).toStrictEqual([
			expect.stringMatching(/^! A changed ticket could not be fetched in full/),
			'No changed ticket waits to be fetched in full any more.',
		]);
	});

	test('with Include Details, a change whose record always fails comes with what its list shows, in the fifth poll', async () => {
		open(times(2, 'OPEN'), { details: true });
		await poll();
		watch.service.rejected.set('R1', 500);
		change('CLOSED', 'R1');
		for (let i = 1; i < 5; i++) expect(await poll()).toStrictEqual([[], 'all:1 get:R1']);
		expect(await poll()).toStrictEqual([['R1 OPEN>CLOSED'], 'all:1 get:R1']);
		expect(await poll()).toStrictEqual([[], 'all:1']);
		expect(watch.logged).toHaveLength(2);
	});

	test('three different look-ups that fail in a row end those of the poll: other changes are emitted, and no poll fails, however often', async () => {
		open([...times(4, 'OPEN'), ...times(8, 'CLOSED')], { limits: { lookups: 5 } });
		await poll();
		for (const id of ['R1', 'R2', 'R3', 'R4']) watch.service.rejected.set(id, 500);
		change('ON_HOLD', 'R1', 'R2', 'R3', 'R4');
		const looked = 'OPEN:1 IN_PROGRESS:1 RESOLVED:1 get:R4 get:R3 get:R2 get:R1 CLOSED:1';
		for (const page of ['all:1', 'CLOSED:2', 'CLOSED:3', 'all:1', 'CLOSED:2', 'CLOSED:3'])
			expect(await poll()).toStrictEqual([[], `${looked} ${page}`]);
		make('CLOSED', 'OPEN');
		change('OPEN', 'R5');
		expect((await poll())[0]).toStrictEqual(['R5 CLOSED>OPEN', 'R14 new>OPEN', 'R13 new>CLOSED']);
		expect(watch.logged).toStrictEqual([expect.stringMatching(/^! A ticket that left its list/)]);
		watch.service.rejected.clear();
		expect((await poll())[0]).toHaveLength(4);
		expect(watch.logged[1]).toMatch(/^Every ticket that left its list/);
	});

	test('one that is not looked up in every poll, because there are more than one poll looks up, is logged once', async () => {
		open([...times(3, 'OPEN'), ...times(8, 'CLOSED')], { limits: { lookups: 3 } });
		await poll();
		change('ON_HOLD', 'R1', 'R2', 'R3');
		expect((await poll())[0]).toHaveLength(3);
		watch.service.rejected.set('R2', 500);
		for (const at of [0, 0.4, 0.9, 0, 0.4]) {
			time.randomValue = at;
			expect((await poll())[0]).toStrictEqual([]);
		}
		expect(watch.logged).toStrictEqual([expect.stringMatching(/^! A ticket that left its list/)]);
	});

	test('a rate limit ends the poll at once, also at a record', async () => {
		open([...times(8, 'CLOSED'), ...times(2, 'OPEN')]);
		await poll();
		watch.service.rejected.set('R9', 429);
		change('CLOSED', 'R9');
		change('IN_PROGRESS', 'R10');
		const looked = 'OPEN:1 IN_PROGRESS:1 RESOLVED:1 get:R9';
		expect(await poll()).toStrictEqual([['R10 OPEN>IN_PROGRESS'], looked, 1]);
		watch.service.rejected.clear();
		expect(await poll()).toStrictEqual([['R9 OPEN>CLOSED'], `${looked} CLOSED:1 all:1`]);
	});
});

describe('pages that cannot be read', () => {
	test.each([403, 500])(
		'one of up to 1,000 records that always answers %d: the lists by status show what is on it, and no poll fails',
		async (status) => {
			open(times(7, 'OPEN', 'CLOSED'), { limits: { wholePages: 5, extraPages: 9 } });
			await poll();
			watch.service.onPage = (name) => (name === 'all:3' ? status : undefined);
			change('CLOSED', 'R1', 'R13');
			expect((await poll())[0]).toStrictEqual(['R13 OPEN>CLOSED', 'R1 OPEN>CLOSED']);
			for (let i = 0; i < 6; i++) expect((await poll()).slice(2)).toStrictEqual([]);
		},
	);

	test.each([403, 500])(
		'one of a short list that always answers %d: every change on the others is emitted; polls without events fail from the fifth on',
		async (status) => {
			open(times(7, 'OPEN', 'CLOSED'), { limits: { wholePages: 5, extraPages: 9 } });
			await poll();
			watch.service.onPage = (name) => (['all:3', 'OPEN:2'].includes(name) ? status : undefined);
			change('IN_PROGRESS', 'R1', 'R13');
			make('OPEN');
			expect((await poll())[0]).toStrictEqual([
				...['R13 OPEN>IN_PROGRESS', 'R1 OPEN>IN_PROGRESS', 'R15 new>OPEN'],
			]);
			const fails = status === 403 ? ['!'] : [];
			for (let i = 2; i < 5; i++) expect((await poll()).slice(2)).toStrictEqual([i, ...fails]);
			expect((await poll()).slice(2)).toStrictEqual([5, '!']);
			watch.service.onPage = () => undefined;
			expect((await poll()).slice(2)).toStrictEqual([]);
			expect(watch.logged).toStrictEqual([
				expect.stringMatching(/^! Not all tickets could be read/),
				'All tickets could be read again.',
			]);
		},
	);

	test('one of a long list that becomes short is logged as read', async () => {
		open([...times(8, 'CLOSED', 'RESOLVED'), 'OPEN']);
		for (let i = 0; i < 3; i++) await poll();
		watch.logged.length = 0;
		watch.service.onPage = (name) => (name === 'CLOSED:2' ? 403 : undefined);
		for (let i = 0; i < 6; i++) await poll();
		// So the cursor ends no pass.
		watch.service.onPage = (name) => (name === 'all:1' || /:[23]$/.test(name) ? 429 : undefined);
		for (const row of watch.rowsOf('CLOSED').slice(2)) watch.service.delete(row);
		for (let i = 0; i < 3; i++) await poll();
		expect(watch.logged).toStrictEqual([
			expect.stringMatching(/^! Page 2 of the CLOSED tickets/),
			'All pages of the CLOSED tickets could be read again.',
		]);
	});

	test('an outage: nothing more is requested, what was seen counts, and the next poll finds the rest', async () => {
		await openOneLong();
		watch.filter = { statuses: ['OPEN'], includeNew: true };
		await poll();
		// The old filter applies until all lists could be read.
		watch.filter = { statuses: [], includeNew: true };
		change('OPEN', 'R1');
		make('CLOSED');
		expect(await failingPoll(4)).toStrictEqual([['R1 CLOSED>OPEN'], HEADS, 1]);
		expect(await poll()).toStrictEqual([[], `${HEADS} CLOSED:2`]);
		make('CLOSED');
		expect((await poll())[0]).toStrictEqual(['R11 new>CLOSED']);
	});

	test('an outage in the first poll: the next one is the first', async () => {
		open(times(7, 'OPEN'));
		expect(await failingPoll(3)).toStrictEqual([[], `all:1 ${HEADS}`, 1]);
		make('OPEN');
		expect((await poll())[0]).toStrictEqual([]);
		make('OPEN');
		expect((await poll())[0]).toStrictEqual(['R9 new>OPEN']);
	});

	test.each([403, 500, 302])(
		'pages that answer %d while a list is read for the first time are no empty pages: what is on them is not new later',
		async (status) => {
			open([...times(12, 'CLOSED'), 'OPEN']);
			watch.service.rejectedPages = { from: 3, status };
			for (let i = 0; i < 9; i++) expect((await poll())[0]).toStrictEqual([]);
			change('OPEN', 'R1');
			// It may be new.
			expect((await poll())[0]).toStrictEqual(['R1 new>OPEN']);
			watch.service.rejectedPages = undefined;
			for (let i = 0; i < 9; i++) expect((await poll())[0]).toStrictEqual([]);
			make('CLOSED');
			expect((await poll())[0]).toStrictEqual(['R14 new>CLOSED']);
			expect(watch.logged).toStrictEqual([
				expect.stringMatching(/^! Page 3 of the CLOSED tickets could not be read/),
				expect.stringMatching(/^! Not all tickets with the status CLOSED have been read/),
				'All pages of the CLOSED tickets could be read again.',
				'All tickets have been read.',
			]);
		},
	);

	test.each([403, 500])(
		'a page of a long list that always answers %d is left out, and holds up no event and no page behind it',
		async (status) => {
			open([...times(12, 'CLOSED'), 'OPEN'], { details: true });
			await poll();
			watch.service.rejectedPages = { from: 2, to: 2, status };
			make('OPEN');
			expect(await poll()).toStrictEqual([['R14 new>OPEN'], `${HEADS} get:R14 all:1`]);
			const again = status === 500 ? ['CLOSED:2'] : [];
			for (const page of ['CLOSED:2', ...again, 'CLOSED:3', 'CLOSED:4', 'all:1', 'CLOSED:2'])
				expect(await poll()).toStrictEqual([[], `${HEADS} ${page}`]);
			expect(watch.logged).toStrictEqual([
				expect.stringMatching(/^! Page 2 of the CLOSED tickets/),
			]);
		},
	);

	test.each([400, 500])(
		'a search goes on behind a page that answers %d, and finds what is there',
		async (status) => {
			open(times(15, 'CLOSED', 'RESOLVED'), { limits: { searchPages: 9, fillPages: 99 } });
			await poll();
			watch.service.rejectedPages = { from: 3, to: 3, status };
			change('CLOSED', 'R4');
			const found: unknown[] = [];
			for (let i = 0; i < 4; i++) found.push(...((await poll())[0] as string[]));
			expect(found).toStrictEqual(['R4 RESOLVED>CLOSED']);
		},
	);

	test.each(Array.from({ length: 20 }, (_, i) => i + 1))(
		'after %d polls, a row that leaves a page that failed for one that was read before is not new',
		async (polls) => {
			open(times(7, 'CLOSED'), { limits: { fillPages: 3 } });
			watch.service.rejectedPages = { from: 3, status: 500 };
			for (let i = 0; i < polls; i++) await poll();
			watch.service.delete(watch.row('R7'));
			for (let i = 0; i < 9; i++) expect((await poll())[0]).toStrictEqual([]);
		},
	);

	test('lists that can all be read only up to a limit cost no request more at rest: instead of the next page, one of them is tried again', async () => {
		open(times(9, 'OPEN', 'IN_PROGRESS', 'RESOLVED', 'CLOSED'));
		watch.service.rejectedPages = { from: 2, status: 400 };
		for (let i = 0; i < 7; i++) await poll();
		const pages: unknown[] = [];
		for (time.randomValue of [0.9, 0.1, 0.9, 0.1, 0.9, 0.1]) pages.push((await poll())[1]);
		const expected = ['OPEN:2', 'OPEN:1', 'OPEN:2', 'OPEN:2', 'OPEN:2', 'OPEN:3'];
		expect(pages).toStrictEqual(expected.map((page) => `${HEADS} ${page}`));
	});

	test('without totals, a page that is rejected may be behind the last one: the next list follows', async () => {
		open(times(9, 'CLOSED', 'RESOLVED'));
		Object.assign(watch.service, { totals: false, rejectedPages: { from: 3, status: 400 } });
		for (let i = 0; i < 9; i++) await poll();
		for (const page of ['RESOLVED:2', 'RESOLVED:3', 'CLOSED:1', 'CLOSED:2', 'CLOSED:3'])
			expect((await poll())[1]).toBe(`${HEADS} ${page}`);
	});

	test('without totals, a list whose last page is followed by none is known', async () => {
		open(times(6, 'CLOSED'), { limits: { fillPages: 99 } });
		Object.assign(watch.service, { totals: false, rejectedPages: { from: 3, status: 404 } });
		await poll();
		make('CLOSED');
		expect(await poll()).toStrictEqual([['R7 new>CLOSED'], `all:1 ${HEADS} all:1`]);
	});

	test('without meta, a page with fewer rows than requested is not the last one if it has as many as a page of the service', async () => {
		open(times(130, 'OPEN'), {}, tickets);
		Object.assign(watch.service, { hasMeta: false, cap: 50 });
		await poll();
		change('CLOSED', 'R10', 'R60', 'R120');
		const found: unknown[] = [];
		for (let i = 0; i < 4; i++) found.push(...((await poll())[0] as string[]));
		expect(found.sort()).toStrictEqual(['R10', 'R120', 'R60'].map((id) => `${id} OPEN>CLOSED`));
	});

	test.each([401, 429])(
		'%d at the cursor ends nothing else: the same page is next',
		async (status) => {
			await openOneLong({ details: true });
			await poll();
			make('OPEN');
			const limited = `${HEADS} get:R10 CLOSED:2`;
			expect(await failingPoll(6, status)).toStrictEqual([['R10 new>OPEN'], limited]);
			expect(await poll()).toStrictEqual([[], `${HEADS} CLOSED:2`]);
		},
	);
});

test('when the rate limit ends the first reading of a list, it goes on with its last page, onto which rows may have shifted', async () => {
	open(times(12, 'CLOSED'), { limits: { fillPages: 99 } });
	expect((await failingPoll(8, 429))[1]).toMatch(/ CLOSED:1 CLOSED:2 CLOSED:3 CLOSED:4$/);
	expect((await poll())[1]).toMatch(`${HEADS} CLOSED:2 CLOSED:3 CLOSED:4 CLOSED:1 CLOSED:2`);
});

describe('a state that n8n brings back', () => {
	/** n8n has saved the state of the first poll; after it, a ticket is created, seen, and changed. */
	async function changeUnsaved() {
		open(times(2, 'OPEN'));
		watch.filter = { statuses: [], includeNew: false };
		await poll();
		const saved = structuredClone(watch.data);
		make('OPEN', 'OPEN');
		expect((await poll())[0]).toStrictEqual([]);
		change('CLOSED', 'R3');
		watch.data = saved;
	}

	test('is older than the last poll of the process, which goes on from its own', async () => {
		await changeUnsaved();
		expect((await poll())[0]).toStrictEqual(['R3 OPEN>CLOSED']);
	});

	test.each([false, true])(
		'after a restart, a record that has not its first status is not taken for new; if the first poll fails: %j',
		async (fails) => {
			await changeUnsaved();
			watch.latest = new LatestStates();
			watch.token = 'new';
			if (fails) expect((await failingPoll(1))[0]).toStrictEqual([]);
			expect((await poll())[0]).toStrictEqual(['R3 new>CLOSED']);
			make('CLOSED');
			expect((await poll())[0]).toStrictEqual([]);
		},
	);
});

test('after a restart, a record that could not be fetched in full is not taken for new once it can be', async () => {
	open(times(2, 'OPEN'), { details: true });
	watch.filter = { statuses: [], includeNew: false };
	await poll();
	make('CLOSED');
	watch.latest = new LatestStates();
	watch.service.rejected.set('R3', 503);
	expect((await poll())[0]).toStrictEqual([]);
	watch.service.rejected.clear();
	expect((await poll())[0]).toStrictEqual(['R3 new>CLOSED']);
});

describe('Start From: Existing Records', () => {
	const existing = { fromExisting: true };

	test.each<Order>(['newest', 'oldest'])(
		'the first poll emits what matches, the oldest first, in the order %s; then, they are known',
		async (order) => {
			open(['OPEN', 'CLOSED', 'OPEN'], { ...existing, order });
			watch.filter = { statuses: ['OPEN'], includeNew: false };
			expect(await poll()).toStrictEqual([['R1 new>OPEN', 'R3 new>OPEN'], 'all:1']);
			expect(await poll()).toStrictEqual([[], 'all:1']);
			change('OPEN', 'R2');
			expect((await poll())[0]).toStrictEqual(['R2 CLOSED>OPEN']);
		},
	);

	test('an event has the same ID if the first poll is repeated', async () => {
		open(times(2, 'OPEN'), existing);
		const eventIds = async () => (await watch.poll()).items.map(({ json }) => json.eventId);
		const before = await eventIds();
		watch.data = {};
		expect(await eventIds()).toStrictEqual(before);
		expect(new Set(before).size).toBe(2);
	});

	test('the first poll that can read all lists is the first one', async () => {
		open(times(2, 'OPEN'), existing);
		expect((await failingPoll(1))[0]).toStrictEqual([]);
		expect((await poll())[0]).toStrictEqual(['R1 new>OPEN', 'R2 new>OPEN']);
	});

	test('of more than one poll emits, the oldest come, and the log says so', async () => {
		open(times(3, 'OPEN'), { ...existing, limits: { existing: 2 } });
		expect((await poll())[0]).toStrictEqual(['R1 new>OPEN', 'R2 new>OPEN']);
		expect((await poll())[0]).toStrictEqual([]);
		expect(watch.logged).toStrictEqual([
			'! Start From emits the oldest 2 of the 3 existing tickets that match. Read the others with Get Many.',
		]);
	});

	test('of a list that is too long for one poll, what this poll reads comes, and the log says so', async () => {
		open([...times(9, 'CLOSED'), 'OPEN'], { ...existing, limits: { fillPages: 2 } });
		expect((await poll())[0]).toStrictEqual(
			['R4', 'R5', 'R6', 'R7', 'R8', 'R9'].map((id) => `${id} new>CLOSED`).concat('R10 new>OPEN'),
		);
		for (let i = 0; i < 9; i++) expect((await poll())[0]).toStrictEqual([]);
		expect(watch.logged[0]).toMatch(/^! Not all tickets with the status CLOSED have been read/);
		expect(watch.logged[1]).toBe(
			'! Start From emits 7 existing tickets, because the first poll could not read all of them. Read the others with Get Many.',
		);
	});

	test.each([2, 3])(
		'of %d import jobs, all come; the log says if the list of recent ones is full',
		async (count) => {
			open(times(count, 'done'), existing, { ...importJobs, pageSize: 3 });
			expect((await watch.poll()).events).toHaveLength(count);
			expect(watch.logged).toHaveLength(count === 3 ? 1 : 0);
		},
	);

	test('what cannot be fetched in full, also because of the rate limit, comes with what the list shows', async () => {
		open(times(2, 'OPEN'), { ...existing, details: true });
		const polled = await failingPoll(3, 429);
		expect(polled).toStrictEqual([['R1 new>OPEN', 'R2 new>OPEN'], 'all:1 get:R1 get:R2']);
		expect(await poll()).toStrictEqual([[], 'all:1']);
	});

	test('not after a start with another token', async () => {
		open(times(2, 'OPEN'), existing);
		await poll();
		for (const id of ['R1', 'R2']) watch.service.delete(watch.row(id));
		make('OPEN', 'OPEN');
		watch.token = 'foreign';
		expect((await poll())[0]).toStrictEqual([]);
	});
});

describe('another token', () => {
	test('of another organization: the trigger starts over, as soon as a poll was complete', async () => {
		open(times(2, 'OPEN'));
		await poll();
		watch.service.delete(watch.row('R1'));
		watch.service.delete(watch.row('R2'));
		make('OPEN', 'CLOSED');
		watch.token = 'foreign';
		expect(await failingPoll(2, 429)).toStrictEqual([[], 'all:1 get:R2 get:R1', 1]);
		expect(await poll()).toStrictEqual([[], 'all:1 get:R2 get:R1 all:1']);
		change('CLOSED', 'R3');
		expect(await poll()).toStrictEqual([['R3 OPEN>CLOSED'], 'all:1']);
	});

	test('while no record was known: the first ones are emitted', async () => {
		open([]);
		await poll();
		make('OPEN');
		watch.token = 'new';
		expect(await poll()).toStrictEqual([['R1 new>OPEN'], 'all:1']);
	});

	test('while all known records were assigned to somebody else: they still exist', async () => {
		open(times(2, 'OPEN'), { scope: { assigneeId: 'A1' } });
		await poll();
		for (const id of ['R1', 'R2']) watch.service.assign(watch.row(id), 'A2');
		make('OPEN');
		watch.token = 'new';
		expect(await poll()).toStrictEqual([['R3 new>OPEN'], 'assigneeId=A1:1 get:R2 get:R1']);
	});
});

test('a chat that is escalated first and assigned later starts the trigger of its agent', async () => {
	open(times(2, 'NOT_ESCALATED'), { scope: { assigneeId: 'A1' } }, chats);
	const list = 'assigneeId=A1&needsEscalation=true:1';
	expect(await poll()).toStrictEqual([[], list]);
	watch.service.assign(watch.row('R1'), 'A2');
	change('ESCALATED', 'R1');
	expect(await poll()).toStrictEqual([[], list]);
	watch.service.assign(watch.row('R1'), 'A1');
	expect(await poll()).toStrictEqual([['R1 new>ESCALATED'], list]);
	change('NOT_ESCALATED', 'R1');
	expect(await poll()).toStrictEqual([
		['R1 ESCALATED>NOT_ESCALATED'],
		`${list} get:R1 needsEscalation=false&contactId=contact of R1:1`,
	]);
});
