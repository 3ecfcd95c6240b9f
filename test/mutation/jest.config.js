/** The tests that scripts/mutation.mjs selects for the file whose faults are measured. */
const { resolve } = require('node:path');
const config = require('../../jest.config.js');

module.exports = {
	...config,
	rootDir: resolve(__dirname, '../..'),
	testMatch: process.env.MUTATION_TESTS.split(' ').map((test) => `<rootDir>/test/${test}.test.mts`),
	// Everything else would be searched again for every fault.
	roots: ['<rootDir>/test', '<rootDir>/dist'],
	setupFiles: ['<rootDir>/test/mutation/properties.js'],
	testTimeout: 20_000,
};
