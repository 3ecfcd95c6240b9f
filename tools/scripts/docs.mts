/**
 * Writes the operations in the docs from the code, examples/README.md from the examples, and the links to this package's
 * repository from package.json, and checks the links of all documents and the length of the README: `npm run docs`. With
 * --check, it writes nothing and fails if something is out of date.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import prettier from 'prettier';
import type { WorkflowFile } from '../engine/workflows.mts';
import { exampleFiles } from '../demo/example.mts';
import { emptyValuesTable } from './emptyValuesTable.mts';
import { examplesReadme } from './examplesReadme.mts';
import { brokenLinks } from './links.mts';
import { nodeLimitsTable } from './limitsTable.mts';
import { operationsReference } from './operationsReference.mts';
import { resourcesTable } from './operationsTable.mts';
import { withRepository, type Manifest } from './repository.mts';

const check = process.argv.includes('--check');
const root = fileURLToPath(new URL('../..', import.meta.url));

/** @param write returns the new document for the current one */
async function bringUpToDate(name: string, write: (before: string) => string): Promise<void> {
	const path = join(root, name);
	const before = readFileSync(path, { encoding: 'utf8', flag: 'a+' });
	const options = await prettier.resolveConfig(path);
	const after = await prettier.format(write(before), { ...options, filepath: path });
	if (after === before) return;
	if (check) {
		console.error(`${name} is out of date. Run: npm run docs`);
		process.exitCode = 1;
	} else {
		writeFileSync(path, after);
	}
}

const MARKS = /(<!-- operations:[^>]*-->\n)[\s\S]*(<!-- \/operations -->)/;

/** Of the README without its operations, which grow with the service. */
const MAX_WORDS = 1_400;

await bringUpToDate('README.md', (before) =>
	before.replace(
		MARKS,
		(_all, start: string, end: string) => `${start}\n${resourcesTable()}\n\n${end}`,
	),
);
await bringUpToDate('docs/OPERATIONS.md', operationsReference);
const TABLES = { limits: nodeLimitsTable, empty: emptyValuesTable };
for (const [name, table] of Object.entries(TABLES))
	await bringUpToDate('docs/USAGE.md', (before) =>
		before.replace(
			new RegExp(`(<!-- ${name}:[^>]*-->\\n)[\\s\\S]*(<!-- /${name} -->)`),
			(_all, start: string, end: string) => `${start}\n${table()}\n\n${end}`,
		),
	);

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
const mayLink = ['.', '.github', 'credentials', 'docs', 'examples', 'nodes'].flatMap((folder) =>
	readdirSync(join(root, folder), { recursive: folder !== '.', withFileTypes: true })
		.filter((entry) => entry.isFile() && /\.(md|json|ts|yml)$/.test(entry.name))
		.map(({ parentPath, name }) => relative(root, join(parentPath, name))),
);
for (const name of mayLink) {
	const before = readFileSync(join(root, name), 'utf8');
	if (withRepository(before, manifest) !== before)
		await bringUpToDate(name, (text) => withRepository(text, manifest));
}

const examples = new Map(
	exampleFiles().map((name) => {
		const text = readFileSync(join(root, 'examples', name), 'utf8');
		return [name, JSON.parse(text) as WorkflowFile];
	}),
);
await bringUpToDate('examples/README.md', () => examplesReadme(examples));

const names = ['.', 'docs', 'docs/jobs', 'examples'].flatMap((folder) =>
	readdirSync(join(root, folder))
		.filter((name) => name.endsWith('.md'))
		.map((name) => join(folder, name)),
);
const documents = new Map(names.map((name) => [name, readFileSync(join(root, name), 'utf8')]));
for (const link of brokenLinks(documents, (path) => existsSync(join(root, path)))) {
	console.error(`Broken link in ${link}`);
	process.exitCode = 1;
}

const words = readFileSync(join(root, 'README.md'), 'utf8').replace(MARKS, '').split(/\s+/).length;
if (words > MAX_WORDS) {
	console.error(
		`README.md has ${words} words beside its operations, ${words - MAX_WORDS} too many.`,
	);
	process.exitCode = 1;
}
