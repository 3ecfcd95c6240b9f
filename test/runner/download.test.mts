import { NodeApiError } from 'n8n-workflow';
import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { createGunzip, gzipSync } from 'node:zlib';
import { clock } from '../../nodes/ConversationalMessaging/api/base/clock.ts';
import { readCsv, readCsvHeader } from '../../nodes/ConversationalMessaging/api/files/csv.ts';
import { fileNameIn, readDownload } from '../../nodes/ConversationalMessaging/runner/downloads.ts';
import { TimeLimit } from '../../nodes/ConversationalMessaging/api/timeLimit.ts';
import {
	type FileStream,
	inPieces,
	PieceReader,
} from '../../nodes/ConversationalMessaging/api/base/streams.ts';
import { clientWith } from '../support/service.mts';

const requestInfo = { endpoint: 'GET /contacts/export', action: 'Export contacts' } as const;

const download = async <T,>(
	stream: Readable,
	read: (content: PieceReader) => Promise<T>,
	signal?: AbortSignal,
) => {
	const client = clientWith({ signal });
	const content = new TimeLimit(Infinity, signal).reader(stream);
	return await readDownload({ client, requestInfo }, { content }, read);
};

/** A file as n8n stores it: the content as a stream. */
const store = async (content: PieceReader) => await text(content.streamOf((pieces) => pieces));

const settled = async () => await new Promise((resolve) => setImmediate(resolve));

const errorWith = (code: string, message: string) => Object.assign(new Error(message), { code });

/** A stream that emits these pieces and then fails. */
const failing = (error: Error, pieces = ['name\r\n', 'Ann\r\n']) =>
	Readable.from(
		(async function* () {
			for (const piece of pieces) yield Buffer.from(piece);
			throw error;
		})(),
	);

const complete: [kind: string, open: () => Readable][] = [
	['pieces', () => Readable.from([Buffer.from('name\r\n'), Buffer.from('Ann\r\n')])],
	['unzipped pieces', () => Readable.from([gzipSync('name\r\nAnn\r\n')]).pipe(createGunzip())],
];

describe.each(complete)('a download of %s', (_kind, open) => {
	test('is read to its end and closed', async () => {
		const stream = open();
		expect(await download(stream, store)).toBe('name\r\nAnn\r\n');
		expect(stream.destroyed).toBe(true);
	});

	test('is closed when only its beginning is needed', async () => {
		const stream = open();
		expect(await download(stream, readCsvHeader)).toMatchObject({ columns: ['name'] });
		expect(stream.destroyed).toBe(true);
	});
});

const incomplete = (reason: string) => `Export contacts: the download was incomplete (${reason})`;

describe.each([
	['stored', store],
	['read as CSV', readCsv],
])('a download that is %s', (_what, read: (content: PieceReader) => Promise<unknown>) => {
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
			() => new Readable().destroy(errorWith('EPIPE', 'write EPIPE')),
			'write EPIPE',
		],
		[
			'ends in the middle of its gzip data',
			() =>
				Readable.from([gzipSync('name\r\n'.repeat(1_000)).subarray(0, 25)]).pipe(createGunzip()),
			'unexpected end of file',
		],
		['repeats the token', () => failing(new Error('sent with wa_pk_secret')), 'sent with ***'],
	])('is reported as incomplete when it %s', async (_when, open, reason) => {
		const stream = open();
		await expect(download(stream, read)).rejects.toThrow(incomplete(reason));
		expect(stream.destroyed).toBe(true);
	});
});

test('a download of malformed CSV is reported with the row', async () => {
	const downloading = download(Readable.from([Buffer.from('a,b\n1,"2\n')]), readCsv);
	await expect(downloading).rejects.toBeInstanceOf(NodeApiError);
	await expect(downloading).rejects.toThrow(
		'Export contacts: the CSV could not be read (a quote in row 2 is never closed)',
	);
});

