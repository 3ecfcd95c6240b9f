import { errorMessage, isHtml } from '../../api/response/errorMessage';
import type { ServiceResponse } from '../../api/response/response';
import { isRecord } from '../../api/response/response';
import { textOf } from '../../api/base/text';

/**
 * This file answers one question: did WhatsApp reject a message because its customer service window is closed? The
 * window is the 24 hours after the customer's last message. If so, a template is sent to the customer, so the answer
 * in doubt is no.
 *
 * The service documents neither the code nor the text of this rejection. The table in
 * test/resources/serviceWindow.test.mts is the specification.
 */

/** Codes that mean exactly this: WhatsApp Cloud API, WhatsApp On-Premises API, Twilio. */
const CODES = ['131047', '470', '63016'];
/** Not areaCode, postalCode or errorCount: their numbers are of something else. */
const CODE_KEY =
	/^(?:code|(?!.*status).*(?:errors?|(?:err(?:or)?|sub|reason|failure|platform|provider|whatsapp|meta)[_-]?code))$/i;
/**
 * The codes in a text: "(#470) Message failed", "failed with error 131047". Any other number with these digits is one of the
 * user's, such as an order or a number of characters.
 */
const CODE_IN_TEXT =
	/(?:^|:\s*)\(#(?:131047|470|63016)\)|\berror(?:\scode)?[\s:=#]{1,3}(?:131047|63016)(?:$|[.,:;!)\]](?!\d))/;

/** Keys of an error body that contain what the service says; under others, it may repeat the request. */
const MESSAGE_KEY = /code|err|message|detail|description|reason|title|^data$/i;

/** Error bodies are small; a larger one is read up to this depth and length. */
const MAX_DEPTH = 6;
const MAX_ENTRIES = 50;
const MAX_LENGTH = 2_000;

/** Whether a response is a rejection because the customer service window is closed. */
export function isWindowClosed(response: ServiceResponse): boolean {
	const { status, json } = response;
	// The document uses 409 for other agents' sessions (section Errors); after any but these, the message may have been sent.
	if (![400, 403, 422].includes(status)) return false;
	if (json !== undefined) return meansWindow(json, '', 0);
	return textMeansWindow(isHtml(response) ? (errorMessage(response) ?? '') : response.text);
}

/** @param key under which the value is in the body */
function meansWindow(value: unknown, key: string, depth: number): boolean {
	if (depth > MAX_DEPTH) return false;
	if (Array.isArray(value))
		return value.slice(0, MAX_ENTRIES).some((entry) => meansWindow(entry, key, depth + 1));
	if (isRecord(value)) {
		const entries = Object.entries(value).slice(0, MAX_ENTRIES);
		return entries.some(
			([name, entry]) => MESSAGE_KEY.test(name) && meansWindow(entry, name, depth + 1),
		);
	}
	const text = textOf(value).trim();
	const isCode = CODE_KEY.test(key) && CODES.includes(text.replace(/^\(?#?(\d+)\)?$/, '$1'));
	return isCode || textMeansWindow(text);
}

/** Sentences about something else per 24 hours: a quantity, a file, a login, or a window that is open. */
const OTHER_SUBJECT =
	/\b(?:limits?|quota|rate|too many|(?:up|down)load(?:s|ed)?|duplicates?|idempotency|login|token|agents?|maintenance|working hours|is (?:still )?(?:open|active)|not (?:yet )?(?:closed|expired|ended|over))\b/;

function textMeansWindow(text: string): boolean {
	// Quoted text is not the service's own: the text of the message, the name of a template.
	const words = text
		.slice(0, MAX_LENGTH)
		.trim()
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
	/\b(?:window|session|last replied)\b/.test(sentence);
