/**
 * 1,000 updates of 1,000 different contacts at 50 ms: this package beside one after another, and beside n8n's HTTP
 * Request node; then the same under a rate limit.
 */
import type { INodeParameters } from 'n8n-workflow';
import { outputOf, type WorkflowFile } from '../engine/engine.mts';
import type { SandboxSettings } from '../sandbox/options.mts';
import { report } from './report.mts';
import { loadEngine, ours, theirs } from './reference.mts';
import { startService } from './service.mts';

const ITEMS = 1_000;
const LATENCY_MS = 50;
const settings = { onError: 'continueRegularOutput' as const };
const engine = await loadEngine();

/** The n-th contact of the sandbox that has a reserved phone number. */
const waId = '={{ `1${201 + $json.index % 799}5550${100 + Math.floor($json.index / 799)}` }}';

const update = ours(
	{
		resource: 'contact',
		operation: 'update',
		contactId: { __rl: true, mode: 'id', value: waId },
		updateFields: { customName: '={{ "Customer " + $json.index }}' },
	},
	ITEMS,
	settings,
);

const httpRequest = (baseUrl: string, options: INodeParameters) =>
	theirs(
		{
			method: 'PATCH',
			url: `=${baseUrl}/contacts/${waId.slice(1)}`,
			sendBody: true,
			specifyBody: 'json',
			jsonBody: '={{ JSON.stringify({ customName: "Customer " + $json.index }) }}',
			options,
		},
		ITEMS,
		settings,
	);

/** n8n's own way of sending one after another. */
const ONE_BY_ONE = { batching: { batch: { batchSize: 1, batchInterval: 0 } } };

interface Result {
	ms: number;
	failures: number;
}

async function measure(
	limits: SandboxSettings,
	fileFor: (baseUrl: string) => WorkflowFile,
): Promise<Result> {
	const service = await startService({
		contacts: 1_500,
		tickets: 0,
		latencyMs: LATENCY_MS,
		...limits,
	});
	const started = performance.now();
	const run = await engine.run(fileFor(service.baseUrl), {
		credential: { baseUrl: service.baseUrl, apiToken: service.token },
	});
	const ms = performance.now() - started;
	service.close();
	const items = outputOf(run, 'Node');
	return {
		ms,
		failures: items.filter(({ json }) => json.error !== undefined).length + ITEMS - items.length,
	};
}

const free = { rateLimit: { requests: 0 } };
const limited = { rateLimit: { requests: 400, windowSeconds: 60, routes: 'all' as const } };

const mine = await measure(free, () => update);
const oneByOne = await measure(free, (baseUrl) => httpRequest(baseUrl, ONE_BY_ONE));
const atOnce = await measure(free, (baseUrl) => httpRequest(baseUrl, {}));
console.log('Under the rate limit, this takes two minutes more.');
const [mineLimited, theirsLimited] = await Promise.all([
	measure(limited, () => update),
	measure(limited, (baseUrl) => httpRequest(baseUrl, {})),
]);

const row = (name: string, { ms, failures }: Result) => [
	name,
	`${(ms / 1000).toFixed(1)} s`,
	`${failures} failures`,
];
report(`${ITEMS} updates of as many contacts at ${LATENCY_MS} ms`, [
	row('this package', mine),
	row('one after another, by HTTP Request', oneByOne),
	row('HTTP Request, fifty at once', atOnce),
	['times as fast as one after another', (oneByOne.ms / mine.ms).toFixed(1), 'at least 4'],
	row('this package, 400 per 60 s', mineLimited),
	row('HTTP Request, 400 per 60 s', theirsLimited),
]);
const held = mine.failures === 0 && mineLimited.failures === 0 && oneByOne.ms / mine.ms >= 4;
process.exit(held ? 0 : 1);
