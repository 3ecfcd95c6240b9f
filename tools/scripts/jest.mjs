/**
 * Runs the tests, after the checks of `npm test`. With --changed, only those of files that differ from the branch main, or are
 * not committed, and of whatever imports them. All other arguments are Jest's.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { runCommand } from './steps.mjs';

const args = process.argv.slice(2);
const others = args.filter((arg) => arg !== '--changed');

if (others.length === args.length) await runCommand('jest', ...args);
else {
	const files = changedFiles().filter(existsSync);
	if (files.length === 0) console.log('Nothing has changed since main.');
	else await runCommand('jest', ...others, '--passWithNoTests', '--findRelatedTests', ...files);
}

function changedFiles() {
	const base = git('merge-base', 'HEAD', 'main')[0] ?? 'HEAD';
	return [
		...git('diff', '--name-only', base),
		...git('ls-files', '--others', '--exclude-standard'),
	];
}

/** @returns the lines that it prints; [] if it fails, e.g. in a clone without the branch main */
function git(...command) {
	const { status, stdout } = spawnSync('git', command, { encoding: 'utf8' });
	return status === 0 ? stdout.split('\n').filter(Boolean) : [];
}
