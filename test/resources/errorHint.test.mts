import { parseResponse } from '../../nodes/ConversationalMessaging/api/response/response.ts';
import { sendErrorHint } from '../../nodes/ConversationalMessaging/resources/message/errorHint.ts';

/** The hint for a rejection with this status and message. */
const hintFor = (status: number, message: string) =>
	sendErrorHint('set Message Type to Template')(
		status,
		message,
		parseResponse(status, {}, JSON.stringify({ error: message })),
	);

describe('the next step after a rejected message', () => {
	test.each<[number, string, RegExp]>([
		[
			409,
			'The contact has a session with another agent',
			/^The contact has a session with another/,
		],
		...[400, 409].map((status): [number, string, RegExp] => [
			status,
			'The 24-hour window has expired',
			/^WhatsApp accepts free-form messages only within 24 hours/,
		]),
		[409, 'No active session: choose an agent', /Choose an agent in Send as Agent\.$/],
		[409, 'agentId is required', /Choose an agent in Send as Agent\.$/],
		[
			400,
			'agentId is required: the contact has no active session',
			/Choose an agent in Send as Agent\.$/,
		],
		[403, 'Missing agent', /Choose an agent in Send as Agent\.$/],
		[
			400,
			'Channel c1 is of type SMS',
			/^Messages can be sent on WhatsApp and Instagram channels only/,
		],
		[422, 'no such channel', /^Messages can be sent on WhatsApp and Instagram channels only/],
		[400, '', /^The service gives no reason\. .+24 hours/],
		[404, 'Template not found', /^Compare name and language with the dashboard/],
		[400, 'The template does not exist in de_DE', /^Compare name and language/],
	])('%i “%s”: %s', (status, message, hint) => {
		expect(String(hintFor(status, message))).toMatch(hint);
	});

	test.each([
		[400, 'text must be shorter than 4096 characters'],
		[400, 'The agent is on holiday'],
		[403, 'Missing required permission chats.reply for agent token'],
		[403, 'The permission chats.reply is missing on this channel'],
		[422, ''],
		[401, 'The 24-hour window has expired'],
		[404, 'no such channel'],
		[400, 'The template parameter name is missing'],
		[404, 'Contact not found'],
		[500, 'agent session missing'],
	])('%i “%s” has none of its own', (status, message) => {
		expect(hintFor(status, message)).toBeUndefined();
	});
});
