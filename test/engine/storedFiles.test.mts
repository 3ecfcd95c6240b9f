import { buffer } from 'node:stream/consumers';
import type { BinaryDataService } from 'n8n-core';
import { storeFilesOnDisk } from '../../engine/storedFiles.mts';
import { openBench, type Bench } from './bench.mts';

let bench: Bench;
let files: BinaryDataService;
beforeAll(async () => {
	files = await storeFilesOnDisk();
	bench = await openBench({ contacts: 5_000, rateLimit: { requests: 0 } });
});
afterAll(async () => await bench.close());

test('an export is streamed to where n8n keeps files', async () => {
	const { items } = await bench.run({ resource: 'contact', operation: 'export' });
	const { id, fileName } = items[0]!.binary!.data!;
	expect(id).toMatch(/^filesystem-v2:/);
	expect(fileName).toBe('contacts.csv');
	const text = (await buffer(await files.getAsStream(id!))).toString();
	expect(text.trimEnd().split('\r\n')).toHaveLength(5_001);
});

test('an import is streamed from there, byte by byte as it is', async () => {
	const file = `name,waId\r\n${Array.from({ length: 20_000 }, (_, n) => `"Größe, ${n} 🙂",${10_000_000 + n}`).join('\r\n')}\r\n`;
	const { error, json } = await bench.run(
		{ resource: 'contactImport', operation: 'start' },
		{ file },
	);
	expect(error).toBeUndefined();
	expect(json[0]).toMatchObject({ totalRows: 20_000, fileName: 'input.csv' });
	const job = bench.sandbox.world.imports.find(() => true)!;
	expect(job.pending.at(-1)).toEqual({ name: 'Größe, 19999 🙂', waId: '10019999', igId: '' });
	const request = bench.sandbox.requests.at(-1)!;
	expect(Number(request.headers['content-length'])).toBeGreaterThan(Buffer.byteLength(file));
});

test('a file is read anew when the request is sent again', async () => {
	bench.sandbox.faults.add({ kind: 'status', status: 429, headers: { 'retry-after': '0' } });
	const { json } = await bench.run(
		{ resource: 'contactImport', operation: 'start' },
		{ file: 'name,waId\nA,12345678\n' },
	);
	expect(json[0]).toMatchObject({ totalRows: 1 });
});
