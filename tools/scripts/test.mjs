/**
 * `npm test`: the checks side by side, then the tests, whatever the checks found, and at the end one list of everything that
 * failed. Each check leaves the processor to the others while it waits for the disk. All arguments are those of jest.mjs.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import './nodeVersion.mjs';
import compile, { isBuilt } from './compile.mjs';
import { installTools, run, runSideBySide } from './steps.mjs';

/** What is checked, by the command that does it. What takes longest comes first, so that no processor core waits at the end. */
const CHECKS = {
	"build and n8n's scan": ['npm run --silent build', 'node tools/scripts/scan.mjs'],
	formatting: ['prettier --check --cache --cache-strategy content --log-level warn .'],
	'types and strict rules': ['oxlint'],
	"n8n's rules": ['n8n-node lint'],
	'generated docs, links and length of the README': ['tsx tools/scripts/docs.mts --check'],
	contract: ['redocly lint --config sandbox/redocly.yaml'],
};

/** Runs the tests. @returns what failed, by file and name */
async function runTests(...args) {
	const folder = mkdtempSync(join(tmpdir(), 'jest-'));
	const outputFile = join(folder, 'results.json');
	try {
		const jest = ['tools/scripts/jest.mjs', ...args, '--json', `--outputFile=${outputFile}`];
		const code = await run('node', ...jest);
		return code === 0 ? [] : failedTests(readFileSync(outputFile, 'utf8'));
	} catch {
		// It ended before there were results, and has said why.
		return ['tests'];
	} finally {
		rmSync(folder, { recursive: true });
	}
}

/** @param results Jest's, as JSON. A file may fail without a test, e.g. because it cannot be loaded */
const failedTests = (results) =>
	JSON.parse(results)
		.testResults.filter(({ status }) => status === 'failed')
		.flatMap(({ name, assertionResults }) => {
			const file = relative('.', name);
			const failed = assertionResults.filter(({ status }) => status === 'failed');
			const titles = failed.map((test) => [...test.ancestorTitles, test.title].join(' › '));
			return titles.length > 0 ? titles.map((title) => `${file}: ${title}`) : [file];
		});

(async () => {
	installTools();
	if (isBuilt()) {
		await compile();
		CHECKS["build and n8n's scan"].shift();
	}
	const failed = [...(await runSideBySide(CHECKS)), ...(await runTests(...process.argv.slice(2)))];
	if (failed.length === 0) return;
	console.error(
		`\nFailed, each with its output above:\n${failed.map((name) => `- ${name}`).join('\n')}`,
	);
	process.exitCode = 1;
})();
