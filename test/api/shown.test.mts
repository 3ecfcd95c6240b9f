/** How a text that is not from this package is shown, wherever it is shown. */
import fc from 'fast-check';
import {
	type Shown,
	messageOf,
	shown,
} from '../../nodes/ConversationalMessaging/api/access/shown.ts';

const TOKEN = 'wa_pk_0123456789abcdefghijklmnop';
const text = (foreign: string) => String(shown`${foreign}`);

test.each<[what: string, foreign: string, as: string]>([
	['a token', `before ${TOKEN} after, "${TOKEN}"!`, 'before *** after, "***"!'],
	[
		'a token in a URL',
		`https://a.example.com/?token=${TOKEN}&a=b`,
		'https://a.example.com/?token=***&a=b',
	],
	['a token in a web page', 'token=wa_pk_a&#x2F;b&#43;c&equals; is', 'token=*** is'],
	['a token of anybody else', 'wa_pk_someBodyElse.1-2_3', '***'],
	['a token in capitals', TOKEN.toUpperCase(), '***'],
	['a token that was cut', 'wa_pk_0…', '***…'],
	['the beginning of tokens', 'does not begin with wa_pk_', 'does not begin with wa_pk_'],
	[
		'the rule for tokens',
		'begin with wa_pk_ and have no spaces',
		'begin with wa_pk_ and have no spaces',
	],
	...[
		'\0',
		'\u001b',
		'\u200b',
		'\ufeff',
		'\u034f',
		'\ufe0f',
		'\u{e0100}',
		'\u3164',
		'\u2800',
		'\ud83d',
	].map((hidden): [string, string, string] => [
		`a token with ${JSON.stringify(hidden)} in it`,
		`is w${hidden}a_pk_${hidden}sec${hidden}ret now`,
		'is *** now',
	]),
	['a token as JSON or a URL writes it', '"wa_pk_a\\/b\\u002fc", wa_pk_a%2Fb', '"***", ***'],
	// Not promised (SECURITY.md).
	['a token with tags in it', 'is wa_<b>pk_</b>x', 'is wa_‹b>pk_‹/b>x'],
	['a token with other characters in it', 'is wa.pk_x', 'is wa.pk_x'],
	['a token with a line break in it', 'is wa_\npk_x', 'is wa_ pk_x'],
	[
		'line breaks',
		'ended\r\n2026-11-23 | error | forged\u2028line',
		'ended 2026-11-23 | error | forged line',
	],
	['colors of a terminal', '\u001b[31mred\u001b[0m', '[31mred[0m'],
	['characters that reverse text', 'a\u202eb\u2066c', 'abc'],
	[
		'a link',
		'<a href="https://evil.example.com">Open</a>',
		'‹a href="https://evil.example.com">Open‹/a>',
	],
	['half a character', 'a\ud83d', 'a'],
	['other scripts', 'تم الإلغاء 🙂 é', 'تم الإلغاء 🙂 é'],
	['400 characters', 'x'.repeat(400), 'x'.repeat(400)],
	['more characters', 'x'.repeat(5_000_000), `${'x'.repeat(399)}…`],
	['a character at the end', `${'x'.repeat(398)}🙂🙂`, `${'x'.repeat(398)}…`],
])('%s', (_what, foreign, as) => {
	expect(text(foreign)).toBe(as);
});

test('nothing that is shown contains a line break, a hidden character, a tag, or a token', () => {
	const part = fc.oneof(
		fc.string({ unit: 'binary' }),
		fc.constantFrom(TOKEN, '<a>', '\u001b', 'WA_PK_1'),
	);
	fc.assert(
		fc.property(fc.array(part), (parts) => {
			const line = text(parts.join(''));
			expect(line).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]|<[a-z/!?]|wa_pk_\w/iu);
			expect(line.length).toBeLessThanOrEqual(400);
		}),
	);
});

test('the words of this package, and what was made harmless before, stay as they are', () => {
	const long = 'x'.repeat(400);
	const once = shown`${long}${long}`;
	expect(String(shown`<b>${once}</b>${2}`)).toBe(`<b>${long}${long}</b>2`);
	expect(JSON.stringify({ reason: shown`a` })).toBe('{"reason":"a"}');
});

test('a message is what is written in the code or what was made harmless, and nothing else compiles', () => {
	const status: string = 'ENDED';
	messageOf('A text.');
	messageOf(shown`The status is ${status}.`);
	// @ts-expect-error a text of unknown origin
	messageOf(status);
	// @ts-expect-error a text with one in it
	messageOf(`The status is ${status}.`);
	// @ts-expect-error nobody else can make one
	const forged: Shown = { toString: () => status, toJSON: () => status };
	expect(String(forged)).toBe(status);
});
