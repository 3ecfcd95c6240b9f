import type { Checkpoints } from '../../nodes/ConversationalMessaging/trigger/checkpoint.ts';
import { type Memory, newLongList } from '../../nodes/ConversationalMessaging/trigger/memory.ts';
import { Records } from '../../nodes/ConversationalMessaging/trigger/records.ts';

/** A long list that is complete, and is being searched. */
export const KNOWN = { ...newLongList(true), offset: -3, page: 9, hasFound: true };

/** A long list that is being read for the second time. */
export const FILLING = { ...newLongList(false), page: 3, passes: 2 };

export const memoryOf = (records: Records, change: Partial<Memory> = {}): Memory => ({
	epoch: 't8',
	polls: 4,
	records,
	complete: new Set(['IN_PROGRESS', 'OPEN']),
	long: { CLOSED: KNOWN, RESOLVED: FILLING },
	next: { status: 'CLOSED', page: 5 },
	size: 130,
	...change,
});

export const checkpointsOf = (records: Records, change?: Partial<Memory>): Checkpoints => ({
	ticketStatusChanged: {
		scope: 'scope',
		token: 'token',
		filter: { statuses: ['CLOSED'], includeNew: true },
		failures: 2,
		memory: memoryOf(records, change),
	},
});

/** As long as a cuid. */
export const cuid = (n: number) => `cm4k2w8qx${String(n).padStart(16, '0')}`;

/** Closed records, known by key, and open ones, known by ID. */
export const many = (closed: number, open: number): Records =>
	new Records().with(
		Array.from({ length: closed + open }, (_, i) =>
			i < open ? { id: cuid(i), status: 'OPEN', keepsId: true } : { id: cuid(i), status: 'CLOSED' },
		),
	);
