/** Started by scripts/mutation.mjs, from the top level of the repository, for one file. */
const { MUTATED_FILE, MUTATED_LINES } = process.env;

export default {
	mutate: [
		`nodes/ConversationalMessaging/${MUTATED_FILE}.ts${MUTATED_LINES && `:${MUTATED_LINES}`}`,
	],
	// All mutants at once: the code contains each of them, switched off.
	buildCommand: 'node test/mutation/compile.mjs',
	testRunner: 'jest',
	plugins: ['@stryker-mutator/jest-runner'],
	jest: { configFile: 'test/mutation/jest.config.js', enableFindRelatedTests: false },
	coverageAnalysis: 'perTest',
	concurrency: Number(process.env.MUTATION_WORKERS ?? 2),
	timeoutMS: 5_000,
	ignorePatterns: ['/docs', '/examples', '/bench', '/test/e2e', '/coverage'],
	// Texts for users are compared word by word only where a test is about them.
	mutator: { excludedMutations: ['StringLiteral'] },
	tempDirName: '.stryker-tmp',
	reporters: ['clear-text', 'json', 'progress-append-only'],
	clearTextReporter: {
		logTests: false,
		allowColor: false,
		reportTests: false,
		reportScoreTable: false,
	},
	jsonReporter: { fileName: process.env.MUTATION_REPORT },
	thresholds: { high: 95, low: 90, break: null },
	disableTypeChecks: true,
	allowEmpty: true,
	logLevel: 'warn',
};
