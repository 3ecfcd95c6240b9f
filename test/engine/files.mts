/** Requirements for files, wherever n8n stores them: run once per binary mode. */
import { timeouts } from '../../nodes/ConversationalMessaging/api/timeLimit.ts';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import type { ServerResponse } from 'node:http';
import type { SharedHarness } from './sharedHarness.mts';
import { trickle } from './timeout.mts';
import { closedAfterEach, TOKEN } from '../support/plainService.mts';
import { sha256 } from '../support/sha256.mts';

/** Few and long: it arrives in several pieces. */
const ROWS = 300;
const MANY_ROWS = Buffer.from(
	`id,name,waId\r\n${Array.from({ length: ROWS }, (_, n) => `c${n},${sha256(String(n)).repeat(5)},1202555${n}\r\n`).join('')}`,
);

/** In the content codings that n8n's HTTP client unpacks. */
const PACKED = {
	gzip: gzipSync(MANY_ROWS),
	deflate: deflateSync(MANY_ROWS),
	'deflate without header': deflateRawSync(MANY_ROWS),
	br: brotliCompressSync(MANY_ROWS),
};
/** How much of it arrives. */
const PARTS = process.env.LONG ? [0.2, 0.5, 0.9, 1] : [0.5, 1];

/** Sends bytes so that their end is the end of the response, however early that is. */
function respondFramed(
	response: ServerResponse,
	bytes: Buffer,
	framing: 'length' | 'chunks' | 'closing',
	coding: string | false,
): void {
	response.useChunkedEncodingByDefault = framing === 'chunks';
	response.shouldKeepAlive = false;
	response.writeHead(200, {
		'content-type': 'text/csv',
		...(coding && { 'content-encoding': coding }),
		...(framing === 'length' && { 'content-length': bytes.length }),
	});
	response.write(bytes.subarray(0, 50));
	response.end(bytes.subarray(50));
}

/**
 * @param mode its name for messages
 * @param contentOf reads a file of the output
 * @param outputs in which forms exports are tested
 */
