/**
 * Loads a package that was installed alone, runs an operation of it on n8n's engine, and reads and writes CSV with
 * it. Run as a program of its own: `tsx isolated.mts DIRECTORY`.
 */
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { actionNode } from '../../engine/workflows.mts';
import { Engine, outputOf } from '../../engine/engine.mts';
import { oneNode } from '../../engine/oneNode.mts';
import { startSandbox } from '../../sandbox/server.mts';

const directory = process.argv[2] as string;
const require = createRequire(join(directory, 'package.json'));
const scripts = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) =>
	name.endsWith('.js'),
);
for (const script of scripts) require(`./${script}`);

const csv = require('./dist/nodes/ConversationalMessaging/api/csv.js') as {
	writeCsv: (table: object) => string;
	readCsv: (text: string) => object;
};
const text = csv.writeCsv({ columns: ['name'], rows: [{ name: 'Lee, "Ann"' }] });

const engine = await Engine.load(directory);
const sandbox = await startSandbox();
const node = actionNode('Node', { resource: 'ticket', operation: 'getAll', returnAll: true });
const credential = { baseUrl: sandbox.baseUrl, apiToken: sandbox.tokens.all.value };
const run = await engine.run(oneNode(node), { credential });
await sandbox.close();

console.log(
	JSON.stringify({
		loaded: scripts.length,
		rows: outputOf(run, 'Node').length,
		csv: csv.readCsv(text),
	}),
);
