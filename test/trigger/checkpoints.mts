import type { Baseline } from '../../nodes/ConversationalMessaging/trigger/baseline.ts';
import type { Checkpoints } from '../../nodes/ConversationalMessaging/trigger/checkpoint.ts';
import { decode } from '../../nodes/ConversationalMessaging/trigger/checkpoint.ts';
import type { Edit } from '../../nodes/ConversationalMessaging/trigger/tracked.ts';
import { TrackedRecords } from '../../nodes/ConversationalMessaging/trigger/tracked.ts';

export const baseline = (tracked: TrackedRecords, change: Partial<Baseline> = {}): Baseline => ({
	epoch: 't8',
	tracked,
	counts: { OPEN: tracked.byId.size, CLOSED: tracked.size - tracked.byId.size },
	exact: ['OPEN'],
	orders: { CLOSED: { marks: [{ key: 7, rank: 99 }], total: 130 } },
	backfill: { is: 'complete' },
	eventfulPolls: 4,
	rotation: 5,
	pageSize: 200,
	sweeps: { CLOSED: 7 },
	cursors: { left: 0, unlisted: 9 },
	...change,
});

export const checkpoints = (tracked: TrackedRecords, change?: Partial<Baseline>): Checkpoints => ({
	ticketStatusChanged: {
		scope: 'scope',
		filter: { statuses: ['CLOSED'], includeNew: true },
		failures: 0,
		baseline: baseline(tracked, change),
	},
});

/** As long as a cuid. */
export const cuid = (n: number) => `cm4k2w8qx${String(n).padStart(16, '0')}`;

export const edit = (
	id: string,
	status: string,
	keepsId = false,
	recency: 0 | 1 | 2 = 0,
): Edit => ({
	id,
	to: { status, changes: 0, recency },
	keepsId,
});

export function many(archived: number, named: number, statuses = ['CLOSED']): TrackedRecords {
	const edits = Array.from({ length: archived + named }, (_, i) =>
		i < named
			? edit(cuid(i), 'OPEN', true, 2)
			: edit(cuid(i), statuses[i % statuses.length] as string),
	);
	return new TrackedRecords().with(edits);
}

export const trackedIn = (text: string) => decode(text).ticketStatusChanged!.baseline!.tracked;
