/**
 * Loads a package that was installed alone, and runs operations of it on n8n's engine. Run in a separate process:
 * `tsx isolated.mts DIRECTORY`.
 */
import type { INodeParameters } from 'n8n-workflow';
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

const engine = await Engine.load(directory);
const sandbox = await startSandbox();
const credential = { baseUrl: sandbox.baseUrl, apiToken: sandbox.tokens.all.value };
const rows = async (parameters: INodeParameters) => {
	const run = await engine.run(oneNode(actionNode('Node', parameters)), { credential });
	return outputOf(run, 'Node').length;
};
const tickets = await rows({ resource: 'ticket', operation: 'getAll', returnAll: true });
const contacts = await rows({ resource: 'contact', operation: 'export', output: 'items' });
await sandbox.close();

console.log(JSON.stringify({ loaded: scripts.length, tickets, contacts }));
