import { spawnSync } from 'node:child_process';
import {
	copyFileSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	writeFileSync,
} from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** What everything in dist/ depends on. */
const SETTINGS = ['gulpfile.js', 'package-lock.json', 'tsconfig.json'];

/** What the output schemas depend on besides nodes/. */
const SCHEMA_INPUTS = [
	'sandbox/openapi.yaml',
	'tools/scripts/outputSchemas.mts',
	'tools/scripts/schemas.mts',
];

/** The last file that is written. */
const LAST = 'dist/nodes/ConversationalMessaging/__schema__/v1.0.0/user/getAll.json';

/** What is copied, and what there is in nodes/ and credentials/. */
const COPIED = ['.json', '.svg', '.png'];
const SOURCES = ['.ts', ...COPIED];

/** The output schemas, which have no sources of their own. */
const GENERATED = '/__schema__/';

/** Gulp bundles a library into each of them. */
const LIBRARIES = [
	'nodes/ConversationalMessaging/api/files/papaparse.ts',
	'nodes/ConversationalMessaging/phone/libphonenumber.ts',
];

/**
 * Compiles what has changed: tests load dist/, as n8n's engine does. Each file is compiled by itself, without types. It
 * gives the same JavaScript as a build in a fraction of the time. Oxlint and the build check the types. What was compiled
 * from a file that has been moved or deleted since is deleted.
 */
export default async function compile() {
	const files = filesIn('.', ...SOURCES);
	const stale = staleOutputs(files);
	for (const output of stale) rmSync(join(ROOT, output));
	const changed = files.filter((file) => isOlder(outputOf(file), [file, ...SETTINGS]));
	const transpile = changed.length > 0 && (await loadTypeScript());
	for (const file of changed) {
		mkdirSync(dirname(join(ROOT, outputOf(file))), { recursive: true });
		if (file.endsWith('.ts')) transpile(join(ROOT, file), join(ROOT, outputOf(file)));
		else copyFileSync(join(ROOT, file), join(ROOT, outputOf(file)));
	}
	if (changed.some((file) => LIBRARIES.includes(file))) run('gulp', '--silent');
	if (stale.length > 0 || isOlder(LAST, [...files, ...SETTINGS, ...SCHEMA_INPUTS]))
		run('tsx', 'tools/scripts/schemas.mts');
}

/** Whether the last build has seen all types as they are: `compile` writes no declarations. */
export function isBuilt() {
	const sources = filesIn('.', '.ts');
	const declarations = filesIn('dist', '.d.ts');
	return (
		declarations.length === sources.length &&
		sources.every((file) => !isOlder(`dist/${file.replace(/\.ts$/, '.d.ts')}`, [file, ...SETTINGS]))
	);
}

/**
 * It takes half a second, so only if a file has changed.
 *
 * @returns compiles a file. @throws Error if it is not TypeScript: nothing is written, so the next run fails too
 */
async function loadTypeScript() {
	const { default: ts } = await import('typescript');
	const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
	const compilerOptions = ts.parseJsonConfigFileContent(config, ts.sys, ROOT).options;
	return (source, output) => {
		const { outputText, sourceMapText, diagnostics } = ts.transpileModule(
			readFileSync(source, 'utf8'),
			{ compilerOptions, fileName: source, reportDiagnostics: true },
		);
		if (diagnostics.length > 0)
			throw new Error(
				ts.formatDiagnostics(diagnostics, {
					getCanonicalFileName: (name) => name,
					getCurrentDirectory: () => ROOT,
					getNewLine: () => '\n',
				}),
			);
		// TypeScript does not know where the output of a single file is written.
		const sources = [relative(dirname(output), source).replaceAll(sep, '/')];
		writeFileSync(`${output}.map`, JSON.stringify({ ...JSON.parse(sourceMapText), sources }));
		writeFileSync(output, outputText);
	};
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

/** The files of nodes and credentials in a folder that have one of these endings, from the folder. */
const filesIn = (folder, ...endings) =>
	['nodes', 'credentials']
		.filter((name) => existsSync(join(ROOT, folder, name)))
		.flatMap((name) =>
			readdirSync(join(ROOT, folder, name), { recursive: true, withFileTypes: true })
				.filter((entry) => entry.isFile() && endings.some((ending) => entry.name.endsWith(ending)))
				.map((entry) => relative(join(ROOT, folder), join(entry.parentPath, entry.name)))
				.map((path) => path.replaceAll(sep, '/')),
		);

const outputOf = (file) => `dist/${file.replace(/\.ts$/, '.js')}`;

/** Whatever in dist/ has no source: JavaScript with its map and its types, and what is copied. */
function staleOutputs(sources) {
	const outputs = new Set(sources.map(outputOf));
	return filesIn('dist', '.js', '.js.map', '.d.ts', ...COPIED)
		.map((file) => `dist/${file}`)
		.filter((file) => !file.includes(GENERATED))
		.filter((file) => !outputs.has(file.replace(/(\.d\.ts|\.js\.map)$/, '.js')));
}

const isOlder = (output, inputs) => {
	const written = changedAt(output);
	return inputs.some((input) => changedAt(input) > written);
};

/** When a file was changed, in milliseconds since the epoch; 0 if it does not exist. */
const changedAt = (file) => statSync(join(ROOT, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;
