import { NumberSet } from '../../nodes/ConversationalMessaging/resources/broadcast/numberSet.ts';

/** Apart from the other tests of recipients, which mutation tests run for every fault. */

test('a set holds a million consecutive numbers', () => {
	const set = new NumberSet();
	for (let each = 0; each < 1_000_000; each++) set.add(12_025_000_000 + each);
	expect(set.size).toBe(1_000_000);
	expect([set.has(12_025_999_999), set.has(12_026_000_000)]).toEqual([true, false]);
});
