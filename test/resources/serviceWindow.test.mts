import fc from 'fast-check';
import { parseResponse } from '../../nodes/ConversationalMessaging/api/response.ts';
import { isWindowClosed } from '../../nodes/ConversationalMessaging/resources/message/serviceWindow.ts';

/** A rejection with this body: text unchanged, anything else as JSON. */
const rejection = (body: unknown, status = 400) =>
	parseResponse(status, {}, typeof body === 'string' ? body : JSON.stringify(body));

/** Bodies that a service may use for a text. */
const bodiesOf = (message: string): unknown[] => [
	message,
	{ success: false, error: message },
	{ success: false, error: { code: 'BAD_REQUEST', message } },
	{ statusCode: 400, error: 'Bad Request', message: [message] },
	{ errors: [{ field: 'request', message }] },
	{ error: { message: 'Message failed', error_data: { details: message } } },
	{ error: JSON.stringify({ error: { message } }) },
	{ success: false, data: { error: message } },
];

/** Texts that say that the customer service window is closed. */
const CLOSED = [
	// The platform's own, and those of its resellers
	'Re-engagement message',
	'(#131047) Re-engagement message',
	'131047: Re-engagement message',
	'131047 – Re-engagement message',
	'Re-engagement Message Required',
	'Message failed to send because more than 24 hours have passed since the customer last replied to this number.',
	'More than 24 hours have passed since the recipient last replied to the sender number.',
	'Failed to send freeform message because you are outside the allowed window. If you are using WhatsApp, please use a Message Template.',
	'Outside the allowed window',
	'Message is sent outside of allowed window',
	// Wordings of services
	'Outside the 24-hour window: free-form messages are not allowed, send an approved template',
	'The 24h window has expired',
	'24-hour window closed',
	'The 24 hour customer service window is closed.',
	'The customer service window is not open for this contact',
	'Customer care window has expired',
	'customer service window expired',
	'Messaging window closed. Send a template message instead',
	'The conversation window with +12025550143 has elapsed',
	'24h session expired',
	'The 24-hour messaging session has ended; use a template',
	'Free-form messages are only permitted within 24 hours of the customer’s last message',
	'Free-form WhatsApp messages can only be sent within the 24-hour window',
	'Session messages are only allowed inside the customer service window',
	'The last customer message is older than 24 hours',
	'The customer’s last message was more than 24 hours ago',
	'The user has not replied to any messages in the last 24 hours',
	'No inbound message within the last 24 hours',
	'No open customer service window',
	'Message rejected: outside 24 hours',
	'You cannot send a text message after 24 hours from the user’s last message',
	'Twenty-four hours have passed since the contact last wrote',
	'This message requires an open service window.',
	'Over 24 hours since last customer reply',
	'Bad Request: outside\u00a0the\u00a024\u2011hour messaging window',
	'You are outside of the 24 hrs window, please use an approved template',
	'Message window expired',
	'Not within the 24-hour window',
	'Recipient is outside the customer-service window',
	'Template message required: the customer window is closed',
	'Only template messages can be sent outside 24 hours',
	'Conversation is inactive: 24h since last user message',
	'Session expired: more than 24 hours since the last message',
	'The time window for sending free-form messages has closed',
	'Non-template message outside window',
	'CUSTOMER_SERVICE_WINDOW_EXPIRED',
	'OUTSIDE_24H_WINDOW',
	'serviceWindowExpired',
	'The 24-Hour Window Has Expired',
	'The 24-hour  window\thas expired',
	// Each sentence is judged alone
	'Re-engagement message!',
	'The 24-hour window has expired. Make sure that you use a template',
	'The 24-hour window has expired\nMake sure that you use a template',
	// Windows without a name
	'(Outside the permitted window)',
	'Error: outside the allowed window',
	'Outside allowed window',
	'Freeform text outside the allowed window',
	'Free-form text outside the allowed window',
	'Freeform text outside the window',
	'Free-form text outside window',
	// The codes, in text
	'WhatsApp API error 131047',
	'Error code: 470',
	'(#470) Message failed to send',
	'Platform refused the message: (#131047) Something new',
	'error_code=63016',
	'Provider answered {"error":{"code":131047,"type":"OAuthException"}}',
	'Error 470: not delivered',
];

