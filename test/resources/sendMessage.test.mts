/** What is sent for each type of message, and when the fallback template is sent instead. */
import type { ServiceClient } from '../../nodes/ConversationalMessaging/api/client.ts';
import { send } from '../../nodes/ConversationalMessaging/resources/message/send.ts';
import { prepare } from '../../nodes/ConversationalMessaging/runner/prepare.ts';
import { answering, StatusResponse, serviceOf } from '../api/service.mts';
import { parametersOf } from '../parameters/parameters.mts';
import { jsonOf } from '../runner/outputs.mts';

const COMMON = { channel: 'WHATSAPP', to: '+1 202 555 0143', type: 'text', text: 'Hello' };
const TO = { to: '12025550143', channel: 'WHATSAPP' };

const prepared = (values: Record<string, unknown>) =>
	prepare(send, parametersOf(send.fields, { ...COMMON, ...values }));

const run = async (client: ServiceClient, values: Record<string, unknown>) =>
	jsonOf(await prepared(values).run(client, []));

const SENT = { success: true, data: { id: 'm1' } };

/** The bodies that are sent for these parameters. */
async function bodies(values: Record<string, unknown>): Promise<unknown[]> {
	const { client, requests } = serviceOf(() => SENT);
	expect(await run(client, values)).toEqual([{ id: 'm1' }]);
	expect(requests.every(([route]) => route === 'POST /messages')).toBe(true);
	return requests.map(([, body]) => body);
}

describe('the body of a message', () => {
	const url = { mediaSource: 'mediaUrl', mediaUrl: 'https://example.com/a' };
	const mediaUrl = 'https://example.com/a';
	const captioned = { ...url, caption: 'A caption' };

	test.each<[string, Record<string, unknown>, object]>([
		['text', {}, { type: 'text', text: 'Hello' }],
		['text with its spaces', { text: ' a\nb ' }, { type: 'text', text: ' a\nb ' }],
		[
			'text with a preview',
			{ options: { previewUrl: true } },
			{ type: 'text', text: 'Hello', previewUrl: true },
		],
		[
			'text without a preview',
			{ options: { previewUrl: false } },
			{ type: 'text', text: 'Hello', previewUrl: false },
		],
		['image', { type: 'image', ...captioned }, { type: 'image', mediaUrl, caption: 'A caption' }],
		['image without a caption', { type: 'image', ...url }, { type: 'image', mediaUrl }],
		['video', { type: 'video', ...captioned }, { type: 'video', mediaUrl, caption: 'A caption' }],
		[
			'document',
			{ type: 'document', ...captioned, fileName: 'a.pdf' },
			{ type: 'document', mediaUrl, caption: 'A caption', fileName: 'a.pdf' },
		],
		['audio', { type: 'audio', ...url }, { type: 'audio', mediaUrl }],
		['sticker', { type: 'sticker', ...url }, { type: 'sticker', mediaUrl }],
		[
			'uploaded media',
			{ type: 'image', mediaSource: 'mediaId', mediaId: '77' },
			{ type: 'image', mediaId: '77' },
		],
	])('%s', async (_type, values, content) => {
		expect(await bodies(values)).toEqual([{ ...TO, ...content }]);
	});

	test('contains sender and options', async () => {
		const options = { channelId: 'ch1', takeOver: true, contextId: 'wamid.1' };
		expect(await bodies({ agentId: 'a1', options })).toEqual([
			{ ...TO, agentId: 'a1', ...options, type: 'text', text: 'Hello' },
		]);
	});

	test('contains a business-scoped user ID as it is', async () => {
		const to = 'US.13491208655302741918';
		expect(await bodies({ to })).toEqual([{ ...TO, to, type: 'text', text: 'Hello' }]);
	});

	test('contains an Instagram ID as it is', async () => {
		expect(await bodies({ channel: 'INSTAGRAM', to: '17841400000000001' })).toEqual([
			{ to: '17841400000000001', channel: 'INSTAGRAM', type: 'text', text: 'Hello' },
		]);
	});

	test('contains a template by its name, with its values', async () => {
		const templateComponents = [{ type: 'body', parameters: [{ type: 'text', text: 'Ann' }] }];
		const template = { templateBy: 'name', templateName: 'welcome', templateLanguage: 'de' };
		expect(await bodies({ type: 'template', ...template, templateComponents })).toEqual([
			{
				...TO,
				type: 'template',
				templateName: 'welcome',
				templateLanguage: 'de',
				templateComponents,
			},
		]);
	});

	test('contains a template that was picked', async () => {
		const template = { templateBy: 'list', templateId: 't1 welcome en_US' };
		expect(await bodies({ type: 'template', ...template })).toEqual([
			{ ...TO, type: 'template', templateName: 'welcome', templateLanguage: 'en_US' },
		]);
	});
});

