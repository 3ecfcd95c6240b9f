/** Requirements for files, wherever n8n stores them: run once per binary mode. */
import { createHash } from 'node:crypto';
import { clock } from '../../nodes/ConversationalMessaging/api/clock.ts';
import { timeouts } from '../../nodes/ConversationalMessaging/api/send.ts';
import { openHarness, type Harness } from './harness.mts';

const importStart = { resource: 'contactImport', operation: 'start' };
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/**
 * @param mode its name for messages
 * @param contentOf reads a file of the output
 */
export function describeFiles(
	mode: string,
	contentOf: (file: { id?: string; data: string }) => Promise<Buffer>,
): void {
	describe(`files that n8n keeps ${mode}`, () => {
		let harness: Harness;
		beforeAll(async () => {
			harness = await openHarness({ contacts: 5_000, rateLimit: { requests: 0 } });
		});
		afterAll(async () => await harness.close());

		const upload = async (bytes: Buffer, named: { fileName?: string; mimeType?: string } = {}) => {
			const { error } = await harness.run(importStart, { file: { bytes, ...named } });
			expect(error).toBeUndefined();
			return harness.sandbox.requests.findLast(({ method }) => method === 'POST')!.file;
		};

		test.each<[what: string, bytes: Buffer]>([
			['in UTF-8', Buffer.from('name,waId\r\nGröße 🙂,12025550101\r\n')],
			['in UTF-8 with a byte order mark', Buffer.from('\uFEFFname,waId\r\nAnn,12025550101\r\n')],
			['in Windows-1252', Buffer.from('name,waId\r\nGröße,12025550101\r\n', 'latin1')],
			[
				'with all 256 byte values',
				Buffer.concat([
					Buffer.from('name\r\n'),
					Buffer.from(Array.from({ length: 1_024 }, (_, n) => n)),
				]),
			],
			['of 1 MB', Buffer.from(`name\r\n${'x'.repeat(1_000_000)}\r\n`)],
		])('a file %s is uploaded byte for byte', async (_what, bytes) => {
			expect(await upload(bytes)).toMatchObject({ sha256: sha256(bytes) });
		});

		test('a file keeps its name and MIME type, which cannot add a header', async () => {
			const bytes = Buffer.from('name\r\nAnn\r\n');
			expect(await upload(bytes, { fileName: 'a.csv', mimeType: 'text/plain' })).toMatchObject({
				partName: 'file',
				name: 'a.csv',
				mimeType: 'text/plain',
			});
			const evil = 'a"\r\nX-Evil: 1\r\n\r\n';
			expect(await upload(bytes, { fileName: evil, mimeType: evil })).toEqual({
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
			harness.sandbox.faults.add({ kind: 'status', status: 429, headers: { 'retry-after': '0' } });
			expect(await upload(bytes)).toMatchObject({ sha256: sha256(bytes) });
		});

		test('a file is stored as it was received', async () => {
			const body = Buffer.from('\uFEFFname\r\n"Größe\n🙂"');
			harness.sandbox.faults.add({
				kind: 'status',
				status: 200,
				headers: { 'content-type': 'text/csv' },
				body: body.toString(),
			});
			const { items } = await harness.run({ resource: 'contact', operation: 'export' });
			expect(await contentOf(items[0]!.binary!.data!)).toEqual(body);
			expect(items[0]!.json).toMatchObject({ fileName: 'contacts.csv', mimeType: 'text/csv' });
		});

		describe.each(['file', 'items'])('an export as %s', (output) => {
			const exported = { resource: 'contact', operation: 'export', output };
			const { read, file } = timeouts;
			const real = { ...clock };
			afterEach(() => {
				Object.assign(timeouts, { read, file });
				Object.assign(clock, real);
			});

			test('an export may take longer to its first byte than other reads', async () => {
				// Any request with the time of a read would end with its first byte.
				timeouts.read = 1;
				harness.sandbox.faults.add({ kind: 'latency', ms: 50 });
				const { items, error } = await harness.run(exported);
				expect(error).toBeUndefined();
				expect(items).toHaveLength(output === 'items' ? harness.sandbox.world.contacts.size : 1);
			});

			test('an export that is cut off is reported, and returns nothing', async () => {
				harness.sandbox.faults.add({ kind: 'cut' });
				const { error, items } = await harness.run(exported);
				expect(error!.message).toBe('Export contacts: the download was incomplete (ECONNRESET)');
				expect(items).toEqual([]);
			});

			test('an export that stalls is given up', async () => {
				// The time is over as soon as nothing else is due.
				clock.after = (ms, end) => {
					expect(ms).toBe(timeouts.file);
					setImmediate(end);
				};
				harness.sandbox.faults.add({ kind: 'cut', stalls: true });
				const { error } = await harness.run(exported);
				expect(error!.message).toBe('Export contacts: the download was incomplete (ETIMEDOUT)');
			});

			test('an export ends at once when the execution is stopped', async () => {
				const stop = new AbortController();
				// Called when the download begins.
				clock.after = () => stop.abort();
				harness.sandbox.faults.add({ kind: 'cut', stalls: true });
				const { run } = await harness.run(exported, { signal: stop.signal });
				expect(run.status).toBe('canceled');
			});
		});
	});
}
