import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { createGunzip, gzipSync } from 'node:zlib';
import { readCsv, readCsvHeader } from '../../nodes/ConversationalMessaging/api/csv.ts';
import type { ServiceClient } from '../../nodes/ConversationalMessaging/api/client.ts';
import { readDownload } from '../../nodes/ConversationalMessaging/api/download.ts';
import { clock } from '../../nodes/ConversationalMessaging/api/clock.ts';
import { timeouts } from '../../nodes/ConversationalMessaging/api/send.ts';
import { PieceReader } from '../../nodes/ConversationalMessaging/api/streams.ts';
import { NODE } from './node.mts';

const intent = {
	endpoint: 'GET /contacts/export',
	action: 'Export contacts',
	permission: 'contacts.view',
} as const;

function connectionTo(signal?: AbortSignal): ServiceClient {
	return {
		context: { getNode: () => NODE },
		redact: (words: string) => words.replaceAll('wa_pk_secret', '***'),
		signal,
	} as unknown as ServiceClient;
}

const take = async <T,>(
	stream: Readable,
	how: (content: PieceReader) => Promise<T>,
	stop?: AbortSignal,
) => await readDownload(connectionTo(stop), intent, stream, how);

/** A file as n8n stores it: the content as a stream. */
const store = async (content: PieceReader) => await text(content.streamOf((pieces) => pieces));

const errorWith = (code: string, message: string) => Object.assign(new Error(message), { code });

/** A stream that emits something and then fails. */
const failing = (error: Error, pieces = ['name\r\n', 'Ann\r\n']) =>
	Readable.from(
		(async function* () {
			for (const piece of pieces) yield Buffer.from(piece);
			throw error;
		})(),
	);

let folder: string;
beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), 'download-'));
	writeFileSync(join(folder, 'a.csv'), `name\r\n${'Ann\r\n'.repeat(100_000)}`);
});
afterAll(() => rmSync(folder, { recursive: true }));

const complete: [kind: string, open: () => Readable][] = [
	['a stream of pieces', () => Readable.from([Buffer.from('name\r\n'), Buffer.from('Ann\r\n')])],
	['a file', () => createReadStream(join(folder, 'a.csv'))],
	['an unzipped stream', () => Readable.from([gzipSync('name\r\nAnn\r\n')]).pipe(createGunzip())],
	['an empty stream', () => Readable.from([])],
];

describe.each(complete)('a download that is %s', (_kind, open) => {
	it('a complete download is read to its end and closed', async () => {
		const expected = await text(open());
		const stream = open();
		expect(await take(stream, store)).toBe(expected);
		expect(stream.destroyed).toBe(true);
	});

	it('a download is closed when only its beginning is needed', async () => {
		const stream = open();
		const header = (await text(open())) === '' ? [] : ['name'];
		expect(await take(stream, readCsvHeader)).toMatchObject({ columns: header });
		expect(stream.destroyed).toBe(true);
	});

	it('a download is closed when n8n cannot store it, and the message says so', async () => {
		const stream = open();
		const full = errorWith('ENOSPC', 'ENOSPC: no space left on device, write');
		await expect(
			take(stream, async (content) => {
				await content
					.streamOf((pieces) => pieces)
					[Symbol.asyncIterator]()
					.next();
				throw full;
			}),
		).rejects.toThrow(
			'Export contacts: n8n could not store the file (ENOSPC: no space left on device, write)',
		);
		expect(stream.destroyed).toBe(true);
	});

	it('a download is closed when the execution is stopped', async () => {
		const stop = new AbortController();
		const stream = open();
		const taken = take(stream, async () => await new Promise<never>((_, reject) => {
			stream.once('close', () => reject(new Error('closed')));
			stop.abort();
		}), stop.signal); // prettier-ignore
		await expect(taken).rejects.toBeInstanceOf(NodeOperationError);
		expect(stream.destroyed).toBe(true);
	});
});

const incomplete = (reason: string) => `Export contacts: the download was incomplete (${reason})`;

