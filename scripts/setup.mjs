/**
 * Installs what is missing, so that a fresh clone needs nothing but Node and npm:
 * `node scripts/setup.mjs [FOLDER]`, by default for the repository itself.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('..', import.meta.url));
const root = resolve(repository, process.argv[2] ?? '.');
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
	console.error(`Node.js 20.19 or newer is needed; this is ${process.versions.node}.`);
	process.exit(1);
}

/** Whether node_modules holds what the lock file asks for. */
function isInstalled() {
	const installed = `${root}/node_modules/.package-lock.json`;
	if (!existsSync(installed)) return false;
	const lock = `${root}/package-lock.json`;
	if (statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return true;
	const wanted = JSON.parse(readFileSync(lock, 'utf8')).packages;
	const present = JSON.parse(readFileSync(installed, 'utf8')).packages;
	return Object.entries(wanted).every(
		([path, { version, optional }]) =>
			path === '' || optional || present[path]?.version === version,
	);
}

if (!isInstalled()) {
	const what = root === resolve(repository) ? 'the development tools' : process.argv[2];
	console.log(`Installing ${what}. This takes about two minutes, once.`);
	const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
	const { status } = spawnSync(npm, ['install', '--no-audit', '--no-fund', '--loglevel=error'], {
		cwd: root,
		stdio: 'inherit',
		shell: process.platform === 'win32',
	});
	if (status !== 0) {
		console.error(
			'npm install did not go through. Its own words are above; run it again once that is settled.',
		);
		process.exit(status ?? 1);
	}
}
