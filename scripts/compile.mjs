import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** A file of the last step of a build. */
const LAST = 'dist/nodes/ConversationalMessaging/__schema__/v1.0.0/user/getAll.json';

/** What a build reads besides nodes/ and credentials/. */
const OTHER_INPUTS = [
	'gulpfile.js',
	'sandbox/openapi.yaml',
	'scripts/outputSchemas.mts',
	'scripts/schemas.mts',
	'tsconfig.json',
];

/** Builds the package if something has changed since the last build: tests load dist/, as n8n's engine does. */
export default function compile() {
	const files = ['nodes', 'credentials'].flatMap(filesIn);
	const built = changedAt(LAST);
	if (![...files, ...OTHER_INPUTS].some((file) => changedAt(file) > built)) return;
	// With an error, nothing is written, so the next run fails too.
	run('tsc', '--incremental', 'false', '--noEmitOnError');
	// tsc has replaced the file with the bundled library.
	run('gulp', '--silent');
	for (const file of files.filter((name) => !name.endsWith('.ts'))) {
		mkdirSync(dirname(join(ROOT, 'dist', file)), { recursive: true });
		copyFileSync(join(ROOT, file), join(ROOT, 'dist', file));
	}
	run('tsx', 'scripts/schemas.mts');
}

function run(program, ...args) {
	const command = join(ROOT, 'node_modules', '.bin', program);
	const { status, stdout } = spawnSync(command, args, {
		cwd: ROOT,
		encoding: 'utf8',
		// Windows has no links to programs there, but scripts that a shell runs.
		shell: process.platform === 'win32',
	});
	if (status !== 0) throw new Error(stdout);
}

const filesIn = (folder) =>
	readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile() && /\.(ts|json|svg|png)$/.test(entry.name))
		.map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length));

/** When a file was changed, in milliseconds since the epoch; 0 if it does not exist. */
const changedAt = (file) => statSync(join(ROOT, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;