/** Texts that do not, however similar. */
const OTHER = [
	'',
	'Bad Request',
	'caption must be at most 1024 characters',
	'text must be shorter than 4096 characters (got 24 hundred)',
	'The contact has an active session with another agent',
	'session with another agent',
	'agentId is required: the contact has no active session',
	'The agent’s 24-hour session has expired',
	'Your login session expired after 24 hours',
	'Session expired',
	'24h session expired, please log in again',
	'Free-form text is not allowed in header',
	'free-form buttons are not supported',
	'Rate limit: 1000 messages per 24-hour window exceeded',
	'Too many requests in the current window',
	'Rate limit window has not expired',
	'You have reached your messaging limit of 1,000 conversations in a rolling 24-hour period',
	'24-hour window exceeded its quota of 250 messages',
	'Pair rate limit hit: wait until the window has passed',
	'Our opening hours are 24h',
	'The shop is closed: opening hours 24h, window closed',
	'Outside the service window: business hours are 9 to 17',
	'sendAt is outside the allowed window',
	'Request timestamp is outside the allowed window',
	'Value outside the allowed window',
	'Outside the allowed window of this endpoint',
	'Outside the delivery window',
	'Outside the upload window',
	'The 24-hour upload window has expired',
	'mediaUrl expired after 24 hours',
	'More than 24 hours have passed since the media was uploaded',
	'More than 24 hours have passed since the template was last edited',
	'Template was paused for 24 hours',
	'This message was not delivered to maintain healthy ecosystem engagement.',
	'The re-engagement message template is paused',
	'Template “24-hour window closed” does not exist',
	'Text "the 24-hour window has expired" contains a forbidden word',
	'The 24-hour window is open, but the contact blocked this number',
	'The customer service window has not expired',
	'Message undeliverable. The customer service window may have expired, or the number is not on WhatsApp.',
	'Make sure that the 24-hour window is open and the number is correct, not closed',
	'Possible reasons: blocked; the customer service window is closed; no such number',
	'Your token expires in 24h',
	'Template review takes up to 24 hours',
	'Only messages from the last 24 hours can be quoted',
	'The customer has not accepted the terms in the last 24 hours',
	'Outside window',
	'Files in Windows-1252 are not supported for 24 hours',
	'The contact is blocked for 24 hours',
	'Session credits of this 24-hour window are used up',
	'Less than 24 hours since the last customer message',
	'previewUrl: window.open is not allowed',
	'The window is closed',
	'No agent is available for 24 hours',
	'The contact’s last message is unknown',
	'Duplicate message within 24 hours',
	'Only one marketing template within 24 hours',
	'Your 24-hour trial period has ended',
	// The codes, as parts of something else
	'Recipient 12025131047 is not on WhatsApp',
	'Recipient +1 470 555 0143 is not on WhatsApp',
	'Area code 470 is not supported',
	'Postal code 63016 is not valid',
	'Contact 131047 was not found',
	'Contact #131047 was not found',
	'Ticket (#470) is closed',
	'Insufficient balance: 470 credits',
	'Amount 470 exceeds 100',
	'470 recipients failed',
	'Error: 470 rows were rejected',
	'Media 1310470000012 has expired',
	'Error code 1310471',
	'Error code 131026: Message undeliverable',
	'wamid.131047 is unknown',
	'One-time code 131047 has been used',
];

test('both lists of texts have at least twenty entries, and none twice', () => {
	for (const texts of [CLOSED, OTHER]) {
		expect(texts.length).toBeGreaterThanOrEqual(20);
		expect(new Set(texts).size).toBe(texts.length);
	}
});

test.each(CLOSED)('“%s” means that the customer service window is closed', (text) => {
	expect(bodiesOf(text).map((body) => isWindowClosed(rejection(body)))).toEqual(
		bodiesOf(text).map(() => true),
	);
});

test.each(OTHER)('“%s” does not mean that the customer service window is closed', (text) => {
	expect(bodiesOf(text).map((body) => isWindowClosed(rejection(body)))).toEqual(
		bodiesOf(text).map(() => false),
	);
});

describe('the code for a closed window', () => {
	test.each<[string, unknown]>([
		['at the top', { code: 131047 }],
		['as text', { code: '131047' }],
		['of the older API', { errors: [{ code: 470, title: 'Message failed to send' }] }],
		['of Twilio', { code: 63016, message: 'No', status: 400 }],
		['in error', { error: { code: 131047, message: 'Something went wrong' } }],
		['as error', { error: 131047 }],
		['in error_data', { error: { code: 100, error_data: { code: 131047 } } }],
		['in details', { message: 'No', details: { provider_error: { error_code: '131047' } } }],
		['in data', { success: false, data: { errors: [{ errorCode: 131047 }] } }],
		['as a subcode', { error: { code: 100, error_subcode: 131047 } }],
		['as text with spaces', { code: ' 470 ' }],
		['with a number sign', { code: '#470' }],
		['in brackets', { code: '(470)' }],
		['in the platform’s field', { whatsapp_error: 470 }],
		['as text of JSON', { message: '{"error":{"code":131047,"message":"No"}}' }],
		['with its number sign', { error: { code: '(#131047)' } }],
		['among holes', { errors: [null, [], { code: 131047 }] }],
	])('the code is found: %s', (_place, body) => {
		expect(isWindowClosed(rejection(body))).toBe(true);
	});

	test.each<[string, unknown]>([
		['an ID', { error: 'No', id: 131047, contactId: '131047' }],
		['a number of messages', { error: { message: 'No', count: 470 } }],
		['what was sent', { error: 'No', request: { code: 131047, text: '24-hour window closed' } }],
		['the message itself', { error: 'No', message: { text: 'The 24h window has expired' } }],
		['the template', { error: 'No', template: { code: 470 } }],
		['a longer code', { code: 1310470 }],
		['a code with something before it', { code: 'E470' }],
		['a code with something behind it', { code: '470x' }],
		['a code with a bracket in it', { code: '47(0' }],
		['a code with a closing bracket in it', { code: '47)0' }],
		['a code with a number sign in it', { code: '4#70' }],
		['a short code in a text', { error: { message: '470' } }],
		['a status', { statusCode: 470, message: 'No' }],
		['another code', { error: { code: 131026, message: 'Message undeliverable' } }],
	])('the code is not looked for elsewhere: %s', (_place, body) => {
		expect(isWindowClosed(rejection(body))).toBe(false);
	});
});

