/**
 * Tries the faults of one file: `node worker.mjs FILE LINES TEST …`, started by scripts/mutation.mjs with a channel.
 *
 * StrykerJS puts all faults into the code, switched off. The tests run once without a fault, which shows which tests
 * execute it, then for each fault the tests that do. The process stays the same, and only the modules of this repository
 * are loaded again: a fault takes as long as its tests.
 *
 * Sends `{ faults, passMs }`: how often the tests execute each fault, and how long they take. After the answer `{ from }`,
 * the number of faults to leave out, it sends `{ trying: id }` and `{ id, noticed }` for each fault that is executed, and
 * at last `{ isReliable }`. A fault may keep the process busy for ever: whoever started the process ends it.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import swc from '@swc/core';
import { Instrumenter } from '@stryker-mutator/instrumenter';

const [, , file, lines, ...tests] = process.argv;
const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const path = resolve(ROOT, `nodes/ConversationalMessaging/${file}.ts`);
const require = createRequire(import.meta.url);
const Module = require('node:module');
const circus = require('jest-circus');

/** How StrykerJS and its code in the file talk with each other. */
const stryker = (globalThis.__stryker__ = {});
/** A fault that is executed so many times as often as without it never ends. */
const HIT_FACTOR = 100;

const { content, faults } = await instrument();
const loaded = loadFromSource();
provideJest();
/** The file and number of each test of the current run. They are defined in the same order each time. */
let numbers = new Map();
/** What failed outside of a test. */
const stray = new Set();
process.on('uncaughtException', (error) => stray.add(error));
process.on('unhandledRejection', (_error, promise) => stray.add(promise));
process.on('rejectionHandled', (promise) => stray.delete(promise));
// The command was ended, by ^C for example.
process.on('disconnect', () => process.exit());

if (!(await pass())) {
	console.error(`${file}: its tests fail without a fault`);
	process.exit(1);
}
const { static: always, perTest } = stryker.mutantCoverage ?? { static: {}, perTest: {} };
for (const fault of faults) {
	fault.tests = Object.keys(perTest).filter((test) => fault.id in perTest[test]);
	fault.hits = fault.tests.reduce(
		(sum, test) => sum + perTest[test][fault.id],
		always[fault.id] ?? 0,
	);
}
// All modules are loaded now, which takes longer than the tests.
const started = performance.now();
await pass();
const passMs = performance.now() - started;
process.send({ faults: faults.map(({ tests: _, ...fault }) => fault), passMs });
process.once('message', async ({ from }) => {
	for (const { id, hits, tests: selected } of faults.filter(({ hits }) => hits > 0).slice(from)) {
		process.send({ trying: id });
		Object.assign(stryker, { activeMutant: id, hitCount: 0, hitLimit: hits * HIT_FACTOR });
		const noticed = !(await pass(id in always ? undefined : selected));
		stryker.activeMutant = undefined;
		process.send({ id, noticed });
	}
	// What a fault leaves behind must not have failed the tests of another one.
	process.send({ isReliable: await pass() }, () => process.exit());
});

/** @returns the code with its faults, and what they are */
async function instrument() {
	const silent = { debug() {}, info() {}, isDebugEnabled: () => false };
	const [first, last = first] =
		lines === '' ? [] : lines.split('-').map((line) => Number(line) - 1);
	const mutate =
		first === undefined
			? true
			: [{ start: { line: first, column: 0 }, end: { line: last, column: 9_999 } }];
	const source = readFileSync(path, 'utf8');
	// Texts for users are compared word by word only where a test is about them.
	const options = { excludedMutations: ['StringLiteral'], ignorers: [], plugins: null };
	const { files, mutants } = await new Instrumenter(silent).instrument(
		[{ name: path, content: source, mutate }],
		options,
	);
	const sourceLines = source.split('\n');
	const found = mutants
		.filter(({ status }) => status === undefined)
		.map(({ id, location: { start, end }, replacement }) => {
			const text = sourceLines.slice(start.line, end.line + 1);
			text[text.length - 1] = text.at(-1).slice(0, end.column);
			text[0] = text[0].slice(start.column);
			return { id, line: start.line + 1, original: text.join('\n'), replacement };
		});
	return { content: files[0].content, faults: found };
}

