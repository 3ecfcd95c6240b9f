import { expect } from '@jest/globals';

/** Lists of different lengths are never equal. To Jest's `toEqual`, [] and [undefined] are. */
expect.addEqualityTesters([
	(one: unknown, other: unknown) =>
		Array.isArray(one) && Array.isArray(other) && one.length !== other.length ? false : undefined,
]);