describe('a file of n8n', () => {
	const FILE = { mimeType: 'application/pdf', fileName: 'a.pdf', id: 'filesystem:1' };

	/** The body that is sent for an item with this file. */
	async function bodyWith(file: object, values: Record<string, unknown>): Promise<unknown> {
		const { client, requests } = serviceOf(() => SENT);
		const link = ({ id }: { id: string }, expiresIn: string) =>
			`https://n8n.example.com/${id}?${expiresIn}`;
		Object.assign((client.context as { helpers: object }).helpers, {
			createBinarySignedUrl: link,
		});
		const all = { ...COMMON, mediaSource: 'binary', binaryPropertyName: 'data', ...values };
		const helpers = { assertBinaryData: () => file };
		const parameters = parametersOf(send.fields, all, all, { helpers });
		await prepare(send, parameters).run(client, []);
		expect(requests).toHaveLength(1);
		return requests[0]![1];
	}
	const mediaUrl = 'https://n8n.example.com/filesystem:1?1 hour';

	test.each([
		[{ type: 'image' }, {}],
		[{ type: 'image', caption: 'A caption' }, { caption: 'A caption' }],
		[{ type: 'audio' }, {}],
		[{ type: 'document' }, { fileName: 'a.pdf' }],
		[{ type: 'document', fileName: 'b.pdf' }, { fileName: 'b.pdf' }],
	])('is sent as a link: %j', async ({ type, ...values }, content) => {
		expect(await bodyWith(FILE, { type, ...values })).toEqual({
			...TO,
			type,
			mediaUrl,
			...content,
		});
	});

	test('is not part of a text', async () => {
		expect(await bodyWith(FILE, { type: 'text' })).toEqual({ ...TO, type: 'text', text: 'Hello' });
	});

	test('cannot be sent if n8n keeps it in memory', async () => {
		await expect(bodyWith({ ...FILE, id: undefined }, { type: 'image' })).rejects.toMatchObject({
			message: 'The service cannot download the file, because n8n keeps it in memory',
		});
	});
});

describe('messages to the same contact have the same key', () => {
	const keyOf = (values: Record<string, unknown>) => prepared(values).orderingKey;

	test('however its number is written', () => {
		expect(keyOf({ to: '12025550143' })).toBe(keyOf({ to: '+1 (202) 555-0143' }));
		expect(keyOf({ to: '12025550143' })).not.toBe(keyOf({ to: '12025550144' }));
	});

	test('however WhatsApp writes its ID', () => {
		expect(keyOf({ to: '5215512345678' })).toBe(keyOf({ to: '+52 55 1234 5678' }));
	});

	test('or if it is a business-scoped user ID', () => {
		const to = 'US.13491208655302741918';
		expect(keyOf({ to })).toBe(keyOf({ to }));
		expect(keyOf({ to })).not.toBe(keyOf({ to: '13491208655302' }));
	});

	test('but not on another channel', () => {
		const instagram = { channel: 'INSTAGRAM', to: '12025550143' };
		expect(keyOf(instagram)).not.toBe(keyOf({ to: '12025550143' }));
		expect(keyOf({ ...instagram, to: '+12025550143' })).not.toBe(keyOf(instagram));
	});
});

