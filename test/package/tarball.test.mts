import { execFileSync } from 'node:child_process';
import {
	mkdirSync,
	mkdtempSync,
	readFileSync,
	realpathSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Packed {
	filename: string;
	files: { path: string }[];
}

let folder: string;
let packed: Packed;
let installed: string;

const run = (command: string, args: string[]) =>
	execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/**
 * As n8n installs a community package: unpacked, without dev, peer and optional dependencies, scripts off, with
 * n8n-workflow and Luxon, which n8n has, installed next to it.
 */
beforeAll(() => {
	folder = realpathSync(mkdtempSync(join(tmpdir(), 'tarball-')));
	[packed] = JSON.parse(
		run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]),
	) as [Packed];
	const modules = join(folder, 'node_modules');
	installed = join(modules, 'n8n-nodes-conversational-messaging');
	mkdirSync(installed, { recursive: true });
	run('tar', ['xzf', join(folder, packed.filename), '-C', installed, '--strip-components', '1']);
	const path = join(installed, 'package.json');
	const {
		devDependencies: _dev,
		peerDependencies: _peer,
		optionalDependencies: _optional,
		...manifest
	} = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
	writeFileSync(path, JSON.stringify(manifest));
	for (const provided of ['n8n-workflow', 'luxon'])
		symlinkSync(realpathSync(`node_modules/${provided}`), join(modules, provided));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the tarball contains what a node package needs, and nothing else', () => {
	const paths = packed.files.map(({ path }) => path);
	expect(paths).toEqual(
		expect.arrayContaining([
			'package.json',
			'README.md',
			'LICENSE',
			'dist/nodes/ConversationalMessaging/ConversationalMessaging.node.json',
		]),
	);
	const others = paths.filter(
		(path) =>
			!/^(package\.json|README\.md|LICENSE|dist\/(nodes|credentials)\/.+\.(js|d\.ts|js\.map|svg|json)|dist\/package\.json)$/.test(
				path,
			),
	);
	expect(others).toEqual([]);
});

test('the package has no run-time dependencies', () => {
	const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as Record<
		string,
		unknown
	>;
	expect(manifest).not.toHaveProperty('dependencies');
});

test('the package loads and works when it is installed alone', () => {
	const out = run(process.execPath, ['--import', 'tsx', 'test/package/isolated.mts', installed]);
	const result = JSON.parse(out.trim().split('\n').at(-1)!) as unknown;
	expect(result).toEqual({ loaded: expect.any(Number), tickets: 200, contacts: 503 });
});
