/**
 * `npm run test:compat`: the tests on n8n's engine, on the engines of other versions of n8n, each installed in a folder
 * of its own.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installInto, installTools, NODE_24 } from './n8n.mts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

interface Engine {
	/** Of n8n. */
	version: string;
	/** Of n8n-core; the one that this package is developed with when missing. */
	core?: string;
	/** What runs it; what runs this script when missing. */
	node?: string;
}

installTools();
const ENGINES: Engine[] = [
	{ version: '1.123', core: '1.122.48' },
	{ version: '2.11', core: '2.11.1' },
	{ version: '2.41' },
	{ version: '2.41', node: NODE_24 },
];

/** Installs an engine unless it is there, without its scripts: nothing of it that is compiled is needed. */
function install(core: string): string {
	const folder = join(ROOT, 'node_modules/.cache/compat', core);
	if (existsSync(join(folder, 'installed.txt'))) return folder;
	installInto(folder, { 'n8n-core': core, 'reflect-metadata': '0.2.2' });
	writeFileSync(join(folder, 'installed.txt'), core);
	return folder;
}

const rows = ENGINES.map(({ version, core, node = process.execPath }) => {
	const folder = core === undefined ? ROOT : install(core);
	const nodeVersion = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim();
	console.log(`\nn8n ${version} on Node.js ${nodeVersion}`);
	const jest = join(ROOT, 'node_modules/jest/bin/jest.js');
	const { status } = spawnSync(node, [jest, '-c', 'jest.compat.config.js'], {
		cwd: ROOT,
		stdio: 'inherit',
		env: { ...process.env, N8N_CORE_FOLDER: folder },
	});
	return { version, node: nodeVersion, ok: status === 0 };
});

console.log();
for (const { version, node, ok } of rows)
	console.log(`${ok ? 'held     ' : 'NOT HELD '} n8n ${version} on Node.js ${node}`);
process.exit(rows.every(({ ok }) => ok) ? 0 : 1);
