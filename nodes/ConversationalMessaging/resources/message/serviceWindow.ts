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
const ANY_CODE = `(?:${CODES.join('|')})`;
/**
 * The codes in a text. Any other number with these digits is one of the user's: an order, an area code, a number of
 * characters.
 */
const CODES_IN_TEXT = [
	// The platform's messages begin with their code.
	String.raw`(?:^|:\s*)\(#${ANY_CODE}\)`,
	// Area codes have three digits.
	String.raw`^(?:131047|63016)(?:$|:|\s-)`,
	// "failed with error 131047", but not "error: 470 characters".
	String.raw`(?<!\b(?:http|status|validation)\s)(?:\berror(?:\scode)?|(?:^|\bwith\s|[(:,;]\s?)code)(?:\sis)?[\s:=([#]{1,4}${ANY_CODE}(?:$|\s?[.,:;!()\]-](?!\d))`,
].map((pattern) => new RegExp(pattern));
/** A text about other codes, such as “coupon with code 131047”. */
const OTHER_CODES =
	/\b(?:coupons?|vouchers?|discounts?|promo(?:tion)?s?|postal|zip|verification|otp)\b/;
/** Not areaCode, postalCode or errorCount: their numbers are of something else. */
const CODE_KEY =
	/^(?:code|(?!.*status).*(?:errors?|(?:err(?:or)?|sub|reason|failure|platform|provider|whatsapp|meta)[_-]?code))$/i;

/** Keys of an error body that contain what the service says; under others, it may repeat the request. */
const MESSAGE_KEY = /code|err|message|detail|description|reason|title|^data$/i;

/** Error bodies are small; a larger one is read up to this depth and length. */
const MAX_DEPTH = 6;
const MAX_ENTRIES = 50;
const MAX_LENGTH = 2_000;

/** Whether a response is a rejection because the customer service window is closed. */
export function isWindowClosed(response: ServiceResponse): boolean {
	const { status, json } = response;
	// The document uses 409 for other agents' sessions (section Errors); after a 5xx, the message may have been sent.
	if (status === 409 || status >= 500) return false;
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
	// The number of another kind of code is not the text of an error.
	const isOtherCode = /code$/i.test(key) && /^\d+$/.test(text);
	return isCode || (!isOtherCode && textMeansWindow(text));
}

/**
 * Sentences about a quantity per 24 hours, about another window, such as that for downloads, and those that say that the
 * window is open.
 */
const OTHER_SUBJECT =
	/\b(?:limits?|quota|rate|too many|(?:up|down)load(?:s|ed)?|duplicates?|idempotency|maintenance|working hours|is (?:still )?(?:open|active)|reopens|(?:not|never)(?: (?:yet|been|currently))* (?:closed|expired|ended|over|outside))\b/;

/**
 * WhatsApp's own term, which needs no number of hours if the sentence says of this window that it has ended: "The customer
 * service window could not be read, because the token has expired" says it of something else.
 */
const WINDOW = String.raw`\bcustomer[\s-](?:service|care)[\s-]window\b`;
const OF_WHOM = String.raw`(?:\s(?:for|of|with)(?:\s[^\s.,:;]+){1,3}|\s?\([^()]*\))?`;
const ENDED = String.raw`(?:\sstatus)?(?::|(?:\s(?:is|was|has|had|been|already|now))*)\s(?:closed|expired|ended|over|(?:no longer|not) (?:open|active))\b`;
const WHOSE = String.raw`(?:\s(?:the|a|its|this|their|your|open|whatsapp(?:'s)?))*`;
const CLOSED_WINDOW = new RegExp(
	String.raw`${WINDOW}${OF_WHOM}${ENDED}|\b(?:outside|not within|closed|expired|no open)\b(?:\sof)?${WHOSE}\s${WINDOW}`,
);

function textMeansWindow(text: string): boolean {
	// Quoted text is not the service's own: the text of the message, the name of a template.
	const words = text
		.slice(0, MAX_LENGTH)
		.trim()
		.toLowerCase()
		.replace(/_/g, ' ')
		.replace(/[\u2010-\u2015]/g, '-')
		.replace(/’/g, "'")
		.replace(/n't\b/g, ' not')
		.replace(/["“][^"“”]*["”]/g, '');
	if (!OTHER_CODES.test(words) && CODES_IN_TEXT.some((pattern) => pattern.test(words))) return true;
	const sentences = words.split(/[.!?](?:\s|$)|\n/);
	return sentences.some(
		(sentence) =>
			/\bre-?engagement message\b/.test(sentence) ||
			(meansClosed(sentence) && !OTHER_SUBJECT.test(sentence)),
	);
}

const meansClosed = (sentence: string): boolean =>
	CLOSED_WINDOW.test(sentence) ||
	(/\b24[\s-]?h(?:ours?|rs?)?\b/.test(sentence) && /\bwindow\b|\blast replied\b/.test(sentence));
