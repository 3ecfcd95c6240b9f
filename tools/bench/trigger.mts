/**
 * What a poll of the trigger costs if nothing changes, compared with the plain way (list everything and compare) and
 * with the workflow that a user would build today from HTTP Request and Remove Duplicates; how long the comparison
 * takes; and whether 10,000 polls leave memory and state as they are.
 */
import { decode, encode } from '../../nodes/ConversationalMessaging/trigger/state.ts';
import { diff } from '../../nodes/ConversationalMessaging/trigger/status/compare.ts';
import { emptyMemory } from '../../nodes/ConversationalMessaging/trigger/status/memory.ts';
import { keyOf } from '../../nodes/ConversationalMessaging/trigger/keys.ts';
import { LIMITS } from '../../nodes/ConversationalMessaging/trigger/limits.ts';
import { tickets } from '../../nodes/ConversationalMessaging/trigger/status/sources/tickets.ts';
import { builtClock } from '../engine/builtClock.mts';
import { outputOf } from '../engine/engine.mts';
import { Poller } from '../engine/poller.mts';
import {
	builtIn,
	linearWorkflow,
	triggerWorkflow,
	type WorkflowFile,
} from '../engine/workflows.mts';
import { loadEngine, packageWorkflow, httpRequestList } from './reference.mts';
import { chart } from './chart.mts';
import { median, progress, report } from './report.mts';
import { startService, type Service } from './service.mts';
import type { Ticket, TicketStatus } from '../../sandbox/records.mts';
import { startSandbox } from '../../sandbox/server.mts';

const SIZES = [200, 3_000, 20_000];
const POLLS = 5;
const POLLS_IN_A_ROW = 10_000;
/** After which long lists are known: what half of the rate limit cannot read at once is read 10 pages at a time. */
const POLLS_UNTIL_KNOWN = 16;
/** At rest, by the number of tickets. */
const mostRequests = (tickets: number) => (tickets <= 200 ? 4 : tickets <= 3_000 ? 8 : 20);
const MAX_STATE = 200 * 1000;

const engine = await loadEngine();

const { now, elapsed } = builtClock;
let waitedMs = 0;
builtClock.now = () => now() + waitedMs;
builtClock.elapsed = () => elapsed() + waitedMs;

/** The next poll, a minute later: the polls of a minute share what they may send. */
async function tick(poller: Poller): ReturnType<Poller['tick']> {
	waitedMs += 60_000;
	return await poller.tick();
}

const workflow = triggerWorkflow({ events: ['ticketStatusChanged'] });

/** HTTP Request with its pagination → Split Out → Remove Duplicates by ID and status. */
function builtToday(baseUrl: string): WorkflowFile {
	const list = httpRequestList(`${baseUrl}/tickets`);
	return linearWorkflow(
		list.name,
		...list.nodes,
		builtIn('Split Out', 'splitOut', { fieldToSplitOut: 'data', options: {} }, 1),
		builtIn(
			'Remove Duplicates',
			'removeDuplicates',
			{
				operation: 'removeItemsSeenInPreviousExecutions',
				logic: 'removeItemsWithAlreadySeenKeyValues',
				dedupeValue: '={{ $json.id + $json.status }}',
				// Beyond its default of 10,000, it stops with an error.
				options: { historySize: 1_000_000 },
			},
			2,
		),
	);
}

interface Cost {
	requests: number;
	ms: number;
}

/** The median of several polls, after the first two. */
async function cost(service: Service, poll: () => Promise<void>, polls = POLLS): Promise<Cost> {
	await poll();
	await poll();
	const requests: number[] = [];
	const ms: number[] = [];
	for (let i = 0; i < polls; i++) {
		const before = await service.requests();
		const started = performance.now();
		await poll();
		ms.push(performance.now() - started);
		requests.push((await service.requests()) - before);
	}
	return { requests: Math.max(...requests), ms: median(ms) };
}

const missedTargets: string[] = [];
const expect = (ok: boolean, what: string): string => {
	if (!ok) missedTargets.push(what);
	return ok ? 'met' : 'NOT MET';
};

