import type { INodeParameters } from 'n8n-workflow';
import { byId, WELCOME } from './harness.mts';
import { SharedHarness } from './sharedHarness.mts';

/** Values that no service can use, and responses that are no success: media, Template Components, flows. */
const service = new SharedHarness({ contacts: 1, tickets: 1 });

const TO = '12025550143';
const NO_LINKS = [
	...['cdn.example.com/a.png', '//cdn.example.com/a.png', '/a.png', 'a.png', 'C:\\\\a.png'],
	...[
		'javascript:alert(1)',
		' javascript:x',
		'JAVASCRIPT:x',
		'file:///etc/passwd',
		'data:image/png;base64,AAAA',
	],
	...[
		'ftp://cdn.example.com/a.png',
		'https:/a.png',
		'https://',
		'http:a.png',
		'https:// a.png',
		'blob:https://a.example.com/1',
	],
];
const LINKS = [
	'https://cdn.example.com/a.png',
	'HTTP://cdn.example.com',
	' https://a.example.com/ä?b=c ',
	'http://10.0.0.7:8080/a',
];

describe('the link of a file', () => {
	const send = (mediaUrl: string, type: string): INodeParameters => ({
		resource: 'message',
		operation: 'send',
		to: TO,
		type,
		mediaSource: 'mediaUrl',
		mediaUrl,
	});

	test.each(NO_LINKS)('%j is none, and nothing is sent', async (link) => {
		for (const type of ['image', 'document', 'audio', 'sticker', 'video']) {
			const { message } = await service.error(send(link, type));
			expect(message).toMatch(
				/^Media URL expects a URL that begins with https:\/\/ or http:\/\/, but got "/,
			);
		}
		expect(service.requests).toStrictEqual([]);
	});

	test.each(LINKS)('%j is sent without the spaces around it', async (link) => {
		service.respond({ success: true, data: { id: 'm1' } });
		await service.ok(send(link, 'image'));
		expect(service.requests[0]!.route).toBe('POST /messages');
	});
});

describe('a text longer than the messaging platform accepts', () => {
	const send = (fields: INodeParameters): INodeParameters => ({
		resource: 'message',
		operation: 'send',
		to: TO,
		...fields,
	});
	const image = { type: 'image', mediaUrl: 'https://cdn.example.com/a.png' };

	test.each<[fields: INodeParameters, message: string, max: string]>([
		[{ text: '🙂'.repeat(4_097) }, 'Text has 4097 characters', '4096'],
		[{ ...image, caption: 'c'.repeat(1_025) }, 'Caption has 1025 characters', '1024'],
		[
			{ operation: 'sendAndWait', message: 'q'.repeat(4_096) },
			'Question with its Approval Options and links has',
			'4096',
		],
	])('is not sent: %#', async (fields, message, max) => {
		const error = await service.error(send(fields));
		expect(error.message).toMatch(new RegExp(`^${message}`));
		expect(error.description).toContain(
			`Shorten it: the messaging platform accepts at most ${max}.`,
		);
		expect(service.requests).toStrictEqual([]);
	});

	test.each<[fields: INodeParameters]>([
		[{ text: '🙂'.repeat(4_096) }],
		[{ ...image, caption: 'c'.repeat(1_024) }],
	])('is sent up to that length: %#', async (fields) => {
		service.respond({ success: true, data: { id: 'm1' } });
		await service.ok(send(fields));
		expect(service.requests[0]!.route).toBe('POST /messages');
	});
});

describe('the media in the header of a template', () => {
	const variables = (image: string) =>
		({
			mappingMode: 'defineBelow',
			value: { 'header:image': image },
			schema: [{ id: 'header:image', displayName: 'Header image URL or ID', required: true }],
		}) as unknown as INodeParameters;
	const parameters = (image: string): INodeParameters[] => [
		{
			resource: 'message',
			operation: 'send',
			to: TO,
			type: 'template',
			templateId: WELCOME.templateId,
			templateVariables: variables(image),
		},
		{
			resource: 'broadcast',
			operation: 'create',
			name: 'B',
			audience: 'list',
			recipients: TO,
			templateId: WELCOME.templateId,
			templateVariables: variables(image),
		},
		{
			resource: 'message',
			operation: 'send',
			to: TO,
			text: 'Hello',
			options: {
				templateId: WELCOME.templateId,
				fallbackVariables: { variable: [{ id: 'header:image', value: image }] },
			},
		},
	];

	test.each([...NO_LINKS, 'an image'])('%j is neither a link nor an ID', async (image) => {
		for (const each of parameters(image)) {
			const { message } = await service.error(each);
			expect(message).toMatch(
				/^Template variable .* expects a URL that begins with https:\/\/ or http:\/\/, or a media ID, but got "/,
			);
		}
		expect(service.requests).toStrictEqual([]);
	});

	test.each([
		...LINKS.map((link) => link.trim()),
		'1234567890123456',
		'cm4k2w8qx0001v8l4a1b2c3d4',
		'4::aW1hZ2U=',
	])('%j is a link or an ID', async (image) => {
		service.respond({ success: true, data: { id: 'm1' } });
		await service.ok(parameters(` ${image} `)[0]!);
		expect(service.requests).toHaveLength(1);
	});
});

test.each<[value: string | unknown[], got: string]>([
	['["x"]', '"[\\"x\\"]"'],
	['[{ "type": "body" }, null]', '"[{'],
	['[1]', '"[1]"'],
	['[[]]', '"[[]]"'],
	[['x'], 'a list: ["x"]'],
])(
	'Template Components %j are no components, and nothing is sent',
	async (templateComponents, got) => {
		for (const more of [
			{ resource: 'message', operation: 'send', to: TO, type: 'template' },
			{ resource: 'broadcast', operation: 'create', name: 'B', audience: 'list', recipients: TO },
		]) {
			const options = { templateComponents } as INodeParameters;
			const { message } = await service.error({
				...more,
				templateId: byId('welcome en_US'),
				options,
			});
			expect(
				message.startsWith(`Template Components expects a JSON list of objects, but got ${got}`),
			).toBe(true);
		}
		expect(service.requests).toStrictEqual([]);
	},
);
