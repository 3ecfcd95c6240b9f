import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const ON_WINDOWS = process.platform === 'win32';

/** Runs npm in a folder. @returns whether it succeeded */
function npm(cwd, stdio, ...args) {
	const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
	const options = { cwd, stdio, shell: ON_WINDOWS };
	return spawnSync(ON_WINDOWS ? 'npm.cmd' : 'npm', [...args, ...quiet], options).status === 0;
}

/** Whether node_modules holds what the lock file lists. */
function isInstalled(folder) {
	const installed = join(folder, 'node_modules/.package-lock.json');
	if (!existsSync(installed)) return false;
	const lock = join(folder, 'package-lock.json');
	if (statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return true;
	const wanted = JSON.parse(readFileSync(lock, 'utf8')).packages;
	const present = JSON.parse(readFileSync(installed, 'utf8')).packages;
	return Object.entries(wanted).every(
		([path, { version, optional }]) =>
			path === '' || optional || (path in present && present[path].version === version),
	);
}

/**
 * Installs the packages of a folder unless they are there. Ends the process if npm cannot.
 *
 * @param folder an absolute path
 * @param what for the message, e.g. "the development tools"
 */
export function install(folder, what) {
	if (isInstalled(folder)) return;
	// Without a network, npm install retries every package and ends only after more than ten minutes.
	const once = ['--fetch-retries=1', '--fetch-retry-mintimeout=2000'];
	const online = npm(folder, 'ignore', 'view', 'n8n-workflow', 'name', ...once);
	console.log(`Installing ${what}. This takes about two minutes, once.`);
	// Exactly what the lock file lists. Elsewhere, it would also delete what node_modules/.cache/ holds.
	const command = process.env.CI ? 'ci' : 'install';
	if (npm(folder, 'inherit', command, ...(online ? [] : ['--offline']))) return;
	console.error(
		online
			? `npm ${command} did not finish. Fix what its output above names, then run the command again.`
			: 'The npm registry cannot be reached, and npm has not cached every package. Connect to the network or set a proxy (npm help config), then run the command again.',
	);
	process.exit(1);
}
