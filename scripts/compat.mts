/**
 * `npm run test:compat`: all tests on every Node.js that n8n runs on, and the tests on n8n's engine on the engines of
 * older versions of n8n. Each engine and each Node.js is installed in a separate folder.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installInto, installNode } from './n8n.mts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

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

const results = ROWS.map(run);
console.log();
for (const { what, passed } of results) console.log(`${passed ? 'passed  ' : 'FAILED  '} ${what}`);
process.exit(results.every(({ passed }) => passed) ? 0 : 1);
