/** Tests are .mts, which the lint rules for nodes ignore, and run as CommonJS, as n8n's engine does. */
module.exports = {
	testMatch: ['<rootDir>/test/**/*.test.mts'],
	testPathIgnorePatterns: [
		'/node_modules/',
		'<rootDir>/test/e2e/',
		'<rootDir>/test/queue/',
		// They take minutes: `npm run test:long`.
		...(process.env.LONG ? [] : ['\\.long\\.test\\.mts$']),
	],
	moduleFileExtensions: ['mts', 'ts', 'js', 'mjs', 'cjs', 'json', 'node'],
	globalSetup: require.resolve('./test/support/globalSetup.mjs'),
	globalTeardown: require.resolve('./test/support/globalTeardown.mjs'),
	runner: require.resolve('./test/support/runner/runner.js'),
	modulePathIgnorePatterns: ['<rootDir>/dist/package.json'],
	// A run compiles what has changed; that alone is no reason for another one.
	watchPathIgnorePatterns: ['<rootDir>/dist/'],
	// A busy machine is slow; no test measures time.
	testTimeout: 120_000,
	// Each worker loads n8n's engine; more workers than cores would only add to it.
	maxWorkers: '100%',
};
