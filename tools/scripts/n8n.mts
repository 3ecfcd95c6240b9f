/**
 * Installs the whole of n8n for the tests that need it, outside this package's own dependencies: 2 GB in
 * node_modules/.cache/n8n. A second run uses it again. If the running Node.js is too old for n8n, a newer one is
 * installed from the npm registry. With `N8N_OLDEST=true`, it is the oldest n8n that this package supports.
 */
import { spawnSync, type SpawnSyncOptions } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Whether to run the oldest n8n that this package supports. */
export const IS_OLDEST = process.env.N8N_OLDEST === 'true';

const RECIPE = join(ROOT, 'test/e2e', IS_OLDEST ? 'oldest' : 'n8n');

/** The paths of everything that `installN8n` installs. */
export const HOME = join(ROOT, 'node_modules/.cache', IS_OLDEST ? 'n8n-oldest' : 'n8n');

/** n8n's start script. */
export const N8N = join(HOME, 'app/node_modules/n8n/bin/n8n');

const TOOLS = join(HOME, 'tools');

const MAJOR = Number(process.versions.node.split('.')[0]);

/** The Node.js that runs n8n: this one, unless it is too old, or too new for the oldest n8n. */
export const NODE = MAJOR === 24 || (MAJOR > 24 && !IS_OLDEST) ? process.execPath : nodeIn(TOOLS);

const FILES = ['package.json', 'pnpm-workspace.yaml', 'pnpm-lock.yaml'];

function nodePackage(): string {
	return `node-${process.platform}-${process.arch}`;
}

function nodeIn(folder: string): string {
	return join(folder, 'node_modules', nodePackage(), 'bin/node');
}

function run(command: string, args: string[], options: SpawnSyncOptions): void {
	const { status } = spawnSync(command, args, { stdio: 'inherit', ...options });
	if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${String(status)}`);
}

/** Installs packages into a separate folder, without their scripts. @throws if npm fails */
export function installInto(folder: string, dependencies: Record<string, string>): void {
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
	const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
	run('npm', ['install', '--ignore-scripts', ...quiet], { cwd: folder });
}

/** Installs pnpm and Node.js 24 from the npm registry, unless they are installed. */
function installTools(): void {
	if (existsSync(nodeIn(TOOLS))) return;
	installInto(TOOLS, { pnpm: '10', [nodePackage()]: '24' });
}

/**
 * Installs a Node.js from the npm registry, unless it is installed.
 *
 * @param version "20.19", or "24" for the newest of that line
 * @returns the path of the program
 */
export function installNode(version: string): string {
	const folder = join(ROOT, 'node_modules/.cache/node', version);
	if (!existsSync(nodeIn(folder))) installInto(folder, { [nodePackage()]: version });
	return nodeIn(folder);
}

/** Installs n8n unless the same recipe has been installed already. */
export function installN8n(): void {
	const recipe = FILES.map((name) => readFileSync(join(RECIPE, name), 'utf8')).join('\n');
	const done = join(HOME, 'installed.txt');
	if (existsSync(done) && readFileSync(done, 'utf8') === recipe) return;

	console.error('Installing n8n: three to seven minutes and 2 GB, this once');
	const app = join(HOME, 'app');
	mkdirSync(app, { recursive: true });
	installTools();
	for (const name of FILES) copyFileSync(join(RECIPE, name), join(app, name));
	const node = join(NODE, '../..');
	const pnpm = join(TOOLS, 'node_modules/pnpm/bin/pnpm.cjs');
	run(NODE, [pnpm, 'install', '--reporter=append-only', '--frozen-lockfile'], {
		cwd: app,
		env: {
			...process.env,
			PATH: `${join(node, 'bin')}:${process.env.PATH ?? ''}`,
			// Native parts are compiled for the Node.js that will run them.
			npm_config_nodedir: node,
			// npm passes on this repository's own setting: without scripts, no native part would be compiled.
			npm_config_ignore_scripts: 'false',
			npm_config_manage_package_manager_versions: 'false',
		},
	});
	writeFileSync(done, recipe);
}
