/**
 * Writes the operations in the docs from the code: `npm run docs`. With --check, it writes nothing and fails if
 * something is out of date.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import prettier from 'prettier';
import { operationsReference } from './operationsReference.mts';
import { operationsTable } from './operationsTable.mts';

const check = process.argv.includes('--check');

/** @param write returns the new document for the current one */
async function bringUpToDate(name: string, write: (before: string) => string): Promise<void> {
	const path = fileURLToPath(new URL(`../${name}`, import.meta.url));
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

await bringUpToDate('README.md', (before) =>
	before.replace(
		MARKS,
		(_all, start: string, end: string) => `${start}\n${operationsTable()}\n\n${end}`,
	),
);
await bringUpToDate('docs/OPERATIONS.md', operationsReference);