/** A stream that emits nothing, and that destroying does not end: as one behind which another one is silent. */
class SilentStream extends EventEmitter {
	destroyedWith: unknown[] = [];

	[Symbol.asyncIterator]() {
		return { next: async () => await new Promise(() => undefined) };
	}

	destroy(reason?: Error): void {
		this.destroyedWith.push(reason);
	}
}

describe('a stream', () => {
	const sourceOf = (stream: SilentStream) => new PieceReader(stream as unknown as FileStream);

	test('that stays silent can be closed; the first reason is what ends the reading', async () => {
		const stream = new SilentStream();
		const source = sourceOf(stream);
		const reading = source[Symbol.asyncIterator]().next();
		const reason = new Error('ETIMEDOUT');
		source.close(reason);
		source.close(new Error('second'));
		await expect(reading).rejects.toBe(reason);
		expect(source.failure).toBe(reason);
		expect(stream.destroyedWith[0]).toBe(reason);
	});

	test('that fails before it is read is a failure, and does not end the process', async () => {
		const stream = new Readable();
		const source = new PieceReader(stream);
		stream.destroy(new Error('too early'));
		await settled();
		expect(source.failure?.message).toBe('too early');
		await expect(text(source.streamOf((pieces) => pieces))).rejects.toThrow('too early');
	});

	test('is read only a few pieces ahead of its consumer', async () => {
		let made = 0;
		const source = new PieceReader(
			Readable.from(
				(function* () {
					for (; made < 200; made++) yield Buffer.alloc(65_536);
				})(),
			),
		);
		await source
			.streamOf((all) => all)
			[Symbol.asyncIterator]()
			.next();
		// As often as the whole source would need.
		for (let n = 0; n < 200; n++) await settled();
		expect(made).toBeLessThan(20);
	});
});

test('bytes in memory are read in pieces', async () => {
	const bytes = Uint8Array.from({ length: 150_000 }, (_, n) => n);
	const pieces: Uint8Array[] = [];
	for await (const piece of inPieces(bytes)) pieces.push(piece);
	expect(pieces.map(({ length }) => length)).toStrictEqual([65_536, 65_536, 18_928]);
	expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
});

test('between the megabytes of a file in memory, n8n has its turns', async () => {
	const turns = jest.spyOn(clock, 'yieldToOthers').mockResolvedValue();
	let read = 0;
	const readAt: number[] = [];
	for await (const piece of inPieces(new Uint8Array(3_500_000))) {
		if (turns.mock.calls.length > readAt.length) readAt.push(read);
		read += piece.length;
	}
	turns.mockRestore();
	expect([read, ...readAt]).toStrictEqual([3_500_000, 1_048_576, 2_097_152, 3_145_728]);
});

test.each([
	['attachment; filename="contacts.csv"', 'contacts.csv'],
	['attachment; filename=contacts.csv', 'contacts.csv'],
	[`attachment; filename="a.csv"; filename*=UTF-8''Gr%C3%B6%C3%9Fe.csv`, 'Größe.csv'],
	[`attachment; filename="a.csv"; filename*=UTF-8''%FF.csv`, 'a.csv'],
	[`attachment; filename*=UTF-8''a%0D%0Ab%00.csv`, 'ab.csv'],
	['attachment; filename="a \\"b\\".csv"', 'a "b".csv'],
	['attachment; filename="C:\\\\Users\\\\a.csv"', 'a.csv'],
	[`attachment; FileName*  =  UTF-8'en'a%20b.csv`, 'a b.csv'],
	['attachment; filename  =  a.csv ; size=7', 'a.csv'],
	['attachment; filename=" a.csv "', 'a.csv'],
	['attachment; filename=".."', undefined],
	['attachment; filename=""', undefined],
	[undefined, undefined],
])('the file name in the Content-Disposition %j is %j', (disposition, name) => {
	expect(fileNameIn(disposition)).toBe(name);
});
