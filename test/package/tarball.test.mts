import type { INodeParameters } from 'n8n-workflow';
import { execFileSync } from 'node:child_process';
import {
	mkdirSync,
	mkdtempSync,
	readFileSync,
	realpathSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { Engine, outputOf } from '../../tools/engine/engine.mts';
import { oneNode } from '../../tools/engine/oneNode.mts';
import { actionNode } from '../../tools/engine/workflows.mts';
import { startSandbox } from '../../sandbox/server.mts';
import { filesIn } from './filesIn.mts';

interface Packed {
	filename: string;
	unpackedSize: number;
	files: { path: string }[];
}

let folder: string;
let packed: Packed;
let installed: string;

const run = (command: string, args: string[]) =>
	execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

const manifestPath = () => join(installed, 'package.json');
const readManifest = () =>
	JSON.parse(readFileSync(manifestPath(), 'utf8')) as Record<string, unknown>;

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
	const {
		devDependencies: _dev,
		peerDependencies: _peer,
		optionalDependencies: _optional,
		...manifest
	} = readManifest();
	writeFileSync(manifestPath(), JSON.stringify(manifest));
	for (const provided of ['n8n-workflow', 'luxon'])
		symlinkSync(realpathSync(`node_modules/${provided}`), join(modules, provided));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the tarball contains what a node package needs, and nothing else', () => {
	const paths = packed.files.map(({ path }) => path);
	expect(paths).toStrictEqual(
		expect.arrayContaining([
			'package.json',
			'README.md',
			'LICENSE',
			'dist/nodes/ConversationalMessaging/ConversationalMessaging.node.json',
		]),
	);
	const others = paths.filter(
		(path) =>
			!/^(package\.json|README\.md|LICENSE|dist\/(nodes|credentials)\/.+\.(js|svg|json)|dist\/package\.json)$/.test(
				path,
			),
	);
	expect(others).toStrictEqual([]);
});

/** With the license of the data that one of them contains. */
test.each(['papaparse/LICENSE', 'libphonenumber-js/LICENSE', 'libphonenumber-js/LICENSE.Apache'])(
	'the license contains that of what is bundled: %s',
	(license) => {
		const words = (path: string) => readFileSync(path, 'utf8').replace(/\s+/g, ' ').trim();
		expect(words(join(installed, 'LICENSE'))).toContain(words(join('node_modules', license)));
	},
);

test('the package has no run-time dependencies', () => {
	expect(readManifest()).not.toHaveProperty('dependencies');
});

describe('each bundled library', () => {
	const NODE = 'dist/nodes/ConversationalMessaging';

	test.each([
		[`${NODE}/api/files/papaparse.js`, 60],
		[`${NODE}/phone/libphonenumber.js`, 260],
	])('%s uses nothing that n8n bans, and nothing of the network: %i KB', (path, maxKb) => {
		const bundle = readFileSync(join(installed, path), 'utf8');
		expect(bundle.length).toBeLessThan(maxKb * 1_024);
		// What a bundler leaves for later.
		expect(bundle).not.toMatch(/\brequire\(|\bimport\(|\bfrom ['"]/);
	});

	test('libphonenumber is a part of the size of the package, and of the time that n8n needs to load it', () => {
		const size = statSync(join(installed, NODE, 'phone/libphonenumber.js')).size;
		// Before and after: without it, and with it.
		const [before, after] = [packed.unpackedSize - size, packed.unpackedSize];
		expect(after / before).toBeLessThan(1.4);
		const files = [
			'phone/libphonenumber',
			'ConversationalMessaging.node',
			'ConversationalMessagingTrigger.node',
		];
		const [first, ...others] = files.map(
			(file) => `require(${JSON.stringify(join(installed, NODE, `${file}.js`))});`,
		);
		// CPU times in a process of its own, in microseconds: of the library, then of all.
		const script = `require('n8n-workflow'); const start = process.cpuUsage(); const passed = () => { const { user, system } = process.cpuUsage(start); return user + system; }; ${first} const library = passed(); ${others.join(' ')} console.log(JSON.stringify([library, passed()]));`;
		const times = [1, 2, 3].map(
			() =>
				JSON.parse(
					execFileSync(process.execPath, ['-e', script], { cwd: installed, encoding: 'utf8' }),
				) as [number, number],
		);
		const [library, all] = times.sort(([, one], [, other]) => one - other)[0]!;
		expect(library).toBeGreaterThan(0);
		expect(all / (all - library)).toBeLessThan(1.25);
	});

	test('libphonenumber works without anything else', () => {
		const path = join(installed, NODE, 'phone/libphonenumber.js');
		const module = { exports: {} as typeof import('libphonenumber-js/max') };
		// In a context with the language alone: whatever else the library reads throws.
		runInNewContext(readFileSync(path, 'utf8'), { module, exports: module.exports });
		const { getCountries, parsePhoneNumberFromString } = module.exports;
		expect(parsePhoneNumberFromString('0151 2345678', 'DE')!.number).toBe('+491512345678');
		for (const country of getCountries())
			for (const text of ['+4915112345678', '0151 2345678', '112', 'x'])
				parsePhoneNumberFromString(text, country)?.formatInternational();
	});
});

test('the package loads and works when it is installed alone', async () => {
	const require = createRequire(manifestPath());
	const scripts = filesIn(join(installed, 'dist')).filter((name) => name.endsWith('.js'));
	expect(scripts.length).toBeGreaterThan(100);
	for (const script of scripts) require(script);

	const engine = await Engine.load(installed);
	const sandbox = await startSandbox();
	const credential = { baseUrl: sandbox.baseUrl, apiToken: sandbox.tokens.all.value };
	const rowsOf = async (parameters: INodeParameters) =>
		outputOf(await engine.run(oneNode(actionNode('Node', parameters)), { credential }), 'Node');
	const tickets = await rowsOf({ resource: 'ticket', operation: 'getAll', returnAll: true });
	const contacts = await rowsOf({ resource: 'contact', operation: 'export', output: 'items' });
	await sandbox.close();
	expect([tickets.length, contacts.length]).toStrictEqual([200, 503]);
});
