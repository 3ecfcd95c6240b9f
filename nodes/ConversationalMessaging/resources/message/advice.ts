const WINDOW =
	'WhatsApp takes free-form messages only within 24 hours of the customer’s last message. Outside of that, send an approved template: set Message Type to Template.';

const AGENT = 'The contact has no active session. Choose an Agent, who then gets the session.';

const OTHER_SESSION =
	'The contact has a session with another agent. Switch on the option Take Over, choose that agent, or end the session first.';

/** Whether a refusal is about the 24 hours; how the service puts it is not documented. */
export const isWindowRefusal = (words: string): boolean =>
	/24.{0,3}h|window|free.?form/i.test(words);

/** What to do about a refused message (API document, sections Errors and Limits). */
export function sendAdvice(status: number, words: string): string | undefined {
	if (status === 409) return OTHER_SESSION;
	if (status !== 400 && status !== 403 && status !== 422) return undefined;
	if (isWindowRefusal(words)) return WINDOW;
	if (/agent/i.test(words)) return AGENT;
	return status === 400 ? `Check the values against what the service says. ${WINDOW}` : undefined;
}
