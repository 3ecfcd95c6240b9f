import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { RateLimitHeaders } from '../../sandbox/options.mts';
import type { Execution } from '../e2e/harness.mts';
import { BULKS, CONTACTS_PER_BULK, Queue, ROUTINGS } from './load.mts';

/** Requests per window of 60 seconds. */
const LIMIT = 1_000;

/** How many executions a worker runs at once: n8n's default. */
const CONCURRENCY = 10;

/** The two ways to report a limit that differ for several processes: with every response, and with the 429 only. */
for (const headers of ['ratelimit', 'retry-after'] satisfies RateLimitHeaders[]) {
	void describe(`500 executions over two workers, one of which is killed; the rate limit reported by ${headers}`, () => {
		let queue: Queue;
		let executions: Execution[];
		/** IDs of the executions that succeeded. */
		let succeeded: Set<string>;

		before(async () => {
			queue = await Queue.start({
				contacts: 3_000,
				credits: { session: 10_000 },
				rateLimit: { requests: LIMIT, windowSeconds: 60, headers, routes: 'all' },
			});
			const seconds = await queue.run();
			executions = await queue.requested();
			const ended = executions.filter(({ status }) => status === 'success');
			succeeded = new Set(ended.map(({ id }) => id));
			const { requests, rateLimiter } = queue.e2e.sandbox;
			const waits = queue.workers.map((worker) => worker.waits().length);
			console.error(
				`${headers}: ${Math.round(seconds)} s, ${requests.length} requests, ` +
					`${rateLimiter.rejected} of them rejected with 429, ` +
					`waits of each worker: ${waits.join(' and ')}, ` +
					`executions that died with the worker: ${executions.length - ended.length}`,
			);
		});

		after(async () => {
			await queue.close();
		});

		test('every execution ends, and succeeds unless its worker was killed', async () => {
			assert.equal(executions.length, ROUTINGS + BULKS);
			const [dead, other] = queue.workers;
			const untouched = new Set([...dead.ended(), ...other.begun()]);
			const failed = executions.filter(({ id }) => !succeeded.has(id));
			const unexpected = failed.filter(({ id }) => untouched.has(id));
			assert.deepEqual(await Promise.all(unexpected.map(({ id }) => queue.e2e.errorOf(id))), []);
			assert.ok(failed.length > 0 && failed.length <= CONCURRENCY, `${failed.length} failed`);
		});

		test('each worker runs executions, and they wait for the rate limit', () => {
			for (const worker of queue.workers) assert.ok(worker.ended().length > 100);
			assert.ok(
				queue.workers.some((worker) => worker.waits().length > 0),
				'no worker reached the rate limit: a busy machine is too slow for it',
			);
		});

		test('n8n runs nothing twice, and no message is sent twice', () => {
			const begun = queue.workers.flatMap((worker) => worker.begun());
			assert.equal(begun.length, new Set(begun).size);
			const sent = queue.sent();
			assert.equal(sent.length, new Set(sent).size);
		});

		test('every execution that succeeded has done all its work, once', () => {
			const updates = queue.accepted('PATCH /contacts/{id}');
			const by = updates.map(({ body }) => /\d+$/.exec((body as { name: string }).name)![0]);
			assert.equal(updates.length, new Set(updates.map(({ path }) => path)).size);
			const sent = new Set(queue.sent());
			for (const id of succeeded) {
				const updated = by.filter((one) => one === id).length;
				assert.ok(sent.has(id) || updated === CONTACTS_PER_BULK, `execution ${id}`);
			}
		});

		test('the trigger emits an event for every change, once', async () => {
			await queue.polledTwice();
			const changed = queue.accepted('PUT /tickets/{id}').map(({ path }) => path.split('/').pop()!);
			const events = await queue.events();
			assert.deepEqual(
				events
					.map(({ recordId, previousStatus, status }) => `${recordId} ${previousStatus} ${status}`)
					.sort(),
				changed.map((id) => `${id} OPEN IN_PROGRESS`).sort(),
			);
			assert.equal(new Set(events.map(({ eventId }) => eventId)).size, events.length);
			console.error(
				`${headers}: the trigger emitted each change within ${queue.slowest(events)} s`,
			);
		});
	});
}
