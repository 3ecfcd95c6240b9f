/** As limits.test.mts, in real time, and in real memory. */
import { createGzip } from 'node:zlib';
import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { timeouts } from '../../nodes/ConversationalMessaging/api/timeLimit.ts';
import { byId } from './harness.mts';
import { SharedHarness } from './sharedHarness.mts';

const service = new SharedHarness({ contacts: 5, tickets: 3 }, false);
const real = { ...timeouts };
afterEach(() => void Object.assign(timeouts, real));

const READ = { resource: 'ticket', operation: 'get', ticketId: byId('1001') };

test.each(['headers', 'json'] as const)(
	'a read whose %s trickle ends after its time',
	async (of) => {
		timeouts.read = 3_000;
		service.sandbox.faults.add({ kind: 'trickle', of, everyMs: 500 }, { times: 3 });
		const started = performance.now();
		const { message } = await service.error(READ);
		expect(message).toContain('did not respond in full within 3 s');
		const seconds = (performance.now() - started) / 1_000;
		// Three attempts, each up to a second longer, and the pauses between them.
		expect(seconds).toBeGreaterThan(8.9);
		expect(seconds).toBeLessThan(23);
	},
);

test('a download that trickles ends after its time', async () => {
	timeouts.file = 3_000;
	service.sandbox.faults.add({ kind: 'trickle', of: 'csv', everyMs: 500 });
	const { message } = await service.error({ resource: 'contact', operation: 'export' });
	expect(message).toContain('the download was incomplete (ETIMEDOUT)');
});

test('a response of a gigabyte in a megabyte of gzip takes little memory', async () => {
	const zeros = function* () {
		for (let n = 0; n < 1_024; n++) yield Buffer.alloc(1_048_576, ' ');
	};
	const body = await buffer(Readable.from(zeros()).pipe(createGzip()));
	const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
	service.sandbox.faults.add({ kind: 'status', status: 200, headers, body });
	const before = process.memoryUsage.rss();
	let most = before;
	const measuring = setInterval(() => {
		most = Math.max(most, process.memoryUsage.rss());
	}, 10);
	const { message } = await service.error(READ);
	clearInterval(measuring);
	expect(message).toContain('is larger than 16 MB');
	expect((most - before) / 1_048_576).toBeLessThan(200);
});
