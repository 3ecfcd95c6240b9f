import fc from 'fast-check';
import { parseResponse } from '../../nodes/ConversationalMessaging/api/response.ts';
import { errorMessage } from '../../nodes/ConversationalMessaging/api/errorMessage.ts';

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

test.each([[''], ['{}'], ['[]'], ['null'], [{ success: false }], [{ error: {} }], ['   ']])(
	'a body of %j has no message',
	(body) => {
		expect(words(body)).toBeUndefined();
	},
);

test('a long message is cut to 400 characters', () => {
	expect(words({ error: 'x'.repeat(5_000) })).toHaveLength(400);
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
