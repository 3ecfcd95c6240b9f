import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { readAnswer } from '../../nodes/ConversationalMessaging/resources/message/response/answer.ts';
import {
	closedPage,
	expiredPage,
	PAGE_HEADERS,
	questionPage,
	recordedPage,
} from '../../nodes/ConversationalMessaging/resources/message/response/page.ts';
import {
	DEFAULT_TEXTS,
	questionIn,
	respondedItem,
	timedOutItem,
	type FieldType,
	type FormField,
	type Question,
} from '../../nodes/ConversationalMessaging/resources/message/response/question.ts';
import { runs } from '../support/runs.mts';

const question = (more: Partial<Question> = {}): Question => ({
	id: 'q1',
	responseType: 'approval',
	title: '',
	message: 'Refund 40?',
	decisions: [
		{ label: 'Approve', approved: true },
		{ label: 'Decline', approved: false },
	],
	fields: [],
	submitLabel: 'Submit',
	language: 'en',
	texts: DEFAULT_TEXTS,
	...more,
});

const form = (...fields: FormField[]): Question =>
	question({ responseType: 'customForm', decisions: [], fields });

const field = (type: FieldType, more: Partial<FormField> = {}): FormField => ({
	label: 'L',
	type,
	required: false,
	...more,
});

const DROPDOWN = field('dropdown', { options: ['Red', 'Green'] });

describe('an answer', () => {
	const approveOnly = question({ decisions: [{ label: 'Approve', approved: true }] });

	test.each<[string, Question, IDataObject, IDataObject | undefined]>([
		['approve', question(), { approved: 'true' }, { approved: true }],
		['decline', question(), { approved: 'false' }, { approved: false }],
		['no decision', question(), {}, undefined],
		['a decision that is not offered', approveOnly, { approved: 'false' }, undefined],
	])('%s', (_name, asked, body, data) => {
		expect(readAnswer(asked, body).data).toStrictEqual(data);
	});

	test.each<[FormField, string, unknown]>([
		[field('text'), ' a ', 'a'],
		[field('text'), '', null],
		[field('number'), '0', 0],
		[field('number'), '+7', 7],
		...(
			[
				['3,5', 3.5],
				['-3,5', -3.5],
				['\u22123.5', -3.5],
				['1.5', 1.5],
				['1,50', 1.5],
				['.5', undefined],
				['0.500', 0.5],
				['0,500', 0.5],
				['1500.500', 1500.5],
				['1.500,5', undefined],
				['1.500.000', undefined],
				['1 500', undefined],
				['\u0663\u066b\u0665', 3.5],
				['\u06f1\u06f5\u06f0\u06f0', 1500],
				['\uff13\uff0e\uff15', 3.5],
				['1,500', undefined],
				['3,', undefined],
				['+', undefined],
				['3,5 €', undefined],
				['1e5', undefined],
			] as const
		).map(([text, value]): [FormField, string, unknown] => [field('number'), text, value]),
		[field('text'), 'x'.repeat(20_000), 'x'.repeat(20_000)],
		[field('text'), 'x'.repeat(20_001), undefined],
		[field('textarea'), ' one\r\ntwo ', ' one\ntwo '],
		[field('textarea'), '\r\n'.repeat(9_999) + 'xx', '\n'.repeat(9_999) + 'xx'],
		[field('textarea'), '\r\n'.repeat(20_001), undefined],
		// Would become 12345678901234567000.
		[field('number'), '12345678901234567890', undefined],
		[field('email'), 'ann@example.com', 'ann@example.com'],
		[field('email'), 'ann', undefined],
		[field('email'), 'a b@example.com', undefined],
		[field('email'), 'ann@example.com, bob@example.com', undefined],
		[field('date'), '2028-02-29', '2028-02-29'],
		[field('date'), '2027-02-29', undefined],
		[field('date'), '29.02.2028', undefined],
		[DROPDOWN, 'Red', 'Red'],
		[DROPDOWN, 'red', undefined],
	])('%o with %.80j', (asked, text, value) => {
		const { data, corrections } = readAnswer(form(asked), { 'field-0': text });
		if (value === undefined)
			expect(corrections).toStrictEqual([expect.stringMatching(/^(Enter|Choose) .+\.$/)]);
		else expect(data).toStrictEqual({ L: value });
	});

	test.each([
		['1.500', '1.5 or 1500', 'Bitte prüfen 1.5 / 1500'],
		['1,500', '1.5 or 1500', 'Bitte prüfen 1.5 / 1500'],
		['-12,345', '-12.3450 or -12345', 'Bitte prüfen -12.3450 / -12345'],
	])(
		'a number with two readings is refused with both, which can be entered: %s',
		(text, both, german) => {
			const asked = form(field('number'));
			const read = (entered: string) => readAnswer(asked, { 'field-0': entered });
			expect(read(text).corrections).toStrictEqual([`Enter ${both}: ${text} can mean either.`]);
			const [one, other] = both.split(' or ') as [string, string];
			expect([read(one).data, read(other).data]).toStrictEqual([
				{ L: Number(one) },
				{ L: Number(other) },
			]);
			const texts = { ...DEFAULT_TEXTS, invalid: 'Bitte prüfen' };
			expect(readAnswer({ ...asked, texts }, { 'field-0': text }).corrections).toStrictEqual([
				german,
			]);
		},
	);

	test('each field is read from its own position, and only what is wrong has a note', () => {
		const asked = form(
			field('text', { label: 'Name', required: true }),
			field('number', { label: '__proto__' }),
			DROPDOWN,
		);
		const { data } = readAnswer(asked, { 'field-0': 'Ann', 'field-1': '3', 'field-2': 'Green' });
		expect(Object.entries(data!)).toStrictEqual([
			['Name', 'Ann'],
			['__proto__', 3],
			['L', 'Green'],
		]);
		expect(readAnswer(asked, { 'field-1': '3', 'field-2': 'x' }).corrections).toStrictEqual([
			'This field is required.',
			undefined,
			'Choose one of the options.',
		]);
	});
});

