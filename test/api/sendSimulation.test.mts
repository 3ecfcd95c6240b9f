/**
 * Requests of several executions and polls at once, in simulated time. Whatever happens to each of them, it ends, and
 * leaves nothing behind.
 */
import fc from 'fast-check';
import { type IHttpRequestOptions, NodeApiError, NodeOperationError } from 'n8n-workflow';
import { getEventListeners } from 'node:events';
import { Readable } from 'node:stream';
import { clock } from '../../nodes/ConversationalMessaging/api/base/clock.ts';
import type { N8nFunctions } from '../../nodes/ConversationalMessaging/api/client.ts';
import {
	MAX_LIMIT,
	RateLimiter,
} from '../../nodes/ConversationalMessaging/api/rate/rateLimiter.ts';
import { multipart } from '../../nodes/ConversationalMessaging/api/files/multipart.ts';
import type { ServiceRequest } from '../../nodes/ConversationalMessaging/api/request.ts';
import { send } from '../../nodes/ConversationalMessaging/api/send.ts';
import { seededRandom } from '../../sandbox/random.mts';
import { NODE } from '../support/node.mts';
import { clientWith, STORED_CSV, UPLOAD } from '../support/service.mts';
import { SimulatedTime } from './simulation.mts';
import { runs } from '../support/runs.mts';

const HOUR_MS = 3_600_000;

let time = new SimulatedTime(Math.random);
afterEach(() => time.restore());

const REQUESTS: Record<string, ServiceRequest> = {
	read: { endpoint: 'GET /tickets', action: 'Get many tickets' },
	write: { endpoint: 'POST /tickets', action: 'Create ticket', body: { title: 'A' } },
	upload: UPLOAD,
	'upload of a missing file': {
		...UPLOAD,
		upload: multipart({ ...STORED_CSV, content: { stored: '' } }),
	},
	download: { endpoint: 'GET /contacts/export', action: 'Export' },
};

/** How the service responds to one attempt: with a status, or not at all. */
const responses = fc.record({
	latencyMs: fc.constantFrom(1, 20, 300, 3_000, 40_000, 700_000),
	ends: fc.oneof(
		{ arbitrary: fc.constant(200), weight: 2 },
		fc.constantFrom(404, 429, 429, 503, 'ECONNRESET', 'ECONNREFUSED'),
	),
	headers: fc.constantFrom<Record<string, string>>(
		{},
		{},
		{ 'retry-after': '1' },
		{ 'retry-after': '30' },
		{ 'ratelimit-limit': '60', 'ratelimit-remaining': '3', 'ratelimit-reset': '20' },
		{ 'ratelimit-limit': '60', 'ratelimit-remaining': '0', 'ratelimit-reset': '5' },
		{ 'ratelimit-limit': '0.5', 'ratelimit-remaining': '0.3', 'ratelimit-reset': '0.2' },
		{ 'ratelimit-limit': '1', 'ratelimit-remaining': '1e12' },
	),
});

const requests = fc.record({
	kind: fc.constantFrom(...Object.keys(REQUESTS)),
	after: fc.constantFrom(0, 0, 0, 1, 100, 5_000, 61_000),
	/** Which execution it belongs to, by number. */
	execution: fc.nat(3),
	attempts: fc.array(responses, { minLength: 1, maxLength: 3 }),
});

/** Several requests, some of which may be stopped at once; or a poll or a list in the editor, which nobody stops. */
const executions = fc.record({
	priority: fc.constantFrom('urgent', 'urgent', 'single', 'bulk'),
	stoppedAfter: fc.constantFrom(Infinity, Infinity, 0, 2, 50, 5_000, 70_000),
	maxRateLimitWaitMs: fc.constantFrom(0, 5_000, Infinity),
	leftMs: fc.constantFrom(Infinity, Infinity, 3, 25_000),
});

type Request = typeof requests extends fc.Arbitrary<infer Value> ? Value : never;
type Execution = typeof executions extends fc.Arbitrary<infer Value> ? Value : never;

/** A service that notes what it receives. */
class Service {
	inFlight = 0;
	readonly files: Readable[] = [];
	/** What should not have happened. */
	readonly mistakes: string[] = [];

