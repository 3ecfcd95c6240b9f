import fc from 'fast-check';
import { parseResponse } from '../../nodes/ConversationalMessaging/api/response.ts';
import { errorMessage, isHtml } from '../../nodes/ConversationalMessaging/api/errorMessage.ts';

const words = (body: unknown) =>
	errorMessage(
		parseResponse(400, {}, typeof body === 'string' ? body : JSON.stringify(body)),
		String,
	);

describe('the service’s own message', () => {
	test.each([
		['in error', { success: false, error: 'waId is taken' }],
		['in error.message', { error: { code: 'CONFLICT', message: 'waId is taken' } }],
		['in message', { message: 'waId is taken' }],
		[
			'in message beside a general error',
			{ statusCode: 400, error: 'Bad Request', message: 'waId is taken' },
		],
		[
			'in a list of messages',
			{ statusCode: 400, error: 'Bad Request', message: ['waId is taken'] },
		],
		['in errors[]', { errors: ['waId is taken'] }],
		['in errors[].message', { errors: [{ message: 'waId is taken' }] }],
		[
			'in errors[] beside a general message',
			{ message: 'Validation failed', errors: [{ message: 'waId is taken' }] },
		],
		['in detail', { type: 'about:blank', detail: 'waId is taken' }],
		['as a JSON string', JSON.stringify('waId is taken')],
		['as plain text', 'waId is taken'],
		[
			'in the title of a page',
			'<html><head><title>waId is taken</title></head><body>x</body></html>',
		],
		[
			'in a page without a title',
			'<html><body><style>p{}</style><p>waId <b>is taken</b></p></body></html>',
		],
	])('the message is found %s', (_name, body) => {
		expect(words(body)).toBe('waId is taken');
	});

	test('the message names the fields it is about', () => {
		expect(
			words({
				errors: [
					{ field: 'waId', message: 'is taken' },
					{ path: 'name', message: 'is empty' },
				],
			}),
		).toBe('waId: is taken; name: is empty');
	});
});

test('a field without a name is not named', () => {
	expect(words({ field: '', message: 'is taken' })).toBe('is taken');
});

test('a message deeper than anybody would look for it is none, however deep', () => {
	const inLists = (depth: number, value: unknown): unknown =>
		depth === 0 ? value : [inLists(depth - 1, value)];
	expect(words({ errors: inLists(4, 'is taken') })).toBe('is taken');
	expect(words({ errors: inLists(5, 'is taken') })).toBeUndefined();
	expect(words(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)).toBeUndefined();
});

test.each([[''], ['{}'], ['[]'], ['null'], [{ success: false }], [{ error: {} }], ['   ']])(
	'a body of %j has no message',
	(body) => {
		expect(words(body)).toBeUndefined();
	},
);

test.each([
	[400, 'x'.repeat(400)],
	[401, `${'x'.repeat(399)}…`],
	[5_000, `${'x'.repeat(399)}…`],
])('a message of %d characters is cut to 400', (length, shown) => {
	expect(words({ error: 'x'.repeat(length) })).toBe(shown);
});

test.each<[what: string, body: unknown, message: string | undefined]>([
	['the first five of many', { errors: ['a', 'b', 'c', 'd', 'e', 'f'] }, 'a; b; c; d; e'],
	['those that have a text', { errors: ['a', {}, null, 'b'] }, 'a; b'],
	['a field without a name', { field: '', message: 'is taken' }, 'is taken'],
	['a field that the message names', { field: 'waId', message: 'waId is taken' }, 'waId is taken'],
	['four levels deep', { error: { error: { error: { error: 'x' } } } }, 'x'],
	['a list four levels deep', { error: { errors: [{ errors: ['x'] }] } }, 'x'],
	['five levels deep', { error: { error: { error: { error: { error: 'x' } } } } }, 'x'],
	[
		'six levels deep',
		{ a: 1, error: { error: { error: { error: { error: { error: 'x' } } } } } },
		undefined,
	],
])('the message contains %s', (_what, body, message) => {
	expect(words(body)).toBe(message);
});

test.each([
	['if a < b, then c > d', 'if a < b, then c > d'],
	['<p>waId is taken', 'waId is taken'],
	['<br>waId is taken', 'waId is taken'],
	['<p class="a">waId is taken</p>', 'waId is taken'],
	['<html><title>\n</title><body>waId is taken</body>', 'waId is taken'],
	['<html><title lang="en">waId is taken</title><body>x</body>', 'waId is taken'],
	['<script>\nlet a = 1;\n</script><p>waId is taken', 'waId is taken'],
])('of the text %j, the message is %j', (body, message) => {
	expect(words(body)).toBe(message);
});

test.each([
	['<!DOCTYPE html><p>x', true],
	['\n <html lang="en">', true],
	['<body>x', true],
	['<p>x', false],
	['see <html>', false],
	['{"html":"<html>"}', false],
	['', false],
])('the text %j is a web page: %s', (body, expected) => {
	expect(isHtml(parseResponse(502, {}, body))).toBe(expected);
});

test('a token is removed before the message is cut', () => {
	const redact = (text: string) => text.replaceAll('SECRET', '***');
	for (let before = 380; before < 405; before++) {
		const text = `${'x'.repeat(before)}SECRET${'y'.repeat(50)}`;
		expect(errorMessage(parseResponse(400, {}, text), redact)).not.toMatch(/SE/);
	}
});

test('any body yields no message or one line, and never throws', () => {
	fc.assert(
		fc.property(fc.oneof(fc.jsonValue(), fc.string()), (body) => {
			expect(words(body) ?? '').not.toMatch(/[\n\r]/);
		}),
	);
});
