/** The tests that take minutes: files whose names end in .long.test.mts. */
process.env.LONG = '1';
const config = require('./jest.config.js');

module.exports = {
	...config,
	testMatch: ['<rootDir>/test/**/*.long.test.mts'],
	testTimeout: 1_200_000,
};
