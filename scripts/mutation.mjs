/**
 * `npm run test:mutation [PATH]` puts faults into the code, one at a time, and lists those that no test notices.
 * PATH is a folder or a file of nodes/ConversationalMessaging/, e.g. `api/retry`, or lines of a file: `api/retry:37-55`.
 * Files are measured one by one, each with the tests that test/mutation/tests.mjs finds for it. Fails if fewer than 90 %
 * of the faults are noticed.
 */
import './nodeVersion.mjs';
import { existsSync, readFileSync } from 'node:fs';
import { MEASURED, filesIn, testsOf } from '../test/mutation/tests.mjs';
import { installMutationTools, installTools, runScript, tryCommand } from './steps.mjs';

const REPORT = 'test/mutation/report.json';

/** The share of the faults that tests must notice, in percent. */
const REQUIRED = 90;

const [place, lines] = (process.argv[2] ?? 'api').split(':');
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
	await runScript('build');
	const measured = [];
	for (const file of files) {
		const tests = testsOf(file);
		if (tests.length === 0) console.log(`${file}: no tests of its own, not measured`);
		else measured.push(await measure(file, tests));
	}
	console.table(Object.fromEntries(measured.map(({ file, ...row }) => [file, row])));
	const sum = (key) => measured.reduce((total, row) => total + row[key], 0);
	const [noticed, faults] = [sum('noticed'), sum('faults')];
	console.log(
		`${process.argv[2] ?? path}: ${noticed} of ${faults} faults noticed, ${sum('seconds')} s`,
	);
	// Not a number if a file could not be measured.
	if (!(noticed >= (faults * REQUIRED) / 100)) {
		console.error(
			`At least ${REQUIRED} % must be noticed, in all files. Add tests for the faults above.`,
		);
		process.exitCode = 1;
	}
}

/** Runs StrykerJS for one file. */
async function measure(file, tests) {
	console.log(`\n${file}: ${tests.join(', ')}`);
	const started = Date.now();
	const stryker = 'test/mutation/node_modules/@stryker-mutator/core/bin/stryker.js';
	const env = {
		MUTATED_FILE: file,
		MUTATED_LINES: lines ?? '',
		MUTATION_TESTS: tests.join(' '),
		MUTATION_REPORT: REPORT,
	};
	const code = await tryCommand(env, 'node', stryker, 'run', 'test/mutation/stryker.config.mjs');
	const seconds = Math.round((Date.now() - started) / 1000);
	if (code !== 0 || !existsSync(REPORT)) return { file, noticed: NaN, faults: NaN, seconds };
	const faults = Object.values(JSON.parse(readFileSync(REPORT, 'utf8')).files)
		.flatMap(({ mutants }) => mutants.map(({ status }) => status))
		.filter((status) => ['Killed', 'Timeout', 'Survived', 'NoCoverage'].includes(status));
	const noticed = faults.filter((status) => status === 'Killed' || status === 'Timeout').length;
	const score = faults.length === 0 ? '' : `${Math.floor((100 * noticed) / faults.length)} %`;
	return { file, noticed, faults: faults.length, score, seconds };
}
