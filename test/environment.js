/**
 * Jest's environment for Node.js with V8's own global object.
 *
 * Jest keeps the global variables of each test file in a proxy, so that every `Object` or `Promise` in n8n's engine and
 * in the package calls JavaScript: a fifth of the time of all tests. A context without such a proxy is isolated just
 * as well. Jest has no setting for it, hence the replacement while its environment is created.
 */
const { rmSync } = require('node:fs');
const vm = require('node:vm');
const { TestEnvironment } = require('jest-environment-node');

const { compileFunction } = vm;

/** Compiled modules, by their paths: each test file of a worker gets a new instance of every module, of the same code. */
const compiled = new Map();

vm.compileFunction = (code, parameters, options) => {
	const former = compiled.get(options.filename);
	if (former?.code === code)
		return compileFunction(former.code, parameters, { ...options, cachedData: former.data });
	const result = compileFunction(code, parameters, { ...options, produceCachedData: true });
	compiled.set(options.filename, { code, data: result.cachedData });
	return result;
};

/** Random numbers begin with 8, so that a result changes only with the code; with LONG, or with the given SEED. */
const { LONG, SEED } = process.env;
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

module.exports = class extends TestEnvironment {
	constructor(config, context) {
		const { createContext } = vm;
		vm.createContext = () => createContext(vm.constants.DONT_CONTEXTIFY);
		try {
			super(config, context);
		} finally {
			vm.createContext = createContext;
		}
		this.global.Math.random = seededRandom();
	}

	handleTestEvent({ name }) {
		if (LONG && name === 'test_fn_failure') console.error(`Random numbers began with SEED=${seed}`);
	}

	/** A test file never sees its process exit: the folder that engine/environment.mts made is removed here. */
	async teardown() {
		const { N8N_USER_FOLDER } = this.global.process.env;
		await super.teardown();
		if (N8N_USER_FOLDER && N8N_USER_FOLDER !== process.env.N8N_USER_FOLDER)
			rmSync(N8N_USER_FOLDER, { recursive: true, force: true });
	}
};
