/** A service or a proxy that sends without an end, or far too much: each request has a time and a size. */
import type { INodeParameters } from 'n8n-workflow';
import { gzipSync } from 'node:zlib';
import { triggerWorkflow } from '../../tools/engine/workflows.mts';
import type { Fault, Trickle } from '../../sandbox/faults.mts';
import { Poller } from '../../tools/engine/poller.mts';
import { timeouts } from '../../nodes/ConversationalMessaging/api/timeLimit.ts';
import { byId } from './harness.mts';
import { SharedHarness } from './sharedHarness.mts';
import { trickle } from './timeout.mts';

const service = new SharedHarness({ contacts: 5, tickets: 3 });

const READ = { resource: 'ticket', operation: 'get', ticketId: byId('1001') };
const WRITE = { resource: 'ticket', operation: 'create', title: 'T' };
const UPLOAD = { resource: 'contactImport', operation: 'start' };
const EXPORT = { resource: 'contact', operation: 'export', output: 'file' };

/** Ends the time of what is under way. */
const expire = () => service.time.expiring();

const LONG = process.env.LONG !== undefined;

/** More than the buffers of a connection. */
const FILE = `name,waId\n${'Ann,12015550143\n'.repeat(1_000_000)}`;

const NOT_RETRIED =
	'Not retried because it may have succeeded. Check the service before you run it again.';
const RETRIED = 'Retried without success. Run it again later.';

describe('a request ends when its time is up, and its connection is closed', () => {
	type Case = [what: string, Trickle['of'], INodeParameters, tries: number, time: string, string];
	test.each<Case>([
		['the headers of a read', 'headers', READ, 3, '30 s', RETRIED],
		['the body of a read', 'json', READ, 3, '30 s', RETRIED],
		['the headers of a write', 'headers', WRITE, 1, '60 s', NOT_RETRIED],
		['the body of a write', 'json', WRITE, 1, '60 s', NOT_RETRIED],
		['the headers of a download', 'headers', EXPORT, 3, '30 min', RETRIED],
		['JSON instead of a download', 'json', EXPORT, 3, '30 min', RETRIED],
		['the headers after an upload', 'headers', UPLOAD, 1, '30 min', NOT_RETRIED],
		['an upload that is hardly read', 'upload', UPLOAD, 1, '30 min', NOT_RETRIED],
	])('if it trickles: %s', async (_what, of, parameters, tries, within, next) => {
		const { closed } = trickle(service.sandbox, of, expire, { times: tries });
		const file = of === 'upload' ? FILE : 'name,waId\nAnn,12015550143\n';
		const { message, description } = await service.error(parameters, { file });
		expect(message).toMatch(/: 127\.0\.0\.1:\d+ did not respond in full within /);
		expect([message.split(' within ')[1], description]).toStrictEqual([within, next]);
		expect(service.requests).toHaveLength(tries);
		await closed;
	});

	test('also if the execution is stopped', async () => {
		const stop = new AbortController();
		const { closed } = trickle(service.sandbox, 'json', () => () => stop.abort());
		const { run } = await service.run(READ, { signal: stop.signal });
		expect(run.status).toBe('canceled');
		await closed;
	});

	test('if nothing comes at all, in real time: before n8n’s HTTP client gives up', async () => {
		service.time.restore();
		jest.replaceProperty(timeouts, 'write', 100);
		service.sandbox.faults.add({ kind: 'hang' });
		const { message } = await service.error(WRITE);
		expect(message).toMatch(/: 127\.0\.0\.1:\d+ did not respond in full within 1 s$/);
	});

	test('also in a list of the editor', async () => {
		const { closed } = trickle(service.sandbox, 'json', expire, { times: 3 });
		await expect(service.search('searchTickets')).rejects.toThrow(
			'did not respond in full within 30 s',
		);
		await closed;
	});

	test.each(['headers', 'json'] as const)(
		'also in a poll: the next one finds what has changed (%s)',
		async (of) => {
			const workflow = triggerWorkflow({ events: ['ticketStatusChanged'] });
			const poller = new Poller(service.engine, workflow, { credential: service.credential });
			await poller.activate();
			// Each of the four lists is requested three times.
			const { closed } = trickle(service.sandbox, of, expire, { times: 12 });
			const [ticket] = service.world.tickets.filter(({ status }) => status !== 'CLOSED');
			ticket!.status = 'CLOSED';
			expect(await poller.tick()).toStrictEqual({ items: null });
			await closed;
			expect((await poller.tick()).items).toMatchObject([{ json: { recordId: ticket!.id } }]);
		},
	);

	describe('also in a test of the credential', () => {
		const NO_RESPONSE = {
			status: 'Error',
			message: expect.stringMatching(
				/ did not respond in full within 15 s\. Run it again later\.$/,
			),
		};

		test('if the body trickles', async () => {
			const { closed } = trickle(service.sandbox, 'json', expire);
			expect(await service.engine.testCredential(service.credential)).toStrictEqual(NO_RESPONSE);
			await closed;
		});

		test('if the headers trickle; until they end, only n8n’s HTTP client can close it', async () => {
			const fault = { kind: 'trickle', of: 'headers', everyMs: 1, begin: expire } as const;
			service.sandbox.faults.add(fault);
			expect(await service.engine.testCredential(service.credential)).toStrictEqual(NO_RESPONSE);
		});
	});
});

