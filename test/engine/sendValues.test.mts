import type { INodeParameters } from 'n8n-workflow';
import { templateVariables as variables, WELCOME } from './harness.mts';
import { SharedHarness } from './sharedHarness.mts';

/** Values that no service can use: media that are no link or ID, and texts that are too long or contain no text. */
const service = new SharedHarness({ contacts: 1, tickets: 1 });

const TO = '12025550143';
const message = { resource: 'message', operation: 'send', to: TO };
const NO_LINKS = [
	...['cdn.example.com/a.png', '//cdn.example.com/a.png', '/a.png', 'a.png', 'C:\\\\a.png'],
	...['javascript:alert(1)', ' javascript:x', 'JAVASCRIPT:x', 'file:///etc/passwd'],
	...['data:image/png;base64,AAAA', 'ftp://cdn.example.com/a.png', 'https:/a.png', 'https://'],
	...['http:a.png', 'https:// a.png', 'blob:https://a.example.com/1'],
];
const LINKS = [
	...['https://cdn.example.com/a.png', 'HTTP://cdn.example.com'],
	...['https://a.example.com/ä?b=c', 'http://10.0.0.7:8080/a'],
];
const MEDIA_IDS = ['1234567890123456', 'cm4k2w8qx0001v8l4a1b2c3d4', '4::aW1hZ2U='];

describe('a file', () => {
	const byUrl = (mediaUrl: string): INodeParameters => ({
		...{ ...message, type: 'image', mediaSource: 'mediaUrl', mediaUrl },
	});
	const { templateId } = WELCOME;
	/** In the header of a template: of a message, and, if it is to be all, of a broadcast and of a fallback template. */
	const inHeader = (image: string, isAll = false): INodeParameters[] => {
		const templateVariables = variables({ 'header:image': image });
		const fallbackVariables = { variable: [{ id: 'header:image', value: image }] };
		const broadcast = { resource: 'broadcast', operation: 'create', name: 'B', audience: 'list' };
		const own = { ...message, type: 'template', templateId, templateVariables };
		if (!isAll) return [own];
		return [
			own,
			{ ...broadcast, recipients: TO, templateId, templateVariables },
			{ ...message, text: 'Hello', options: { templateId, fallbackVariables } },
		];
	};

	test.each([...NO_LINKS, 'an image'])(
		'has no link or ID %j, and nothing is sent',
		async (link) => {
			for (const [parameters, expected] of [
				[
					byUrl(link),
					/^Media URL expects a URL that begins with https:\/\/ or http:\/\/, but got "/,
				],
				...inHeader(link, link === 'an image').map(
					(each) =>
						[
							each,
							/^(?:Template|Fallback template) variable .* expects a URL that begins with https:\/\/ or http:\/\/, or a media ID, but got "/,
						] as const,
				),
			] as const)
				expect((await service.rejected(parameters)).message).toMatch(expected);
		},
	);

	test.each([...LINKS, ...MEDIA_IDS])('may have the link or ID %j', async (link) => {
		service.respond({ success: true, data: { id: 'm1' } }, { times: 2 });
		await service.ok(inHeader(` ${link} `)[0]!);
		if (LINKS.includes(link)) await service.ok(byUrl(` ${link} `));
		expect(new Set(service.routes())).toStrictEqual(new Set(['POST /messages']));
	});
});

describe('a text that nobody can read, or longer than the messaging platform accepts', () => {
	const send = (fields: INodeParameters): INodeParameters => ({ ...message, ...fields });
	const image = { type: 'image', mediaUrl: 'https://cdn.example.com/a.png' };
	const shorten = (max: number) => `Shorten it: the messaging platform accepts at most ${max}.`;

	test.each<[fields: INodeParameters, message: string, step: string]>([
		[{ text: '🙂'.repeat(4_097) }, 'Text has 4097 characters', shorten(4096)],
		[
			{ text: '=On {{ DateTime.fromISO("6.5.").toFormat("d MMM") }}' },
			'Text contains Invalid DateTime$',
			'format',
		],
		[{ text: '=On {{ new Date("31.05.2031") }}' }, 'Text contains Invalid Date$', 'format'],
		[
			{ text: '=On {{ new Date("2031-05-06T10:00:00Z") }}' },
			'Text contains Tue May 06 2031 \\d\\d:00:00 GMT$',
			".format('",
		],
		[
			{ text: '=It costs {{ ($json.price * 2).toFixed(2) }} €.' },
			'Text contains NaN$',
			'calculates',
		],
		...['#N/A', '#DIV/0!', '#NUM!', '#NULL!', '#ERROR!', '#SPILL!', '#CALC!'].map(
			(cell): [INodeParameters, string, string] => [
				{ text: `Hi ${cell}` },
				`Text contains ${cell}$`,
				'Correct the cell',
			],
		),
		[{ text: 'Hi J\uFFFDrgen' }, 'Text contains \uFFFD$', 'Set Encoding'],
		[{ text: '=Hi {{ $json }}' }, 'Text contains \\[object Object\\]$', 'Name one of its fields'],
		[
			{
				type: 'template',
				...WELCOME,
				templateVariables: variables({ 'body:name': '=Hi {{ $json }}' }, { 'body:name': 'name' }),
			},
			'Template variable name contains \\[object Object\\]$',
			'Name one',
		],
		[{ ...image, caption: 'c'.repeat(1_025) }, 'Caption has 1025 characters', shorten(1024)],
		[
			{ operation: 'sendAndWait', message: 'q'.repeat(4_096) },
			'Question with its Approval Options and links has',
			shorten(4096),
		],
	])('is not sent: %#', async (fields, expected, step) => {
		const error = await service.rejected(send(fields));
		expect(error.message).toMatch(new RegExp(`^${expected}`));
		expect(error.description).toContain(step);
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
