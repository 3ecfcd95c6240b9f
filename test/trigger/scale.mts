import type { Counts, Watch } from './watch.mts';

/** Where the records of a service are. */
export const SPLITS: [name: string, of: (all: number) => Counts][] = [
	['600 not closed', (all) => ({ CLOSED: all - 600, OPEN: 200, IN_PROGRESS: 200, RESOLVED: 200 })],
	['all resolved', (all) => ({ RESOLVED: all })],
	['half resolved, half closed', (all) => ({ OPEN: 20, RESOLVED: all / 2 - 20, CLOSED: all / 2 })],
	[
		'a quarter in each status',
		(all) => ({ OPEN: all / 4, IN_PROGRESS: all / 4, RESOLVED: all / 4, CLOSED: all / 4 }),
	],
];

/** New records, and changes between all kinds of lists, are found in time, and nothing else. */
export async function expectChangesToBeFound(
	watch: Watch,
	{ all, polls }: { all: number; polls: number },
): Promise<void> {
	const { service } = watch;
	for (let i = 0; i < (all < 100_000 ? 11 : 3); i++) {
		const { events, requests } = await watch.poll();
		expect(events).toStrictEqual([]);
		expect(requests.length).toBeLessThanOrEqual(8);
		expect(JSON.stringify(watch.text).length).toBeLessThanOrEqual(256 * 1024);
	}

	const made = ['OPEN', 'RESOLVED', 'CLOSED'].map((status) => service.make(status));
	await watch.finds(
		made.map(({ id, status }) => `${id} new>${status}`),
		1,
	);

	// From each status to the next one: among them, between short and long lists, and between two long ones.
	const statuses = ['OPEN', 'IN_PROGRESS', 'RESOLVED', 'CLOSED'];
	for (const [i, from] of statuses.entries()) {
		const to = statuses[(i + 1) % 4]!;
		const rows = watch.rowsOf(from);
		const row = rows[Math.floor(rows.length / 3)];
		if (!row) continue;
		const isShort = [from, to].some((status) => watch.memory.long[status] === undefined);
		service.change(row, to);
		// What enters a long list from a short one was looked up.
		const isReopened = watch.memory.long[to] === undefined;
		await watch.finds([`${row.id} ${from}>${to}`], isShort || isReopened ? 1 : polls);
	}

	// A record that was deleted, and one whose requests always fail, hold up nobody.
	const [deleted, broken, other] = watch.rowsOf('OPEN');
	if (!deleted || !broken || !other) return;
	service.delete(deleted);
	service.rejected.set(broken.id, 500);
	service.change(broken, 'CLOSED');
	service.change(other, 'CLOSED');
	const closed = [`${broken.id} OPEN>CLOSED`, `${other.id} OPEN>CLOSED`];
	await watch.finds(closed, polls);
	expect(watch.checkpoint!.failures).toBe(0);
}

/** The number of polls for a search of all pages, 40 in each. */
export const pollsToSearch = (all: number): number => 1 + Math.ceil(all / 200 / 40);
