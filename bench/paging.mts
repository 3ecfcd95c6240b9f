/**
 * A list of 40 pages of 200 rows at 100 ms: this package's Get Many compared with n8n's HTTP Request node with its
 * own pagination, on the same sandbox in one run.
 */
import type { IRun } from 'n8n-workflow';
import type { WorkflowFile } from '../engine/workflows.mts';
import { outputOf } from '../engine/engine.mts';
import { chart } from './chart.mts';
import { median, progress, report } from './report.mts';
import { loadEngine, packageWorkflow, httpRequestList } from './reference.mts';
import { startService } from './service.mts';

const PAGES = 40;
const LATENCY_MS = 100;
/** Page 1, then 8 and the rest at once. */
const ROUNDS_OF_PAGES = 3;
const ROUNDS = 5;

const engine = await loadEngine();
const service = await startService({
	tickets: PAGES * 200,
	contacts: 100,
	latencyMs: LATENCY_MS,
	rateLimit: { requests: 0 },
});
const credential = { baseUrl: service.baseUrl, apiToken: service.token };

const getMany = packageWorkflow({ resource: 'ticket', operation: 'getAll', returnAll: true });
const httpRequest = httpRequestList(`${service.baseUrl}/tickets`);

async function measure(file: WorkflowFile): Promise<{ ms: number; run: IRun }> {
	const started = performance.now();
	const run = await engine.run(file, { credential });
	return { ms: performance.now() - started, run };
}

function rowsOf(run: IRun): number {
	const items = outputOf(run, 'Node').map(({ json }) => json);
	return items.reduce((sum, { data }) => sum + (Array.isArray(data) ? data.length : 1), 0);
}

const times = { package: [] as number[], httpRequest: [] as number[] };
let items = { package: 0, httpRequest: 0 };
await measure(getMany);
for (let round = 0; round < ROUNDS; round++) {
	progress(`round ${round + 1} of ${ROUNDS}`);
	const fromPackage = await measure(getMany);
	const fromHttpRequest = await measure(httpRequest);
	times.package.push(fromPackage.ms);
	times.httpRequest.push(fromHttpRequest.ms);
	items = {
		package: outputOf(fromPackage.run, 'Node').length,
		httpRequest: outputOf(fromHttpRequest.run, 'Node').length,
	};
	if (rowsOf(fromPackage.run) !== PAGES * 200 || rowsOf(fromHttpRequest.run) !== PAGES * 200) {
		throw new Error('Rows are missing');
	}
}
service.close();

const limit = LATENCY_MS * ROUNDS_OF_PAGES;
const [fromPackage, fromHttpRequest] = [median(times.package), median(times.httpRequest)];
report(`Paging: ${PAGES} pages of 200 rows at ${LATENCY_MS} ms, median of ${ROUNDS}`, [
	['this package', `${fromPackage.toFixed(0)} ms`, `${items.package} items`],
	[
		'HTTP Request with pagination',
		`${fromHttpRequest.toFixed(0)} ms`,
		`${items.httpRequest} items, each a page to split`,
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
