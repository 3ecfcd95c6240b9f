/** How sorted keys are written, and which texts are no keys. */
import {
	decodeKeys,
	encodeKeys,
} from '../../nodes/ConversationalMessaging/trigger/status/keySet.ts';
import { keyOf } from '../../nodes/ConversationalMessaging/trigger/keys.ts';

test.each<[keys: number[], text: string]>([
	[[], '0.0.'],
	// No remainder bits: a gap of n is n ones and a zero.
	[[0], '0.1.A'],
	[[1], '0.1.g'],
	[[0, 0, 1], '0.3.I'],
	// Two remainder bits: 5 is one time 4, and 1 more: 10 01.
	[[5], '2.1.k'],
	// Sorted, the gaps are 0, 2 and 0.
	[[2, 0, 2], '0.3.Y'],
])('%j is %s', (keys, text) => {
	expect(encodeKeys(keys)).toBe(text);
	expect(decodeKeys(text)).toStrictEqual([...keys].sort((one, other) => one - other));
});

test('keys take up little more than the minimum, whatever their distance, and are the same after decoding', () => {
	const count = 2_000;
	const hashes = Array.from({ length: count }, (_, i) => keyOf(`T${i}`));
	for (const mean of [50, 2 ** 20, 2 ** 31]) {
		const keys = hashes.map((hash) => hash % (mean * count));
		const text = encodeKeys(keys);
		expect(decodeKeys(text)).toStrictEqual(keys.toSorted((one, other) => one - other));
		const bitsPerKey = (text.length * 6) / count;
		// Random gaps have an entropy of log2(e × mean) bits. A Rice code takes up to 0.14 bits more, and the numbers
		// before it 0.03.
		expect(bitsPerKey).toBeLessThan(Math.log2(Math.E * mean) + 0.2);
	}
});

test.each<[why: string, text: string]>([
	['a single number', '1'],
	['without characters', '1.0'],
	['a number of bits that is no number', 'x.1.A'],
	['no number of bits', '.1.A'],
	['a number of keys that is no number', '0.x.'],
	['a character of another alphabet', '0.1.!'],
	['cut off', '0.7.A'],
	['cut off within a key', '12.1.A'],
	['cut off within the quotient of a gap', '0.1._'],
	['longer than its keys', '0.1.AA'],
	['longer than its keys, of which there are none', '0.0.A'],
	['a number of keys beyond all that fits', '0.99999999999.A'],
])('a text that is %s is no list of keys: %j', (_why, text) => {
	expect(decodeKeys(text)).toBeUndefined();
});
