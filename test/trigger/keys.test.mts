import fc from 'fast-check';
import { firstBits, KEY_BITS, keyOf } from '../../nodes/ConversationalMessaging/trigger/keys.ts';

/** Saved states consist of keys: with another hash, every record in an archive would be unknown. */
test.each([
	['', 4_057_741_826_300],
	['1042', 1_570_436_241_713],
	['cm4k2w8qx0001v8l4a1b2c3d4', 1_435_676_003_438],
	['Ticket ü 7', 3_303_976_341_675],
])('the key of %j never changes', (id, key) => {
	expect(keyOf(id)).toBe(key);
});

test('a key is a whole number of at most 42 bits, and its first bits are those of a shorter one', () => {
	fc.assert(
		fc.property(fc.string(), fc.integer({ min: 1, max: KEY_BITS }), (id, bits) => {
			const key = keyOf(id);
			expect(Number.isInteger(key) && key >= 0 && key < 2 ** KEY_BITS).toBe(true);
			const text = (value: number, length: number) => value.toString(2).padStart(length, '0');
			expect(text(firstBits(key, bits), bits)).toBe(text(key, KEY_BITS).slice(0, bits));
		}),
	);
});

test('IDs that follow each other have keys that are spread evenly', () => {
	const counts = Array.from({ length: 16 }, () => 0);
	for (let i = 0; i < 16_000; i++) counts[firstBits(keyOf(`T${i}`), 4)]!++;
	// 1,000 each; the standard deviation is 31.
	for (const count of counts) expect(Math.abs(count - 1_000)).toBeLessThan(150);
});
