/** What is checked before a version is released, and what keeps it from being published in any other way. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

let folder: string;
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'release-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Of somebody whose own settings do not matter. */
const ENV = {
	...process.env,
	...{ GIT_CONFIG_GLOBAL: '/dev/null', GIT_AUTHOR_NAME: 'Ada', GIT_COMMITTER_NAME: 'Ada' },
	...{ GIT_AUTHOR_EMAIL: 'ada@example.com', GIT_COMMITTER_EMAIL: 'ada@example.com' },
};

describe('npm run release', () => {
	const git = (...args: string[]) =>
		execFileSync('git', args, { cwd: folder, encoding: 'utf8', env: ENV }).trim();

	const good = {
		version: '1.2.0',
		repository: { url: 'https://github.com/ada/n8n-nodes-conversational-messaging.git' },
		author: { email: 'ada@ada.test' },
	};
	const goodChangelog =
		'# Changelog\n\n## [Unreleased]\n\n## [1.2.0] - 2026-11-24\n\n- A list.\n\n## [1.1.0] - 2026-11-01\n\n- Another.\n';

	/** A repository whose commit is on main, here and at its origin. */
	function commit({
		manifest = good,
		changelog = goodChangelog,
	}: { manifest?: object; changelog?: string } = {}) {
		git('init', '--quiet', '--initial-branch=main');
		writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
		writeFileSync(join(folder, 'CHANGELOG.md'), changelog);
		git('add', '.');
		git('commit', '--quiet', '--message=Version');
		git('update-ref', 'refs/remotes/origin/main', 'HEAD');
	}

	function release(...args: string[]) {
		const command = [resolve('tools/scripts/release.mjs'), ...args];
		const { status, stdout, stderr } = spawnSync(process.execPath, command, {
			...{ cwd: folder, encoding: 'utf8', env: ENV },
		});
		return { status, stdout: stdout.trim(), findings: stderr.trim().split('\n').filter(Boolean) };
	}

	test('creates the tag, which the workflow then accepts', () => {
		commit();
		expect(release()).toStrictEqual({
			status: 0,
			stdout: 'Created the tag 1.2.0. To publish it: git push origin 1.2.0',
			findings: [],
		});
		expect(git('rev-parse', '1.2.0^{commit}')).toBe(git('rev-parse', 'HEAD'));
		expect(release('1.2.0')).toStrictEqual({
			status: 0,
			stdout: '1.2.0 can be published.',
			findings: [],
		});
	});

	test('stops at a version before a release', () => {
		commit({ manifest: { ...good, version: '1.2.0-beta.1' } });
		expect(release().findings).toContainEqual(
			expect.stringMatching(/^The version 1\.2\.0-beta\.1 is no release\./),
		);
		expect(git('tag')).toBe('');
	});

	const noSection = expect.stringMatching(/^CHANGELOG\.md has no section "## \[1\.2\.0\] - /);
	test.each([
		['no section for the version', { changelog: '## [Unreleased]\n' }, noSection],
		['a section without a date', { changelog: '## [1.2.0]\n\n- A list.\n' }, noSection],
		[
			'an empty section',
			{ changelog: '## [1.2.0] - 2026-11-24\n\n## [1.1.0] - 2026-11-01\n\n- Another.\n' },
			'CHANGELOG.md lists nothing under [1.2.0].',
		],
		[
			'changes that are still unreleased',
			{ changelog: goodChangelog.replace('[Unreleased]\n', '[Unreleased]\n\n- More.\n') },
			'CHANGELOG.md still lists changes under Unreleased. Move them to [1.2.0].',
		],
		[
			'a placeholder as repository',
			{ manifest: { ...good, repository: { url: 'https://github.com/example/nodes.git' } } },
			expect.stringMatching(/^package\.json has a placeholder in repository\.url: /),
		],
		[
			'a placeholder as address',
			{ manifest: { ...good, author: { email: 'maintainers@example.com' } } },
			expect.stringMatching(/^package\.json has a placeholder in author\.email: /),
		],
	])('stops at %s, also in the workflow', (_what, changes, finding) => {
		commit(changes);
		expect(release()).toStrictEqual({ status: 1, stdout: '', findings: [finding] });
		expect(git('tag')).toBe('');
		git('tag', '1.2.0');
		expect(release('1.2.0')).toStrictEqual({ status: 1, stdout: '', findings: [finding] });
	});

	const commitLater = () => git('commit', '--quiet', '--allow-empty', '--message=Later');
	test.each<[what: string, change: () => void, tag: string | undefined, finding: RegExp]>([
		[
			'a commit that is not on main',
			commitLater,
			undefined,
			/^This commit is not on origin\/main\./,
		],
		[
			'changes that are not committed',
			() => writeFileSync(join(folder, 'new.txt'), ''),
			undefined,
			/^There are changes that are not committed\./,
		],
		['a version that has a tag', () => git('tag', '1.2.0'), undefined, /^The tag 1\.2\.0 exists\./],
		[
			'a tag of another version',
			() => git('tag', '1.3.0'),
			'1.3.0',
			/^The tag is 1\.3\.0, and the version/,
		],
		[
			'a tag of another commit',
			() => {
				git('tag', '1.2.0');
				commitLater();
				git('update-ref', 'refs/remotes/origin/main', 'HEAD');
			},
			'1.2.0',
			/^The tag 1\.2\.0 is on another commit/,
		],
		[
			'a tag of a branch',
			() => {
				commitLater();
				git('tag', '1.2.0');
			},
			'1.2.0',
			/^This commit is not on origin\/main\./,
		],
	])('stops at %s', (_what, change, tag, finding) => {
		commit();
		change();
		const findings = [expect.stringMatching(finding)];
		expect(release(...(tag ? [tag] : []))).toStrictEqual({ status: 1, stdout: '', findings });
	});
});

/**
 * .npmrc turns scripts off, which keeps npm from running prepublishOnly too, and a flag can do the same. So the guard is
 * in publishConfig, which npm reads from the folder and from the tarball.
 */
describe('npm publish on a machine of a maintainer, at a registry that accepts everything', () => {
	let registry: Server;
	let requests: string[];
	beforeEach(async () => {
		requests = [];
		registry = createServer((request, response) => {
			requests.push(`${request.method!} ${request.url!}`);
			response.setHeader('Content-Type', 'application/json');
			response.writeHead(request.method === 'PUT' ? 201 : 404).end('{}');
			request.resume();
		});
		await new Promise<void>((listening) => {
			registry.listen(0, '127.0.0.1', listening);
		});
	});
	afterEach(() => registry.close());

	/** @param manifest of a package without files: npm needs no others */
	async function publish(manifest: object, args: string[], tarball: boolean) {
		const { port } = registry.address() as AddressInfo;
		const pack = join(folder, 'package');
		mkdirSync(pack);
		writeFileSync(join(pack, 'package.json'), JSON.stringify(manifest));
		copyFileSync('.npmrc', join(pack, '.npmrc'));
		const settings = join(folder, 'user.npmrc');
		writeFileSync(settings, `//127.0.0.1:${port}/:_authToken=invented\nupdate-notifier=false\n`);
		const { CI: _ci, GITHUB_ACTIONS: _actions, ...machine } = process.env;
		const env = {
			...machine,
			npm_config_userconfig: settings,
			npm_config_cache: join(folder, 'cache'),
			// `npm run --silent` would silence this npm, too.
			npm_config_loglevel: 'notice',
		};
		if (tarball) execFileSync('tar', ['czf', join(folder, 'package.tgz'), '-C', folder, 'package']);
		const npm = spawn(
			'npm',
			[
				'publish',
				...(tarball ? ['../package.tgz'] : []),
				...args,
				`--registry=http://127.0.0.1:${port}/`,
			],
			{ cwd: pack, env, stdio: ['ignore', 'ignore', 'pipe'] },
		);
		let output = '';
		npm.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
		await new Promise((done) => npm.on('close', done));
		return { published: requests.some((request) => request.startsWith('PUT ')), output };
	}

	const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as { publishConfig: object };

	test.each([
		[
			'of the folder, forced, without provenance',
			['--no-provenance', '--force'],
			false,
			'publish.yml',
		],
		['of a tarball', [], true, 'Automatic provenance generation not supported'],
	])('%s fails before anything is sent', async (_what, args, tarball, reason) => {
		const { published, output } = await publish(manifest, args, tarball);
		expect(output).toContain(reason);
		expect(published).toBe(false);
	});

	test('without publishConfig, it would be published', async () => {
		const { publishConfig: _guard, ...unguarded } = manifest;
		expect((await publish(unguarded, [], false)).published).toBe(true);
	});
});
