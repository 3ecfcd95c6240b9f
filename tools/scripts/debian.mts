/** Programs that are not npm packages, as Debian and Ubuntu package them. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';

/**
 * The path of a program. It is installed only where nobody's machine is changed: as root on a CI server, which sets
 * CI=true.
 *
 * @param packageName Debian's package that contains it
 * @param paths where it may be; `*` is the newest folder there
 * @throws with the command that installs it
 */
export function debianProgram(packageName: string, ...paths: [string, ...string[]]): string {
	const find = () => paths.map(newest).find((path) => existsSync(path));
	const found = find();
	if (found) return found;
	const isRoot = process.getuid?.() === 0;
	if (isRoot && process.env.CI === 'true') {
		console.error(`Installing ${packageName}`);
		aptGet('update', '-qq');
		aptGet('install', '--yes', '-qq', '--no-install-recommends', packageName);
	}
	const installed = find();
	if (installed) return installed;
	const sudo = isRoot ? '' : 'sudo ';
	throw new Error(
		`${packageName} is not installed. Install it: ${sudo}apt-get update && ${sudo}apt-get install ${packageName}`,
	);
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
