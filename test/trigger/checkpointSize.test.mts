import { decode, encode } from '../../nodes/ConversationalMessaging/trigger/checkpoint.ts';
import { keyOf } from '../../nodes/ConversationalMessaging/trigger/keys.ts';
import { checkpoints, cuid, many, trackedIn } from './checkpoints.mts';

/** Apart from the other tests of checkpoints, which mutation tests run for every fault. */

test('a checkpoint of 20,000 records, of which 600 are kept by ID, takes less than 120 KB', () => {
	const text = encode(checkpoints(many(19_400, 600)));
	expect(text.length).toBeLessThan(120_000);
	expect(trackedIn(text).size).toBe(20_000);
	expect(encode(decode(text))).toBe(text);
});

describe('a checkpoint of 100,000 records', () => {
	test.each([
		['one status', ['CLOSED']],
		['four statuses', ['OPEN', 'IN_PROGRESS', 'RESOLVED', 'CLOSED']],
	])(
		'with %s, all records fit into 256 KB, and none is confused with another',
		(_what, statuses) => {
			const tracked = many(100_000, 0, statuses);
			const text = encode(checkpoints(tracked));
			// As saved by n8n: the text inside JSON.
			expect(JSON.stringify({ 'node:Trigger': { state: text } }).length).toBeLessThan(256 * 1024);
			const after = decode(text).ticketStatusChanged!.baseline!;
			expect([after.backfill.is, after.tracked.size]).toEqual(['complete', 100_000]);
			// A key shared by two records is never interpreted as a change of one of them.
			const status = (i: number) => statuses[i % statuses.length] as string;
			const wrong = Array.from({ length: 100_000 }, (_, i) => i).filter(
				(i) => after.tracked.find(cuid(i), status(i))?.status !== status(i),
			);
			expect(wrong).toEqual([]);
			expect(encode(decode(text)).length).toBe(text.length);
		},
	);
});

test('of two events with 45,000 records each, no record is dropped before all keys are short', () => {
	const statuses = ['OPEN', 'IN_PROGRESS', 'RESOLVED', 'CLOSED'];
	const one = checkpoints(many(45_000, 0, statuses)).ticketStatusChanged!;
	const after = decode(encode({ ticketStatusChanged: one, broadcastStatusChanged: one }));
	for (const { baseline } of Object.values(after))
		expect([baseline?.backfill.is, baseline?.tracked.size]).toEqual(['complete', 45_000]);
});

test('200,000 similar IDs have 200,000 different keys', () => {
	const ids = Array.from({ length: 100_000 }, (_, i) => [cuid(i), String(1000 + i)]).flat();
	expect(new Set(ids.map(keyOf)).size).toBe(ids.length);
});
