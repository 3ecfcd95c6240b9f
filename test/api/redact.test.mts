import fc from 'fast-check';
import { redactor } from '../../nodes/ConversationalMessaging/api/access/redact.ts';

const TOKEN = 'wa_pk_0123456789abcdefghijklmnop';
const redact = redactor(TOKEN);

test('a token is redacted, wherever it is in a text', () => {
	expect(redact(`before ${TOKEN} after, "${TOKEN}"!`)).toBe('before *** after, "***"!');
	expect(redact(`https://api.example.com/?token=${TOKEN}&a=b`)).toBe(
		'https://api.example.com/?token=***&a=b',
	);
});

test('a token that was cut off after its beginning is redacted', () => {
	const token = 'live_0123456789abcdefghijklmnop';
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

test('any token is redacted as it is, whatever surrounds it', () => {
	const character = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code));
	const tokens = fc.array(character, { minLength: 4, maxLength: 80 }).map((all) => all.join(''));
	fc.assert(
		fc.property(tokens, fc.string(), fc.string(), (token, before, after) => {
			const text = redactor(token)(`${before}\n${token}\n${after}`);
			expect(text.includes(`\n${token}\n`)).toBe(token === '***');
		}),
	);
});
