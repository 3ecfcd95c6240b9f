/**
 * `npm run demo`: the example workflows, run by n8n's own engine with the built package, against the messaging
 * service on this machine.
 */
import type { WorkflowFile } from '../engine/workflows.mts';
import { Engine, type RunOptions } from '../engine/engine.mts';
import { Poller } from '../engine/poller.mts';
import { WaitingExecutions } from '../engine/waiting.mts';
import axios from 'axios';
import type {
	INode,
	INodeExecutionData,
	INodePropertyOptions,
	IRun,
	ITaskData,
} from 'n8n-workflow';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { styleText } from 'node:util';
import { fastClock } from '../../sandbox/clock.mts';
import { builtClock } from '../engine/builtClock.mts';
import { startSandbox, type Sandbox } from '../../sandbox/server.mts';
import { DATA_TABLES, fillIn } from './fillIn.mts';
import type { Customer, Example, Platform, PreparedExample } from './example.mts';
import { abTest } from './abTest.mts';
import { birthdays } from './birthdays.mts';
import { broadcastInWaves } from './broadcastInWaves.mts';
import { broadcastPreview } from './broadcastPreview.mts';
import { broadcastReport } from './broadcastReport.mts';
import { broadcastToSegment } from './broadcastToSegment.mts';
import { contactBackup } from './contactBackup.mts';
import { contactImport } from './contactImport.mts';
import { contactSync } from './contactSync.mts';
import { leadForm } from './leadForm.mts';
import { messageRouting } from './messageRouting.mts';
import { orderStatus } from './orderStatus.mts';
import { optOut } from './optOut.mts';
import { reminders } from './reminders.mts';
import { survey } from './survey.mts';
import { templatePaused } from './templatePaused.mts';
import { ticketConfirmation } from './ticketConfirmation.mts';
import { ticketRouting } from './ticketRouting.mts';
import { ticketStatusToCustomer } from './ticketStatusToCustomer.mts';
import { unansweredChats } from './unansweredChats.mts';
import { weeklyCap } from './weeklyCap.mts';
import { weeklyReport } from './weeklyReport.mts';

const EXAMPLES: Example[] = [
	ticketRouting,
	ticketStatusToCustomer,
	messageRouting,
	orderStatus,
	optOut,
	ticketConfirmation,
	survey,
	reminders,
	birthdays,
	broadcastToSegment,
	// Before others whose broadcasts end when they are done already: it reports the first that ends.
	broadcastReport,
	broadcastPreview,
	templatePaused,
	abTest,
	weeklyReport,
	leadForm,
	contactImport,
	contactSync,
	contactBackup,
	unansweredChats,
	broadcastInWaves,
	// Its broadcast has not ended when it is done.
	weeklyCap,
];

/**
 * The interval between polls of a trigger, and the longest time to poll, in milliseconds. n8n polls at most once a
 * minute.
 */
const POLL_EVERY_MS = 200;
const POLL_AT_MOST_MS = 20_000;
const MINUTE_MS = 60_000;

/**
 * As many polls read what was there before. The service's clock is fast here, so in a chat that was not read yet, what
 * earlier examples wrote looks new.
 */
const FIRST_POLLS = 5;

const { elapsed } = builtClock;
let passed = 0;
builtClock.elapsed = () => elapsed() + passed;

const colours = process.stdout.isTTY && process.env.NO_COLOR === undefined;
const paint = (style: 'green' | 'red' | 'bold' | 'dim', text: string): string =>
	colours ? styleText(style, text) : text;

const say = (line = ''): void => console.log(line);

/** The action of a node, as in the nodes panel; "" for n8n's own nodes. */
function actionOf(engine: Engine, { type, parameters }: INode): string {
	const operations = engine
		.nodeType(type)
		.description.properties.filter(({ name }) => name === 'operation')
		.find(({ displayOptions }) => displayOptions?.show?.resource?.[0] === parameters.resource);
	const options = operations?.options as INodePropertyOptions[] | undefined;
	return options?.find(({ value }) => value === parameters.operation)?.action ?? '';
}

/** "12 items", or the node's message. */
function summary({ data, error, executionTime }: ITaskData): string {
	if (error) return paint('red', `${error.message}. ${error.description ?? ''}`);
	const counts = (data?.main ?? []).map((items) => items?.length ?? 0);
	const items = counts.map((count) => `${count} ${count === 1 ? 'item' : 'items'}`).join(' / ');
	return `${items.padEnd(18)} ${paint('dim', `${executionTime} ms`)}`;
}

/**
 * Publishes a workflow, causes an event in the service, and polls its trigger until it starts the workflow; once more for
 * the next event, if there is one. @returns the last run
 */
async function runWhenTriggered(
	engine: Engine,
	workflow: WorkflowFile,
	options: RunOptions,
	causeEvent: () => Promise<number>,
	causeNextEvent?: () => Promise<number>,
): Promise<IRun> {
	const poller = new Poller(engine, workflow, options);
	await poller.activate();
	for (let i = 0; i < FIRST_POLLS; i++) await pollNextMinute(poller);
	const run = await runOnceTriggered(engine, workflow, options, poller, await causeEvent());
	if (run.status !== 'success' || !causeNextEvent) return run;
	return await runOnceTriggered(engine, workflow, options, poller, await causeNextEvent());
}

/** Polls as if a minute had passed since the last poll: a trigger sends only so many requests in a minute. */
async function pollNextMinute(poller: Poller): ReturnType<Poller['tick']> {
	passed += MINUTE_MS;
	return await poller.tick();
}

