import { mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import type { BinaryDataService } from 'n8n-core';
import { clock } from '../../nodes/ConversationalMessaging/api/clock.ts';
import { storeFilesOnDisk } from '../../engine/storedFiles.mts';
import type { Fault } from '../../sandbox/faults.mts';
import { FakeTime } from '../time.mts';
import { openHarness, type Harness, type NodeRun } from './harness.mts';
import { addTimeout } from './timeout.mts';
import { describeFiles } from './files.mts';

let files: BinaryDataService;
beforeAll(async () => {
	files = await storeFilesOnDisk();
});

describeFiles('on disk', async ({ id }) => {
	expect(id).toMatch(/^filesystem-v2:/);
	return await buffer(await files.getAsStream(id!));
});

const storage = () => process.env.N8N_BINARY_DATA_STORAGE_PATH!;
describe('a stored file', () => {
	let harness: Harness;
	let opened: Readable[];
	let time: FakeTime | undefined;
	beforeEach(async () => {
		time = undefined;
		harness = await openHarness({ contacts: 5_000, rateLimit: { requests: 0 } });
		opened = [];
		const open = files.getAsStream.bind(files);
		jest.spyOn(files, 'getAsStream').mockImplementation(async (...of) => {
			const stream = await open(...of);
			opened.push(stream);
			return stream;
		});
	});
	afterEach(async () => {
		time?.restore();
		jest.restoreAllMocks();
		await harness.close();
	});

	const big = `name\r\n${'Ann\r\n'.repeat(4_000_000)}`;
	const send = async (options: NodeRun = {}) =>
		await harness.run(
			{ resource: 'contactImport', operation: 'start' },
			{ file: 'name\r\nAnn\r\n', ...options },
		);
	const isOpen = (stream: Readable) => !stream.destroyed;

	test('a stored file is streamed to the service, and closed', async () => {
		const { json } = await send({
			file: `name,waId\r\n${Array.from({ length: 20_000 }, (_, n) => `"Größe, ${n} 🙂",${10_000_000 + n}`).join('\r\n')}\r\n`,
		});
		expect(json[0]).toMatchObject({ totalRows: 20_000, fileName: 'input.csv' });
		const job = harness.sandbox.world.imports.find(() => true)!;
		expect(job.pending.at(-1)).toEqual({ name: 'Größe, 19999 🙂', waId: '10019999', igId: '' });
		expect(opened).toHaveLength(1);
		expect(opened.some(isOpen)).toBe(false);
	});

	test('a stored file is opened after the wait for the rate limit, and closed during a wait', async () => {
		time = new FakeTime().install();
		const openWhileWaiting: number[] = [];
		const sleep = clock.sleep.bind(clock);
		clock.sleep = async (ms, signal) => {
			openWhileWaiting.push(opened.filter(isOpen).length);
			await sleep(ms, signal);
		};
		harness.sandbox.faults.add(
			{ kind: 'status', status: 429, headers: { 'retry-after': '30' } },
			{ times: 2 },
		);
		const { json } = await send();
		expect(json[0]).toMatchObject({ totalRows: 1 });
		expect(openWhileWaiting.length).toBeGreaterThanOrEqual(2);
		expect(openWhileWaiting.every((count) => count === 0)).toBe(true);
		expect(opened).toHaveLength(3);
		expect(opened.some(isOpen)).toBe(false);
	});

	test.each<[when: string, fault: Fault, says: RegExp]>([
		['the connection breaks', { kind: 'reset' }, /did not respond/],
		['the service rejects it', { kind: 'status', status: 413 }, /413 Payload Too Large/],
		['the service does not respond', { kind: 'hang' }, /did not respond/],
	])('a stored file is closed when %s', async (_when, fault, says) => {
		if (fault.kind === 'hang') addTimeout(harness.sandbox, fault);
		else harness.sandbox.faults.add(fault);
		const { error } = await send();
		expect(error!.message).toMatch(says);
		expect(opened).toHaveLength(1);
		expect(opened.some(isOpen)).toBe(false);
	});

	test('a stored file is closed when the execution is stopped', async () => {
		const stop = new AbortController();
		harness.sandbox.faults.add(
			{ kind: 'hang' },
			{
				matches: () => {
					// While the file is being sent.
					setImmediate(() => stop.abort());
					return true;
				},
			},
		);
		const { run } = await send({ file: big, signal: stop.signal });
		expect(run.status).toBe('canceled');
		expect(opened).toHaveLength(1);
		expect(opened.some(isOpen)).toBe(false);
	});

	test.each<[what: string, damage: (path: string) => void, reason: RegExp]>([
		['no longer exists', (path) => rmSync(path), /\(File not found.*\)$/],
		[
			'is shorter than recorded',
			(path) => truncateSync(path, 5),
			/\(it has less than the 11 bytes that n8n recorded\)$/,
		],
		[
			'is longer than recorded',
			(path) => writeFileSync(path, 'name\r\nAnn\r\nBob\r\n'),
			/\(it has more than the 11 bytes that n8n recorded\)$/,
		],
	])(
		'a stored file that %s is reported as unreadable, and the service imports nothing',
		async (_, damage, why) => {
			const getMetadata = files.getMetadata.bind(files);
			jest.spyOn(files, 'getMetadata').mockImplementation(async (id) => {
				const metadata = await getMetadata(id);
				damage(files.getPath(id));
				return metadata;
			});
			const imports = harness.sandbox.world.imports.size;
			const { error } = await send();
			expect(error!.message).toMatch(/^Start contact import: n8n could not read the file/);
			expect(error!.message).toMatch(why);
			expect(harness.sandbox.world.imports.size).toBe(imports);
			expect(opened.some(isOpen)).toBe(false);
		},
	);

	test('a stored file that cannot be read leaves the rate limiter to other requests', async () => {
		jest.spyOn(files, 'getMetadata').mockRejectedValue(new Error('File not found'));
		for (let n = 0; n < 20; n++) expect((await send()).error!.message).toMatch(/could not read/);
		const { error } = await harness.run({ resource: 'ticket', operation: 'getAll' });
		expect(error).toBeUndefined();
	});
});

describe('a download to n8n’s storage', () => {
	let harness: Harness;
	beforeEach(async () => {
		harness = await openHarness({ contacts: 5_000, rateLimit: { requests: 0 } });
	});
	afterEach(async () => await harness.close());

	const exported = { resource: 'contact', operation: 'export' };

	test('a download that n8n cannot store is reported as such', async () => {
		const folder = join(storage(), 'workflows');
		rmSync(folder, { recursive: true, force: true });
		mkdirSync(dirname(folder), { recursive: true });
		writeFileSync(folder, 'a file in the way');
		const { error } = await harness.run(exported);
		rmSync(folder);
		expect(error!.message).toMatch(/^Export contacts: n8n could not store the file \(E[A-Z]+: /);
	});
});
