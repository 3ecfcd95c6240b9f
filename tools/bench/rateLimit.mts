/**
 * 300 writes under a limit of 60 per window of 60 seconds, once for each way in which a service can report it: this
 * package compared with n8n's HTTP Request node, each with a separate service, all in one run of about four minutes.
 */
import type { RateLimitHeaders } from '../../sandbox/options.mts';
import { chart } from './chart.mts';
import { report } from './report.mts';
import { loadEngine, packageWorkflow, httpRequestWorkflow } from './reference.mts';
import { startService } from './service.mts';
import { runItems } from './updates.mts';

const ITEMS = 300;
const PER_WINDOW = 60;
const WINDOW_S = 60;
/** Over all windows, where only the 429 tells of the limit: up to 64 in the first, 4 in each other. */
const MAX_REJECTED = 80;
const WINDOWS_TO_WAIT = Math.ceil(ITEMS / PER_WINDOW) - 1;
const FLOOR_MS = WINDOWS_TO_WAIT * WINDOW_S * 1000;

/** Styles that report the remaining requests with every response. The others report them with a 429 only, or never. */
const WITH_EVERY_RESPONSE: RateLimitHeaders[] = [
	'ratelimit',
	'x-ratelimit',
	'x-ratelimit-ms',
	'combined',
	'structured',
	'named',
];
const WITH_429_OR_NEVER: RateLimitHeaders[] = ['retry-after', 'retry-after-date', 'none'];

const engine = await loadEngine();
const settings = { onError: 'continueRegularOutput' as const };

interface Result {
	ms: number;
	failures: number;
	rejected: number;
}

async function measure(
	headers: RateLimitHeaders,
	fileFor: (baseUrl: string) => ReturnType<typeof packageWorkflow>,
): Promise<Result> {
	const service = await startService({
		rateLimit: { requests: PER_WINDOW, windowSeconds: WINDOW_S, headers, routes: 'all' },
	});
	const { ms, failures } = await runItems(engine, service, fileFor, ITEMS);
	const rejected = await service.rejected();
	service.close();
	return { ms, failures, rejected };
}

const ticketId = { __rl: true, mode: 'id', value: '={{ String(1001 + $json.index % 200) }}' };
const update = () =>
	packageWorkflow(
		{ resource: 'ticket', operation: 'update', ticketId, updateFields: { priority: 'HIGH' } },
		ITEMS,
		settings,
	);

const httpRequest = (retry: boolean) => (baseUrl: string) =>
	httpRequestWorkflow(
		{
			method: 'PUT',
			url: `=${baseUrl}/tickets/{{ 1001 + $json.index % 200 }}`,
			sendBody: true,
			specifyBody: 'json',
			jsonBody: '{ "priority": "HIGH" }',
		},
		ITEMS,
		retry ? { ...settings, retryOnFail: true, maxTries: 5, waitBetweenTries: 5000 } : settings,
	);

console.log(`This takes about ${WINDOWS_TO_WAIT} minutes: real windows of ${WINDOW_S} s.`);
const [fromPackage, plain, retried] = await Promise.all([
	Promise.all(
		[...WITH_EVERY_RESPONSE, ...WITH_429_OR_NEVER].map(
			async (style) => [style, await measure(style, update)] as const,
		),
	),
	measure('ratelimit', httpRequest(false)),
	measure('ratelimit', httpRequest(true)),
]);

const row = (name: string, { ms, failures, rejected }: Result) => [
	name,
	String(failures),
	String(rejected),
	(rejected / (WINDOWS_TO_WAIT + 1)).toFixed(1),
	`${(ms / 1000).toFixed(1)} s`,
	(ms / FLOOR_MS).toFixed(3),
];
report(
	`${ITEMS} updates under ${PER_WINDOW} per ${WINDOW_S} s; the limit alone takes ${FLOOR_MS / 1000} s`,
	[
		['', 'failures', '429 responses', 'a window', 'time', 'relative to that'],
		...fromPackage.map(([style, result]) => row(`this package, ${style}`, result)),
		row('HTTP Request', plain),
		row('HTTP Request, Retry On Fail', retried),
	],
);

const name = (style: RateLimitHeaders) => (style === 'none' ? 'no header at all' : style);
chart('rate-limit', {
	title: `Failures of ${ITEMS} updates under ${PER_WINDOW} per ${WINDOW_S} s, by how the limit is reported`,
	unit: 'failures',
	categories: [
		...fromPackage.map(([style]) => `this package, ${name(style)}`),
		'HTTP Request',
		'HTTP Request, Retry On Fail',
	],
	series: [
		{
			name: 'failures',
			values: [...fromPackage.map(([, run]) => run), plain, retried].map(
				({ failures }) => failures,
			),
		},
	],
});

const isAsExpected = fromPackage.every(([style, { ms, failures, rejected }]) => {
	const allowed = WITH_EVERY_RESPONSE.includes(style) ? 0 : MAX_REJECTED;
	return failures === 0 && rejected <= allowed && ms <= FLOOR_MS * 1.05;
});
process.exit(isAsExpected ? 0 : 1);