/** The tags of a page, without their texts and values. */
const skeleton = (html: string): string =>
	html.replace(/"[^"]*"/g, '""').replace(/>[^<]*(?=<)/g, '>');

/** The values and texts of a page as a browser shows them. */
const shownIn = (html: string): string =>
	html
		.replace(/&lt;/g, '<')
		.replace(/&gt;/g, '>')
		.replace(/&quot;/g, '"')
		.replace(/&#39;/g, "'")
		.replace(/&amp;/g, '&');

describe('a page', () => {
	/** A form and an approval with each of these texts in its place. */
	const pageOf = (texts: string[]): string => {
		const [title = '', message = '', label = '', placeholder = '', option = '', value = ''] = texts;
		const types: FieldType[] = ['date', 'dropdown', 'email', 'number', 'text', 'textarea'];
		const fields = types.map((type) =>
			field(type, { label, placeholder, options: [option], required: true }),
		);
		const body = Object.fromEntries(types.map((_type, index) => [`field-${index}`, value]));
		const decisions = [
			{ label, approved: true },
			{ label: option, approved: false },
		];
		return [
			questionPage(
				{ ...form(...fields), title, message, submitLabel: label },
				{ body, corrections: types.map(() => message) },
			),
			questionPage(question({ title, message, decisions })),
		].join('');
	};

	const DANGEROUS = [
		'<script>alert(1)</script>',
		'"><img src=x onerror=alert(1)>',
		"' onmouseover='alert(1)",
		'</textarea><script>',
		'</title></style>',
		'&lt;b&gt; &amp;amp;',
		'javascript:alert(1)',
		'<!--',
		']]>',
		'\u2028\u0000',
	];

	test('shows every text, whatever it contains, and has no other tags', () => {
		const plain = skeleton(pageOf(['t', 'm', 'l', 'p', 'o', 'v']));
		const text = fc.oneof(
			fc.constantFrom(...DANGEROUS),
			fc.string({ unit: fc.constantFrom(...Array.from('<>"\'&=/ a-')), minLength: 1 }),
			fc.string({ unit: 'grapheme', minLength: 1 }),
		);
		fc.assert(
			fc.property(fc.array(text, { minLength: 6, maxLength: 6 }), (texts) => {
				const html = pageOf(texts);
				expect(skeleton(html).replace(/ selected/, '')).toBe(plain);
				const shown = shownIn(html);
				for (const each of texts) expect(shown).toContain(each);
			}),
			{ numRuns: runs(40, 1_000) },
		);
	});

	test('of an approval has a button per decision, the one to approve first', () => {
		expect(questionPage(question())).toContain(
			'<button dir="auto" name="approved" value="true">Approve</button>\n<button dir="auto" name="approved" value="false" class="other">Decline</button>',
		);
	});

	test('has a control for each field', () => {
		const html = questionPage(
			form(
				field('text', { required: true, placeholder: 'e.g. 7' }),
				// A browser's own field for numbers hides what it cannot read.
				field('number'),
				field('email'),
				field('date'),
				field('textarea', { placeholder: 'p' }),
				field('textarea', { required: true }),
				field('dropdown', { options: ['Red'] }),
				field('dropdown', { options: ['Red'], required: true }),
			),
		);
		const [may, must] = ['<span dir="auto">L</span>', '<span dir="auto">L *</span>'];
		const options = '<option value="" selected></option><option value="Red">Red</option>';
		expect([...html.matchAll(/<label>[\s\S]*?<\/label>/g)].map(([label]) => label)).toStrictEqual([
			`<label>${must}<input name="field-0" dir="auto" type="text" value="" placeholder="e.g. 7" required></label>`,
			`<label>${may}<input name="field-1" dir="auto" type="text" inputmode="decimal" value=""></label>`,
			`<label>${may}<input name="field-2" dir="auto" type="email" value=""></label>`,
			`<label>${may}<input name="field-3" dir="auto" type="date" value=""></label>`,
			`<label>${may}<textarea name="field-4" dir="auto" rows="5" placeholder="p">\n</textarea></label>`,
			`<label>${must}<textarea name="field-5" dir="auto" rows="5" required>\n</textarea></label>`,
			`<label>${may}<select name="field-6" dir="auto">${options}</select></label>`,
			`<label>${must}<select name="field-7" dir="auto" required>${options}</select></label>`,
		]);
		expect(html).toContain('<p dir="auto">* This field is required.</p>');
		// n8n 2.41 rejects a custom form in another encoding.
		expect(html).toContain('<form method="post" enctype="multipart/form-data">');
		expect(questionPage(form(field('text')))).not.toContain('* ');
	});

	test.each<[string, string, string, string]>([
		['asks', questionPage(question({ message: '\nRefund?\n\n40 €\n' })), 'Refund?', '40 €\n'],
		['asks with a title', questionPage(question({ title: 'Shop' })), 'Shop', 'Refund 40?'],
		[
			'thanks',
			recordedPage(question(), 'Approve'),
			'Refund 40?',
			'Recorded: Approve\n\nThank you. You can close this page.',
		],
		[
			'is late',
			expiredPage(question({ title: 'Shop' })),
			'Shop',
			'This link has expired: the time to respond has passed.',
		],
		[
			'is closed',
			closedPage(),
			'This link is no longer valid',
			'The question has been answered, or the time to respond has passed.',
		],
	])('that %s says so below its heading, which is its title, too', (_what, html, heading, text) => {
		expect(html).toContain(`<title>${heading}</title>`);
		expect(html).toContain(`<h1 dir="auto">${heading}</h1>\n<p dir="auto">${text}</p>`);
	});

	test.each([
		['de-AT', 'ltr'],
		['HE', 'rtl'],
		['fa-IR', 'rtl'],
		['arn', 'ltr'],
	])('in the language %s is written from %s', (language, direction) => {
		expect(questionPage(question({ language }))).toContain(
			`<html lang="${language}" dir="${direction}">`,
		);
	});

	test('keeps what was entered, and says what to correct', () => {
		const asked = form(field('textarea', { required: true }), DROPDOWN);
		const html = questionPage(asked, {
			body: { 'field-0': '\nfirst line', 'field-1': 'Green' },
			corrections: [undefined, 'Choose one of the options.'],
		});
		// A browser drops one line break after the tag.
		expect(html).toContain('>\n\nfirst line</textarea>');
		expect(html).toContain('<option value="Green" selected>');
		expect(html.match(/<strong /g)).toHaveLength(1);
		expect(html).toContain(
			'<strong id="field-1-correction" dir="auto">Choose one of the options.</strong>',
		);
		expect(html).toContain('aria-invalid="true" aria-describedby="field-1-correction" autofocus>');
		expect(html.match(/aria-invalid/g)).toHaveLength(1);
		expect(html.match(/autofocus/g)).toHaveLength(1);
		expect(html).toContain('<title>Choose one of the options. – Refund 40?</title>');
	});

	test('does not repeat what is too long', () => {
		const asked = form(field('text'), field('textarea'));
		const body = { 'field-0': '&'.repeat(20_001), 'field-1': '&'.repeat(20_000) };
		const { corrections } = readAnswer(asked, body);
		expect(corrections).toStrictEqual(['Enter at most 20,000 characters.', undefined]);
		const html = questionPage(asked, { body, corrections });
		expect(html.match(/&amp;/g)).toHaveLength(20_000);
		expect(html).toContain('value=""');
	});

	test('is in the language and the words of its question', () => {
		const texts = {
			recorded: 'Gespeichert: [response]. Nochmals: [response]',
			expired: 'Abgelaufen',
			required: 'Pflichtfeld',
			invalid: 'Bitte prüfen',
		};
		const asked = { ...form(field('text', { required: true }), field('email')), texts };
		const german = { ...asked, language: 'de' };
		expect(readAnswer(german, { 'field-1': 'ann' }).corrections).toStrictEqual([
			'Pflichtfeld',
			'Bitte prüfen',
		]);
		const thanks = recordedPage(german, '$& <b>');
		expect(shownIn(thanks)).toContain('Gespeichert: $& <b>. Nochmals: $& <b>');
		for (const html of [thanks, expiredPage(german), questionPage(german)])
			expect(html).toContain('<html lang="de" dir="ltr">');
		expect(expiredPage(german)).toContain('Abgelaufen');
	});

	test.each<[Question, IDataObject, string]>([
		[question(), { approved: 'false' }, 'Decline'],
		[
			form(field('number', { label: 'Amount' }), field('text', { label: 'Note' })),
			{ 'field-0': '40' },
			'Amount: 40\nNote: –',
		],
		[
			{ ...form(field('textarea')), responseType: 'freeText' },
			{ 'field-0': 'Send a new one' },
			'Send a new one',
		],
	])('repeats the response', (asked, body, shown) => {
		expect(readAnswer(asked, body).shown).toBe(shown);
	});

	test.each([
		['that asks', questionPage(form(field('text')))],
		['that thanks', recordedPage(question({ title: 'T' }), 'x')],
		['of a closed link', closedPage()],
	])('%s fits a phone, runs nothing and loads nothing', (_name, html) => {
		expect(html).toMatch(/^<!doctype html>/);
		expect(html).toContain('name="viewport" content="width=device-width, initial-scale=1"');
		expect(html).not.toMatch(/<script|<link|<img|<iframe|src=|href=|url\(|@import| on\w+=/i);
		const rules = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(html)![1]!;
		expect(rules).toMatch(
			/^default-src 'none'; style-src 'sha256-[\w+/]{43}='; form-action 'self'; base-uri 'none'$/,
		);
		expect(PAGE_HEADERS['Content-Security-Policy']).toBe(`${rules}; frame-ancestors 'none'`);
	});

	test('allows exactly its own style', async () => {
		const html = closedPage();
		const style = /<style>([\s\S]*)<\/style>/.exec(html)![1]!;
		const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(style));
		expect(html).toContain(`'sha256-${Buffer.from(digest).toString('base64')}'`);
	});
});

test('a field with the label respondedAt does not replace the time of the response', () => {
	const before = Date.now();
	const { data } = respondedItem({ Reason: 'Broken', respondedAt: 'yesterday' });
	expect(data).toStrictEqual({ Reason: 'Broken', respondedAt: expect.any(String) as string });
	expect(Date.parse((data as IDataObject).respondedAt as string)).toBeGreaterThanOrEqual(before);
});

describe('the item that continues when the time is up', () => {
	test('is declined if it was an approval', () => {
		expect(timedOutItem(question())).toMatchObject({ timedOut: true, data: { approved: false } });
		expect(timedOutItem(form(field('text')))).toStrictEqual({
			timedOut: true,
			data: {},
			question: form(field('text')),
		});
	});

	test('contains the question, for the page', () => {
		const asked = form(DROPDOWN);
		expect(questionIn(JSON.stringify(timedOutItem(asked)))).toStrictEqual(asked);
	});

	test.each([undefined, null, 7, 'null', '[]', '{}', '{"question":{}}', '{"question":{"id":7}}'])(
		'%j contains no question',
		(json) => {
			expect(questionIn(json)).toBeUndefined();
		},
	);
});
