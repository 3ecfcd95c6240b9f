import fc from 'fast-check';
import { templateText } from '../../nodes/ConversationalMessaging/template/text.ts';
import { computedMs } from '../support/computedMs.mts';

test('a template is shown with its variables filled in, and without a value as it is', () => {
	const components = [
		{ type: 'HEADER', format: 'IMAGE' },
		{ type: 'BODY', text: 'Hello {{ 1 }}, {{2}} off.\n{{1}}!' },
		{ type: 'FOOTER', text: 'Reply STOP' },
		{
			type: 'BUTTONS',
			buttons: [
				{ type: 'URL', text: 'Shop', url: 'https://shop.example.com/{{1}}' },
				{ type: 'QUICK_REPLY', text: 'No' },
				{ type: 'COPY_CODE', text: 'Copy' },
			],
		},
	];
	const values: Record<string, string> = {
		'header:image': 'https://cdn.example.com/a.png',
		'body:1': '$& {{2}}',
		'button:0:url': 'spring',
		'button:2:copy_code': 'SAVE20',
	};
	expect(templateText(components, (id) => values[id])).toBe(
		[
			'[image] https://cdn.example.com/a.png',
			'Hello $& {{2}}, {{2}} off.\n$& {{2}}!',
			'Reply STOP',
			'[Shop: https://shop.example.com/spring]',
			'[No]',
			'[Copy: SAVE20]',
		].join('\n'),
	);
	fc.assert(fc.property(fc.jsonValue(), (any) => void templateText(any, () => 'x')));
});

test.each<[what: string, components: unknown, shown: string]>([
	['no list of components', { type: 'BODY', text: 'x' }, ''],
	[
		'a text of megabytes',
		[{ type: 'BODY', text: '{{1}} '.repeat(2_500_000) }],
		`${'body:1 '.repeat(1_706)}{{1}…`,
	],
	['a text header', [{ type: 'HEADER', text: '{{ first_name }}!' }], 'header:text:first_name!'],
	[
		'buttons without text, and other things',
		[{ type: 'BUTTONS', buttons: [{}, null, 'x', { text: 'Yes' }] }],
		'[Yes]',
	],
	[
		'a URL with a named variable',
		[{ type: 'BUTTONS', buttons: [{ text: 'Shop', url: 'https://a.example.com/{{ order_id }}' }] }],
		'[Shop: https://a.example.com/button:0:url]',
	],
])('a template with %s is shown as far as it can be', (_what, components, shown) => {
	const named = (id: string) => (id.endsWith('copy_code') ? undefined : id);
	const started = computedMs();
	// A failure prints what it is, not megabytes.
	expect(templateText(components, named).slice(0, 15_000)).toBe(shown);
	expect(computedMs() - started).toBeLessThan(1_000);
});