export function describeFiles(
	mode: string,
	service: SharedHarness,
	contentOf: (file: { id?: string; data: string }) => Promise<Buffer>,
	outputs: string[],
): void {
	describe(`files that n8n keeps ${mode}`, () => {
		const startPlain = closedAfterEach();
		const upload = async (bytes: Buffer, named: { fileName?: string; mimeType?: string } = {}) => {
			const file = { bytes, ...named };
			await service.ok({ resource: 'contactImport', operation: 'start' }, { file });
			return service.sent('POST /contacts/import').at(-1)!.file;
		};

		const all = Buffer.from(Array.from({ length: 256 }, (_, n) => n));
		test.each<[what: string, bytes: Buffer]>([
			['in UTF-8 with a byte order mark', Buffer.from('\uFEFFname\r\nGröße 🙂\r\n')],
			['in Windows-1252', Buffer.from('name\r\nGröße\r\n', 'latin1')],
			['with all 256 byte values', Buffer.concat([Buffer.from('name\r\n'), all])],
			['of 1 MB', Buffer.from(`name\r\n${'x'.repeat(1_000_000)}\r\n`)],
		])('a file %s is uploaded byte for byte', async (_what, bytes) => {
			expect(await upload(bytes)).toMatchObject({ sha256: sha256(bytes) });
		});

		test('a file keeps its name and MIME type, unless its name says CSV, and neither can add a header', async () => {
			const bytes = Buffer.from('name\r\nAnn\r\n');
			for (const [fileName, sent] of [
				['a.txt', 'text/plain'],
				['a.CSV', 'text/csv'],
			] as const)
				expect(await upload(bytes, { fileName, mimeType: 'text/plain' })).toMatchObject({
					partName: 'file',
					name: fileName,
					mimeType: sent,
				});
			const evil = 'a"\r\nX-Evil: 1\r\n\r\n';
			expect(await upload(bytes, { fileName: evil, mimeType: evil })).toStrictEqual({
				partName: 'file',
				name: 'a%22%0D%0AX-Evil: 1%0D%0A%0D%0A',
				mimeType: 'application/octet-stream',
				sha256: sha256(bytes),
			});
			expect(await upload(bytes, { fileName: '', mimeType: '' })).toMatchObject({
				name: 'upload.csv',
				mimeType: 'text/csv',
			});
		});

		test('a file is read again when the request is sent again', async () => {
			const bytes = Buffer.from('name\r\nAnn\r\n');
			service.reject(429);
			expect(await upload(bytes)).toMatchObject({ sha256: sha256(bytes) });
			expect(service.requests).toHaveLength(2);
		});

		test('a file is stored as it was received', async () => {
			const body = '\uFEFFname\r\n"Größe\n🙂"';
			service.respondWith('text/csv; charset=utf-8', body);
			const { items } = await service.run({ resource: 'contact', operation: 'export' });
			expect(await contentOf(items[0]!.binary!.data!)).toStrictEqual(Buffer.from(body));
			expect(items[0]!.json).toMatchObject({ fileName: 'contacts.csv', mimeType: 'text/csv' });
		});

		describe.each(outputs)('an export as %s', (output) => {
			const exported = { resource: 'contact', operation: 'export', output };
			const real = { ...timeouts };
			afterEach(() => void Object.assign(timeouts, real));

			test('may take longer to its first byte than other reads', async () => {
				// n8n's HTTP client would end a read at once.
				timeouts.read = 1;
				service.sandbox.faults.add({ kind: 'latency', ms: 50 });
				const { size } = service.world.contacts;
				expect(await service.ok(exported)).toHaveLength(output === 'items' ? size : 1);
			});

			test.each([
				['', true],
				['id,name\r\n', true],
				['id,name', true],
				['id\n1', false],
				['id\r1\r', false],
				[`id\n${'x'.repeat(70_000)}\n`.repeat(2), false],
			])('of %j says that it is empty: %s', async (csv, isEmpty) => {
				service.respondWith('text/csv', csv);
				const notice =
					'The export contains no contacts. Check the filters, and whether the token belongs to the right organization.';
				const { error, hints, items } = await service.run(exported);
				expect([error, hints]).toStrictEqual([undefined, isEmpty ? [notice] : []]);
				if (output === 'file') {
					const stored = await contentOf(items[0]!.binary!.data!);
					expect(sha256(stored)).toBe(sha256(Buffer.from(csv)));
				}
			});

			test.each([
				{ obeys: true, framing: 'length', result: 'whole' },
				{ obeys: true, framing: 'chunks', result: 'whole' },
				{ obeys: true, framing: 'closing', result: /may be incomplete \(nothing marks its end\)$/ },
				{ obeys: false, framing: 'length', result: /may be incomplete \(it has .* bytes that / },
				{ obeys: false, framing: 'chunks', result: 'whole, or a notice' },
				{
					obeys: false,
					framing: 'closing',
					result: /may be incomplete \(nothing marks its end\)$/,
				},
			] as const)(
				'that is compressed and ends early is never silently short: %j',
				async ({ obeys, framing, result }) => {
					let sent = Buffer.alloc(0);
					let coding = '';
					const { baseUrl } = await startPlain(({ headers }, response) => {
						const isPacked = !obeys || String(headers['accept-encoding']).includes(coding);
						respondFramed(response, isPacked ? sent : MANY_ROWS, framing, isPacked && coding);
					});
					for (const [name, packed] of Object.entries(PACKED)) {
						for (const part of PARTS) {
							coding = name.split(' ')[0]!;
							sent = packed.subarray(0, Math.ceil(packed.length * part));
							const run = await service.run(exported, { baseUrl, token: TOKEN });
							const { error, items, hints } = run;
							if (typeof result !== 'string') {
								expect([name, part, items]).toStrictEqual([name, part, []]);
								expect(error!.message).toMatch(result);
								continue;
							}
							expect([name, part, error]).toStrictEqual([name, part, undefined]);
							const isWhole =
								output === 'items'
									? items.length === ROWS
									: (await contentOf(items[0]!.binary!.data!)).equals(MANY_ROWS);
							expect([name, part, isWhole]).toStrictEqual([name, part, obeys || part === 1]);
							expect([name, part, hints]).toStrictEqual([
								name,
								part,
								isWhole ? [] : [expect.stringMatching(/^The service did not send the length of /)],
							]);
						}
					}
				},
			);

			test('that is cut off is reported, and returns nothing', async () => {
				service.sandbox.faults.add({ kind: 'cut' });
				const { error, items } = await service.run(exported);
				expect(error!.message).toBe('Export contacts: the download was incomplete (ECONNRESET)');
				expect(items).toStrictEqual([]);
			});

			test('that trickles is given up, and its connection closed', async () => {
				const { closed } = trickle(service.sandbox, 'csv', service.time.expiring);
				const { message } = await service.error(exported);
				expect(message).toBe('Export contacts: the download was incomplete (ETIMEDOUT)');
				await closed;
			});

			test('ends at once when the execution is stopped', async () => {
				const stop = new AbortController();
				const { closed } = trickle(service.sandbox, 'csv', () => () => stop.abort());
				const { run } = await service.run(exported, { signal: stop.signal });
				expect(run.status).toBe('canceled');
				await closed;
			});
		});
	});
}
