/**
 * What each poll requests and emits, in courses that a person can follow, with short lists and low limits: what the model
 * cannot know, because it compares only events and memory. The names of requests are those of `FakeService`.
 */
import { type Limits, LIMITS } from '../../nodes/ConversationalMessaging/trigger/limits.ts';
import { chats } from '../../nodes/ConversationalMessaging/trigger/sources/chats.ts';
import type { StatusSource } from '../../nodes/ConversationalMessaging/trigger/sources/source.ts';
import { tickets } from '../../nodes/ConversationalMessaging/trigger/sources/tickets.ts';
import { FakeTime } from '../time.mts';
import { outage } from './service.mts';
import { Watch, type WatchSettings } from './watch.mts';

let time: FakeTime;
let watch: Watch;
beforeEach(() => {
	time = new FakeTime().install();
});
afterEach(() => time.restore());

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

	test('has a page that the service rejects: the poll has failed', async () => {
		open(times(5, 'OPEN'), { limits: { wholePages: 2, extraPages: 2 } });
		await poll();
		watch.service.rejectedPages = { from: 2, status: 403 };
		for (let i = 1; i < 5; i++) expect((await poll())[2]).toBe(i);
		make('OPEN');
		const requests = `all:1 all:2 ${HEADS.replace('OPEN:1', 'OPEN:1 OPEN:2')}`;
		expect((await poll())[0]).toStrictEqual(['R6 new>OPEN']);
		expect(requests.split(' ').sort()).toStrictEqual(watch.service.requests.toSorted());
		expect((await poll()).slice(2)).toStrictEqual([6, '!']);
	});
});

