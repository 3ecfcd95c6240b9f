/** What the next poll compares with. Polls show most of it; here, records share a key, which is rare. */
import { KEY_BITS, keyOf, shortened } from '../../nodes/ConversationalMessaging/trigger/keys.ts';
import { LIMITS } from '../../nodes/ConversationalMessaging/trigger/limits.ts';
import { nextBaseline } from '../../nodes/ConversationalMessaging/trigger/nextBaseline.ts';
import { observationOf } from '../../nodes/ConversationalMessaging/trigger/observation.ts';
import { tickets } from '../../nodes/ConversationalMessaging/trigger/sources/tickets.ts';
import { TrackedRecords } from '../../nodes/ConversationalMessaging/trigger/tracked.ts';
import { baseline, edit } from './checkpoints.mts';

const BITS = 8;
const shortKey = (id: string) => shortened(keyOf(id), BITS);
/** Of two records with one shortened key, only the first one is known: the other one was dropped. */
const KNOWN = 'A';
const DROPPED = Array.from({ length: 5_000 }, (_, i) => `T${i}`).find(
	(id) => shortKey(id) === shortKey(KNOWN),
)!;

test('a record that was dropped does not take the place of one that shares its shortened key', () => {
	expect(BITS).toBeLessThan(KEY_BITS);
	const tracked = new TrackedRecords(new Map(), new Map(), BITS).with([edit(KNOWN, 'CLOSED')]);
	const before = baseline(tracked, { exact: [], backfill: { is: 'truncated' } });
	const record = { id: DROPPED, status: 'OPEN', record: {} };
	const page = { status: 'OPEN', number: 1, size: 200, total: 1, length: 1, records: [record] };
	const observation = observationOf({
		pages: [page],
		complete: new Map([['OPEN', 'certain' as const]]),
		archives: new Set(['CLOSED']),
	});
	const findings = {
		observation,
		settled: new Map<string, number>(),
		givenUp: new Set<string>(),
		sweeps: {},
		cursors: before.cursors,
		// That it entered this list is not certain.
		changes: [],
		withheld: new Set<string>(),
		failed: false,
	};
	const after = nextBaseline(before, findings, tickets, LIMITS);
	expect(after.exact).toEqual(['OPEN']);
	expect(after.tracked.candidates(KNOWN)).toEqual([{ status: 'CLOSED', changes: 0, recency: 0 }]);
	expect(after.tracked.byId.size).toBe(0);
});
