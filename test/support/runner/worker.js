/** A process that runs test files, one after another, with jest-circus. */
const circus = require('jest-circus');
const { jestExpect } = require('@jest/expect');
const { createEmptyTestResult } = require('@jest/test-result');
const { formatExecError, formatResultsErrors } = require('jest-message-util');
const { ModuleMocker } = require('jest-mock');
const { startWatchdog } = require('../watchdog.js');
const { forgetOwnModules } = require('./modules.js');

const { LONG, SEED } = process.env;

/** Random numbers begin with 8, so that a result changes only with the code; with LONG, or with the given SEED. */
const seed = Number(SEED ?? (LONG ? Date.now() % 1e9 : 8));

const mocker = new ModuleMocker(globalThis);
const { test, describe } = circus;
Object.assign(globalThis, {
	...{ test, it: test, describe, expect: jestExpect },
	beforeAll: circus.beforeAll,
	afterAll: circus.afterAll,
	beforeEach: circus.beforeEach,
	afterEach: circus.afterEach,
	jest: Object.fromEntries(
		['fn', 'spyOn', 'replaceProperty', 'restoreAllMocks'].map((name) => [
			name,
			mocker[name].bind(mocker),
		]),
	),
});

/** Of this process. */
let watchdog;
let testPath;

circus.addEventHandler(({ name, test: own }) => {
	if (name === 'test_start') jestExpect.setState({ currentTestName: own.name });
	if (name === 'test_fn_start') watchdog(`${testPath}: ${own.name}`);
	if (LONG && name === 'test_fn_failure') console.error(`Random numbers began with SEED=${seed}`);
});

for (const event of ['uncaughtException', 'unhandledRejection'])
	process.on(event, (error) => circus.getState().unhandledErrors.push([error, error]));

/** @returns the result of a test file, as Jest's reporters expect it */
exports.run = async (path, { config, expand, testNamePattern }) => {
	const start = Date.now();
	testPath = path;
	watchdog ??= startWatchdog(config.testTimeout);
	watchdog(path);
	forgetOwnModules();
	circus.resetState();
	Object.assign(circus.getState(), {
		testTimeout: config.testTimeout,
		...(testNamePattern && { testNamePattern: new RegExp(testNamePattern, 'i') }),
	});
	jestExpect.setState({ testPath: path, expand });
	Math.random = seededRandom();
	// As in Node.js, instead of Jest's 100: n8n's engine reads the stack of each error and of each line of its log.
	Error.stackTraceLimit = 10;
	const {
		console,
		process: { exit },
	} = globalThis;
	try {
		require(path);
		const { testResults, unhandledErrors, unhandledErrorsDetailed } = await circus.run();
		return resultOf(testResults.map(assertionOf), unhandledErrors, unhandledErrorsDetailed);
	} finally {
		mocker.restoreAllMocks();
		globalThis.console = console;
		process.exit = exit;
	}

	function resultOf(assertions, errors, detailed) {
		const count = (status) => assertions.filter((one) => one.status === status).length;
		const messages = detailed.map((error) =>
			formatExecError(error, config, { noStackTrace: false }),
		);
		const failures = formatResultsErrors(assertions, config, { noStackTrace: false }, path);
		const empty = createEmptyTestResult();
		return {
			...empty,
			failureMessage: [failures, ...messages].filter(Boolean).join('\n\n') || null,
			numFailingTests: count('failed'),
			numPassingTests: count('passed'),
			numPendingTests: count('pending'),
			numTodoTests: count('todo'),
			perfStats: {
				...empty.perfStats,
				start,
				end: Date.now(),
				runtime: Date.now() - start,
				slow: false,
			},
			skipped: assertions.length > 0 && count('pending') === assertions.length,
			...(errors.length > 0 && { testExecError: { message: '', stack: errors.join('\n') } }),
			testFilePath: path,
			testResults: assertions,
		};
	}
};

/** @param result of jest-circus, for one test */
function assertionOf({
	duration,
	errors,
	invocations,
	status,
	testPath: names,
	numPassingAsserts,
}) {
	const [, ...titles] = names;
	return {
		ancestorTitles: titles.slice(0, -1),
		duration,
		failureDetails: [],
		failureMessages: errors,
		fullName: titles.join(' '),
		invocations,
		location: null,
		numPassingAsserts,
		retryReasons: [],
		status: { skip: 'pending', todo: 'todo' }[status] ?? (errors.length > 0 ? 'failed' : 'passed'),
		title: titles.at(-1),
	};
}

/** mulberry32 */
function seededRandom() {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let t = Math.imul(state ^ (state >>> 15), state | 1);
		t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
		return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
	};
}
