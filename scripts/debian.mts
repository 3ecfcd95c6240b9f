/** Programs that are no npm packages, as Debian packs them. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';

/**
 * The path of a program. Where it is missing and this process may, it is installed.
 *
 * @param packageName Debian's package that has it
 * @param paths where it may be; a `*` stands for the newest folder there
 * @throws with the command that installs it
 */
export function debianProgram(packageName: string, ...paths: [string, ...string[]]): string {
	const find = () => paths.map(newest).find((path) => existsSync(path));
	const found = find();
	if (found) return found;
	if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
		console.error(`Installing ${packageName}`);
		aptGet('update', '-qq');
		aptGet('install', '--yes', '-qq', '--no-install-recommends', packageName);
	}
	const installed = find();
	if (!installed) throw new Error(`${paths[0]} is missing: sudo apt-get install ${packageName}`);
	return installed;
}

function newest(path: string): string {
	const [folder = '', rest] = path.split('/*/');
	if (rest === undefined || !existsSync(folder)) return path;
	const [latest = ''] = readdirSync(folder).sort((one, other) => Number(other) - Number(one));
	return [folder, latest, rest].join('/');
}

function aptGet(...args: string[]): void {
	spawnSync('apt-get', args, {
		stdio: ['ignore', 'ignore', 'inherit'],
		env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
	});
}
