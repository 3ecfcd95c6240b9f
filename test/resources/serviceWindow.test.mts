import fc from 'fast-check';
import { parseResponse } from '../../nodes/ConversationalMessaging/api/response/response.ts';
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
	{ success: false, data: { error: message } },
];

/** Texts that say that the customer service window is closed. */
const CLOSED = [
	// The platform's own
	'Re-engagement message',
	'(#131047) Re-engagement message',
	'131047: Re-engagement message',
	'Re-Engagement Message Required',
	'Reengagement message!',
	// 24 hours and a window, in one sentence
	'Outside the 24-hour window: free-form messages are not allowed, send an approved template',
	'The 24h window has expired',
	'24-hour window closed',
	'The 24 hour customer service window is closed.',
	'Free-form WhatsApp messages can only be sent within the 24-hour window',
	'You are outside of the 24 hrs window, please use an approved template',
	'Bad Request: outside\u00a0the\u00a024\u2011hour messaging window',
	'OUTSIDE_24H_WINDOW',
	'The 24-Hour Window Has Expired',
	'The 24-hour  window\thas expired',
	'The customer wrote more than 24 hours ago, so the window is closed',
	'More than 24 hours have passed since the customer last replied to this number',
	// Each sentence is judged alone
	'The 24-hour window has expired. Rate limits apply',
	'Message not sent\nThe 24-hour window has expired',
	// The codes, in text
	'(#470) Message failed to send',
	'Platform refused the message: (#131047) Something new',
	'(#63016) Failed to send',
	'Message failed with error 131047',
	'Message failed with error 131047.',
	'Failed to send message: error code 470',
	'Message failed to send (error code: 131047)',
	'Message failed (code 131047)',
	'Twilio error 63016: Failed to send freeform message',
	'WhatsApp returned ERROR_CODE=131047',
	'Error: (#131047)',
	'Message failed with code 131047, try again later',
	'Code: 470',
	'Error #470 - the message was not sent',
	'131047',
	'131047 - Message not sent',
	// WhatsApp's own term
	'The customer service window is closed',
	'The customer service window has closed',
	'The customer service window for this contact has expired.',
	'customer care window expired',
	'You are outside of the customer service window, send a template',
	'Outside the customer-service window',
	'OUTSIDE_CUSTOMER_SERVICE_WINDOW',
	'The customer service window is no longer open',
	'The customer service window for the contact +12025550143 has already been closed',
	'customer service window: closed',
	'The customer service window isn’t open',
	"The customer service window isn't active",
	'The customer service window is over',
	'Message sent outside of WhatsApp’s customer service window',
	'The contact is outside their customer service window',
	'Not within the customer service window',
	'There is no open customer service window for this contact',
];

/** Texts that do not say it, or not clearly enough. */
const OTHER = [
	'',
	'Bad Request',
	'caption must be at most 1024 characters',
	'The contact has an active session with another agent',
	'agentId is required: the contact has no active session',
	'The agent’s 24-hour session has expired',
	'Your login session expired after 24 hours',
	'mediaUrl expired after 24 hours. Open it in another window',
	'Session expired',
	// No window, or no 24 hours: the codes are what counts
	'Failed to send freeform message because you are outside the allowed window',
	'sendAt is outside the allowed window',
	// About a quantity
	'Rate limit: 1000 messages per 24-hour window exceeded',
	'Too many messages in the 24-hour window',
	'24-hour window exceeded its quota of 250 messages',
	'Limit of 250 messages in the 24-hour window reached',
	'The 24-hour window is open, but the contact blocked this number',
	// Not the service's own words
	'Template “24-hour window closed” does not exist',
	'Text "the 24-hour window has expired" contains a forbidden word',
	'This message was not delivered to maintain healthy ecosystem engagement.',
	// Numbers that look alike
	'The 124-hour window has expired',
	'The 24-hourly windowed report has expired',
	'Recipient 12025131047 is not on WhatsApp',
	'Contact #131047 was not found',
	'Ticket (#470) is closed',
	'Area code 470 is not supported',
	'Error code 131026: Message undeliverable',
	'(#1310471) Something else',
	'470 characters are too many',
	'Error: 470 characters are too many',
	'Error: 131047 was not found',
	'Validation error: 470',
	'HTTP error 470',
	'Error: order 131047 has no customer',
	'Order 131047 failed with error 404',
	'The text contains the code 131047 twice',
	'Discount code 131047 has expired',
	'The template needs a coupon with code 131047.',
	'Invalid voucher (code 131047)',
	'Postal code 63016, Smyrna: address not found',
	'Error 131047-2: template paused',
	'Error 63016.5',
	'Text "failed with error 131047" contains a forbidden word',
	'Area code 470',
	'The error occurred for contact 131047.',
	'Failed with error 1310470',
	'to: 470 is not a phone number',
	// The window, but open, or something else's
	'The customer service window is open, but the contact blocked this number',
	'The customer service window has not expired, but the message is too long',
	'The customer service window has a limit of 250 messages',
	'The customer service window opens when the customer writes',
	'The customer service window hasn’t expired, but the template category does not match',
	"The customer service window hasn't closed yet, but the message is too long",
	'The customer service window has not been closed',
	'The customer service window is never closed on this channel',
	'The customer service window will be closed in 2 hours; the contact blocked this number',
	'The 24-hour window hasn’t expired, but the contact blocked this number',
	// The window, and something else that has ended
	'The customer service window could not be read: the access token has expired',
	'Cannot read the customer service window for this contact because the session has expired',
	'The customer service window is open and the ticket is closed',
	'The customer service window notification template is closed for editing',
	'The 24-hour window is active, but the text is missing',
	'The 24-hour window has not ended, but the contact is blocked',
	'The 24-hour window is not yet over',
	'Parameter customerServiceWindow is unknown',
	'Media can only be downloaded within a 24-hour window',
	'The file was uploaded more than 24 hours ago, outside the upload window',
	'Duplicate message within the 24-hour window',
	'The idempotency key was used within the 24-hour window',
	'The agent’s working hours are over. The window reopens in 24 hours',
	'The maintenance window lasts 24 hours',
	// The words of the platform's message, about something else
	'The contact is in a re-engagement flow',
	'Agent paused: a reengagement campaign is running',
	'Customer service is closed. Reopen this window',
];