const rows: string[][] = [['tickets', 'way', 'requests', 'time', 'state']];
const costs: Cost[][] = [];
for (const tickets of SIZES) {
	const service = await startService({ tickets, contacts: 100, rateLimit: { requests: 0 } });
	const credential = { baseUrl: service.baseUrl, apiToken: service.token };

	const poller = new Poller(engine, { ...workflow, id: `size ${tickets}` }, { credential });
	await poller.activate();
	for (let i = 0; i < POLLS_UNTIL_KNOWN; i++) await tick(poller);
	const trigger = await cost(service, async () => {
		const { items, error } = await tick(poller);
		if (items || error) throw error ?? new Error('Something changed');
	});

	let last = new Map<unknown, unknown>();
	const getMany = packageWorkflow({ resource: 'ticket', operation: 'getAll', returnAll: true });
	const plain = await cost(
		service,
		async () => {
			const run = await engine.run(getMany, { credential });
			const now = new Map(outputOf(run, 'Node').map(({ json }) => [json.id, json.status]));
			for (const [id, status] of now)
				if (last.size > 0 && last.get(id) !== status) throw new Error('Something changed');
			last = now;
		},
		1,
	);

	const today = builtToday(service.baseUrl);
	const built = await cost(
		service,
		async () => {
			const run = await engine.run(today, { credential });
			if (run.status !== 'success') throw new Error('The workflow of n8n’s nodes did not run');
		},
		1,
	);
	service.close();

	costs.push([trigger, plain, built]);
	const size = tickets.toLocaleString('en');
	const line = (way: string, { requests, ms }: Cost, state: string) =>
		rows.push([size, way, String(requests), `${ms.toFixed(0)} ms`, state]);
	const bytes = poller.saved.length;
	line('this trigger', trigger, `${Math.ceil(bytes / 1024)} KB`);
	line('list everything, compare', plain, '');
	line('HTTP Request, Remove Duplicates', built, '');
	expect(trigger.requests <= mostRequests(tickets), `requests for ${size}`);
	expect(bytes <= MAX_STATE, `state of ${size}`);
}
report('A poll without changes (600 of the tickets are not closed)', rows);
const ways = ['this trigger', 'Get Many, compare', 'HTTP Request, Split Out, Remove Duplicates'];
chart('trigger-requests', {
	categories: SIZES.map((tickets) => `${tickets.toLocaleString('en')} tickets`),
	logarithmic: true,
	title: 'Requests of a poll (logarithmic)',
	unit: '',
	series: ways.map((name, way) => ({
		name,
		values: costs.map((cost) => cost[way]?.requests ?? NaN),
	})),
});

const records = Array.from({ length: 20_000 }, (_, i) => {
	const id = `cm4k2w8qx${String(i).padStart(16, '0')}`;
	return { key: id, id, status: i % 33 === 0 ? 'OPEN' : 'CLOSED', record: {} };
});
const isOpen = ({ status }: (typeof records)[number]) => status === 'OPEN';
const memory = {
	...emptyMemory(),
	known: new Set(['OPEN', 'CLOSED']),
	keys: new Map(records.filter(isOpen).map(({ key, status }) => [key, status])),
	hashes: new Map(records.filter((row) => !isOpen(row)).map((row) => [keyOf(row.key), row.status])),
};
const checkpoint = {
	scope: '',
	token: '',
	filter: { statuses: [], includeNew: true, fields: {} },
	failures: 0,
	memory,
};
const state = { sources: { ticketStatusChanged: checkpoint } };
const text = encode(state);
/** What a poll at rest reads, and all of them at once. */
const pages = records.slice(0, 200 * (4 + LIMITS.cursorPages));
const seenNow = (list: typeof records) => ({
	seen: new Map(list.map((row) => [row.key, row])),
	listOf: (status: string) => ({ status }),
	lists: ['OPEN', 'CLOSED'].map((status) => ({ status })),
	entered: new Map(['OPEN', 'CLOSED'].map((status) => [status, 'any'] as const)),
});
const same = seenNow(pages);
const all = seenNow(records);
const time = (work: () => unknown): string => {
	const times = Array.from({ length: 51 }, () => {
		const started = performance.now();
		work();
		return performance.now() - started;
	});
	return `${median(times).toFixed(1)} ms`;
};
report('20,000 records, median of 51', [
	[
		'compared with what a poll at rest reads of them',
		time(() => diff(memory, same, { source: tickets, scope: {} })),
	],
	['compared with all of them', time(() => diff(memory, all, { source: tickets, scope: {} }))],
	['read from the saved text', time(() => decode(text))],
	['written into the text', time(() => encode(state))],
]);

