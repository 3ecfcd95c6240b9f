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
	moduleFileExtensions: ['mts', 'ts', 'js', 'mjs', 'cjs', 'json', 'node', 'yaml'],
	globalSetup: require.resolve('./test/support/globalSetup.mjs'),
	globalTeardown: require.resolve('./test/support/globalTeardown.mjs'),
	testEnvironment: require.resolve('./test/support/environment.js'),
	transform: {
		'\\.yaml$': require.resolve('./test/support/yamlTransform.js'),
		'\\.m?[tj]s$': [
			'@swc/jest',
			{ jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type: 'commonjs' } },
		],
	},
	// Node.js itself loads them: see test/support/environment.js.
	transformIgnorePatterns: ['/node_modules/', '<rootDir>/dist/'],
	moduleNameMapper: {
		'^yaml$': '<rootDir>/test/support/yaml.js',
		'^fast-check$': '<rootDir>/test/support/fastCheck.js',
		'^fast-check/itself$': require.resolve('fast-check'),
		// Tests import the source, for its types, and get the built module: the one that n8n's engine loads. With one
		// instance of every module, the injected clock reaches all of it.
		'^(?:\\.{1,2}/)+((?:nodes|credentials)/.+)\\.ts$': '<rootDir>/dist/$1.js',
	},
	modulePathIgnorePatterns: ['<rootDir>/dist/package.json'],
	// A run compiles what has changed; that alone is no reason for another one.
	watchPathIgnorePatterns: ['<rootDir>/dist/'],
	// A busy machine is slow; no test measures time.
	testTimeout: 120_000,
	// Each worker loads n8n's engine; more workers than cores would only add to it.
	maxWorkers: '100%',
	// Some test files leave a large heap, which makes the rest slower.
	workerIdleMemoryLimit: '600MB',
};