describe('short and long lists', () => {
	test('a long list is read twice, silently; then its first page, and one page of long lists in rotation', async () => {
		open([...times(8, 'CLOSED'), 'OPEN']);
		const twice = 'CLOSED:1 CLOSED:2 CLOSED:3 CLOSED:1 CLOSED:2 CLOSED:3';
		expect(await poll()).toStrictEqual([[], `all:1 ${HEADS} all:1 ${twice}`]);
		for (const page of ['CLOSED:2', 'CLOSED:3', 'all:1', 'CLOSED:2'])
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
			'OPEN:1 IN_PROGRESS:1 RESOLVED:1 get:R11 get:R10 CLOSED:1 CLOSED:2',
		]);
		expect(await poll()).toStrictEqual([[], `${HEADS} CLOSED:3`]);
	});

	test('until the long list is known, a ticket that enters a short list may be old or new', async () => {
		await openOneLong({ limits: { fillPages: 2 } });
		change('OPEN', 'R2');
		make('CLOSED');
		expect(await poll()).toStrictEqual([['R2 new>OPEN'], `${HEADS} CLOSED:2 CLOSED:2 CLOSED:3`]);
	});

	test('a short list becomes a long one, and is known already; later, it becomes short again', async () => {
		open(times(2, 'OPEN'));
		await poll();
		make(...times(8, 'OPEN'));
		const made = [10, 9, 8, 7, 6, 5, 4, 3].map((n) => `R${n} new>OPEN`);
		expect(await poll()).toStrictEqual([made, `all:1 ${HEADS} all:1 OPEN:4 OPEN:2 OPEN:3 OPEN:4`]);
		const others = 'IN_PROGRESS:1 RESOLVED:1 CLOSED:1';
		expect(await poll()).toStrictEqual([[], `${others} OPEN:1 OPEN:2`]);
		change('CLOSED', 'R1', 'R2', 'R3', 'R4', 'R5', 'R6', 'R7', 'R8');
		expect((await poll())[0]).toHaveLength(8);
		change('CLOSED', 'R9');
		const looked = 'OPEN:1 IN_PROGRESS:1 RESOLVED:1 get:R9 CLOSED:1 CLOSED:2';
		expect(await poll()).toStrictEqual([['R9 OPEN>CLOSED'], looked]);
	});

	test('a status that the service does not document has no list: its tickets are looked up', async () => {
		await openOneLong();
		change('ON_HOLD', 'R9');
		const looked = 'OPEN:1 IN_PROGRESS:1 RESOLVED:1 get:R9 CLOSED:1';
		expect(await poll()).toStrictEqual([['R9 OPEN>ON_HOLD'], `${looked} CLOSED:2`]);
		expect(await poll()).toStrictEqual([[], `${looked} CLOSED:3`]);
		change('OPEN', 'R9');
		expect(await poll()).toStrictEqual([['R9 ON_HOLD>OPEN'], `${HEADS} all:1`]);
	});

	test('a total that grew shows a change: the last page is read, then the others, until it is explained', async () => {
		await openTwoLong();
		change('CLOSED', 'R8');
		expect(await poll()).toStrictEqual([
			['R8 RESOLVED>CLOSED'],
			`${HEADS} RESOLVED:3 CLOSED:3 CLOSED:2`,
		]);
		expect(await poll()).toStrictEqual([[], `${HEADS} all:1`]);
	});

	test('a search that one poll cannot finish continues in the next one', async () => {
		open([...times(14, 'CLOSED', 'RESOLVED'), 'OPEN'], { limits: { searchPages: 2 } });
		for (let i = 0; i < 4; i++) await poll();
		change('CLOSED', 'R14');
		expect(await poll()).toStrictEqual([[], `${HEADS} RESOLVED:5 CLOSED:5 CLOSED:2`]);
		expect(await poll()).toStrictEqual([
			['R14 RESOLVED>CLOSED'],
			`${HEADS} all:1 CLOSED:5 CLOSED:3`,
		]);
		expect(await poll()).toStrictEqual([[], `${HEADS} CLOSED:2`]);
	});

	test('a total that stays too high is searched once', async () => {
		await openTwoLong();
		watch.service.hidden = 1;
		const heads = HEADS.replace('IN_PROGRESS:1', 'IN_PROGRESS:1 OPEN:2');
		const search = 'RESOLVED:3 RESOLVED:2 RESOLVED:3 CLOSED:3';
		expect(await poll()).toStrictEqual([[], `${heads} RESOLVED:3 ${search}`]);
		expect(await poll()).toStrictEqual([[], `${heads} all:1 CLOSED:3 CLOSED:2 CLOSED:3`]);
		make('RESOLVED');
		expect(await poll()).toStrictEqual([['R18 new>RESOLVED'], `${heads} CLOSED:2`]);
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
		expect((await poll())[0]).toStrictEqual([]);
		expect((await poll())[0]).toStrictEqual(['R10 RESOLVED>CLOSED']);
		expect(await poll()).toStrictEqual([[], `${HEADS} all:1`]);
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
	});

	test('three different ones that fail in a row count as a failure, but hold up no other change, also with another token and other filters', async () => {
		open([...times(4, 'OPEN'), ...times(8, 'CLOSED')], { limits: { lookups: 5 } });
		await poll();
		for (const id of ['R1', 'R2', 'R3', 'R4']) watch.service.rejected.set(id, 500);
		change('ON_HOLD', 'R1', 'R2', 'R3', 'R4');
		watch.token = 'new';
		watch.filter = { statuses: ['CLOSED'], includeNew: true };
		const looked = 'OPEN:1 IN_PROGRESS:1 RESOLVED:1 get:R4 get:R3 get:R2 get:R1 CLOSED:1';
		expect(await poll()).toStrictEqual([[], `${looked} CLOSED:2`, 1]);
		expect(await poll()).toStrictEqual([[], `${looked} CLOSED:3`, 2]);
		make('CLOSED', 'OPEN');
		change('OPEN', 'R5');
		expect(await poll()).toStrictEqual([['R13 new>CLOSED'], `${looked} all:1`, 3]);
		watch.filter = { statuses: [], includeNew: true };
		expect(await poll()).toStrictEqual([[], `${looked} CLOSED:2`, 4]);
		make('OPEN');
		expect(await poll()).toStrictEqual([['R15 new>OPEN'], `${looked} CLOSED:3`, 5, '!']);
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
		expect(await poll()).toStrictEqual([['R9 OPEN>CLOSED'], `${looked} CLOSED:1 CLOSED:2`]);
	});
});

