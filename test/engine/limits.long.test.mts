/** As limits.test.mts, in real memory. */
import { createGzip } from 'node:zlib';
import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { byId } from './harness.mts';
import { SharedHarness } from './sharedHarness.mts';

const service = new SharedHarness({ contacts: 5, tickets: 3 });

const READ = { resource: 'ticket', operation: 'get', ticketId: byId('1001') };

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
	expect(message).toContain('is too large (more than 16 MB)');
	expect((most - before) / 1_048_576).toBeLessThan(200);
});