	/** The helpers of n8n for one request. */
	helpersFor(request: Request, deadline: number) {
		let attempts = 0;
		return {
			getBinaryMetadata: async (id: string) =>
				id === '' ? await Promise.reject(new Error('ENOENT')) : { fileSize: 4 },
			getBinaryStream: async () => {
				this.files.push(Readable.from([Buffer.from('name')]));
				return this.files.at(-1)!;
			},
			binaryToString: async () => '{"error":"No file"}',
			httpRequestWithAuthentication: async (_credential: string, options: IHttpRequestOptions) => {
				const { abortSignal, timeout = NaN } = options;
				// As n8n's HTTP client, which sends nothing then.
				if (abortSignal?.aborted) throw failure('ERR_CANCELED');
				if (clock.now() >= deadline) this.mistakes.push('sent after its deadline');
				if (++this.inFlight > MAX_LIMIT) this.mistakes.push('too many at once');
				const { latencyMs, ends, headers } =
					request.attempts[attempts++ % request.attempts.length]!;
				const isStopped = await sleepUnlessStopped(Math.min(latencyMs, timeout), abortSignal);
				this.inFlight--;
				if (isStopped) throw failure('ERR_CANCELED');
				if (latencyMs > timeout) throw failure('ECONNABORTED');
				if (typeof ends === 'string') throw failure(ends);
				const body = '{"success":true,"data":[]}';
				return { statusCode: ends, headers: { 'content-type': 'text/csv', ...headers }, body };
			},
		};
	}
}

const failure = (code: string) => Object.assign(new Error(code), { code });

/** Returns whether it was stopped. */
async function sleepUnlessStopped(ms: number, signal?: IHttpRequestOptions['abortSignal']) {
	const stop = new AbortController();
	const onAbort = () => stop.abort();
	signal?.addEventListener?.('abort', onAbort);
	await clock.sleep(ms, stop.signal);
	signal?.removeEventListener?.('abort', onAbort);
	return stop.signal.aborted;
}

/** An execution: its requests share a signal, unless nobody can stop it, as a poll and a list in the editor. */
function begin(execution: Execution) {
	const { priority, stoppedAfter } = execution;
	const stop = new AbortController();
	const canBeStopped = priority === 'single' || priority === 'bulk';
	const began = clock.now();
	if (canBeStopped && stoppedAfter < Infinity) time.after(stoppedAfter, () => stop.abort());
	return {
		...execution,
		signal: canBeStopped ? stop.signal : undefined,
		stoppedAt: canBeStopped ? began + stoppedAfter : Infinity,
		deadline: began + execution.leftMs,
	};
}

test('every request ends, is not sent too late, and gives back its slot, its listeners and its file', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.array(requests, { minLength: 1, maxLength: 60 }),
			fc.array(executions, { minLength: 4, maxLength: 4 }),
			fc.constantFrom(0, 0.1, 0.5),
			fc.integer(),
			async (all, settings, reserve, seed) => {
				time.restore();
				time = new SimulatedTime(seededRandom(seed)).install();
				clock.yieldToOthers = async () => await time.sleep(1);
				const service = new Service();
				const rateLimiter = new RateLimiter();
				rateLimiter.reserve = reserve;
				const running = settings.map(begin);
				const one = async (request: Request) => {
					const { stoppedAt, ...execution } = running[request.execution]!;
					await time.sleep(request.after);
					const helpers = service.helpersFor(request, execution.deadline);
					const n8n = { getNode: () => NODE, helpers } as unknown as N8nFunctions;
					const client = clientWith({ rateLimiter, ...execution, n8n });
					const called = clock.now();
					const error: unknown = await send(client, REQUESTS[request.kind]!).then(
						() => undefined,
						(thrown: unknown) => thrown,
					);
					const isOfNode = error instanceof NodeApiError || error instanceof NodeOperationError;
					if (error !== undefined) expect([error, isOfNode]).toStrictEqual([error, true]);
					// At once, or after those before it, each of which leaves a millisecond after the one before.
					const latest = Math.max(called, stoppedAt) + all.length;
					expect(clock.now()).toBeLessThanOrEqual(latest);
				};
				try {
					await time.passUntil(Promise.all(all.map(one)));
				} finally {
					// Nothing waits for its turn in the next test.
					await time.passUntil(time.sleep(HOUR_MS));
				}
				expect(service.mistakes).toStrictEqual([]);
				expect(service.inFlight).toBe(0);
				expect(service.files.filter((file) => !file.destroyed)).toStrictEqual([]);
				const listeners = running.map(({ signal }) =>
					signal ? getEventListeners(signal, 'abort').length : 0,
				);
				expect(listeners).toStrictEqual([0, 0, 0, 0]);
				// No slot is in use, and nothing waits.
				expect(rateLimiter['window'].inFlightCount).toBe(0);
				expect(rateLimiter['queues'].map(({ waiting }) => waiting.size)).toStrictEqual(
					Array(6).fill(0),
				);
			},
		),
		{ numRuns: runs(40, 1_000) },
	);
});
