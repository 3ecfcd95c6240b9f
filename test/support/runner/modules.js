/** How a process that runs tests loads files: TypeScript is compiled, and the files of nodes/ are those in dist/. */
const { createHash } = require('node:crypto');
const { mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const { join, relative, sep } = require('node:path');
const { transformSync, version } = require('@swc/core');
const { addHook } = require('pirates');

const { N8N_CORE_FOLDER } = process.env;

const ROOT = join(__dirname, '../../..');
const isOwn = (file) => file.startsWith(ROOT + sep) && !/[\\/]node_modules[\\/]/.test(file);

const CACHE = join(ROOT, 'node_modules/.cache/tests');
mkdirSync(CACHE, { recursive: true });

const OPTIONS = {
	jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
	module: { type: 'commonjs' },
	sourceMaps: 'inline',
	swcrc: false,
};

addHook(
	(code, filename) => {
		const [folder, ...path] = relative(ROOT, filename).split(sep);
		// Tests import the source, for its types, and get the built module: the one that n8n's engine loads. With one
		// instance of every module, the injected clock reaches all of it.
		if (folder === 'nodes' || folder === 'credentials') {
			const built = join(ROOT, 'dist', folder, ...path).replace(/\.ts$/, '.js');
			return `module.exports = require(${JSON.stringify(built)});`;
		}
		return cached(filename, code, () => transformSync(code, { ...OPTIONS, filename }).code);
	},
	{ exts: ['.mts', '.ts'], matcher: isOwn },
);

/** What was made of a text before, by this version of the compiler. */
function cached(filename, text, make) {
	const hash = createHash('sha1').update(`${version} ${filename} ${text}`).digest('hex');
	const file = join(CACHE, hash);
	try {
		return readFileSync(file, 'utf8');
	} catch {
		const made = make();
		writeFileSync(file, made);
		return made;
	}
}

const fc = require('fast-check');
// The same values in every run, so that a result changes only with the code; with LONG or RUNS, new ones.
if (!process.env.LONG && !process.env.RUNS) fc.configureGlobal({ seed: 8 });

if (N8N_CORE_FOLDER) {
	// Another version of n8n's engine: see tools/scripts/compat.mts. Node.js has no public way to replace a package.
	const Module = require('node:module');
	const ofEngine = /^(n8n-core|n8n-workflow|reflect-metadata|@n8n\/di|@n8n\/backend-network)$/;
	const resolveFilename = Module._resolveFilename;
	Module._resolveFilename = (request, parent, isMain, options) => {
		if (!ofEngine.test(request)) return resolveFilename(request, parent, isMain, options);
		const file = resolveFilename(request, parent, isMain, { paths: [N8N_CORE_FOLDER] });
		// What this version lacks is not taken from the folders above it.
		if (!file.startsWith(N8N_CORE_FOLDER + sep))
			throw Object.assign(new Error(`${request} is not there`), { code: 'MODULE_NOT_FOUND' });
		return file;
	};
}

/** This folder, what it uses, and the sandbox: its modules keep nothing but the contract, which takes long to compile. */
const KEPT = [__dirname, require.resolve('../watchdog.js'), join(ROOT, 'sandbox') + sep];
const isForgotten = ({ filename }) =>
	isOwn(filename) && !KEPT.some((path) => filename.startsWith(path));

/** So that a test file gets new ones: the package in dist/ and the helpers of tests keep state in their modules. */
exports.forgetOwnModules = () => {
	// An ES module that was required has no name, and knows no children.
	const modules = Object.values(require.cache).filter(({ filename }) => filename);
	for (const module of modules.filter(isForgotten)) delete require.cache[module.id];
	// A module keeps those that it was the first to load.
	for (const module of modules)
		module.children = module.children.filter((child) => child.filename && !isForgotten(child));
	// A test file may have changed where n8n's engine stores files.
	const engine = require.cache[require.resolve('n8n-core')]?.exports;
	if (engine) require('@n8n/di').Container.set(engine.BinaryDataService, undefined);
};
