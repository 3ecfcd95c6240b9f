import { parseResponse } from '../../nodes/ConversationalMessaging/api/response/response.ts';
import { isWindowClosed } from '../../nodes/ConversationalMessaging/resources/message/serviceWindow.ts';

/** A rejection with this body: text unchanged, anything else as JSON. */
const rejection = (body: unknown, status = 400) =>
	parseResponse(status, {}, typeof body === 'string' ? body : JSON.stringify(body));

const EXPIRED = 'The 24-hour window has expired';
const page = (title: string) => `<html><title>${title}</title><body>${EXPIRED}</body></html>`;

test.each<[isClosed: boolean, body: unknown]>([
	// 24 hours with a window or a session, wherever a service has its text.
	[true, EXPIRED],
	[true, { success: false, error: 'Outside the 24-hour window: send an approved template' }],
	[true, { statusCode: 400, error: 'Bad Request', message: ['The 24h window is closed'] }],
	[true, { errors: [{ field: 'request', message: 'Outside of the 24 hrs session' }] }],
	[true, { success: false, data: { error: 'OUTSIDE_24H_WINDOW' } }],
	[true, { error: 'outside\u00a0the\u00a024\u2011hour messaging window' }],
	[true, { error: `${EXPIRED}. Rate limits apply` }],
	[true, { error: { error_data: { details: 'Over 24 hours since the customer last replied' } } }],
	[true, page(EXPIRED)],
	[
		true,
		{
			error: 'Free-form messages are permitted only within 24 hours of the customer’s last message',
		},
	],
	[true, "24 hours have passed since the contact's last inbound message"],
	[true, { message: 'The last inbound message is older than 24h' }],
	[true, 'Use a template: over 24 hours since the last message from the customer'],
	// Its code.
	[true, { code: '131047' }],
	[true, { error: { code: 470, message: 'Message failed' } }],
	[true, { errors: [{ code: 131047, title: 'Message failed to send' }] }],
	[true, { error: { code: 131047, message: 'Re-engagement message' } }],
	[true, 'Platform refused the message: (#131047) Something new'],
	[true, '(#470) Message failed to send'],
	[true, 'Message failed with error 131047.'],
	// Only one of the two, a quantity, another window, or one that is open.
	[false, 'The contact has no active session'],
	[false, 'For 24 hours, the contact has a session with another agent'],
	[false, 'The customer service window is closed'],
	[false, 'Limit of 250 messages in the 24-hour window reached'],
	[false, 'The file was uploaded more than 24 hours ago, outside the upload window'],
	[false, 'Your login session expired after 24 hours'],
	[false, 'The 24-hour window hasn’t expired, but the contact blocked this number'],
	[false, 'The 124-hour window has expired'],
	[false, 'The contact received this message in the last 24 hours'],
	[false, 'One message is permitted within 24 hours of your last message'],
	// The words or the numbers of the user, not of the service.
	[false, `Text "${EXPIRED}" contains a forbidden word`],
	[false, { error: 'No', request: { code: 131047, text: EXPIRED } }],
	[false, { error: 'No', message: { text: EXPIRED } }],
	[false, { error: 'No', contactId: '131047', count: 470, errorCount: 470 }],
	[false, { error: 'No', postal_code: '63016', details: { areaCode: '470' } }],
	[false, 'Contact #131047 was not found, code 470'],
	[false, 'The text is not allowed: Your order (#470) has been shipped'],
	[false, 'Error: 470 characters are too many, order 131047'],
	[false, { error: { code: 131026, message: 'Error code 131026: undeliverable' } }],
	[false, page('400 Bad Request')],
])('that the customer service window is closed: %j, after %j', (isClosed, body) => {
	expect(isWindowClosed(rejection(body))).toBe(isClosed);
});

test.each<[status: number, mayMean: boolean]>([
	[400, true],
	[403, true],
	[409, true],
	[422, true],
	// After a success or a 5xx, the message may have been sent.
	[200, false],
	[500, false],
	[503, false],
])('the status %i may mean that it is closed: %j', (status, mayMean) => {
	for (const body of [EXPIRED, { code: 131047 }])
		expect(isWindowClosed(rejection(body, status))).toBe(mayMean);
});