/** Every distribution of records over the statuses, over HTTP: without changes, and with changes between any two. */
const STATUSES: TicketStatus[] = ['OPEN', 'IN_PROGRESS', 'RESOLVED', 'CLOSED'];
const QUARTERS = (_: unknown, i: number) => STATUSES[i % 4] as TicketStatus;
const SPLITS: [string, number, (ticket: Ticket, i: number) => TicketStatus, number][] = [
	['200 in four', 200, QUARTERS, 4],
	...[3_000, 20_000].flatMap((size): (typeof SPLITS)[number][] => [
		[
			`${size.toLocaleString('en')}, 600 open`,
			size,
			(_, i) => (i % (size / 600) < 1 ? 'OPEN' : 'CLOSED'),
			mostRequests(size),
		],
		[`${size.toLocaleString('en')}, all resolved`, size, () => 'RESOLVED', mostRequests(size)],
		[`${size.toLocaleString('en')}, all open`, size, () => 'OPEN', mostRequests(size)],
		[`${size.toLocaleString('en')}, a quarter in each`, size, QUARTERS, mostRequests(size)],
	]),
];
const table: string[][] = [
	['tickets', 'at rest', 'state', '1 change', '10 changes', '500 changes', 'events'],
];
for (const [what, size, statusOf, most] of SPLITS) {
	const sandbox = await startSandbox({ tickets: size, contacts: 10, rateLimit: { requests: 0 } });
	const all = [...sandbox.world.tickets.newestFirst()];
	all.forEach((ticket, i) => (ticket.status = statusOf(ticket, i)));
	const poller = new Poller(
		engine,
		{ ...workflow, id: what },
		{ credential: { baseUrl: sandbox.baseUrl, apiToken: sandbox.tokens.all.value } },
	);
	const poll = async () => {
		const before = sandbox.requests.length;
		const { items, error } = await tick(poller);
		if (error) throw error;
		const changes = (items ?? []).map(({ json }) =>
			([json.recordId, json.previousStatus, json.status] as string[]).join(' '),
		);
		return { changes, requests: sandbox.requests.length - before };
	};
	await poller.activate();
	for (let i = 0; i < POLLS_UNTIL_KNOWN; i++) await poll();
	const rest: number[] = [];
	let invented = 0;
	for (let i = 0; i < 12; i++) {
		const { changes, requests } = await poll();
		invented += changes.length;
		rest.push(requests);
	}
	let missed = 0;
	const costs: string[] = [];
	for (const count of [1, 10, 500]) {
		const requests: number[] = [];
		for (const from of STATUSES)
			for (const to of STATUSES) {
				const candidates = all.filter(({ status }) => status === from);
				if (from === to || candidates.length < count) continue;
				const step = Math.floor(candidates.length / count);
				const selected = candidates.filter((_ticket, i) => i % step === step >> 1).slice(0, count);
				const pending = new Set(selected.map(({ id }) => [id, from, to].join(' ')));
				for (const ticket of selected) ticket.status = to;
				let sum = 0;
				for (let polls = 0; polls < 12 && pending.size > 0; polls++) {
					const found = await poll();
					sum += found.requests;
					for (const change of found.changes) if (!pending.delete(change)) invented++;
				}
				missed += pending.size;
				requests.push(sum);
			}
		costs.push(requests.length === 0 ? '' : `${Math.min(...requests)}–${Math.max(...requests)}`);
	}
	await sandbox.close();
	const bytes = poller.saved.length;
	expect(Math.max(...rest) <= most, `requests at rest: ${what}`);
	expect(bytes <= MAX_STATE, `state: ${what}`);
	expect(invented === 0, `invented: ${what}`);
	expect(missed === 0, `missed: ${what}`);
	const kilobytes = `${Math.ceil(bytes / 1024)} KB`;
	const events = `${missed} missed, ${invented} invented`;
	table.push([what, String(Math.max(...rest)), kilobytes, ...costs, events]);
	progress(what);
}
report(
	'Requests of the trigger, by how the tickets are spread (until all changes were found)',
	table,
);

const service = await startService({ tickets: 150, contacts: 50, rateLimit: { requests: 0 } });
const credential = { baseUrl: service.baseUrl, apiToken: service.token };
const poller = new Poller(engine, { ...workflow, id: 'in a row' }, { credential });
await poller.activate();
const marks: { heap: number; state: number }[] = [];
for (let i = 1; i <= POLLS_IN_A_ROW; i++) {
	const { items, error } = await tick(poller);
	if (items || error) throw error ?? new Error('Something changed');
	if (i % (POLLS_IN_A_ROW / 5) === 0) {
		globalThis.gc?.();
		marks.push({ heap: process.memoryUsage().heapUsed / 1024 / 1024, state: poller.saved.length });
		progress(`${i} of ${POLLS_IN_A_ROW} polls`);
	}
}
service.close();
const growth = (marks.at(-1)?.heap ?? NaN) - (marks[0]?.heap ?? NaN);
const sameState = new Set(marks.map((mark) => mark.state)).size === 1;
report(`${POLLS_IN_A_ROW.toLocaleString('en')} polls in a row`, [
	['heap after each fifth', marks.map(({ heap }) => `${heap.toFixed(0)} MB`).join(', '), ''],
	['grown since the first fifth', `${growth.toFixed(1)} MB`, expect(growth < 5, 'memory')],
	['state', `${marks.at(-1)?.state ?? 0} bytes`, expect(sameState, 'state')],
]);
process.exit(missedTargets.length === 0 ? 0 : 1);
