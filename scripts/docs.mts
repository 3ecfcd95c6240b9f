/**
 * Writes the table of operations into README.md, from the code: `npm run docs`. With --check it writes nothing and
 * fails when the table is not current.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import prettier from 'prettier';
import { operationsTable } from './operationsTable.mts';

const path = fileURLToPath(new URL('../README.md', import.meta.url));
const before = readFileSync(path, 'utf8');
const marks = /(<!-- operations:[^>]*-->\n)[\s\S]*(<!-- \/operations -->)/;
const written = before.replace(
	marks,
	(_all, start: string, end: string) => `${start}\n${operationsTable()}\n\n${end}`,
);
const options = await prettier.resolveConfig(path);
const after = await prettier.format(written, { ...options, filepath: path });

if (process.argv.includes('--check')) {
	if (after !== before) {
		console.error('The table of operations in README.md is not current. Run: npm run docs');
		process.exit(1);
	}
} else {
	writeFileSync(path, after);
}
