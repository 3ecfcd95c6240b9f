import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const ROOT = 'nodes/ConversationalMessaging';

/** Every import of a relative file in a source file, as a path from the repository's root. */
function importsOf(file: string): string[] {
	const specifiers = [...readFileSync(file, 'utf8').matchAll(/from '(\.[^']+)'/g)].map(
		([, specifier]) => specifier!,
	);
	return specifiers.map((specifier) => normalize(join(dirname(file), specifier)));
}

const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
	.filter((name) => name.endsWith('.ts'))
	.map((name) => join(ROOT, name));

/** Layers of folders, the outermost first. Each may import only from itself and from inner ones. */
const LAYERS = [
	['resources', 'trigger'],
	['runner'],
	['listSearch', 'resourceMapping', 'credentialTest', 'descriptions'],
	['parameters'],
	['api'],
];
const isIn = (path: string, folder: string) => path.startsWith(join(ROOT, folder, '/'));
const layerOf = (path: string) =>
	LAYERS.findIndex((folders) => folders.some((folder) => isIn(path, folder)));
const resourceOf = (path: string) => /resources\/(?!shared\/)(\w+)\//.exec(path)?.[1];

test.each(files)('%s imports only from its own layer or from inner ones', (file) => {
	const from = layerOf(file);
	for (const target of importsOf(file)) {
		expect(target.startsWith(ROOT)).toBe(true);
		if (from >= 0) expect([target, layerOf(target) >= from]).toEqual([target, true]);
	}
});

test.each([
	['resources', 'trigger'],
	['trigger', 'resources'],
])('no file in %s/ imports from %s/', (folder, other) => {
	for (const file of files.filter((name) => isIn(name, folder)))
		expect(importsOf(file).filter((target) => isIn(target, other))).toEqual([]);
});

test('no resource imports from another', () => {
	for (const file of files) {
		const own = resourceOf(file);
		if (own === undefined) continue;
		for (const target of importsOf(file)) expect([undefined, own]).toContain(resourceOf(target));
	}
});

test('the check imports only from nodes/ and from the contract of the sandbox, and nothing imports it', () => {
	const inFolder = (folder: string) =>
		readdirSync(folder, { recursive: true, encoding: 'utf8' })
			.filter((name) => /\.m?ts$/.test(name) && !name.includes('node_modules'))
			.map((name) => join(folder, name));
	for (const file of inFolder('check'))
		for (const target of importsOf(file)) {
			const isAllowed = /^(?:check|nodes)\//.test(target) || target === 'sandbox/contract.mts';
			expect([file, target, isAllowed]).toEqual([file, target, true]);
		}
	for (const file of ['sandbox', 'engine', 'examples', 'bench', 'scripts'].flatMap(inFolder))
		expect(importsOf(file).filter((target) => target.startsWith('check/'))).toEqual([]);
});

test('api/ names no endpoint', () => {
	// The permission matrix lists every route, as the service's document does.
	const isMatrix = (name: string) => name === join(ROOT, 'api/permissions.ts');
	for (const file of files.filter((name) => isIn(name, 'api') && !isMatrix(name))) {
		const code = readFileSync(file, 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
		expect([file, /'(GET|POST|PUT|PATCH|DELETE) \//.exec(code)]).toEqual([file, null]);
	}
});
