/**
 * 1,000 updates of 1,000 different contacts at 50 ms: this package compared with one request after another and with
 * n8n's HTTP Request node; then the same under a rate limit; then from 1,000 to 100,000 items.
 */
import axios from 'axios';
import type { WorkflowFile } from '../engine/workflows.mts';
import type { SandboxSettings } from '../../sandbox/options.mts';
import { chart } from './chart.mts';
import { measureScale } from './itemsScale.mts';
import { report } from './report.mts';
import { loadEngine } from './reference.mts';
import { startService, type Service } from './service.mts';
import { httpRequest, ITEMS, LATENCY_MS, runItems, update } from './updates.mts';

const engine = await loadEngine();

interface Result {
	ms: number;
	failures: number;
}

async function measure(
	limits: SandboxSettings,
	send: (service: Service) => Promise<number>,
): Promise<Result> {
	const service = await startService({
		contacts: 1_500,
		tickets: 0,
		latencyMs: LATENCY_MS,
		...limits,
	});
	const started = performance.now();
	const failures = await send(service);
	const ms = performance.now() - started;
	service.close();
	return { ms, failures };
}

/** By a node, on n8n's engine. Returns how many updates failed. */
const byNode = (fileFor: (baseUrl: string) => WorkflowFile) => async (service: Service) =>
	(await runItems(engine, service, fileFor, ITEMS)).failures;

/** As a plain script would. */
async function oneAfterAnother({ baseUrl, token }: Service): Promise<number> {
	const http = axios.create({ baseURL: baseUrl, headers: { Authorization: `Bearer ${token}` } });
	for (let n = 0; n < ITEMS; n++) {
		const waIdOfN = `1${201 + (n % 799)}5550${100 + Math.floor(n / 799)}`;
		await http.patch(`/contacts/${waIdOfN}`, { customName: `Customer ${n}` });
	}
	return 0;
}

const free = { rateLimit: { requests: 0 } };
const limited = { rateLimit: { requests: 400, windowSeconds: 60, routes: 'all' as const } };

// The first run of each also loads and compiles code.
await measure(free, byNode(update));
await measure(free, byNode(httpRequest));
const fromPackage = await measure(free, byNode(update));
const oneByOne = await measure(free, oneAfterAnother);
const atOnce = await measure(free, byNode(httpRequest));
console.log('Under the rate limit, this takes two minutes more.');
const [limitedPackage, limitedHttpRequest] = await Promise.all([
	measure(limited, byNode(update)),
	measure(limited, byNode(httpRequest)),
]);

const row = (name: string, { ms, failures }: Result) => [
	name,
	`${(ms / 1000).toFixed(1)} s`,
	`${failures} failures`,
];
report(`${ITEMS} updates of ${ITEMS} contacts, ${LATENCY_MS} ms each`, [
	row('this package', fromPackage),
	row('one after another', oneByOne),
	row('HTTP Request, all at once', atOnce),
	['speedup over one after another', (oneByOne.ms / fromPackage.ms).toFixed(1), 'at least 4'],
	row('this package, 400 per 60 s', limitedPackage),
	row('HTTP Request, 400 per 60 s', limitedHttpRequest),
]);
chart('items', {
	title: `${ITEMS} updates at ${LATENCY_MS} ms, no limit`,
	unit: 's',
	categories: ['Contact → Update', 'one after another', 'HTTP Request, all at once'],
	series: [{ name: 'time', values: [fromPackage, oneByOne, atOnce].map(({ ms }) => ms / 1_000) }],
});
chart('items-limited', {
	title: `Failures of ${ITEMS} updates under 400 per 60 s`,
	unit: 'failures',
	categories: ['Contact → Update', 'HTTP Request, all at once'],
	series: [{ name: 'failures', values: [limitedPackage.failures, limitedHttpRequest.failures] }],
});
const isFast =
	fromPackage.failures === 0 && limitedPackage.failures === 0 && oneByOne.ms / fromPackage.ms >= 4;
const isLevel = await measureScale();
process.exit(isFast && isLevel ? 0 : 1);
