import fc from 'fast-check';
import { redactor } from '../../nodes/ConversationalMessaging/api/redact.ts';

/** Contains every character that some encoding writes differently. */
const TOKEN = 'wa_live+/"<&\\\'>=~e%41.x-9$(y)';
const redact = redactor(TOKEN);

const percent = (text: string) =>
	[...new TextEncoder().encode(text)]
		.map((byte) => `%${byte.toString(16).padStart(2, '0')}`)
		.join('');
const html = (text: string) =>
	text
		.replaceAll('&', '&amp;')
		.replaceAll('<', '&lt;')
		.replaceAll('>', '&gt;')
		.replaceAll('"', '&quot;')
		.replaceAll("'", '&#39;');
const unicode = (text: string) =>
	Array.from(text, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');

const SPELLINGS: [string, (text: string) => string][] = [
	['as it is', String],
	['in a URL', encodeURIComponent],
	[
		'in a URL, in lower case',
		(text) => encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase()),
	],
	['in a form', (text) => new URLSearchParams({ a: text }).toString().slice(2)],
	['in a URL inside a URL', (text) => encodeURIComponent(encodeURIComponent(text))],
	['percent-encoded from end to end', percent],
	['in JSON', (text) => JSON.stringify(text).slice(1, -1)],
	[
		'in JSON, with slashes escaped',
		(text) => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/'),
	],
	['in JSON, as numbers', unicode],
	['in HTML', html],
	['in HTML, as numbers', (text) => Array.from(text, (c) => `&#${c.charCodeAt(0)};`).join('')],
	[
		'in HTML, as hexadecimal numbers',
		(text) => Array.from(text, (c) => `&#x${c.charCodeAt(0).toString(16)};`).join(''),
	],
];

test.each(SPELLINGS)('a token is redacted %s', (_name, spell) => {
	for (const token of [TOKEN, `wa_pk_${'0123456789abcdef'.repeat(20)}`])
		expect(redactor(token)(`before ${spell(token)} after, ${spell(token)}!`)).toBe(
			'before *** after, ***!',
		);
});

test('a token that was cut off after its beginning is redacted', () => {
	const token = 'wa_0123456789abcdefghijklmnop';
	for (let length = 12; length <= token.length; length++)
		expect(redactor(token)(`"${token.slice(0, length)}…"`)).not.toContain('0123');
});

test('every other token of the service is redacted', () => {
	expect(redact('wa_pk_someBodyElse.1-2_3 is not wa_pk_')).toBe('*** is not wa_pk_');
});

test('a text without a token stays the same', () => {
	const text = 'Ticket not found. See https://api.example.com/a?b=c%20d&e=\\u0041 &amp; "more"';
	expect(redact(text)).toBe(text);
});

test('any token is redacted in every spelling, whatever surrounds it', () => {
	const character = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code));
	const tokens = fc.array(character, { minLength: 4, maxLength: 80 }).map((all) => all.join(''));
	fc.assert(
		fc.property(
			tokens,
			fc.string(),
			fc.string(),
			fc.constantFrom(...SPELLINGS),
			(token, before, after, [, spell]) => {
				const text = redactor(token)(`${before}\n${spell(token)}\n${after}`);
				expect(text.includes(`\n${spell(token)}\n`)).toBe(false);
			},
		),
	);
});