describe('pages that cannot be read', () => {
	test('an outage: nothing more is requested, what was seen counts, and the next poll finds the rest', async () => {
		await openOneLong();
		watch.filter = { statuses: ['OPEN'], includeNew: true };
		await poll();
		// The old filter applies until all lists could be read.
		watch.filter = { statuses: [], includeNew: true };
		change('OPEN', 'R1');
		make('CLOSED');
		expect(await failingPoll(4)).toStrictEqual([['R1 CLOSED>OPEN'], HEADS, 1]);
		expect(await poll()).toStrictEqual([[], `${HEADS} CLOSED:3`]);
		make('CLOSED');
		expect(await poll()).toStrictEqual([['R11 new>CLOSED'], `${HEADS} all:1`]);
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
			const filled = 'CLOSED:1 CLOSED:2 CLOSED:3 CLOSED:4';
			expect(await poll()).toStrictEqual([[], `all:1 ${HEADS} all:1 ${filled}`]);
			change('OPEN', 'R1');
			// It may be new.
			expect(await poll()).toStrictEqual([['R1 new>OPEN'], `${HEADS} CLOSED:2 CLOSED:3`]);
			watch.service.rejectedPages = undefined;
			const rest = 'CLOSED:3 CLOSED:4 CLOSED:1 CLOSED:2 CLOSED:3 CLOSED:4';
			expect(await poll()).toStrictEqual([[], `${HEADS} CLOSED:3 ${rest}`]);
			make('CLOSED');
			expect(await poll()).toStrictEqual([['R14 new>CLOSED'], `${HEADS} CLOSED:4`]);
		},
	);

	test.each([403, 500])(
		'a page of a long list that always answers %d is left out of the rotation, and holds up no event',
		async (status) => {
			open([...times(12, 'CLOSED'), 'OPEN'], { details: true });
			await poll();
			watch.service.rejectedPages = { from: 2, to: 2, status };
			make('OPEN');
			expect(await poll()).toStrictEqual([['R14 new>OPEN'], `${HEADS} get:R14 CLOSED:2`]);
			for (const page of ['CLOSED:3', 'CLOSED:4', 'all:1', 'CLOSED:2'])
				expect(await poll()).toStrictEqual([[], `${HEADS} ${page}`]);
		},
	);

	test('a search ends at a page that is rejected: the next change is searched from the second page on', async () => {
		open(times(15, 'CLOSED', 'RESOLVED'), { limits: { searchPages: 9, fillPages: 99 } });
		await poll();
		watch.service.rejectedPages = { from: 4, status: 400 };
		const search = 'CLOSED:6 CLOSED:2 CLOSED:3 CLOSED:4 CLOSED:5 CLOSED:6';
		change('CLOSED', 'R2');
		expect(await poll()).toStrictEqual([[], `${HEADS} RESOLVED:2 ${search}`]);
		expect(await poll()).toStrictEqual([[], `${HEADS} RESOLVED:3`]);
		change('CLOSED', 'R18');
		expect(await poll()).toStrictEqual([['R18 RESOLVED>CLOSED'], `${HEADS} RESOLVED:4 ${search}`]);
	});

	test('lists that can all be read only up to a limit cost one request more at rest: one of them is tried again', async () => {
		open(times(9, 'OPEN', 'IN_PROGRESS', 'RESOLVED', 'CLOSED'));
		watch.service.rejectedPages = { from: 2, status: 400 };
		await poll();
		for (const page of ['OPEN:2', 'OPEN:3', 'all:1'])
			expect(await poll()).toStrictEqual([[], `${HEADS} ${page} OPEN:2`]);
	});

	test('without totals, a page that is rejected may be behind the last one: the rotation goes on with the next list', async () => {
		open(times(9, 'CLOSED', 'RESOLVED'));
		Object.assign(watch.service, { totals: false, rejectedPages: { from: 3, status: 400 } });
		await poll();
		for (const pages of ['RESOLVED:2 RESOLVED:3', 'RESOLVED:3 RESOLVED:3', 'all:1 RESOLVED:3'])
			expect(await poll()).toStrictEqual([[], `${HEADS} ${pages}`]);
		expect(await poll()).toStrictEqual([[], `${HEADS} CLOSED:2 RESOLVED:3`]);
	});

	test('without totals, a list whose last page is followed by none is known', async () => {
		open(times(6, 'CLOSED'), { limits: { fillPages: 99 } });
		Object.assign(watch.service, { totals: false, rejectedPages: { from: 3, status: 404 } });
		await poll();
		make('CLOSED');
		expect(await poll()).toStrictEqual([['R7 new>CLOSED'], `all:1 ${HEADS} CLOSED:2`]);
	});

	test('a token that is rejected half way ends the poll: what was seen counts', async () => {
		await openTwoLong();
		make('OPEN');
		const requests = `${HEADS} RESOLVED:3`;
		expect(await failingPoll(5, 401)).toStrictEqual([['R18 new>OPEN'], requests, 1, '!']);
		expect(await poll()).toStrictEqual([[], requests]);
	});

	test('after a rate limit, the same page comes first; events with details do not wait for it', async () => {
		await openOneLong({ details: true });
		await poll();
		make('OPEN');
		const limited = `${HEADS} get:R10 CLOSED:3`;
		expect(await failingPoll(6, 429)).toStrictEqual([['R10 new>OPEN'], limited, 1]);
		expect(await poll()).toStrictEqual([[], `${HEADS} CLOSED:3`]);
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
