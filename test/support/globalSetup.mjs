import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import compile from '../../tools/scripts/compile.mjs';

/** Compiles the package. All temporary files of a run are in one folder, which `globalTeardown.mjs` removes. */
export default async function setUp() {
	await compile();
	const folder = mkdtempSync(join(tmpdir(), 'tests-'));
	for (const name of ['TMPDIR', 'TEMP', 'TMP']) process.env[name] = folder;
}
