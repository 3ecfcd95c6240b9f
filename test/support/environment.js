/**
 * Jest's environment for Node.js, with the process's own global object and with libraries that a process loads once.
 *
 * Jest loads every library anew for each test file, and n8n's engine takes longer to load than most files take to run.
 * Here, Node.js itself loads what is in node_modules/, so that only the files of this repository are new for each test
 * file. Libraries and tests then need the same `Error`, `Array` and `Promise`: there is no second global object. The
 * package in dist/ keeps state in its modules, so each test file gets new ones.
 */
const { AsyncLocalStorage } = require('node:async_hooks');
const Module = require('node:module');
const { join, sep } = require('node:path');
const vm = require('node:vm');

const { LONG, N8N_CORE_FOLDER, SEED } = process.env;

if (N8N_CORE_FOLDER) {
	// dist/ gets the version of n8n's engine that jest.compat.config.js gives to the tests.
	const ofEngine = /^(n8n-core|n8n-workflow|reflect-metadata|@n8n\/di)$/;
	const resolveFilename = Module._resolveFilename;
	Module._resolveFilename = (request, parent, isMain, options) =>
		ofEngine.test(request)
			? resolveFilename(request, parent, isMain, { paths: [N8N_CORE_FOLDER] })
			: resolveFilename(request, parent, isMain, options);
}

const { Container } = require('@n8n/di');
const { ModuleMocker } = require('jest-mock');
const { startWatchdog } = require('./watchdog.js');

const DIST = join(__dirname, '..', '..', 'dist') + sep;
const isBuilt = ({ filename }) => filename.startsWith(DIST);
/** Jest's own packages belong to the test file. */
const isLibrary = ({ filename }) =>
	/[\\/]node_modules[\\/](?!@?jest[-\\/]|expect[\\/])/.test(filename);

const { compileFunction } = vm;

/** Jest compiles each module for the global object of its environment. Here, there is only one. */
vm.compileFunction = (code, parameters, { parsingContext: _, ...options }) =>
	isLibrary(options) || isBuilt(options)
		? (module) => {
				module.exports = require(options.filename);
			}
		: compileFunction(code, parameters, options);

/** Random numbers begin with 8, so that a result changes only with the code; with LONG, or with the given SEED. */
const seed = Number(SEED ?? (LONG ? Date.now() % 1e9 : 8));

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

function forgetBuiltModules() {
	const modules = Object.values(require.cache);
	for (const module of modules.filter(isBuilt)) delete require.cache[module.id];
	// A module keeps those that it was the first to load.
	for (const module of modules) {
		if (module.children.some(isBuilt))
			module.children = module.children.filter((child) => !isBuilt(child));
	}
}

/** Jest keeps them in the global object: each file's would be called for the events of all later ones. */
function forgetEventHandlers() {
	for (const symbol of Object.getOwnPropertySymbols(globalThis))
		if (['EVENT_HANDLERS', 'JEST_STATE_SYMBOL'].includes(symbol.description))
			delete globalThis[symbol];
}

/** Each test file's copy of Jest has one: every promise of the process would be registered with all of them. */
const storages = new Set();
const { run } = AsyncLocalStorage.prototype;
AsyncLocalStorage.prototype.run = function (...call) {
	storages.add(this);
	return run.apply(this, call);
};

function disableStorages() {
	for (const storage of storages) storage.disable();
	storages.clear();
}

/** Of this process. */
let watchdog;

module.exports = class {
	/** None: tests inject a clock. */
	fakeTimers = null;
	fakeTimersModern = null;

	constructor({ projectConfig }, { testPath }) {
		watchdog ??= startWatchdog(projectConfig.testTimeout);
		watchdog(testPath);
		this.testPath = testPath;
		this.global = globalThis;
		this.moduleMocker = new ModuleMocker(globalThis);
		this.former = { console, exit: process.exit };
		Math.random = seededRandom();
	}

	/** Of no use: `compileFunction` leaves it out. Without one, Jest takes the environment for closed. */
	getVmContext() {
		return {};
	}

	exportConditions() {
		return ['node', 'node-addons'];
	}

	async setup() {
		// As in Node.js, instead of Jest's 100: n8n's engine reads the stack of each error and of each line of its log.
		Error.stackTraceLimit = 10;
	}

	handleTestEvent({ name, test }) {
		if (name === 'test_fn_start') watchdog(`${this.testPath}: ${test.name}`);
		if (LONG && name === 'test_fn_failure') console.error(`Random numbers began with SEED=${seed}`);
	}

	async teardown() {
		this.moduleMocker.restoreAllMocks();
		globalThis.console = this.former.console;
		process.exit = this.former.exit;
		// `expect` keeps them in the global object: each would be asked for every value of all later files.
		const testers = globalThis[Symbol.for('$$jest-matchers-object')]?.customEqualityTesters;
		if (testers) testers.length = 0;
		forgetEventHandlers();
		disableStorages();
		forgetBuiltModules();
		// A test file may have changed where n8n's engine stores files.
		const engine = require.cache[require.resolve('n8n-core')]?.exports;
		if (engine) Container.set(engine.BinaryDataService, undefined);
	}
};
