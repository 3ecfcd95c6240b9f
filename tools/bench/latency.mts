/**
 * How long a message waits until its execution starts, in real time, and what that costs: the trigger with one and with four polls
 * a minute, and the workflow that a user would build today from Schedule Trigger (every 15 seconds), HTTP Request and Remove Duplicates.
 * The three ways run at the same time, each with a service of its own. MINUTES is how long for each list; 10 by default.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { outputOf } from '../engine/engine.mts';
import { Poller } from '../engine/poller.mts';
import {
	builtIn,
	linearWorkflow,
	triggerWorkflow,
	type WorkflowFile,
} from '../engine/workflows.mts';
import type { Chat } from '../../sandbox/records.mts';
import { startSandbox, type Sandbox } from '../../sandbox/server.mts';
import { chart } from './chart.mts';
import { httpRequestList, httpRequestNode, loadEngine } from './reference.mts';
import { median, progress, report } from './report.mts';

const MINUTES = Number(process.env.MINUTES ?? 10);
const MINUTE_MS = 60_000;

/** A message is written about this often, in milliseconds. */
const EVERY_MS = 12_000;

type Order = 'activity' | 'creation';
const LISTS: [chats: number, order: Order][] = [
	[0, 'activity'],
	[300, 'creation'],
	[5_000, 'activity'],
	[5_000, 'creation'],
];

const engine = await loadEngine();

/** The chats whose row changed, then their messages, then those of customers that were not there before. */
function handMade(baseUrl: string): WorkflowFile {
	const list = httpRequestList(`${baseUrl}/chats`, 100);
	const once = (name: string, value: string) =>
		builtIn(
			name,
			'removeDuplicates',
			{
				operation: 'removeItemsSeenInPreviousExecutions',
				logic: 'removeItemsWithAlreadySeenKeyValues',
				dedupeValue: value,
				// Beyond its default of 10,000, it stops with an error.
				options: { historySize: 1_000_000 },
			},
			2,
		);
	const split = (name: string) =>
		builtIn(name, 'splitOut', { fieldToSplitOut: 'data', options: {} }, 1);
	const isInbound = {
		leftValue: '={{ $json.direction }}',
		rightValue: 'INBOUND',
		operator: { type: 'string', operation: 'equals' },
	};
	return linearWorkflow(
		'Hand-made',
		...list.nodes,
		split('Chats'),
		once('Changed Chats', '={{ $json.id + $json.lastMessageAt }}'),
		{
			...httpRequestNode({ url: `=${baseUrl}/chats/{{ $json.id }}/messages`, options: {} }),
			name: 'Messages of Chat',
		},
		split('Messages'),
		builtIn(
			'From Customers',
			'filter',
			{
				conditions: {
					options: { caseSensitive: true, leftValue: '', typeValidation: 'loose', version: 2 },
					conditions: [isInbound],
					combinator: 'and',
				},
				options: {},
			},
			2.2,
		),
		once('New Messages', '={{ $json.id }}'),
	);
}

/** One way to start a workflow, until the time is up. @returns the texts of the messages that it starts with */
type Way = (sandbox: Sandbox) => Promise<{ everyMs: number; poll: () => Promise<unknown[]> }>;

const trigger =
	(perMinute: number): Way =>
	async ({ baseUrl, tokens }) => {
		const workflow = triggerWorkflow(
			{ events: ['messageReceived'], groupMessages: 'message' },
			`${perMinute} ${baseUrl}`,
		);
		const credential = { baseUrl, apiToken: tokens.all.value };
		const poller = new Poller(engine, workflow, { credential });
		await poller.activate();
		return {
			everyMs: MINUTE_MS / perMinute,
			poll: async () => {
				const { items, error } = await poller.tick();
				if (error) throw error;
				return (items ?? []).map(({ json }) => json.text);
			},
		};
	};

const built: Way = async ({ baseUrl, tokens }) => {
	const workflow = { ...handMade(baseUrl), id: `built ${baseUrl}` };
	const credential = { baseUrl, apiToken: tokens.all.value };
	return await Promise.resolve({
		everyMs: MINUTE_MS / 4,
		poll: async () => {
			const run = await engine.run(workflow, { credential });
			return outputOf(run, 'New Messages').map(({ json }) => json.text);
		},
	});
};

interface Result {
	seconds: number[];
	perMinute: number;
	old: number;
	lost: number;
	failed: number;
}

