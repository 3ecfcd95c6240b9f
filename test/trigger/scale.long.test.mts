/** What scale.test.mts shows of some numbers of records, for all of them in all splits and orders, and with faults. */
import { chats } from '../../nodes/ConversationalMessaging/trigger/status/sources/chats.ts';
import { tickets } from '../../nodes/ConversationalMessaging/trigger/status/sources/tickets.ts';
import { expectChangesToBeFound, pollsToSearch, SPLITS } from './scale.mts';
import { FakeService, outage } from './service.mts';
import { type Counts, mixed, Watch } from './watch.mts';

const SIZES = [3_000, 20_000, 100_000];

const CASES = SIZES.flatMap((all) =>
	SPLITS.flatMap(([split, of]) =>
		(['newest', 'oldest'] as const).map((order) => ({ all, split, order, counts: of(all) })),
	),
);

/** Nothing is emitted for some polls, and then what is created, in a list of which nothing was hidden. */
async function expectNothingNew(watch: Watch): Promise<void> {
	await watch.publish();
	for (let i = 0; i < 12; i++) expect((await watch.poll()).events).toStrictEqual([]);
	const made = watch.service.make('CLOSED');
	await watch.finds([`${made.id} new>CLOSED`], 1);
}

describe.each(CASES)('$all tickets, $split, $order first', ({ all, order, counts }) => {
	const newWatch = (): Watch => new Watch(tickets, counts, { order });

	test('every change is found in time, and nothing else', async () => {
		await expectChangesToBeFound(await newWatch().publish(), { all, polls: pollsToSearch(all) });
	});

	test.each([
		['from 5 on', 5, Infinity],
		['40 to 60', 40, 60],
	])(
		'if pages %s are rejected while publishing, what is on them is not new later',
		async (_which, from, to) => {
			const watch = newWatch();
			watch.service.rejectedPages = { from, to, status: 403 };
			for (let i = 0; i < 4; i++) {
				const { events, error, failures } = await watch.poll();
				expect([events, error, failures]).toStrictEqual([[], undefined, 0]);
			}
			watch.service.rejectedPages = undefined;
			await expectNothingNew(watch);
		},
	);

	test('while pages 40 to 60 are rejected, other changes are found', async () => {
		const watch = await newWatch().publish();
		watch.service.rejectedPages = { from: 40, to: 60, status: 403 };
		const made = watch.service.make('OPEN');
		await watch.finds([`${made.id} new>OPEN`], 1);
		watch.service.change(made, 'RESOLVED');
		await watch.finds([`${made.id} OPEN>RESOLVED`], pollsToSearch(all));
	});

	test('a new token of the same organization loses nothing', async () => {
		const watch = await newWatch().publish();
		watch.service.onRequest = () => {
			throw outage(401);
		};
		const made = watch.service.make('OPEN');
		for (const token of ['expired', 'mistyped', 'mistyped']) {
			watch.token = token;
			expect((await watch.poll()).error).toMatchObject({ httpCode: '401' });
		}
		watch.service.onRequest = () => undefined;
		watch.token = 'new';
		await watch.finds([`${made.id} new>OPEN`], 1);
	});

	test('the token of another organization is a new beginning', async () => {
		const watch = await newWatch().publish();
		const { epoch } = watch.memory;
		const other = new FakeService(tickets, order, 'S');
		other.makeAll(mixed(counts));
		Object.assign(watch, { service: other, token: 'two' });
		await watch.publish();
		expect(watch.memory.epoch).not.toBe(epoch);
		const made = other.make('OPEN');
		await watch.finds([`${made.id} new>OPEN`], 1);
	});
});

test.each(SIZES.flatMap((all) => (['newest', 'oldest'] as const).map((order) => ({ all, order }))))(
	'of $all chats, $order first, one that is escalated first and assigned later starts the trigger of its agent',
	async ({ all, order }) => {
		const counts: Counts = { NOT_ESCALATED: all - 200, ESCALATED: 200 };
		const scope = { assigneeId: 'A1' };
		const watch = await new Watch(chats, counts, { order, scope }).publish();
		const [row] = watch.rowsOf('NOT_ESCALATED');
		watch.service.assign(row!, '');
		watch.service.change(row!, 'ESCALATED');
		for (let i = 0; i < 2; i++) expect((await watch.poll()).events).toStrictEqual([]);
		watch.service.assign(row!, 'A1');
		await watch.finds([`${row!.id} new>ESCALATED`], 1);
	},
);

test('of 20,000 tickets, two that swap statuses, so that no total changes, are found within 112 polls', async () => {
	const watch = await new Watch(tickets, { RESOLVED: 10_000, CLOSED: 10_000 }).publish();
	const [one, other] = [watch.rowsOf('RESOLVED')[6_666]!, watch.rowsOf('CLOSED')[5_000]!];
	watch.service.change(one, 'CLOSED');
	watch.service.change(other, 'RESOLVED');
	await watch.finds([`${one.id} RESOLVED>CLOSED`, `${other.id} CLOSED>RESOLVED`], 112);
});

test('500 tickets that change between two long lists at once are found in the next polls', async () => {
	const watch = await new Watch(tickets, { RESOLVED: 10_000, CLOSED: 10_000 }).publish();
	const chosen = watch.rowsOf('RESOLVED').filter((_row, i) => i % 20 === 7);
	for (const row of chosen) watch.service.change(row, 'CLOSED');
	await watch.finds(
		chosen.map(({ id }) => `${id} RESOLVED>CLOSED`),
		3,
	);
});