test.each([READ, WRITE, EXPORT, { ...EXPORT, output: 'items' }])(
	'%j leaves nothing behind that waits for its time',
	async (parameters) => {
		await service.ok(parameters);
		expect(service.time.limits).toStrictEqual([]);
	},
);

const MB = 1024 * 1024;

const SPACES = gzipSync(' '.repeat(MB));

/** A text followed by spaces, so many bytes in all. Gzip makes it a thousandth as large. */
function zipped(text: string, bytes: number): Fault {
	const more = Math.floor((bytes - 1) / MB);
	// Gzip may consist of several parts.
	const parts = [gzipSync(text.padEnd(bytes - more * MB)), ...Array<Buffer>(more).fill(SPACES)];
	const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
	return { kind: 'status', status: 200, headers, body: Buffer.concat(parts) };
}

const RECORD = '{"data":{"id":"1"}}';

/** A list without pages. */
const LIST = { resource: 'user', operation: 'getAll', returnAll: true };

/** More fields of a record. */
const fields = (count: number) => Array.from({ length: count }, (_, n) => `,"k${n}":1`).join('');

describe('a response has a size, unpacked', () => {
	test('of 16 MB', async () => {
		service.sandbox.faults.add(zipped(RECORD, 16 * MB));
		expect(await service.ok(READ)).toMatchObject([{ id: '1' }]);
	});

	const CHECK =
		'Check the base URL in the credential, and any proxy in between. For many records, use an export.';
	test.each<[what: string, parameters: INodeParameters, next: string]>([
		['read', READ, CHECK],
		['write', WRITE, NOT_RETRIED],
		['download that is JSON', EXPORT, CHECK],
	])('a %s with a larger one is not repeated', async (_what, parameters, next) => {
		service.sandbox.faults.add(zipped(RECORD, 16 * MB + 1), { times: 9 });
		const { message, description } = await service.error(parameters);
		expect(message).toMatch(
			/: the response from 127\.0\.0\.1:\d+ is too large \(more than 16 MB\)$/,
		);
		expect(description).toBe(next);
		expect(service.requests).toHaveLength(1);
	});

	test.each<[what: string, parameters: INodeParameters, body: string]>([
		['list of empty rows', LIST, `{"data":[{"id":1}${',{}'.repeat(99_999)}]}`],
		['record of fields', READ, `{"data":{"id":1${fields(199_998)}}}`],
		['record of lists', WRITE, `{"data":{"id":1,"a":[${'[1,2],'.repeat(66_666)}1]}}`],
	])('a %s with more than 200,000 values is not repeated', async (_what, parameters, body) => {
		service.respondWith('application/json', body, { times: 9 });
		const { message } = await service.error(parameters);
		expect(message).toMatch(/: the response from .+ is too large \(more than 200,000 values\)$/);
		expect(service.requests).toHaveLength(1);
	});

	test.each<[what: string, parameters: INodeParameters, body: string, items: number]>([
		['rows', LIST, `{"data":[{"id":1}${',{}'.repeat(99_998)}]}`, 99_999],
		['fields', READ, `{"data":{"id":1${fields(199_997)}}}`, 1],
		['entries', WRITE, `{"data":{"id":1,"a":[${'[1,2],'.repeat(66_665)}1]}}`, 1],
		['commas in a text', READ, `{"data":{"id":1,"a":"\\"${',[{'.repeat(1_000_000)}"}}`, 1],
		// A pattern for the whole text would run out of stack.
		[
			'escapes in a text, beside a long number',
			READ,
			`{"data":{"id":12345678901234567,"a":"${'\\n'.repeat(8_000_000)}"}}`,
			1,
		],
		[
			'letters in a text, beside a long number',
			READ,
			`{"data":{"id":12345678901234567,"a":"${'a'.repeat(LONG ? 16_000_000 : 1_000_000)}"}}`,
			1,
		],
		[
			'digits of a number',
			READ,
			`{"data":{"id":"1","a":${'1'.repeat(LONG ? 16_000_000 : 1_000_000)}}}`,
			1,
		],
	])('as many %s as are allowed are read', async (_what, parameters, body, items) => {
		service.respondWith('application/json', body, { times: 9 });
		expect(await service.ok(parameters)).toHaveLength(items);
		expect(service.requests).toHaveLength(1);
	});

	test('in a test of the credential too', async () => {
		service.sandbox.faults.add(zipped(RECORD, 16 * MB + 1));
		expect(await service.engine.testCredential(service.credential)).toStrictEqual({
			status: 'Error',
			message: expect.stringMatching(/ is too large \(more than 16 MB\)\. Check the base URL/),
		});
	});

	test('a file may be larger', async () => {
		const body = Buffer.alloc(17 * MB, 'Ann\r\n');
		const headers = { 'content-type': 'text/csv' };
		service.sandbox.faults.add({ kind: 'status', status: 200, headers, body });
		expect(await service.ok(EXPORT)).toMatchObject([{ fileName: 'contacts.csv' }]);
	});
});
