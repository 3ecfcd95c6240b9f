/**
 * A list of 40 pages of 200 rows at 100 ms: this package's Get Many compared with n8n's HTTP Request node with its
 * own pagination, on the same sandbox in one run.
 */
import type { WorkflowFile } from '../engine/workflows.mts';
import { outputOf } from '../engine/engine.mts';
import { chart } from './chart.mts';
import { median, progress, report } from './report.mts';
import { loadEngine, packageWorkflow, httpRequestList } from './reference.mts';
import { type Service, startService } from './service.mts';

const PAGES = 40;
const LATENCY_MS = 100;
/** Page 1, then 8 and the rest at once. */
const ROUNDS_OF_PAGES = 3;
const ROUNDS = 5;

const engine = await loadEngine();
const getMany = packageWorkflow({ resource: 'ticket', operation: 'getAll', returnAll: true });

interface Measured {
	ms: number;
	/** How many items the node returned. */
	items: number;
}

async function measure(file: WorkflowFile, { baseUrl, token }: Service): Promise<Measured> {
	const started = performance.now();
	const run = await engine.run(file, { credential: { baseUrl, apiToken: token } });
	const ms = performance.now() - started;
	const items = outputOf(run, 'Node').map(({ json }) => json);
	const rows = items.map(({ data }) => (Array.isArray(data) ? data.length : 1));
	if (rows.reduce((sum, count) => sum + count, 0) !== PAGES * 200)
		throw new Error('Rows are missing');
	return { ms, items: items.length };
}

/** A service of its own for each round: what a former round has found out about it would count in the next. */
async function round(): Promise<Record<'httpRequest' | 'first' | 'second', Measured>> {
	const service = await startService({
		tickets: PAGES * 200,
		contacts: 100,
		latencyMs: LATENCY_MS,
		rateLimit: { requests: 0 },
	});
	// HTTP Request first: a service that has just been started takes longer.
	const httpRequest = await measure(httpRequestList(`${service.baseUrl}/tickets`), service);
	const first = await measure(getMany, service);
	const second = await measure(getMany, service);
	service.close();
	return { httpRequest, first, second };
}

await round();
const rounds: Awaited<ReturnType<typeof round>>[] = [];
for (let count = 1; count <= ROUNDS; count++) {
	progress(`round ${count} of ${ROUNDS}`);
	rounds.push(await round());
}

const limit = LATENCY_MS * ROUNDS_OF_PAGES;
const [fromPackage, again, fromHttpRequest] = (['first', 'second', 'httpRequest'] as const).map(
	(which) => median(rounds.map((measured) => measured[which].ms)),
) as [number, number, number];
const items = rounds[0] as (typeof rounds)[0];
report(`Paging: ${PAGES} pages of 200 rows at ${LATENCY_MS} ms, median of ${ROUNDS}`, [
	['this package', `${fromPackage.toFixed(0)} ms`, `${items.first.items} items`],
	['the same list once more, within a minute', `${again.toFixed(0)} ms`],
	[
		'HTTP Request with pagination',
		`${fromHttpRequest.toFixed(0)} ms`,
		`${items.httpRequest.items} items, each a page to split`,
	],
	['speedup', (fromHttpRequest / fromPackage).toFixed(1), 'at least 10'],
	[
		'relative to three times the latency',
		(fromPackage / limit).toFixed(2),
		`${limit} ms; at most 1.6`,
	],
]);
chart('paging', {
	title: `A list of ${PAGES * 200} rows, ${LATENCY_MS} ms per response`,
	unit: 'ms',
	categories: [
		'Ticket → Get Many → Return All',
		'HTTP Request with its own pagination',
		'three times the latency',
	],
	series: [{ name: 'time', values: [fromPackage, fromHttpRequest, limit] }],
});
process.exit(fromHttpRequest / fromPackage >= 10 && fromPackage / limit <= 1.6 ? 0 : 1);
