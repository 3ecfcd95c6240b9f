/** The tests that hold the logic at little cost. Those of whole operations take too long to run for every fault. */
const { existsSync } = require('node:fs');
const { resolve } = require('node:path');
const config = require('../../jest.config.js');

const root = resolve(__dirname, '../..');
const path = process.env.MUTATED_PATH;
const own = `test/${path}.test.mts`;

module.exports = {
	...config,
	rootDir: root,
	// A file with tests of its own is held by these; everything else, by the tests of its folder.
	testMatch: existsSync(resolve(root, own))
		? [`<rootDir>/${own}`]
		: [`<rootDir>/test/${path.split('/')[0]}/**/*.test.mts`],
	// Tens of thousands of records, for every fault.
	testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/trigger/scale'],
	testTimeout: 20_000,
};
