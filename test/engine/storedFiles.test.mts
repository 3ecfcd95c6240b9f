import { mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import type { INodeParameters } from 'n8n-workflow';
import type { BinaryDataService } from 'n8n-core';
import { storeFilesOnDisk } from '../../tools/engine/storedFiles.mts';
import type { Fault } from '../../sandbox/faults.mts';
import { describeFiles } from './files.mts';
import { type NodeRun, WELCOME_BROADCAST } from './harness.mts';
import { SharedHarness } from './sharedHarness.mts';
import { addTimeout } from './timeout.mts';

let files: BinaryDataService;
beforeAll(async () => {
	files = await storeFilesOnDisk();
});
const service = new SharedHarness({ contacts: 30, tickets: 1 });

const contentOf = async ({ id }: { id?: string }) => {
	expect(id).toMatch(/^filesystem-v2:/);
	return await buffer(await files.getAsStream(id!));
};
describeFiles('on disk', service, contentOf, ['file']);

describe('a stored file', () => {
	let opened: Readable[];
	beforeEach(() => {
		opened = [];
		const open = files.getAsStream.bind(files);
		jest.spyOn(files, 'getAsStream').mockImplementation(async (...of) => {
			const stream = await open(...of);
			opened.push(stream);
			return stream;
		});
	});

	const send = async (options: NodeRun = {}) =>
		await service.run(
			{ resource: 'contactImport', operation: 'start' },
			{ file: 'name\r\nAnn\r\n', ...options },
		);
	const isOpen = (stream: Readable) => !stream.destroyed;
	const expectOpenedAndClosed = (times: number) => {
		expect(opened).toHaveLength(times);
		expect(opened.some(isOpen)).toBe(false);
	};

	test('is streamed to the service, and closed', async () => {
		const rows = Array.from({ length: 4_000 }, (_, n) => `"Größe, ${n} 🙂",${10_000_000 + n}`);
		const { json } = await send({ file: `name,waId\r\n${rows.join('\r\n')}\r\n` });
		expect(json[0]).toMatchObject({ totalRows: 4_000, fileName: 'input.csv' });
		const job = service.world.imports.find(() => true)!;
		expect(job.pending.at(-1)).toStrictEqual({
			name: 'Größe, 3999 🙂',
			waId: '10003999',
			igId: '',
		});
		expectOpenedAndClosed(1);
	});

	test('is opened after the wait for the rate limit, and closed during a wait', async () => {
		const openWhileWaiting: number[] = [];
		service.time.beforeWaits.push(() => {
			openWhileWaiting.push(opened.filter(isOpen).length);
		});
		service.reject(429, { times: 2 });
		const { json } = await send();
		expect(json[0]).toMatchObject({ totalRows: 1 });
		expect(openWhileWaiting.length).toBeGreaterThanOrEqual(2);
		expect(new Set(openWhileWaiting)).toStrictEqual(new Set([0]));
		expectOpenedAndClosed(3);
	});

	test.each<[when: string, fault: Fault, says: RegExp]>([
		['the connection breaks', { kind: 'reset' }, /did not respond/],
		['the service rejects it', { kind: 'status', status: 413 }, /413 Payload Too Large/],
		['the service does not respond', { kind: 'hang' }, /did not respond/],
	])('is closed when %s', async (_when, fault, says) => {
		if (fault.kind === 'hang') addTimeout(service.sandbox, fault);
		else service.sandbox.faults.add(fault);
		expect((await send()).error!.message).toMatch(says);
		expectOpenedAndClosed(1);
	});

	test('is closed when the execution is stopped', async () => {
		// While the file is being sent.
		const signal = service.stopDuring(() => true);
		const file = `name\r\n${'Ann\r\n'.repeat(2_000_000)}`;
		const { run } = await send({ file, signal });
		expect(run.status).toBe('canceled');
		expectOpenedAndClosed(1);
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
	])('that %s is reported, and the service imports nothing', async (_what, damage, why) => {
		const getMetadata = files.getMetadata.bind(files);
		jest.spyOn(files, 'getMetadata').mockImplementation(async (id) => {
			const metadata = await getMetadata(id);
			damage(files.getPath(id));
			return metadata;
		});
		const { error } = await send();
		expect(error!.message).toMatch(/^Start contact import: n8n could not read the file/);
		expect(error!.message).toMatch(why);
		expect(service.world.imports.size).toBe(0);
		expect(opened.some(isOpen)).toBe(false);
	});

	test('that cannot be read leaves the rate limiter to other requests', async () => {
		jest.spyOn(files, 'getMetadata').mockRejectedValue(new Error('File not found'));
		for (let n = 0; n < 10; n++) expect((await send()).error!.message).toMatch(/could not read/);
		await service.ok({ resource: 'ticket', operation: 'getAll' });
	});
});

describe.each<[when: string, hang: (meanwhile: () => void) => void]>([
	[
		'is asked for the size of a file',
		(meanwhile) => jest.spyOn(files, 'getMetadata').mockImplementation(answering(meanwhile)),
	],
	[
		'opens a file',
		(meanwhile) => jest.spyOn(files, 'getAsStream').mockImplementation(answering(meanwhile)),
	],
	[
		'reads a file',
		(meanwhile) =>
			jest
				.spyOn(files, 'getAsStream')
				.mockImplementation(async () => new Readable({ read: () => void setImmediate(meanwhile) })),
	],
])('n8n’s storage that does not answer when it %s', (_when, hang) => {
	const READERS: [what: string, parameters: INodeParameters][] = [
		['Start contact import', { resource: 'contactImport', operation: 'start' }],
		['Create broadcast', { ...WELCOME_BROADCAST, audience: 'csv', options: { maxRecipients: 99 } }],
	];

	test.each(READERS)('fails in time, and other requests have their turn: %s', async (what, of) => {
		hang(() => service.time.expire());
		for (let n = 0; n < 9; n++) {
			const { message } = await service.error(of, { file: 'name\r\nAnn\r\n' });
			expect(message).toBe(`${what}: n8n could not read the file (ETIMEDOUT)`);
		}
		expect(service.world.imports.size).toBe(0);
		expect(service.time.limits).toStrictEqual([]);
		await service.ok({ resource: 'ticket', operation: 'getAll' });
	});

	test.each(READERS)('ends at once when the execution is stopped: %s', async (_what, of) => {
		const stop = new AbortController();
		hang(() => stop.abort());
		const { run } = await service.run(of, { file: 'name\r\nAnn\r\n', signal: stop.signal });
		expect(run.status).toBe('canceled');
	});
});

/** A call of n8n's storage that is never answered. @param meanwhile is called then */
const answering = (meanwhile: () => void) => async () => {
	setImmediate(meanwhile);
	return await new Promise<never>(() => undefined);
};

describe('a download that n8n’s storage receives, and never confirms', () => {
	const stored = (meanwhile: () => void) =>
		jest.spyOn(files, 'store').mockImplementation(async (_location, content) => {
			await buffer(content as Readable);
			return await answering(meanwhile)();
		});
	const exported = { resource: 'contact', operation: 'export' };

	test('fails in time', async () => {
		stored(() => service.time.expire());
		const { message } = await service.error(exported);
		expect(message).toBe('Export contacts: n8n could not store the file (ETIMEDOUT)');
	});

	test('ends at once when the execution is stopped', async () => {
		const stop = new AbortController();
		stored(() => stop.abort());
		expect((await service.run(exported, { signal: stop.signal })).run.status).toBe('canceled');
	});
});

test('a download that n8n cannot store is reported as such', async () => {
	const folder = join(process.env.N8N_BINARY_DATA_STORAGE_PATH!, 'workflows');
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(dirname(folder), { recursive: true });
	writeFileSync(folder, 'a file in the way');
	const { message } = await service.error({ resource: 'contact', operation: 'export' });
	rmSync(folder);
	expect(message).toMatch(/^Export contacts: n8n could not store the file \(E[A-Z]+: /);
});

describe('a file in a message', () => {
	const INVOICE = {
		bytes: Buffer.from('%PDF-1.7 invoice'),
		fileName: 'invoice 7.pdf',
		mimeType: 'application/pdf',
	};

	async function send(parameters: INodeParameters = {}, run: NodeRun = {}) {
		const message = service.message({ type: 'document', mediaSource: 'binary', ...parameters });
		const { error } = await service.run(message, { file: INVOICE, ...run });
		return { error, sent: service.bodies('POST /messages') };
	}

	/** What somebody gets who opens a signed link, as n8n serves it, and for how many seconds the link is valid. */
	async function opened(link: unknown): Promise<{ content: string; validFor: number }> {
		const token = new URL(String(link)).searchParams.get('token') ?? '';
		const [, payload = ''] = token.split('.');
		const { iat, exp } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as {
			iat: number;
			exp: number;
		};
		const content = await buffer(await files.getAsStream(files.validateSignedToken(token)));
		return { content: content.toString(), validFor: exp - iat };
	}

	test('is a link to the file, valid for an hour, with the file’s name or the one that was entered', async () => {
		await send({ caption: 'Your invoice' });
		const { error, sent } = await send({ fileName: 'bill.pdf' });
		expect(error).toBeUndefined();
		const mediaUrl = expect.stringMatching(/\/binary-data\/signed\?token=/) as unknown;
		expect(sent).toMatchObject([
			{ type: 'document', mediaUrl, fileName: 'invoice 7.pdf', caption: 'Your invoice' },
			{ type: 'document', mediaUrl, fileName: 'bill.pdf' },
		]);
		expect(sent[0]).not.toHaveProperty('mediaId');
		expect(await opened(sent[0]!.mediaUrl)).toStrictEqual({
			content: '%PDF-1.7 invoice',
			validFor: 3_600,
		});
	});

	test.each([
		['image', 'application/pdf', 'Document'],
		['video', 'image/png', 'Image'],
		['audio', 'video/mp4', 'Video'],
		['sticker', 'image/png', 'Image'],
		['image', 'AUDIO/ogg; codecs=opus', 'Audio'],
	])('that is no %s, but %s, is not sent as one', async (type, mimeType, other) => {
		const { error } = await send({ type }, { file: { ...INVOICE, mimeType } });
		expect(error).toMatchObject({
			message: expect.stringMatching(
				new RegExp(
					`^The file "invoice 7.pdf" \\(.*\\) cannot be sent .* message type ${type}$`,
					'i',
				),
			),
			description: `Set Message Type to ${other}, or choose another file.`,
		});
		expect(service.requests).toStrictEqual([]);
	});

	test.each([
		['image', 'image/jpeg'],
		['sticker', 'image/webp'],
		['video', 'video/3gpp'],
		['audio', 'application/ogg'],
		['document', 'image/png'],
		// What it contains is unknown.
		['image', 'application/octet-stream'],
		['video', 'binary/octet-stream'],
	])('is sent as %s if it is %s, with its name only as a document', async (type, mimeType) => {
		const { error, sent } = await send({ type }, { file: { ...INVOICE, mimeType } });
		expect(error).toBeUndefined();
		expect(sent).toMatchObject([{ type, mediaUrl: expect.anything() }]);
		expect('fileName' in sent[0]!).toBe(type === 'document');
	});

	test.each(['receipt', '__proto__'])(
		'that the item does not have is rejected before anything is sent: %s',
		async (binaryPropertyName) => {
			const { error, sent } = await send({ binaryPropertyName });
			expect(error?.message).toBe(`The item has no file in the field "${binaryPropertyName}"`);
			expect(sent).toStrictEqual([]);
		},
	);

	test('is no link into n8n’s network for a service outside of it', async () => {
		const { error } = await send({}, { baseUrl: 'https://api.example.com/api/v2' });
		expect(error).toMatchObject({
			message:
				'The service cannot download the file from n8n, because http://localhost:5678 is not a public address',
			description: expect.stringMatching(/WEBHOOK_URL/),
		});
	});
});
