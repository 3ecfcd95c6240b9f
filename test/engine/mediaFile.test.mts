import { buffer } from 'node:stream/consumers';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { BinaryDataService } from 'n8n-core';
import { storeFilesOnDisk } from '../../engine/storedFiles.mts';
import { byId, openHarness, type Harness, type NodeRun } from './harness.mts';

let files: BinaryDataService;
let harness: Harness;
beforeAll(async () => {
	files = await storeFilesOnDisk();
});
beforeEach(async () => {
	harness = await openHarness({ contacts: 30, tickets: 20, rateLimit: { requests: 0 } });
});
afterEach(async () => await harness.close());

const INVOICE = {
	bytes: Buffer.from('%PDF-1.7 invoice'),
	fileName: 'invoice 7.pdf',
	mimeType: 'application/pdf',
};

async function send(parameters: INodeParameters = {}, run: NodeRun = {}) {
	const { world } = harness.sandbox;
	const chat = world.chats.find(
		({ channel, session }) => channel === 'WHATSAPP' && session !== null,
	)!;
	const to = byId(world.contacts.get(chat.contactId)!.waId!);
	const message = {
		resource: 'message',
		operation: 'send',
		type: 'document',
		mediaSource: 'binary',
	};
	const outcome = await harness.run({ ...message, to, ...parameters }, { file: INVOICE, ...run });
	const sent = harness.sandbox.requests.filter(({ route }) => route === 'POST /messages');
	return { ...outcome, sent: sent.map(({ body }) => body as IDataObject) };
}

/** What somebody gets who opens a signed link, as n8n serves it, and for how many seconds the link is valid. */
async function opened(link: unknown): Promise<{ content: Buffer; validFor: number }> {
	const token = new URL(String(link)).searchParams.get('token') ?? '';
	const [, payload = ''] = token.split('.');
	const { iat, exp } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as {
		iat: number;
		exp: number;
	};
	const stream = await files.getAsStream(files.validateSignedToken(token));
	return { content: await buffer(stream), validFor: exp - iat };
}

test('the service gets a link to the file, valid for an hour, and the file’s name', async () => {
	const { error, sent } = await send({ caption: 'Your invoice' });
	expect(error).toBeUndefined();
	expect(sent).toEqual([
		expect.objectContaining({
			type: 'document',
			mediaUrl: expect.stringMatching(/\/binary-data\/signed\?token=/),
			fileName: 'invoice 7.pdf',
			caption: 'Your invoice',
		}),
	]);
	expect(sent[0]).not.toHaveProperty('mediaId');
	const { content, validFor } = await opened(sent[0]?.mediaUrl);
	expect(content.toString()).toBe('%PDF-1.7 invoice');
	expect(validFor).toBe(3_600);
});

test('a name that the user entered comes first', async () => {
	const { sent } = await send({ fileName: 'bill.pdf' });
	expect(sent[0]?.fileName).toBe('bill.pdf');
});

test.each(['image', 'video', 'audio', 'sticker'])(
	'%s: without a name, which the service does not define',
	async (type) => {
		const { error, sent } = await send({ type });
		expect(error).toBeUndefined();
		expect(sent[0]).toMatchObject({ type, mediaUrl: expect.anything() });
		expect(sent[0]).not.toHaveProperty('fileName');
	},
);

test.each(['receipt', '__proto__'])(
	'a file that the item does not have is rejected before anything is sent: %s',
	async (binaryPropertyName) => {
		const { error, sent } = await send({ binaryPropertyName });
		expect(error?.message).toBe(`The item has no file in the field "${binaryPropertyName}"`);
		expect(sent).toEqual([]);
	},
);

test('a service outside the network gets no link into it', async () => {
	const { error } = await send({}, { baseUrl: 'https://api.example.com/api/v2' });
	expect(error?.message).toBe(
		'The service cannot download the file from n8n, because http://localhost:5678 is not a public address',
	);
	expect(error?.description).toMatch(/WEBHOOK_URL/);
});
