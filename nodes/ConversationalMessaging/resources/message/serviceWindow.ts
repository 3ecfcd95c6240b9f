import { serviceMessageIn } from '../../api/response/serviceMessage';
import { type ServiceResponse, isRecord } from '../../api/response/response';
import { textOf } from '../../api/base/text';

/**
 * This file answers one question: did WhatsApp reject a message because its customer service window is closed? The
 * window is the 24 hours after the customer's last message. If so, a template is sent to the customer, so the answer
 * in doubt is no.
 *
 * The service documents neither the code nor the text of this rejection. The table in
 * test/resources/serviceWindow.test.mts is the specification.
 */

/** The statuses that may mean this: which one does is undocumented. After others, the message may have been sent. */
export const WINDOW_STATUSES = [400, 403, 409, 422];

/** The codes that mean exactly this: of WhatsApp's Cloud API, and of its On-Premises API. */
const CODES = ['131047', '470'];

/** The code in a text: "(#470) Message failed", "failed with error 131047". Any other such number may be the user's. */
const CODE_IN_TEXT = /(?:^|[:;]\s*)\(#(?:131047|470)\)|\berror(?:\scode)?[\s:=#]{1,3}131047(?!\d)/;

/** Whether a response is a rejection because the customer service window is closed. */
export function isWindowClosed(response: ServiceResponse): boolean {
	const { status, json } = response;
	if (!WINDOW_STATUSES.includes(status)) return false;
	const body = isRecord(json) ? json : {};
	const places: unknown[] = [body, body.error, body.errors].flat();
	return (
		places.some((place) => isRecord(place) && CODES.includes(textOf(place.code))) ||
		textMeansWindow(serviceMessageIn(response) ?? '')
	);
}

/** Sentences about something else per 24 hours: a quantity, a file, a login, or a window that is open. */
const OTHER_SUBJECT =
	/\b(?:limits?|quota|rate|too many|(?:up|down)load(?:s|ed)?|duplicates?|idempotency|login|token|agents?|maintenance|working hours|is (?:still )?(?:open|active)|not (?:yet )?(?:closed|expired|ended|over))\b/;

function textMeansWindow(text: string): boolean {
	// Quoted text is not the service's own: the text of the message, the name of a template.
	const words = text
		.toLowerCase()
		.replace(/_/g, ' ')
		.replace(/[\u2010-\u2015]/g, '-')
		.replace(/n['’]t\b/g, ' not')
		.replace(/["“][^"“”]*["”]/g, '');
	const sentences = words.split(/[.!?](?:\s|$)|\n/);
	return (
		CODE_IN_TEXT.test(words) ||
		sentences.some((sentence) => mentionsWindow(sentence) && !OTHER_SUBJECT.test(sentence))
	);
}

const mentionsWindow = (sentence: string): boolean =>
	/\b24[\s-]?h(?:ours?|rs?)?\b/.test(sentence) &&
	(/\b(?:window|session|last replied)\b/.test(sentence) || LAST_MESSAGE.test(sentence));

/** What the 24 hours begin with (API document, section What the service does). */
const LAST_MESSAGE =
	/\b(?:customer|contact|user|recipient)(?:['’]?s)? last (?:\w+ )?message\b|\blast (?:customer|user|inbound|incoming) message\b|\blast message (?:from|by|of) (?:the )?(?:customer|contact|user|recipient)\b/;