describe.each([
	['stored', store],
	['read as CSV', readCsv],
])('a failing download that is %s', (_what, how: (content: PieceReader) => Promise<unknown>) => {
	test.each<[what: string, open: () => Readable, reason: string]>([
		['is interrupted', () => failing(errorWith('ECONNRESET', 'aborted')), 'ECONNRESET'],
		[
			'is interrupted before its first data',
			() => failing(errorWith('ECONNRESET', 'aborted'), []),
			'ECONNRESET',
		],
		[
			'is closed before its end',
			() => {
				const stream = new Readable({ read: () => undefined });
				stream.push('name\r\n');
				setImmediate(() => stream.destroy());
				return stream;
			},
			'ERR_STREAM_PREMATURE_CLOSE',
		],
		[
			'failed before it was read',
			() => {
				const stream = new Readable({ read: () => undefined });
				return stream.destroy(errorWith('EPIPE', 'write EPIPE'));
			},
			'write EPIPE',
		],
		[
			'ends in the middle of its gzip data',
			() =>
				Readable.from([gzipSync('name\r\n'.repeat(1_000)).subarray(0, 25)]).pipe(createGunzip()),
			'unexpected end of file',
		],
	])('a download is reported as incomplete when it %s', async (_when, open, reason) => {
		const stream = open();
		await expect(take(stream, how)).rejects.toThrow(incomplete(reason));
		expect(stream.destroyed).toBe(true);
	});

	it('the message about a failed download contains no token', async () => {
		const stream = failing(new Error('sent with wa_pk_secret'));
		await expect(take(stream, how)).rejects.toThrow(incomplete('sent with ***'));
	});
});

describe('a download that stalls', () => {
	/** The waits that were begun, and how to end the last one. */
	const waits: { ms: number; end: () => void }[] = [];
	const real = { ...clock };
	beforeEach(() => {
		waits.length = 0;
		clock.after = (ms, end) => void waits.push({ ms, end });
	});
	afterEach(() => Object.assign(clock, real));

	const settled = async () => await new Promise((resolve) => setImmediate(resolve));

	it('a download is given up after a time without data', async () => {
		const stream = new Readable({ read: () => undefined });
		stream.push('name\r\n');
		const taken = take(stream, store);
		const given = expect(taken).rejects.toThrow(incomplete('ETIMEDOUT'));
		await settled();
		// Data has arrived since the wait began: it begins again.
		waits.at(-1)!.end();
		expect(stream.destroyed).toBe(false);
		waits.at(-1)!.end();
		await given;
		expect(stream.destroyed).toBe(true);
		expect(waits.map(({ ms }) => ms)).toEqual([timeouts.file, timeouts.file]);
	});

	it('a slow download continues as long as data arrives', async () => {
		const slow = new Readable({ read: () => undefined });
		const taken = take(slow, store);
		for (let n = 0; n < 20; n++) {
			slow.push('x');
			await settled();
			waits.at(-1)!.end();
		}
		slow.push(null);
		expect(await taken).toBe('x'.repeat(20));
		expect(waits).toHaveLength(21);
	});

	it('a wait that ends after the download has no effect', async () => {
		expect(await take(Readable.from([Buffer.from('x')]), store)).toBe('x');
		waits.at(-1)!.end();
		expect(waits).toHaveLength(1);
	});
});

test('a CSV file that is malformed is reported as unreadable CSV, with its row', async () => {
	const error = await take(Readable.from([Buffer.from('a,b\n1,"2\n')]), readCsv).catch(
		(thrown: unknown) => thrown,
	);
	expect(error).toBeInstanceOf(NodeApiError);
	expect((error as Error).message).toBe(
		'Export contacts: the CSV could not be read (a quote in row 2 is never closed)',
	);
});

test('a stream that fails before anybody reads it does not end the process', async () => {
	const stream = new Readable({ read: () => undefined });
	const source = new PieceReader(stream);
	stream.destroy(new Error('too early'));
	await new Promise((resolve) => setImmediate(resolve));
	expect(source.failure?.message).toBe('too early');
	await expect(text(source.streamOf((pieces) => pieces))).rejects.toThrow('too early');
});

test.each([
	['longer', 8, 'it has more than the 8 bytes that n8n recorded'],
	['shorter', 10, 'it has less than the 10 bytes that n8n recorded'],
])('a file that is %s than n8n recorded makes the upload fail', async (_than, size, message) => {
	const source = new PieceReader(Readable.from([Buffer.from('nine '), Buffer.from('byte')]), size);
	await expect(text(source.streamOf((pieces) => pieces))).rejects.toThrow(message);
	expect(source.failure?.message).toBe(message);
});

test('a source is read only a few pieces ahead of its consumer', async () => {
	let made = 0;
	const source = new PieceReader(
		Readable.from(
			(function* () {
				for (; made < 1_000; made++) yield Buffer.alloc(65_536);
			})(),
		),
	);
	const pieces = source.streamOf((all) => all)[Symbol.asyncIterator]();
	await pieces.next();
	// As often as the whole source would need.
	for (let n = 0; n < 1_000; n++) await new Promise((resolve) => setImmediate(resolve));
	expect(made).toBeLessThan(20);
});
