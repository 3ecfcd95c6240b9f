/**
 * Mutation tests, see CONTRIBUTING.md: StrykerJS puts faults into the code, one at a time, and lists those that the tests
 * of the same folder do not notice. FOLDER is a folder of nodes/ConversationalMessaging/. Tests on n8n's engine are too
 * slow for this.
 */
import jest from '../jest.config.js';

const { FOLDER = 'api' } = process.env;

export default {
	mutate: [`nodes/ConversationalMessaging/${FOLDER}/**/*.ts`],
	testRunner: 'jest',
	plugins: ['@stryker-mutator/jest-runner'],
	jest: {
		config: { ...jest, testMatch: [`<rootDir>/test/${FOLDER}/**/*.test.mts`] },
		enableFindRelatedTests: false,
	},
	// Tests run in processes of their own.
	coverageAnalysis: 'off',
	// Tests run dist/.
	buildCommand: 'npm run --silent build',
	ignorePatterns: ['dist', 'tools/bench', 'coverage'],
	disableTypeChecks: 'nodes/**/*.ts',
	// StrykerJS would rewrite paths in tsconfig.json, and needs TypeScript in its own folder for it.
	tsconfigFile: 'none',
	dryRunTimeoutMinutes: 20,
	reporters: ['clear-text', 'progress'],
	clearTextReporter: { logTests: false },
};
