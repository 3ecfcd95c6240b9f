import {
	type Checkpoints,
	decode,
	encode,
} from '../../nodes/ConversationalMessaging/trigger/checkpoint.ts';
import { LIMITS } from '../../nodes/ConversationalMessaging/trigger/limits.ts';
import { pollSource } from '../../nodes/ConversationalMessaging/trigger/poll.ts';
import type { StatusSource } from '../../nodes/ConversationalMessaging/trigger/sources/source.ts';
import { FakeService, type Order, type Row } from './service.mts';

/** The number of records of each status. */
export type Counts = Record<string, number>;

/** A service and the polls of a trigger, which has not polled yet. */
export class Watch {
	readonly service: FakeService;

	token = 'one';

	private saved: Checkpoints = {};

	constructor(
		readonly source: StatusSource,
		counts: Counts,
		order: Order = 'newest',
		private readonly scope: Record<string, string> = {},
		private readonly limits = LIMITS,
	) {
		this.service = new FakeService(source, order);
		this.service.makeAll(mixed(counts));
	}

	get checkpoint() {
		return this.saved[this.source.event]!;
	}

	get memory() {
		return this.checkpoint.memory!;
	}

	async poll() {
		const { service, source, scope, limits, token } = this;
		service.begin();
		const { checkpoint, items, error } = await pollSource(
			service.requested,
			{ source, scope, filter: { statuses: [], includeNew: true }, details: false },
			{ scope: 'scope', token },
			this.saved[source.event],
			limits,
		);
		const text = encode({ sources: { [source.event]: checkpoint } }, limits);
		this.saved = decode(text).sources;
		const changes = items.map(({ json }) => {
			const { recordId, previousStatus, status } = json as Record<string, string | null>;
			return `${recordId!} ${previousStatus ?? '(new)'}>${status!}`;
		});
		const { length } = service.requests;
		return { changes, requests: length, error, size: JSON.stringify(text).length };
	}

	/** The first poll, and those that read the long lists once. */
	async publish(): Promise<this> {
		let polls = 0;
		do expect([polls < 7, (await this.poll()).changes]).toEqual([polls++ < 7, []]);
		while (Object.values(this.memory.long).some(({ passes }) => passes > 0));
		return this;
	}

	/** Polls until all of these are found, at most so many times, and expects nothing else. */
	async finds(expected: string[], polls: number): Promise<void> {
		const found: string[] = [];
		for (let i = 0; i < polls && found.length < expected.length; i++)
			found.push(...(await this.poll()).changes);
		expect(found.sort()).toEqual(expected.sort());
	}

	rowsOf(status: string): Row[] {
		return this.service.rows.filter((row) => row.status === status);
	}
}

/** Statuses, spread evenly over the age of the records. */
export function mixed(counts: Counts): string[] {
	const all = Object.entries(counts).flatMap(([status, count]) =>
		Array.from({ length: count }, (_, i) => ({ status, at: (i + 0.5) / count })),
	);
	return all.sort((one, other) => one.at - other.at).map(({ status }) => status);
}

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
		const { changes, requests, size } = await watch.poll();
		expect(changes).toEqual([]);
		expect(requests).toBeLessThanOrEqual(8);
		expect(size).toBeLessThanOrEqual(256 * 1024);
	}

	const made = ['OPEN', 'RESOLVED', 'CLOSED'].map((status) => service.make(status));
	await watch.finds(
		made.map(({ id, status }) => `${id} (new)>${status}`),
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
	expect(watch.checkpoint.failures).toBe(0);
}

/** The number of polls for a search of all pages, 40 in each. */
export const pollsToSearch = (all: number): number => 1 + Math.ceil(all / 200 / 40);
