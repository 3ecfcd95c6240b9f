/**
 * 1,000 updates of 1,000 different contacts at 50 ms, at services that carry any number of requests at once, 16 and 4:
 * this package compared with n8n's HTTP Request node, which sends all at once, and with the best possible time.
 */
import type { WorkflowFile } from '../engine/workflows.mts';
import { chart } from './chart.mts';
import { median, progress, report } from './report.mts';
import { loadEngine } from './reference.mts';
import { type Service, startService } from './service.mts';
import { httpRequest, ITEMS, LATENCY_MS, runItems, update } from './updates.mts';

const engine = await loadEngine();

interface Result {
	ms: number;
	failures: number;
	atOnce: number;
}

/** A service that has just been started takes longer at first. The node does not know of these requests. */
async function warmUp({ baseUrl, token }: Service): Promise<void> {
	for (let request = 0; request < 30; request++) {
		await fetch(`${baseUrl}/contacts/12015550100`, {
			method: 'PATCH',
			headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
			body: JSON.stringify({ customName: 'Customer' }),
		});
	}
}

async function measure(
	capacity: number,
	fileFor: (baseUrl: string) => WorkflowFile,
): Promise<Result> {
	// JSON, in which the process gets its settings, has no Infinity.
	const service = await startService({
		contacts: 1_500,
		tickets: 0,
		latencyMs: LATENCY_MS,
		capacity: Math.min(capacity, 1_000_000),
		rateLimit: { requests: 0 },
	});
	await warmUp(service);
	const { ms, failures } = await runItems(engine, service, fileFor, ITEMS);
	const atOnce = await service.mostAtOnce();
	service.close();
	return { ms, failures, atOnce };
}

const SERVICES = [
	{ capacity: Infinity, name: 'any number', times: 1.4, atMost: 66 },
	{ capacity: 16, name: '16', times: 1.3, atMost: 66 },
	{ capacity: 4, name: '4', times: 1.3, atMost: 66 },
];

/** An odd number: the median of both nodes counts, measured in turn. */
const ROUNDS = 3;

async function medians(
	capacity: number,
): Promise<{ fromPackage: Result; fromHttpRequest: Result }> {
	const results = { fromPackage: [] as Result[], fromHttpRequest: [] as Result[] };
	for (let round = 0; round < ROUNDS; round++) {
		results.fromPackage.push(await measure(capacity, update));
		results.fromHttpRequest.push(await measure(capacity, httpRequest));
	}
	return {
		fromPackage: medianOf(results.fromPackage),
		fromHttpRequest: medianOf(results.fromHttpRequest),
	};
}

/** The median time; of failures and requests at once the most. */
const medianOf = (results: Result[]): Result => ({
	ms: median(results.map(({ ms }) => ms)),
	failures: Math.max(...results.map(({ failures }) => failures)),
	atOnce: Math.max(...results.map(({ atOnce }) => atOnce)),
});

// The first run of each also loads and compiles code.
await measure(Infinity, update);
await measure(Infinity, httpRequest);
const rows: string[][] = [];
const times: { name: string; fromPackage: number; httpRequest: number }[] = [];
let meetsTarget = true;
/** How long HTTP Request takes if nothing holds it up, in milliseconds. */
let unlimitedMs: number | undefined;
for (const { capacity, name, times: limit, atMost } of SERVICES) {
	progress(`a service that handles ${name} at once`);
	const { fromPackage, fromHttpRequest } = await medians(capacity);
	unlimitedMs ??= fromHttpRequest.ms;
	// n8n itself takes some milliseconds of each item, and no node is faster than that.
	const best = Math.max((ITEMS * LATENCY_MS) / capacity, unlimitedMs);
	const ratio = fromPackage.ms / best;
	meetsTarget &&= ratio <= limit && fromPackage.atOnce <= atMost && fromPackage.failures === 0;
	times.push({ name, fromPackage: fromPackage.ms, httpRequest: fromHttpRequest.ms });
	rows.push(
		[
			name,
			'this package',
			`${(fromPackage.ms / 1_000).toFixed(1)} s`,
			String(fromPackage.atOnce),
			ratio.toFixed(2),
		],
		[
			'',
			'HTTP Request',
			`${(fromHttpRequest.ms / 1_000).toFixed(1)} s`,
			String(fromHttpRequest.atOnce),
			'',
		],
	);
}
report(
	`${ITEMS} updates at ${LATENCY_MS} ms, at services that handle this many at once, median of ${ROUNDS}`,
	[['handles', '', 'time', 'most at once', 'relative to the best possible'], ...rows],
);
chart('capacity', {
	title: `${ITEMS} updates at ${LATENCY_MS} ms, by how many requests the service handles at once`,
	unit: 's',
	categories: times.map(({ name }) => name),
	series: [
		{ name: 'Contact → Update', values: times.map(({ fromPackage }) => fromPackage / 1_000) },
		{ name: 'HTTP Request, all at once', values: times.map(({ httpRequest: ms }) => ms / 1_000) },
	],
});
process.exit(meetsTarget ? 0 : 1);
