/** What scale.test.mts shows of some numbers of records, for all of them in all splits and orders, and with faults. */
import { chats } from '../../nodes/ConversationalMessaging/trigger/sources/chats.ts';
import { tickets } from '../../nodes/ConversationalMessaging/trigger/sources/tickets.ts';
import {
	type Counts,
	expectChangesToBeFound,
	mixed,
	pollsToSearch,
	SPLITS,
	Watch,
} from './scale.mts';
import { FakeService, outage, type Order } from './service.mts';

const SIZES = [3_000, 20_000, 100_000];

const CASES = SIZES.flatMap((all) =>
	SPLITS.flatMap(([split, of]) =>
		(['newest', 'oldest'] as const).map((order) => ({ all, split, order, counts: of(all) })),
	),
);

/** Nothing is emitted for some polls, and then what is created, in a list of which nothing was hidden. */
async function expectNothingNew(watch: Watch): Promise<void> {
	await watch.publish();
	for (let i = 0; i < 12; i++) expect((await watch.poll()).changes).toEqual([]);
	const made = watch.service.make('CLOSED');
	await watch.finds([`${made.id} (new)>CLOSED`], 1);
}

/** Rejects pages of all lists from now on. */
function rejectPages(watch: Watch, from: number, to: number): void {
	watch.service.onRequest = () => {
		const page = Number(/"page":(\d+)/.exec(watch.service.requests.at(-1)!)?.[1] ?? 0);
		if (page >= from && page <= to) throw outage(403);
	};
}

describe.each(CASES)('$all tickets, $split, $order first', ({ all, order, counts }) => {
	const newWatch = (): Watch => new Watch(tickets, counts, order);

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
			rejectPages(watch, from, to);
			for (let i = 0; i < 4; i++) {
				const { changes, error } = await watch.poll();
				expect([changes, error]).toEqual([[], undefined]);
			}
			expect(watch.checkpoint.failures).toBe(0);
			watch.service.onRequest = () => undefined;
			await expectNothingNew(watch);
		},
	);

	test('while pages 40 to 60 are rejected, other changes are found', async () => {
		const watch = await newWatch().publish();
		rejectPages(watch, 40, 60);
		const made = watch.service.make('OPEN');
		await watch.finds([`${made.id} (new)>OPEN`], 1);
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
		await watch.finds([`${made.id} (new)>OPEN`], 1);
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
		await watch.finds([`${made.id} (new)>OPEN`], 1);
	});
});

test.each(SIZES.flatMap((all) => (['newest', 'oldest'] as const).map((order) => [all, order])))(
	'of %d chats, %s first, one that is escalated first and assigned later starts the trigger of its agent',
	async (...[all, order]) => {
		const counts: Counts = { NOT_ESCALATED: Number(all) - 200, ESCALATED: 200 };
		const scope = { assigneeId: 'A1' };
		const watch = await new Watch(chats, counts, order as Order, scope).publish();
		const [row] = watch.rowsOf('NOT_ESCALATED');
		watch.service.assign(row!, '');
		watch.service.change(row!, 'ESCALATED');
		for (let i = 0; i < 2; i++) expect((await watch.poll()).changes).toEqual([]);
		watch.service.assign(row!, 'A1');
		await watch.finds([`${row!.id} (new)>ESCALATED`], 1);
	},
);