test.each([409, 500, 502, 503])(
	'a response with status %i never means that the window is closed',
	(status) => {
		for (const text of CLOSED) expect(isWindowClosed(rejection(text, status))).toBe(false);
		expect(isWindowClosed(rejection({ code: 131047 }, status))).toBe(false);
	},
);

test.each([400, 403, 422])(
	'a response with status %i may mean that the window is closed',
	(status) => {
		expect(isWindowClosed(rejection('24h session expired', status))).toBe(true);
	},
);

test('an HTML page is judged by its title', () => {
	const page = (title: string) =>
		`<html><head><title>${title}</title></head><body>131047 window</body></html>`;
	expect(isWindowClosed(rejection(page('Outside the 24-hour window')))).toBe(true);
	expect(isWindowClosed(rejection(page('400 Bad Request')))).toBe(false);
	const other = page('400 Bad Request').replace(
		'131047',
		'Error 131047: the 24h window has expired.',
	);
	expect(isWindowClosed(rejection(other))).toBe(false);
});

test('blank lines and spaces around a text are ignored', () => {
	expect(isWindowClosed(rejection('\n  Re-engagement message \n'))).toBe(true);
});

describe('a body that is larger than errors are', () => {
	const CLOSED_TEXT = 'the 24h window has expired';
	/** A text of this length, with the sentence at its end. */
	const textOf = (length: number) => CLOSED_TEXT.padStart(length, 'x. ');
	/** This text, wrapped so many times. */
	const wrapped = (times: number, wrap: (inner: unknown) => unknown): unknown =>
		times === 0 ? CLOSED_TEXT : wrap(wrapped(times - 1, wrap));
	const others = (count: number): string[] => Array<string>(count).fill('no');

	test.each<[string, read: unknown, notRead: unknown]>([
		['2,000 characters of a text', textOf(2_000), textOf(2_001)],
		['2,000 characters of a value', { error: textOf(2_000) }, { error: textOf(2_001) }],
		['6 levels of records', wrapped(6, (error) => ({ error })), wrapped(7, (error) => ({ error }))],
		[
			'6 levels of lists',
			{ errors: wrapped(5, (inner) => [inner]) },
			{ errors: wrapped(6, (inner) => [inner]) },
		],
		[
			'3 levels of JSON in texts',
			wrapped(3, (error) => JSON.stringify({ error })),
			wrapped(4, (error) => JSON.stringify({ error })),
		],
		[
			'50 entries of a list',
			{ errors: [...Array<null>(49).fill(null), CLOSED_TEXT] },
			{ errors: [...Array<null>(50).fill(null), CLOSED_TEXT] },
		],
		[
			'50 fields of a record',
			{ ...Object.fromEntries(others(49).entries()), error: CLOSED_TEXT },
			{ ...Object.fromEntries(others(50).entries()), error: CLOSED_TEXT },
		],
		[
			'50 texts',
			{ errors: others(30), details: [...others(19), CLOSED_TEXT] },
			{ errors: others(30), details: [...others(20), CLOSED_TEXT] },
		],
	])('is read up to %s', (_limit, read, notRead) => {
		expect(isWindowClosed(rejection(read))).toBe(true);
		expect(isWindowClosed(rejection(notRead))).toBe(false);
	});
});

test('any body is judged, in linear time if it is long', () => {
	const words = fc.constantFrom(
		'24',
		'hours',
		'window',
		'outside',
		'the',
		'only',
		'last',
		'customer',
		'-',
		'"',
	);
	const text = fc.oneof(
		fc.string(),
		fc.array(words, { maxLength: 400 }).map((all) => all.join(' ')),
	);
	fc.assert(
		fc.property(fc.oneof(text, fc.jsonValue({ maxDepth: 8 })), (body) => {
			expect(typeof isWindowClosed(rejection(body))).toBe('boolean');
		}),
	);
	// An expression whose time is not linear would not end within the time of the test.
	for (const input of [
		'only ',
		'outside the ',
		'24 hours ',
		'customer last ',
		'error code ',
		' - ',
	])
		expect(isWindowClosed(rejection({ error: input.repeat(100_000) }))).toBe(false);
});
