/**
 * `npm run test:compat`: all tests on every Node.js that n8n runs on, the tests on n8n's engine on the engines of older
 * versions of n8n, and the pages that n8n itself serves in the oldest one. Each engine, each Node.js and that n8n is
 * installed in a separate folder.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installInto, installNode } from './n8n.mts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

interface Row {
	/** Version of n8n. */
	n8n: string;
	/** Version of its n8n-core, for the tests on n8n's engine only. If missing: all tests, on this repository's. */
	core?: string;
	/** Version of Node.js. */
	node: string;
}

const ROWS: Row[] = [
	{ n8n: '1.123', core: '1.122.48', node: '20.19' },
	{ n8n: '2.11', core: '2.11.1', node: '22' },
	{ n8n: '2.41', node: '20.19' },
	{ n8n: '2.41', node: '22' },
	{ n8n: '2.41', node: '24' },
	{ n8n: '2.41', node: '26' },
];

/** Installs an engine unless it is installed, without its scripts: its compiled parts are not needed. */
function installEngine(core: string): string {
	const folder = join(ROOT, 'node_modules/.cache/compat', core);
	if (existsSync(join(folder, 'installed.txt'))) return folder;
	installInto(folder, { 'n8n-core': core, 'reflect-metadata': '0.2.2' });
	writeFileSync(join(folder, 'installed.txt'), core);
	return folder;
}

/** Runs the tests of a row. */
function run({ n8n, core, node }: Row): { what: string; passed: boolean } {
	const program = installNode(node);
	const version = spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout.trim();
	const tests = core ? `tests on n8n-core ${core}` : 'all tests';
	const what = `n8n ${n8n} on Node.js ${version}, ${tests}`;
	console.log(`\n${what}`);
	const jest = join(ROOT, 'node_modules/jest/bin/jest.js');
	const { status } = spawnSync(
		program,
		[jest, ...(core ? ['-c', 'test/jest.compat.config.js'] : [])],
		{
			cwd: ROOT,
			stdio: 'inherit',
			env: { ...process.env, ...(core && { N8N_CORE_FOLDER: installEngine(core) }) },
		},
	);
	return { what, passed: status === 0 };
}

/** Runs the tests that depend on how a version of n8n reads what a browser sends. */
function runPages(): { what: string; passed: boolean } {
	const what = 'the pages of Send and Wait for Response in the oldest n8n';
	console.log(`\n${what}`);
	const options = ['--import', 'tsx', '--test', '--test-force-exit', '--test-reporter=spec'];
	const { status } = spawnSync(process.execPath, [...options, 'test/e2e/responsePages.test.mts'], {
		cwd: ROOT,
		stdio: 'inherit',
		env: { ...process.env, N8N_OLDEST: 'true' },
	});
	return { what, passed: status === 0 };
}

const results = [...ROWS.map(run), runPages()];
console.log();
for (const { what, passed } of results) console.log(`${passed ? 'passed  ' : 'FAILED  '} ${what}`);
process.exit(results.every(({ passed }) => passed) ? 0 : 1);
