/** Runs a command and shows what it printed only when it fails: `node scripts/quietly.mjs COMMAND ARGUMENTS…` */
import { spawnSync } from 'node:child_process';

const { status, stdout, stderr } = spawnSync(process.argv.slice(2).join(' '), {
	encoding: 'utf8',
	shell: true,
	// The linter of the contract would otherwise report home and look for a newer version of itself.
	env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
});
if (status !== 0) {
	process.stdout.write(stdout);
	process.stderr.write(stderr);
	process.exit(status ?? 1);
}
