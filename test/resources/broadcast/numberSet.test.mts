import fc from 'fast-check';
import { NumberSet } from '../../../nodes/ConversationalMessaging/resources/broadcast/numberSet.ts';

/** The largest number that a set can hold. */
const LARGEST = 2 ** 53 - 2;

test.each([0, 1, 12_025_550_123, 2 ** 32 - 1, 2 ** 32, 999_999_999_999_999, LARGEST])(
	'%i is in the set once it was added, and its neighbors are not',
	(each) => {
		const set = new NumberSet();
		expect([set.has(each), set.size]).toEqual([false, 0]);
		expect([set.add(each), set.has(each), set.size]).toEqual([true, true, 1]);
		expect([set.add(each), set.size]).toEqual([false, 1]);
		for (const other of [each - 1, each + 1].filter((one) => one >= 0 && one <= LARGEST))
			expect(set.has(other)).toBe(false);
	},
);

test('a set holds thousands of consecutive numbers, and the largest possible ones', () => {
	const set = new NumberSet();
	for (let each = 0; each < 5_000; each++) set.add(12_025_000_000 + each);
	for (const each of [0, 1, LARGEST]) expect(set.add(each)).toBe(true);
	expect(set.size).toBe(5_003);
	expect([set.has(12_025_004_999), set.has(12_025_005_000)]).toEqual([true, false]);
});

describe('what a set needs', () => {
	const RealArray = Float64Array;
	let bytes = 0;
	let reads = 0;

	/** Notes the size of the last array, and how often its numbers are read. */
	function WatchedArray(length: number) {
		const array = new RealArray(length);
		bytes = array.byteLength;
		return new Proxy(array, {
			get: (_, name) => {
				if (typeof name === 'string' && /^\d+$/.test(name)) reads++;
				const value = Reflect.get(array, name) as unknown;
				return typeof value === 'function' ? (value.bind(array) as unknown) : value;
			},
		});
	}
	beforeEach(() => {
		globalThis.Float64Array = WatchedArray as unknown as typeof Float64Array;
	});
	afterEach(() => {
		globalThis.Float64Array = RealArray;
	});

	test('is 12 to 24 bytes per number, from 683 numbers on', () => {
		const set = new NumberSet();
		expect(bytes).toBe(8_192);
		for (let each = 0; each < 20_000; each++) {
			set.add(12_025_000_000 + each);
			if (set.size < 683) expect(bytes).toBe(8_192);
			else expect(bytes / set.size >= 12 && bytes / set.size <= 24).toBe(true);
		}
	});

	test.each<[what: string, numberAt: (n: number) => number]>([
		['consecutive', (n) => 12_025_000_000 + n],
		['every tenth', (n) => 491_510_000_000 + 10 * n],
		['every 1,024th', (n) => 12_025_000_000 + 1_024 * n],
		['equal in their lower 32 bits', (n) => 123_456 + 2 ** 32 * n],
	])('is a few reads per number, whatever the numbers are: %s', (_what, numberAt) => {
		const set = new NumberSet();
		const numbers = Array.from({ length: 5_000 }, (_, n) => numberAt(n));
		reads = 0;
		for (const each of numbers) set.add(each);
		for (const each of numbers) set.has(each);
		// Two reads look at a slot. Full slots follow one another where hashes are close.
		expect(reads / (2 * numbers.length)).toBeLessThan(12);
	});
});

const number = fc.oneof(
	fc.integer({ min: 0, max: 40 }),
	fc.integer({ min: 1_000_000, max: 999_999_999_999_999 }),
	fc.integer({ min: 12_025_550_100, max: 12_025_550_400 }),
);

test('a set of numbers knows the same numbers as a Set', () => {
	fc.assert(
		fc.property(fc.array(number, { maxLength: 3_000, size: 'max' }), number, (numbers, other) => {
			const set = new NumberSet();
			const known = new Set<number>();
			for (const each of numbers) {
				expect(set.add(each)).toBe(!known.has(each));
				known.add(each);
			}
			expect(set.size).toBe(known.size);
			expect(numbers.every((each) => set.has(each))).toBe(true);
			expect(set.has(other)).toBe(known.has(other));
		}),
		{ numRuns: 30 },
	);
});
