import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { newest } from '../../tools/scripts/newest.mts';
import { filesIn } from './filesIn.mts';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
	scripts: Record<string, string>;
};

/** Every file that contains commands for readers. */
const texts = ['docs', '.github', 'tools', 'examples', 'sandbox']
	.flatMap(filesIn)
	.filter((name) => /\.(md|yml|m?js|mts)$/.test(name))
	.concat('README.md', 'CONTRIBUTING.md', 'AGENTS.md', '.ci/run');

test('documents and code name only scripts that package.json has', () => {
	const named = texts.flatMap((file) => {
		const commands = readFileSync(file, 'utf8').matchAll(/npm run ([a-z][\w:-]*)/g);
		return [...commands].map(([, name]) => [file, name!] as const);
	});
	expect(named.length).toBeGreaterThan(20);
	expect(named.filter(([, name]) => !(name in scripts))).toStrictEqual([]);
});

test('every package of the lock file has a hash, those for other systems too', () => {
	const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
		packages: Record<string, { integrity?: string }>;
	};
	const { '': root, ...others } = packages;
	const without = Object.entries(others).filter(([, { integrity }]) => !integrity);
	expect(root).toBeDefined();
	expect(without.map(([name]) => name)).toStrictEqual([]);
});

test('CONTRIBUTING.md says of every development dependency what it is for', () => {
	const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
		devDependencies: Record<string, string>;
	};
	const [, table = ''] = readFileSync('CONTRIBUTING.md', 'utf8').split(
		'## Development dependencies',
	);
	const listed = table.split('\n## ')[0]!.matchAll(/^\| (`[^|]+`) +\|/gm);
	const names = [...listed].flatMap(([, cell]) => [...cell!.matchAll(/`([^`]+)`/g)]);
	expect(names.map(([, name]) => name).sort()).toStrictEqual(Object.keys(devDependencies).sort());
});

describe('npm test -- --changed, in a repository with a fake Jest', () => {
	let folder: string;
	const git = (...args: string[]) =>
		spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: folder });
	const write = (path: string, text: string) => {
		mkdirSync(dirname(join(folder, path)), { recursive: true });
		writeFileSync(join(folder, path), text);
	};
	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), 'changed-'));
		for (const name of ['jest', 'steps', 'install'])
			write(`tools/scripts/${name}.mjs`, readFileSync(`tools/scripts/${name}.mjs`, 'utf8'));
		write('node_modules/.bin/jest', '#!/bin/sh\necho "$@"\n');
		chmodSync(join(folder, 'node_modules/.bin/jest'), 0o755);
		write('.gitignore', 'node_modules\ndist\n');
		for (const path of ['nodes/a.ts', 'nodes/b.ts', 'test/c.mts']) write(path, 'before');
		git('init', '-q', '-b', 'main');
		git('add', '-A');
		git('commit', '-q', '-m', 'before');
		git('checkout', '-q', '-b', 'other');
	});
	afterEach(() => rmSync(folder, { recursive: true }));

	const run = (...args: string[]) => {
		const command = ['tools/scripts/jest.mjs', ...args];
		const { stdout } = spawnSync(process.execPath, command, { cwd: folder, encoding: 'utf8' });
		return stdout.trim();
	};

	test('runs what is related to committed, uncommitted and new files', () => {
		write('nodes/a.ts', 'after');
		git('commit', '-q', '-a', '-m', 'after');
		write('test/c.mts', 'after');
		write('test/new.mts', 'new');
		rmSync(join(folder, 'nodes/b.ts'));
		expect(run('--changed', '-i')).toBe(
			'-i --passWithNoTests --findRelatedTests nodes/a.ts test/c.mts test/new.mts',
		);
	});
});

test.each([
	['1.10.0-beta.2', { latest: '1.9.0', beta: '1.10.0-beta.2' }],
	['1.10.0', { beta: '1.10.0-beta.2', latest: '1.10.0', old: '0.99.0' }],
	['1.10.0-beta.10', { next: '1.10.0-beta.9', beta: '1.10.0-beta.10' }],
	['2.0.0', { latest: '2.0.0' }],
])('%s is the newest version of %j', (version, tags) => {
	expect(newest(tags)).toBe(version);
});

describe('steps side by side', () => {
	function runSteps(steps: Record<string, string[]>) {
		const module = JSON.stringify(resolve('tools/scripts/steps.mjs'));
		const code = `import(${module}).then(({ runSideBySide }) => runSideBySide(${JSON.stringify(steps)})).then((failed) => console.log(failed.join()))`;
		const args = ['--input-type=module', '-e', code];
		return spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 60_000 });
	}

	/** In any order, without times. */
	const linesOf = (stdout: string) =>
		stdout
			.trim()
			.replaceAll(/, \d+ s/g, '')
			.split('\n')
			.sort();

	test('all run to their end, each up to its first command that fails, and all failures are shown', () => {
		const { stdout, stderr } = runSteps({
			a: ['echo this is a; exit 3', 'echo after a'],
			b: ['echo this is b', 'true'],
			c: ['true', 'echo this is c; exit 4'],
			d: ['true'],
		});
		expect(linesOf(stdout)).toStrictEqual([
			'a … failed',
			'a,c',
			'b … done',
			'c … failed',
			'd … done',
		]);
		expect(stderr.match(/this is .|after a/g)?.sort()).toStrictEqual(['this is a', 'this is c']);
	});
});

describe('tasks, with a fake npm', () => {
	let folder: string;
	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), 'npm-'));
	});
	afterEach(() => rmSync(folder, { recursive: true }));

	/** @param npm the lines of a shell script */
	function runWith(npm: string[], ...args: string[]) {
		const program = join(folder, 'npm');
		writeFileSync(program, ['#!/bin/sh', ...npm].join('\n'));
		chmodSync(program, 0o755);
		const PATH = `${folder}${delimiter}${process.env.PATH ?? ''}`;
		const env = { ...process.env, PATH };
		return spawnSync(process.execPath, args, { encoding: 'utf8', env, timeout: 60_000 });
	}

	test.each([
		['nothing of a step that succeeds', ['echo Compiled; echo 0 warnings'], 0, ''],
		[
			'the output of a step that warns',
			['echo Compiled; echo "Warning: old"'],
			0,
			'Compiled\nWarning: old',
		],
		['the output of a step that fails', ['echo Compiled; echo no >&2; exit 3'], 3, 'Compiled\nno'],
	])('a task shows %s', (_what, npm, code, shown) => {
		const { status, stdout, stderr } = runWith(
			npm,
			'tools/scripts/task.mjs',
			'build',
			'--',
			'true',
		);
		expect(status).toBe(code);
		expect(stdout).toMatch(code === 0 ? /^build … done, \d+ s\n$/ : /^build … failed, \d+ s\n$/);
		expect(stderr.trim()).toBe(shown);
	});

	test('the command of a task has its arguments and its exit code', () => {
		const command = ['sh', '-c', 'echo $0; exit 7', 'a b'];
		const { status, stdout } = runWith([], 'tools/scripts/task.mjs', '--', ...command);
		expect([status, stdout]).toStrictEqual([7, 'a b\n']);
	});
});
