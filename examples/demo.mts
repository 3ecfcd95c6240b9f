/**
 * `npm run demo`: the example workflows, run by n8n's own engine with the built package, against the messaging
 * service on this machine.
 */
import { Engine, type WorkflowFile } from '../engine/engine.mts';
import axios from 'axios';
import type { INode, INodePropertyOptions, IRun, ITaskData } from 'n8n-workflow';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { styleText } from 'node:util';
import { fastClock } from '../sandbox/clock.mts';
import { startSandbox, type Sandbox } from '../sandbox/server.mts';
import type { Story } from './story.mts';
import { broadcastToSegment } from './broadcastToSegment.mts';
import { contactImport } from './contactImport.mts';
import { ticketRouting } from './ticketRouting.mts';

const STORIES: Story[] = [ticketRouting, broadcastToSegment, contactImport];

const colours = process.stdout.isTTY && process.env.NO_COLOR === undefined;
const paint = (style: 'green' | 'red' | 'bold' | 'dim', text: string): string =>
	colours ? styleText(style, text) : text;

const say = (line = ''): void => console.log(line);

/** What a node was told to do, in the words of its list of actions; "" for n8n's own nodes. */
function actionOf(engine: Engine, { type, parameters }: INode): string {
	const operations = engine
		.nodeType(type)
		.description.properties.filter(({ name }) => name === 'operation')
		.find(({ displayOptions }) => displayOptions?.show?.resource?.[0] === parameters.resource);
	const chosen = operations?.options as INodePropertyOptions[] | undefined;
	return chosen?.find(({ value }) => value === parameters.operation)?.action ?? '';
}

/** "12 items", or what the node said instead. */
function summary({ data, error, executionTime }: ITaskData): string {
	if (error) return paint('red', `${error.message}. ${error.description ?? ''}`);
	const counts = (data?.main ?? []).map((items) => items?.length ?? 0);
	const items = counts.map((count) => `${count} ${count === 1 ? 'item' : 'items'}`).join(' / ');
	return `${items.padEnd(18)} ${paint('dim', `${executionTime} ms`)}`;
}

async function tell(story: Story, engine: Engine, sandbox: Sandbox): Promise<string[]> {
	const path = fileURLToPath(new URL(story.file, import.meta.url));
	const workflow = JSON.parse(readFileSync(path, 'utf8')) as WorkflowFile;
	const credential = { baseUrl: sandbox.baseUrl, apiToken: sandbox.tokens.all.value };
	const headers = { Authorization: `Bearer ${credential.apiToken}` };
	const ending = await story.begin(axios.create({ baseURL: credential.baseUrl, headers }));

	say(paint('bold', story.title));
	say(paint('dim', `examples/${story.file}`));
	const nodes = new Map(workflow.nodes.map((node) => [node.name, node]));
	const run: IRun = await engine.run(workflow, {
		credential,
		onEnd(name, data) {
			const node = nodes.get(name);
			const action = node ? actionOf(engine, node) : '';
			const mark = data.error ? paint('red', '✗') : paint('green', '✓');
			say(`  ${mark} ${name.padEnd(22)} ${paint('dim', action.padEnd(20))} ${summary(data)}`);
		},
	});
	if (run.status !== 'success') return [`The workflow ended with the status ${run.status}`];

	const { lines, complaints } = await ending(run);
	say('  Read back from the service:');
	for (const line of lines) say(`    ${line}`);
	say();
	return complaints;
}

const engine = await Engine.load(fileURLToPath(new URL('..', import.meta.url)));
// Ten times as fast as the clock on the wall: broadcasts and imports take their time.
const sandbox = await startSandbox({ clock: fastClock(10) });
say(`\nThe messaging service runs at ${sandbox.baseUrl}\n`);

const complaints: string[] = [];
for (const story of STORIES) complaints.push(...(await tell(story, engine, sandbox)));
await sandbox.close();

for (const complaint of complaints) say(paint('red', `✗ ${complaint}`));
if (complaints.length === 0) say(paint('green', 'Everything held.'));
process.exit(complaints.length === 0 ? 0 : 1);