describe('with a fallback template', () => {
	const fallbackVariables = { variable: [{ id: '1', value: 'Ann' }] };
	const options = { templateId: 't1 welcome en_US', fallbackVariables };
	const template = {
		...TO,
		type: 'template',
		templateName: 'welcome',
		templateLanguage: 'en_US',
		templateComponents: [{ type: 'body', parameters: [{ type: 'text', text: 'Ann' }] }],
	};
	const closed = { success: false, error: 'The 24-hour window has expired' };

	const rejecting = (status: number, json: unknown) =>
		answering(new StatusResponse(status, json), SENT);

	test('the message is sent while the window is open', async () => {
		const { client, requests } = answering(SENT);
		expect(await run(client, { options })).toEqual([{ id: 'm1', sentAs: 'message' }]);
		expect(requests).toHaveLength(1);
	});

	test.each([400, 403, 422])(
		'the template is sent once the window is closed, which the service says with %i',
		async (status) => {
			const { client, requests } = rejecting(status, closed);
			expect(await run(client, { options })).toEqual([{ id: 'm1', sentAs: 'fallbackTemplate' }]);
			expect(requests).toEqual([
				['POST /messages', { ...TO, type: 'text', text: 'Hello' }],
				['POST /messages', template],
			]);
		},
	);

	test('the template is also sent if the rejection has a status of success', async () => {
		const { client, requests } = answering(closed, SENT);
		expect(await run(client, { options })).toEqual([{ id: 'm1', sentAs: 'fallbackTemplate' }]);
		expect(requests).toHaveLength(2);
	});

	test('a rejection with a status of success is reported if it has another reason', async () => {
		const { client, requests } = answering({ success: false, error: 'text is too long' });
		await expect(run(client, { options })).rejects.toThrow('text is too long');
		expect(requests).toHaveLength(1);
	});

	test.each([
		[400, { error: 'text is too long' }],
		[403, { error: 'No permission' }],
		[409, closed],
		[404, closed],
	])('a rejection for another reason is reported (%i %j)', async (status, body) => {
		const { client, requests } = rejecting(status, body);
		await expect(run(client, { options })).rejects.toMatchObject({ httpCode: String(status) });
		expect(requests).toHaveLength(1);
	});

	test('an empty one is reported', async () => {
		await expect(run(answering(SENT).client, { options: { templateId: '' } })).rejects.toThrow();
	});

	test('a closed window is reported without one', async () => {
		const { client, requests } = rejecting(400, closed);
		await expect(run(client, {})).rejects.toMatchObject({ httpCode: '400' });
		expect(requests).toHaveLength(1);
	});

	const templateMessage = { type: 'template', templateBy: 'list', templateId: 't1 welcome en_US' };
	test.each<[string, Record<string, unknown>]>([
		[
			'Fallback Template Variables is set, but Fallback Template is not',
			{ options: { fallbackVariables } },
		],
		[
			'Fallback Template Variables is set, but Fallback Template is not',
			{ ...templateMessage, options: { fallbackVariables } },
		],
		[
			'Fallback Template is set, but Channel Type is Instagram',
			{ options, channel: 'INSTAGRAM', to: '17841400000000001' },
		],
		[
			'Fallback Template is set, but Message Type is Template',
			{ ...templateMessage, options: { templateId: 't1 welcome en_US' } },
		],
	])('one that would be ignored is rejected: %s', (message, values) => {
		expect(() => prepared(values)).toThrow(message);
	});

	test('the output says nothing about it without one', async () => {
		expect(await run(answering(SENT).client, {})).toEqual([{ id: 'm1' }]);
	});
});
