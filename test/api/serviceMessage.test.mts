import fc from 'fast-check';
import { parseResponse } from '../../nodes/ConversationalMessaging/api/response/response.ts';
import {
	serviceMessageIn,
	isHtml,
} from '../../nodes/ConversationalMessaging/api/response/serviceMessage.ts';

const words = (body: unknown) =>
	serviceMessageIn(parseResponse(400, {}, typeof body === 'string' ? body : JSON.stringify(body)));

describe('the service’s own message', () => {
	test.each([
		['in error', { success: false, error: 'waId is taken' }],
		['in error.message', { error: { code: 'CONFLICT', message: 'waId is taken' } }],
		[
			'in message beside a general error',
			{ statusCode: 400, error: 'Bad Request', message: 'waId is taken' },
		],
		['in a list of messages', { error: 'Bad Request', message: ['waId is taken'] }],
		['in errors[]', { errors: ['waId is taken'] }],
		['in errors[].message', { errors: [{ message: 'waId is taken' }] }],
		[
			'in msg',
			{ errors: [{ type: 'field', msg: 'waId is taken', path: 'waId', location: 'body' }] },
		],
		['in error.code, without a message', { error: { code: 'waId is taken' } }],
		['in detail', { type: 'about:blank', detail: 'waId is taken' }],
		['as a JSON string', JSON.stringify('waId is taken')],
		['as plain text', 'waId is taken'],
		['in the title of a page', '<html><title lang="en">waId is taken</title><body>x</body></html>'],
		['in a page with an empty title', '<html><title>\n</title><body>waId is taken</body>'],
		[
			'in a page without a title',
			'<html><style>p{}</style><script>\nlet a;\n</script><p class="a">waId <b>is taken</b></p>',
		],
		['beside a field that it names', { field: 'waId', message: 'waId is taken' }],
		['beside a field without a name', { field: '', message: 'waId is taken' }],
	])('is found %s', (_place, body) => {
		expect(words(body)).toBe('waId is taken');
	});

	test.each<[what: string, body: unknown, message: string | undefined]>([
		[
			'the fields that it is about',
			{
				errors: [
					{ field: 'waId', message: 'is taken' },
					{ path: 'name', message: 'is empty' },
				],
			},
			'waId: is taken; name: is empty',
		],
		['the first five of many', { errors: ['a', 'b', 'c', 'd', 'e', 'f'] }, 'a; b; c; d; e'],
		...(
			[
				[
					'zod',
					{
						success: false,
						error: { name: 'ZodError', issues: [{ path: ['to'], message: 'Required' }] },
					},
					'ZodError: to: Required',
				],
				[
					'zod’s flattened errors',
					{ error: 'Invalid body', details: { formErrors: [], fieldErrors: { to: ['Required'] } } },
					'Invalid body: to: Required',
				],
				[
					'Joi',
					{
						message: 'Validation failed',
						details: [{ message: '"to" is required', path: ['to'] }],
					},
					'Validation failed: "to" is required',
				],
				[
					'Laravel',
					{
						message: 'The given data was invalid.',
						errors: { to: ['The to field is required.'], name: ['Too long.'] },
					},
					'The given data was invalid: The to field is required.; name: Too long.',
				],
				[
					'RFC 9457',
					{
						type: 'about:blank',
						title: 'Bad Request',
						detail: 'Two fields are wrong',
						'invalid-params': [{ name: 'to', reason: 'must be a number' }],
					},
					'Two fields are wrong: to: must be a number',
				],
				[
					'the platform',
					{
						error: {
							message: '(#131009) Parameter value is not valid',
							code: 131009,
							error_data: { messaging_product: 'whatsapp', details: 'The number is too short' },
						},
					},
					'(#131009) Parameter value is not valid: The number is too short',
				],
				[
					'FastAPI',
					{ detail: [{ loc: ['body', 'to'], msg: 'field required', type: 'missing' }] },
					'body.to: field required',
				],
				[
					'Symfony',
					{
						title: 'An error occurred',
						violations: [{ propertyPath: 'to', message: 'too short' }],
					},
					'An error occurred: to: too short',
				],
				[
					'ASP.NET',
					{ title: 'Invalid.', status: 400, errors: { To: ['is required'] } },
					'Invalid: To: is required',
				],
				[
					'Google',
					{
						error: {
							code: 400,
							message: 'Bad',
							details: [{ fieldViolations: [{ field: 'to', description: 'missing' }] }],
						},
					},
					'Bad: to: missing',
				],
				[
					'errors beside a general message',
					{ message: 'Validation failed', errors: [{ message: 'waId is taken' }] },
					'Validation failed: waId is taken',
				],
				[
					'a detail that is in the general message',
					{ message: 'waId is taken', errors: ['waId is taken'] },
					'waId is taken',
				],
				[
					'details that are numbers',
					{ message: 'Too many', details: { limit: 1000 } },
					'Too many: limit: 1000',
				],
				['an envelope', { code: 'E7', data: { message: 'No agent' } }, 'No agent'],
			] as const
		).map(([what, body, message]): [string, unknown, string] => [
			`what ${what} says`,
			body,
			message,
		]),
		['those that have a text', { errors: ['a', {}, null, 'b'] }, 'a; b'],
		['a comparison', 'if a < b, then c > d', 'if a < b, then c > d'],
		[
			'the beginning of what is nested too deeply',
			'['.repeat(1e5) + ']'.repeat(1e5),
			`${'['.repeat(399)}…`,
		],
		['400 characters', { error: 'x'.repeat(400) }, 'x'.repeat(400)],
		['no more', { error: 'x'.repeat(401) }, `${'x'.repeat(399)}…`],
	])('contains %s', (_what, body, message) => {
		expect(words(body)).toBe(message);
	});

	test.each([[''], ['   '], ['[]'], ['null'], [{ success: false }], [{ error: {} }]])(
		'is missing in %j',
		(body) => {
			expect(words(body)).toBeUndefined();
		},
	);

	test('is cut after the token was removed', () => {
		for (let before = 380; before < 405; before++) {
			const text = `${'x'.repeat(before)}wa_pk_SECRET${'y'.repeat(50)}`;
			expect(words(text)).not.toMatch(/SE/);
		}
	});

	test('takes no longer for a body of many entries than for a few, and reads none of the others', () => {
		let reads = 0;
		const entry = () =>
			new Proxy({ message: 'x' }, { get: (of, key) => (reads++, Reflect.get(of, key)) });
		const errors = Array.from({ length: 100_000 }, entry);
		serviceMessageIn({ status: 400, headers: {}, text: '', json: { message: 'No', errors } });
		expect(reads).toBeLessThan(300);
	});

	describe('takes no longer', () => {
		/** How often properties and keys are read. */
		const work = { reads: 0 };
		const read = () => {
			if (++work.reads > 1_000_000) throw new Error('this takes minutes');
		};
		const message = (json: unknown) => {
			work.reads = 0;
			return serviceMessageIn({ status: 400, headers: {}, text: '', json });
		};

		test.each([1, 5])(
			'for a body with another one under every name, %i each, and no message',
			(each) => {
				const body = (): unknown =>
					new Proxy(
						{},
						{
							get: (_, name) => {
								read();
								return typeof name === 'string' && name !== 'field' ? Array(each).fill(body()) : '';
							},
							ownKeys: () => (read(), ['errors', 'details', 'x', 'y', 'z']),
							getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
						},
					);
				expect(message(body())).toBeUndefined();
				expect(work.reads).toBeLessThan(50_000);
			},
		);

		test('for many keys: an object’s are listed once, however deep it is', () => {
			const wide = new Proxy(
				{},
				{
					ownKeys: () => (read(), Array.from({ length: 10_000 }, (_, n) => `x${n}`)),
					getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
				},
			);
			const nested = [1, 2, 3, 4].reduce<object>((errors) => ({ errors }), wide);
			expect(message({ errors: nested })).toBeUndefined();
			expect(work.reads).toBe(1);
		});

		test('for messages of 16 KB under every name', () => {
			const searched = jest.spyOn(String.prototype, 'split');
			const long = 'x '.repeat(8_192);
			const entry = { field: 'to', message: long, detail: long, errors: Array(5).fill(long) };
			const nested = { field: 'to', message: Array(5).fill(entry), details: Array(5).fill(entry) };
			message({ field: 'to', message: Array(5).fill(nested), details: Array(5).fill(nested) });
			const characters = searched.mock.contexts.reduce<number>(
				(sum, each) => sum + String(each).length,
				0,
			);
			searched.mockRestore();
			expect(characters).toBeLessThan(500_000);
		});
	});

	test('is one line or none, whatever the body', () => {
		fc.assert(
			fc.property(fc.oneof(fc.jsonValue(), fc.string()), (body) => {
				expect(words(body) ?? '').not.toMatch(/[\n\r]/);
			}),
		);
	});
});

test.each([
	['<!DOCTYPE html><p>x', true],
	['\n <html lang="en">', true],
	['<body>x', true],
	['<p>x', false],
	['{"html":"<html>"}', false],
])('the text %j is a web page: %s', (body, expected) => {
	expect(isHtml(parseResponse(502, {}, body))).toBe(expected);
});
