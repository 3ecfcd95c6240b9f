import type { TriggerState } from '../../nodes/ConversationalMessaging/trigger/state.ts';
import {
	type Memory,
	newCursor,
	newLongList,
} from '../../nodes/ConversationalMessaging/trigger/status/memory.ts';
import { Records } from '../../nodes/ConversationalMessaging/trigger/status/records.ts';

/** A long list that is known, and is being searched. */
export const KNOWN = { ...newLongList(true), drift: -3, unexplained: 1 };

/** A long list that is being read for the second time. */
export const FILLING = { ...newLongList(false), passes: 2 };

export const memoryOf = (records: Records, change: Partial<Memory> = {}): Memory => ({
	epoch: 't8',
	polls: 4,
	records,
	known: new Set(['IN_PROGRESS', 'OPEN']),
	long: { CLOSED: KNOWN, RESOLVED: FILLING },
	cursor: { ...newCursor(), status: 'CLOSED', page: 5, hasGap: true, left: 7 },
	size: 130,
	withheld: 2,
	isRestored: true,
	...change,
});

export const checkpointsOf = (
	records: Records,
	change?: Partial<Memory>,
): TriggerState['sources'] => ({
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
