/** The tests on n8n's engine, on another version of it: see tools/scripts/compat.mts, which sets its path. */
const config = require('../jest.config.js');

module.exports = {
	...config,
	rootDir: '..',
	testMatch: ['<rootDir>/test/engine/**/*.test.mts'],
};
