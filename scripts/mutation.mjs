/**
 * `node scripts/mutation.mjs [PATH]` puts faults into the code, one at a time, and lists those that no test notices.
 * PATH is a folder or a file of nodes/ConversationalMessaging/, e.g. `api/retry`, or lines of a file: `api/retry:37-55`.
 * Each file is measured in a process of its own, with the tests that test/mutation/tests.mjs finds for it.
 */
import './nodeVersion.mjs';
import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MEASURED, filesIn, testsOf } from '../test/mutation/tests.mjs';
import { installMutationTools, installTools } from './steps.mjs';

const WORKER = join(fileURLToPath(new URL('..', import.meta.url)), 'test/mutation/worker.mjs');

/** Tests that run longer than this with a fault do not end: so many times as long as without it, and at least a second. */
const PATIENCE = { factor: 10, leastMs: 1_000 };

const [place, lines = ''] = (process.argv[2] ?? 'api').split(':');
const path = place.replace(/\.ts$|\/$/g, '');
const files = filesIn(path);

if (files.length === 0) {
	console.error(
		`There is no code to change at "${path}". Enter ${MEASURED.join(', ')}, or a folder or file in one of them.`,
	);
	process.exitCode = 1;
} else {
	installTools();
	installMutationTools();
	const started = Date.now();
	const waiting = files.filter((file) => testsOf(file).length > 0);
	const skipped = files.filter((file) => !waiting.includes(file));
	const measured = [];
	const workers = Math.min(availableParallelism(), waiting.length);
	await Promise.all(
		Array.from({ length: workers }, async () => {
			for (let file = waiting.shift(); file; file = waiting.shift())
				measured.push(show(await measure(file)));
		}),
	);
	report(measured, skipped, Math.round((Date.now() - started) / 1000));
}

/** Prints the faults of a file that no test notices, as soon as they are known. */
function show(row) {
	const { file, tests, faults, missed, seconds } = row;
	const noticed = faults - missed.length;
	console.log(`\n${file}: ${noticed} of ${faults}, ${seconds} s, with ${tests.join(', ')}`);
	for (const fault of missed) console.log(`  ${describe(fault)}`);
	return row;
}

function report(measured, skipped, seconds) {
	if (skipped.length > 0)
		console.log(`\nNot measured, as only tests on the engine cover them: ${skipped.join(', ')}`);
	const rows = measured.map(({ file, faults, missed, seconds, error }) => [
		file,
		{ noticed: faults - missed.length, faults, ...score(faults, missed), seconds, ...error },
	]);
	console.table(Object.fromEntries(rows.sort(([a], [b]) => (a < b ? -1 : 1))));
	const faults = measured.reduce((total, row) => total + row.faults, 0);
	const noticed = faults - measured.reduce((total, { missed }) => total + missed.length, 0);
	console.log(`${process.argv[2] ?? path}: ${noticed} of ${faults} faults noticed, ${seconds} s`);
	if (measured.some(({ error }) => error)) process.exitCode = 1;
}

function score(faults, missed) {
	return faults === 0 ? {} : { percent: Math.floor((100 * (faults - missed.length)) / faults) };
}

function describe({ line, original, replacement, hits }) {
	const short = (text) => {
		const oneLine = text.replace(/\s+/g, ' ');
		return oneLine.length > 100 ? `${oneLine.slice(0, 60)} … ${oneLine.slice(-35)}` : oneLine;
	};
	const note = hits === 0 ? '   (executed by no test)' : '';
	return `${line}: ${short(original)}   →   ${short(replacement) || 'nothing'}${note}`;
}

/** Tries the faults of a file. Where one keeps the process busy for ever, another process tries those after it. */
async function measure(file) {
	const tests = testsOf(file);
	const started = Date.now();
	let faults;
	let error;
	const noticed = new Set();
	for (let from = 0, isDone = false; !isDone; ) {
		const end = await runWorker(file, tests, from, (message) => {
			if (message.faults) ({ faults } = message);
			if (message.noticed) noticed.add(message.id);
			if ('id' in message) from++;
		});
		if (end.isStuck) {
			noticed.add(end.isStuck);
			from++;
		} else {
			isDone = true;
			if (!faults) error = { error: 'not measured' };
			else if (!end.isReliable) error = { error: 'faults affect each other' };
		}
	}
	const missed = (faults ?? []).filter(({ id }) => !noticed.has(id));
	const seconds = Math.round((Date.now() - started) / 1000);
	return { file, tests, faults: faults?.length ?? 0, missed, seconds, error };
}

/** @returns when the process has ended: and the fault it is stuck at, or whether its results are reliable */
function runWorker(file, tests, from, onMessage) {
	return new Promise((resolve) => {
		const worker = fork(WORKER, [file, lines, ...tests]);
		let trying;
		let isReliable = false;
		let isStuck;
		let patienceMs = 0;
		// Counted, not read from the clock, which also goes on while the machine gives this process no time.
		let ticks = 0;
		const timer = setInterval(() => {
			if (trying === undefined || ++ticks * 100 < patienceMs) return;
			isStuck = trying;
			worker.kill('SIGKILL');
		}, 100);
		worker.on('message', (message) => {
			onMessage(message);
			({ trying } = message);
			ticks = 0;
			if (message.faults) {
				patienceMs = Math.max(PATIENCE.leastMs, PATIENCE.factor * message.passMs);
				worker.send({ from });
			}
			({ isReliable = isReliable } = message);
		});
		worker.on('close', () => {
			clearInterval(timer);
			resolve({ isStuck, isReliable });
		});
	});
}