/** Writes messages at random times, and polls in time. */
async function measure(chats: number, order: Order, way: Way): Promise<Result> {
	const sandbox = await startSandbox({
		...{ contacts: 1, tickets: 0 },
		rateLimit: { requests: 300, routes: 'all' },
		shapes: { chatActivity: 'lastMessageAt', chatOrder: order },
	});
	const { world } = sandbox;
	const known: Chat[] = [];
	const newChat = (): Chat => {
		const number = 12_025_550_000 + world.contacts.size;
		const contact = world.addContact({ name: `Customer ${number}`, waId: String(number) });
		const [like] = world.chats.filter(({ channel }) => channel === 'WHATSAPP');
		const { id: _id, createdAt: _createdAt, ...rest } = like!;
		return world.addChat({ ...rest, contactId: contact.id });
	};
	const add = (chat: Chat, text: string): void =>
		void world.addMessage(chat, {
			...{ direction: 'INBOUND', type: 'text', content: { text }, agentId: null },
		});
	for (let i = 0; i < chats; i++) {
		known.push(newChat());
		add(known[i]!, 'An old one');
	}
	const written = new Map<unknown, number>();
	let made = 0;
	const write = (): void => {
		const text = `Message ${++made}`;
		add(known[Math.floor(Math.random() * known.length)] ?? newChat(), text);
		written.set(text, performance.now());
	};

	const { everyMs, poll } = await way(sandbox);
	const result: Result = { seconds: [], perMinute: 0, old: 0, lost: 0, failed: 0 };
	const end = performance.now() + MINUTES * MINUTE_MS;
	const before = sandbox.requests.length;
	const writing = (async () => {
		while (performance.now() < end) {
			await sleep(Math.random() * 2 * EVERY_MS);
			if (performance.now() < end) write();
		}
	})();
	const tick = async (): Promise<void> => {
		const texts = await poll().catch(() => {
			result.failed++;
			return [];
		});
		for (const text of texts) {
			const at = written.get(text);
			if (at === undefined) result.old++;
			else result.seconds.push((performance.now() - at) / 1_000);
			written.delete(text);
		}
	};
	// As in n8n, a poll that still runs is not repeated. The last poll begins after the last message, which has six more minutes.
	let running: Promise<void> | undefined;
	for (
		let next = performance.now() + everyMs;
		next < end + everyMs || (written.size > 0 && next < end + 6 * MINUTE_MS);
		next += everyMs
	) {
		await sleep(Math.max(0, next - performance.now()));
		running ??= tick().finally(() => (running = undefined));
		if (next < end) {
			const minutes = MINUTES - (end - performance.now()) / MINUTE_MS;
			result.perMinute = (sandbox.requests.length - before) / minutes;
		}
	}
	await Promise.all([running, writing]);
	result.lost = written.size;
	await sandbox.close();
	return result;
}

const WAYS: [name: string, way: Way][] = [
	['the trigger, 1 poll a minute', trigger(1)],
	['the trigger, 4 polls a minute', trigger(4)],
	['Schedule Trigger, HTTP Request, Remove Duplicates', built],
];

// One list after another, so that they do not slow each other down.
const results: Result[] = [];
for (const [chats, order] of LISTS) {
	progress(`${chats} chats, by ${order}: polling for ${MINUTES} minutes`);
	results.push(
		...(await Promise.all(WAYS.map(async ([, way]) => await measure(chats, order, way)))),
	);
}
const rows: string[][] = [
	[
		'chats',
		'way',
		'median',
		'worst',
		'requests a minute',
		'messages',
		'old ones',
		'lost',
		'failed',
	],
];
const medians: number[][] = WAYS.map(() => []);
for (const [i, result] of results.entries()) {
	const [chats, order] = LISTS[Math.floor(i / WAYS.length)]!;
	const [name] = WAYS[i % WAYS.length]!;
	const { seconds, perMinute, old, lost, failed } = result;
	const middle = median(seconds);
	medians[i % WAYS.length]!.push(middle);
	rows.push([
		`${chats.toLocaleString('en')}, by ${order}`,
		name,
		`${middle.toFixed(1)} s`,
		`${Math.max(...seconds).toFixed(1)} s`,
		perMinute.toFixed(0),
		...[seconds.length, old, lost, failed].map(String),
	]);
}
report('From a message to its execution', rows);
chart('latency', {
	title: 'Seconds from a message to its execution, in the median',
	unit: 's',
	categories: LISTS.map(([chats, order]) => `${chats.toLocaleString('en')} chats, by ${order}`),
	series: WAYS.map(([name], i) => ({ name, values: medians[i]! })),
});
process.exit(0);