/** Modules of this repository are compiled from the source. @returns their paths, as far as they are loaded */
function loadFromSource() {
	const compiled = new Map();
	const paths = new Set();
	const compile = (filename) => {
		const source = filename === path ? content : readFileSync(filename, 'utf8');
		// Tests and sandbox use newer syntax than the package.
		const target = filename.endsWith('.ts') ? 'es2019' : 'es2022';
		return swc.transformSync(source, {
			filename,
			jsc: { target, parser: { syntax: 'typescript' } },
			module: { type: 'commonjs' },
		}).code;
	};
	for (const ending of ['.ts', '.mts'])
		Module._extensions[ending] = (module, filename) => {
			if (!compiled.has(filename)) compiled.set(filename, compile(filename));
			paths.add(filename);
			module._compile(compiled.get(filename), filename);
		};
	return paths;
}

/** What tests use of Jest, outside of Jest. */
function provideJest() {
	const { ModuleMocker } = require('jest-mock');
	const { ModernFakeTimers } = require('@jest/fake-timers');
	const fc = require('fast-check');
	const mocker = new ModuleMocker(globalThis);
	const timers = new ModernFakeTimers({
		global: globalThis,
		config: { rootDir: ROOT, fakeTimers: {} },
	});
	const { describe, it, test, beforeEach, afterEach, beforeAll, afterAll } = circus;
	const { expect } = require('expect');
	Object.assign(globalThis, {
		describe,
		it,
		test,
		beforeEach,
		afterEach,
		beforeAll,
		afterAll,
		expect,
	});
	globalThis.jest = {
		fn: mocker.fn.bind(mocker),
		spyOn: mocker.spyOn.bind(mocker),
		useFakeTimers: (options) => timers.useFakeTimers(options),
		useRealTimers: () => timers.useRealTimers(),
		advanceTimersByTime: (ms) => timers.advanceTimersByTime(ms),
		getTimerCount: () => timers.getTimerCount(),
		isolateModules(load) {
			const modules = { ...require.cache };
			for (const key of Object.keys(modules)) delete require.cache[key];
			load();
			Object.assign(require.cache, modules);
		},
	};
	// A property is checked with the same values for every fault, with fewer of them, and without looking for the smallest.
	fc.configureGlobal({ numRuns: 30, seed: 1, endOnFailure: true });
	circus.addEventHandler(({ name, test }) => {
		if (name === 'test_start') stryker.currentTestId = numbers.get(test);
		if (name === 'test_done') stryker.currentTestId = undefined;
		// One failure is enough.
		if (name === 'test_fn_failure' || name === 'hook_failure')
			for (const other of numbers.keys()) other.mode = 'skip';
	});
}

/** Runs the tests, or only those with the given numbers, until one fails. @returns whether they pass */
async function pass(selected) {
	for (const test of tests) {
		const isOf = (number) => number.startsWith(`${test}#`);
		if (selected && !selected.some(isOf)) continue;
		if (!(await passFile(test, selected))) return false;
	}
	return true;
}

async function passFile(file, selected) {
	for (const module of loaded) delete require.cache[module];
	loaded.clear();
	stray.clear();
	circus.resetState();
	const state = circus.getState();
	Object.assign(state, { parentProcess: process, testTimeout: 600_000 });
	try {
		require(resolve(ROOT, `test/${file}.test.mts`));
	} catch (error) {
		if (stryker.activeMutant === undefined) console.error(error);
		return false;
	}
	const defined = testsIn(state.rootDescribeBlock);
	numbers = new Map(defined.map((test, at) => [test, `${file}#${at}`]));
	if (selected)
		for (const [test, number] of numbers) if (!selected.includes(number)) test.mode = 'skip';
	const { testResults, unhandledErrors } = await circus.run();
	await setImmediate();
	const errors = [...unhandledErrors, ...testResults.flatMap((result) => result.errors), ...stray];
	if (stryker.activeMutant === undefined) for (const error of errors) console.error(error);
	return errors.length === 0;
}

function testsIn(block) {
	return block.children.flatMap((child) => (child.type === 'test' ? [child] : testsIn(child)));
}
