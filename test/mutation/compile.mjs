/**
 * Compiles the file with the faults into dist/, which Jest resolves the source to. The rest of dist/ is the built
 * package. Without its types, it takes no time.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import swc from '@swc/core';

const path = `nodes/ConversationalMessaging/${process.env.MUTATED_FILE}`;
const { code } = swc.transformSync(readFileSync(`${path}.ts`, 'utf8'), {
	jsc: { target: 'es2019', parser: { syntax: 'typescript' } },
	module: { type: 'commonjs' },
});
writeFileSync(`dist/${path}.js`, code);
