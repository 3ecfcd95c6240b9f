/** Started by scripts/mutation.mjs, from the top level of the repository. */
const folder = process.env.MUTATED_PATH;

export default {
	mutate: [
		`nodes/ConversationalMessaging/${folder}.ts`,
		`nodes/ConversationalMessaging/${folder}/**/*.ts`,
	],
	// Jest resolves the source to dist/, so the mutants are compiled, all of them at once.
	buildCommand: 'tsc --incremental false',
	testRunner: 'jest',
	plugins: ['@stryker-mutator/jest-runner'],
	jest: { configFile: 'test/mutation/jest.config.js', enableFindRelatedTests: false },
	coverageAnalysis: 'perTest',
	concurrency: Number(process.env.MUTATION_WORKERS ?? 2),
	timeoutMS: 20_000,
	ignorePatterns: ['/dist', '/docs', '/examples', '/bench', '/test/e2e', '/coverage'],
	// Texts for users are compared word by word only where a test is about them.
	mutator: { excludedMutations: ['StringLiteral'] },
	tempDirName: '.stryker-tmp',
	reporters: ['clear-text', 'progress-append-only'],
	clearTextReporter: { logTests: false, allowColor: false, reportTests: false },
	thresholds: { high: 95, low: 90, break: null },
	// A fault in a constant of a module would need every test file anew.
	ignoreStatic: true,
	disableTypeChecks: true,
	allowEmpty: true,
};