async function runOnceTriggered(
	engine: Engine,
	workflow: WorkflowFile,
	options: RunOptions,
	poller: Poller,
	events: number,
): Promise<IRun> {
	// What several of these quick polls find, one poll a minute would find at once.
	const found: INodeExecutionData[] = [];
	for (let waited = 0; waited < POLL_AT_MOST_MS; waited += POLL_EVERY_MS) {
		const { items, error } = await pollNextMinute(poller);
		if (error) throw error;
		found.push(...(items ?? []));
		if (found.length >= events)
			return await engine.runFrom(workflow, poller.triggerName, found, options);
		await sleep(POLL_EVERY_MS);
	}
	throw new Error(`The trigger found ${found.length} of ${events} events`);
}

/** Runs a workflow to its end: whatever it waits for happens. */
async function runToEnd(
	engine: Engine,
	executions: WaitingExecutions,
	workflow: WorkflowFile,
	options: RunOptions,
	prepared: PreparedExample,
): Promise<IRun> {
	const { causeEvent, causeNextEvent, submissions, respond, letTimePass, continueWith } = prepared;
	if (causeEvent) {
		const run = await runWhenTriggered(engine, workflow, options, causeEvent, causeNextEvent);
		// It may have started other executions, which wait.
		await respond?.();
		return run;
	}
	for (const json of submissions ?? []) {
		const form = nodeOf(workflow, FORM);
		const id = await executions.runFrom(workflow, form, [{ json }], options);
		if (executions.runOf(id).status === 'waiting') await respond?.();
		if (executions.runOf(id).status !== 'success' || json === submissions?.at(-1))
			return executions.runOf(id);
	}
	const id = await executions.run(workflow, options);
	if (executions.runOf(id).status === 'waiting') await respond?.();
	if (continueWith) {
		const { trigger, item } = continueWith(executions.runOf(id));
		return await engine.runFrom(workflow, trigger, [item], options);
	}
	if (!letTimePass) return executions.runOf(id);
	await letTimePass();
	return await executions.timeUp(id);
}

const SUB_WORKFLOW = 'n8n-nodes-base.executeWorkflowTrigger';
const FORM = 'n8n-nodes-base.formTrigger';

/** The name of the node of a type. */
const nodeOf = ({ nodes }: WorkflowFile, type: string): string =>
	nodes.find((node) => node.type === type)?.name ?? '';

const customerOf = ({ world }: Sandbox): Customer => ({
	write(chatId, text, at) {
		const chat = world.chats.get(chatId);
		if (!chat) throw new Error(`There is no chat ${chatId}`);
		const message = {
			direction: 'INBOUND',
			type: 'text',
			content: { text },
			agentId: null,
		} as const;
		world.addMessage(chat, message, at);
	},
});

const platformOf = ({ world }: Sandbox): Platform => ({
	pauseTemplate(name) {
		const template = world.templates.find((each) => each.name === name);
		if (!template) throw new Error(`There is no template ${name}`);
		Object.assign(template, { status: 'PAUSED', decision: 'PAUSED' });
	},
});

/** Runs an example, and prints its nodes and the resulting state of the service. @returns what is not as expected */
async function runExample(example: Example, engine: Engine, sandbox: Sandbox): Promise<string[]> {
	const path = fileURLToPath(new URL(`../../examples/${example.file}`, import.meta.url));
	const credential = { baseUrl: sandbox.baseUrl, apiToken: sandbox.tokens.all.value };
	const headers = { Authorization: `Bearer ${credential.apiToken}` };
	const service = axios.create({ baseURL: credential.baseUrl, headers });
	const prepared = await example.prepare(service, customerOf(sandbox), platformOf(sandbox));

	// After the example has prepared the service, as a user fills in the workflow once its records exist.
	const file = JSON.parse(readFileSync(path, 'utf8')) as WorkflowFile;
	const workflow = fillIn(example.file, file, sandbox.world);

	say(paint('bold', example.title));
	say(paint('dim', `examples/${example.file}`));
	const nodes = new Map(workflow.nodes.map((node) => [node.name, node]));
	const executions = await WaitingExecutions.start(engine);
	const options: RunOptions = {
		credential,
		tables: DATA_TABLES,
		otherCredentials: {
			'2': { ...credential, apiToken: sandbox.tokens.otherOrganization.value },
		},
		startExecution: async (items) =>
			await executions.runFrom(workflow, nodeOf(workflow, SUB_WORKFLOW), items, options),
		onEnd(name, data) {
			const node = nodes.get(name);
			const action = node ? actionOf(engine, node) : '';
			const mark = data.error ? paint('red', '✗') : paint('green', '✓');
			say(`  ${mark} ${name.padEnd(22)} ${paint('dim', action.padEnd(20))} ${summary(data)}`);
		},
	};
	const run = await runToEnd(engine, executions, workflow, options, prepared);
	await executions.close();
	if (run.status !== 'success') return [`The workflow ended with the status ${run.status}`];

	const { lines, failures } = await prepared.check(run);
	say('  In the service now:');
	for (const line of lines) say(`    ${line}`);
	say();
	return failures;
}

const engine = await Engine.load(fileURLToPath(new URL('../..', import.meta.url)));
// Ten times as fast as real time, because broadcasts and imports take a while.
const sandbox = await startSandbox({
	clock: fastClock(10),
	shapes: { chatActivity: 'lastMessage' },
});
say(`\nThe messaging service runs at ${sandbox.baseUrl}\n`);

const failures: string[] = [];
for (const example of EXAMPLES) failures.push(...(await runExample(example, engine, sandbox)));
await sandbox.close();

for (const failure of failures) say(paint('red', `✗ ${failure}`));
if (failures.length === 0) say(paint('green', 'All examples passed.'));
process.exit(failures.length === 0 ? 0 : 1);
