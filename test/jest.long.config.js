/**
 * Every test as thoroughly as possible, with new random values: every fault, every combination of options, large numbers
 * of items. And those that take minutes: files whose names end in .long.test.mts.
 */
process.env.LONG = '1';
const config = require('../jest.config.js');

module.exports = {
	...config,
	rootDir: '..',
	testTimeout: 1_200_000,
};
