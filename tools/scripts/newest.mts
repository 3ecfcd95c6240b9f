/**
 * Prints the newest published versions of what n8n's reviewers run, for `npm install --no-save`: weekly.yml tries them
 * out. The package itself pins versions, so that a check has the same result every time.
 */
import { execFileSync } from 'node:child_process';

const PACKAGES = ['@n8n/node-cli', '@n8n/scan-community-package', 'n8n-core', 'n8n-workflow'];

/**
 * The newest version of a package. It can be a beta.
 *
 * @param tags its versions by tag, e.g. `{ latest: '1.9.0', beta: '1.10.0-beta.2' }`
 */
export function newest(tags: Record<string, string>): string {
	return Object.values(tags).reduce((one, other) => (isNewer(other, one) ? other : one));
}

function isNewer(version: string, other: string): boolean {
	const [numbers, others] = [numbersOf(version), numbersOf(other)];
	const length = Math.max(numbers.length, others.length);
	for (let place = 0; place < length; place++) {
		const difference = (numbers[place] ?? 0) - (others[place] ?? 0);
		if (difference !== 0) return difference > 0;
	}
	return false;
}

/** "1.10.0-beta.2" as 1, 10, 0, -1, 2: before 1.10.0, and after its first beta. */
const numbersOf = (version: string): number[] =>
	version.replace(/-\D*/, '.-1.').split('.').map(Number);

function tagsOf(name: string): Record<string, string> {
	const onWindows = process.platform === 'win32';
	const args = ['view', name, 'dist-tags', '--json'];
	const tags = execFileSync(onWindows ? 'npm.cmd' : 'npm', args, {
		encoding: 'utf8',
		shell: onWindows,
	});
	return JSON.parse(tags) as Record<string, string>;
}

if (process.argv[1]?.endsWith('newest.mts'))
	for (const name of PACKAGES) console.log(`${name}@${newest(tagsOf(name))}`);
