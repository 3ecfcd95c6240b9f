import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Compiles what has changed since dist/ was built, before tests run: they load dist/, as n8n's engine does. */
export default function compile() {
	const stale = ['nodes', 'credentials'].flatMap(filesIn).filter(isStale);
	if (stale.some(isSource)) {
		// All files, so that each is newer than its source.
		run('tsc', '--incremental', 'false');
		// tsc has replaced the file with the bundled library.
		run('gulp', '--silent');
	}
	for (const file of stale.filter((name) => !isSource(name))) {
		mkdirSync(dirname(join(ROOT, 'dist', file)), { recursive: true });
		copyFileSync(join(ROOT, file), join(ROOT, 'dist', file));
	}
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

const isSource = (file) => file.endsWith('.ts');

function isStale(file) {
	const built = join(ROOT, 'dist', file.replace(/\.ts$/, '.js'));
	const { mtimeMs } = statSync(built, { throwIfNoEntry: false }) ?? { mtimeMs: 0 };
	return mtimeMs < statSync(join(ROOT, file)).mtimeMs;
}