test.each(CLOSED)('“%s” means that the customer service window is closed', (text) => {
	expect(bodiesOf(text).map((body) => isWindowClosed(rejection(body)))).toStrictEqual(
		bodiesOf(text).map(() => true),
	);
});

test.each(OTHER)('“%s” does not mean that the customer service window is closed', (text) => {
	expect(bodiesOf(text).map((body) => isWindowClosed(rejection(body)))).toStrictEqual(
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
		['in brackets', { code: '(470)' }],
		['among holes', { errors: [null, [], { code: 131047 }] }],
		['as a subcode', { error: { code: 100, error_subcode: 131047 } }],
		['of the platform', { error: 'No', whatsappCode: 131047 }],
		['as the platform’s error', { error: 'No', whatsapp_error: '131047' }],
	])('is found %s', (_place, body) => {
		expect(isWindowClosed(rejection(body))).toBe(true);
	});

	test.each<[string, unknown]>([
		['an ID', { error: 'No', id: 131047, contactId: '131047' }],
		['a number of messages', { error: { message: 'No', count: 470 } }],
		['what was sent', { error: 'No', request: { code: 131047, text: '24-hour window closed' } }],
		['the message itself', { error: 'No', message: { text: 'The 24h window has expired' } }],
		['the template', { error: 'No', template: { code: 470 } }],
		['a number in a text', { error: { message: '470' } }],
		['an area code', { error: 'Invalid number', details: { areaCode: '470' } }],
		['a postal code', { error: { message: 'No', postal_code: '63016' } }],
		['a number of errors', { message: 'Validation failed', errorCount: 470 }],
		['a territory', { error: { message: 'No', territory: 470 } }],
		['another code', { error: { code: 131026, message: 'Message undeliverable' } }],
	])('is not %s', (_what, body) => {
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
		expect(isWindowClosed(rejection('The 24h window has expired', status))).toBe(true);
	},
);

test('an HTML page is judged by its title', () => {
	const page = (title: string) =>
		`<html><head><title>${title}</title></head><body>The 24h window has expired</body></html>`;
	expect(isWindowClosed(rejection(page('Outside the 24-hour window')))).toBe(true);
	expect(isWindowClosed(rejection(page('400 Bad Request')))).toBe(false);
});

describe('a body that is larger than errors are', () => {
	const CLOSED_TEXT = 'outside the 24h window';
	/** This text, wrapped so many times. */
	const wrapped = (times: number, wrap: (inner: unknown) => unknown): unknown =>
		times === 0 ? CLOSED_TEXT : wrap(wrapped(times - 1, wrap));

	test.each<[string, read: unknown, notRead: unknown]>([
		['6 levels of records', wrapped(6, (error) => ({ error })), wrapped(7, (error) => ({ error }))],
		[
			'50 entries of a list',
			{ errors: [...Array<null>(49).fill(null), CLOSED_TEXT] },
			{ errors: [...Array<null>(50).fill(null), CLOSED_TEXT] },
		],
	])('is read up to %s', (_limit, read, notRead) => {
		expect(isWindowClosed(rejection(read))).toBe(true);
		expect(isWindowClosed(rejection(notRead))).toBe(false);
	});
});

test('any body is judged, in linear time if it is long', () => {
	const words = fc.constantFrom('24', 'hours', 'window', 're', 'engagement', '-', '"', '(#470)');
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
		'"',
		': ',
		' ',
		'24 hours ',
		'(#',
		'error ',
		'error code ',
		'customer service window ',
	])
		expect(isWindowClosed(rejection({ error: input.repeat(100_000) }))).toBe(false);
});
