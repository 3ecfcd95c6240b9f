import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';

/** Compiles nodes/ into dist/ before each run of `npm run test:watch`: the tests on n8n's engine load dist/. */
export default function compile() {
	const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
	const { status, stdout } = spawnSync(process.execPath, [tsc], { encoding: 'utf8' });
	if (status !== 0) throw new Error(stdout);
}
