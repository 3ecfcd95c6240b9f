import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { filesIn } from './filesIn.mts';

const ROOT = 'nodes/ConversationalMessaging';

/** Every import of a relative file in a source file, as a path from the repository's root. */
function importsOf(file: string): string[] {
	const specifiers = readFileSync(file, 'utf8').matchAll(/from '(\.[^']+)'/g);
	return [...specifiers].map(([, specifier]) => normalize(join(dirname(file), specifier!)));
}

const sourcesIn = (folder: string) => filesIn(folder).filter((name) => /\.m?ts$/.test(name));
const files = sourcesIn(ROOT);

/** Layers of folders, the outermost first. Each may import only from itself and from inner ones. */
const LAYERS = [
	['resources', 'trigger'],
	['template'],
	['runner'],
	['listSearch', 'credentialTest', 'descriptions'],
	['parameters'],
	['api'],
	['phone'],
];
const isIn = (path: string, folder: string) => path.startsWith(join(ROOT, folder, '/'));
const layerOf = (path: string) =>
	LAYERS.findIndex((folders) => folders.some((folder) => isIn(path, folder)));
const resourceOf = (path: string) => /resources\/(?!shared\/)(\w+)\//.exec(path)?.[1];

/** "FILE imports TARGET", for each import that is not allowed. */
const wrongImports = (from: string[], isAllowed: (target: string, file: string) => boolean) =>
	from.flatMap((file) =>
		importsOf(file)
			.filter((target) => !isAllowed(target, file))
			.map((target) => `${file} imports ${target}`),
	);

test('every file of the nodes imports only from its own layer or from inner ones', () => {
	expect(files.length).toBeGreaterThan(100);
	const isAllowed = (target: string, file: string) =>
		target.startsWith(ROOT) && (layerOf(file) < 0 || layerOf(target) >= layerOf(file));
	expect(wrongImports(files, isAllowed)).toStrictEqual([]);
});

/** The folders in api/, the outermost first. The files beside them use all but the first, which uses these files. */
const API_LAYERS = [['reads'], ['files'], ['response'], ['access', 'rate'], ['base']];

test('every folder in api/ imports only from itself or from inner ones', () => {
	const layerInApi = (path: string) =>
		API_LAYERS.findIndex((folders) => folders.some((folder) => isIn(path, join('api', folder))));
	const inFolders = files.filter((file) => layerInApi(file) >= 0);
	expect(inFolders.length).toBeGreaterThan(20);
	const isAllowed = (target: string, file: string) => {
		const layer = layerInApi(target);
		return layer < 0 || layer >= layerInApi(file);
	};
	expect(wrongImports(inFolders, isAllowed)).toStrictEqual([]);
	const besides = files.filter((file) => isIn(file, 'api') && layerInApi(file) < 0);
	expect(wrongImports(besides, (target) => layerInApi(target) !== 0)).toStrictEqual([]);
});

test('resources and the trigger do not import from each other', () => {
	const inFolder = (folder: string) => files.filter((file) => isIn(file, folder));
	const fromResources = wrongImports(inFolder('resources'), (target) => !isIn(target, 'trigger'));
	const fromTrigger = wrongImports(inFolder('trigger'), (target) => !isIn(target, 'resources'));
	expect([...fromResources, ...fromTrigger]).toStrictEqual([]);
});

test('no resource imports from another', () => {
	const ofResources = files.filter((file) => resourceOf(file) !== undefined);
	const isAllowed = (target: string, file: string) =>
		[undefined, resourceOf(file)].includes(resourceOf(target));
	expect(wrongImports(ofResources, isAllowed)).toStrictEqual([]);
});

const isCheck = (path: string) => path.startsWith('tools/check/');

test('the check imports only from nodes/, and nothing imports it', () => {
	const isAllowed = (target: string) => /^(?:tools\/check|nodes)\//.test(target);
	expect(wrongImports(sourcesIn('tools/check'), isAllowed)).toStrictEqual([]);
	const others = ['sandbox', 'tools'].flatMap(sourcesIn).filter((file) => !isCheck(file));
	expect(others.length).toBeGreaterThan(50);
	expect(wrongImports(others, (target) => !isCheck(target))).toStrictEqual([]);
});

/** Folders of tests that use the harness of another one. */
const HARNESSES: Record<string, string> = { contract: 'engine', queue: 'e2e', soak: 'engine' };

test('what the tests of several folders need is in test/support/ and test/fixtures/', () => {
	const folderOf = (path: string) => path.split('/')[1]!;
	const isAllowed = (target: string, file: string) => {
		const folder = folderOf(file);
		const allowed = ['support', 'fixtures', folder, HARNESSES[folder]];
		return !target.startsWith('test/') || allowed.includes(folderOf(target));
	};
	expect(wrongImports(sourcesIn('test'), isAllowed)).toStrictEqual([]);
});

/** The declaration files that the compiler writes name it. */
const DECLARED = ['ClientSettings', 'CustomOperation', 'PathParameter'];

test('what no other file imports is not exported', () => {
	const folders = ['nodes', 'sandbox', 'tools', 'test'];
	const sources = folders.flatMap(sourcesIn);
	const moduleOf = (path: string) => path.replace(/(?:\/index)?(?:\.m?ts)?$/, '');
	const imported = new Set(
		sources.flatMap((file) =>
			[...readFileSync(file, 'utf8').matchAll(/\{([^{}]*)\} from '(\.[^']+)'/g)].flatMap(
				([, names, specifier]) => {
					const target = moduleOf(normalize(join(dirname(file), specifier!)));
					const words = names!.matchAll(/(\w+)(?: as \w+)?(?:,|\s*$)/g);
					return [...words].map(([, word]) => `${target} ${word}`);
				},
			),
		),
	);
	const declaration = /^export (?:async )?(?:const|function\*?|class|interface|type) (\w+)/gm;
	const exported = sources.flatMap((file) =>
		[...readFileSync(file, 'utf8').matchAll(declaration)].map(([, name]) => ({
			file,
			name: name!,
		})),
	);
	expect(exported.length).toBeGreaterThan(500);
	const unused = exported
		// n8n finds the classes of nodes by their names.
		.filter(({ file, name }) => !file.endsWith('.node.ts') && !DECLARED.includes(name))
		.filter(({ file, name }) => !imported.has(`${moduleOf(file)} ${name}`));
	expect(unused).toStrictEqual([]);
});

test('api/ names endpoints only in its table of all of them', () => {
	const isTable = (name: string) => name === join(ROOT, 'api/endpoint.ts');
	const named = files
		.filter((name) => isIn(name, 'api') && !isTable(name))
		.filter((file) => {
			const code = readFileSync(file, 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
			return /'(GET|POST|PUT|PATCH|DELETE) \//.test(code);
		});
	expect(named).toStrictEqual([]);
});

test('one file makes each kind of error, and two write to n8n’s log: they accept no text that is not harmless', () => {
	const containing = (pattern: RegExp) =>
		files
			.filter((file) => pattern.test(readFileSync(file, 'utf8')))
			.map((file) => file.slice(ROOT.length + 1));
	expect(containing(/new NodeApiError\(/)).toStrictEqual(['api/failures.ts']);
	expect(containing(/new NodeOperationError\(/)).toStrictEqual(['api/errors.ts']);
	expect(containing(/\blogger\b/)).toStrictEqual(['runner/notices.ts', 'trigger/reports.ts']);
	expect(containing(/addExecutionHints/)).toStrictEqual(['runner/notices.ts']);
});
