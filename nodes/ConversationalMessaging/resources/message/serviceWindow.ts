import type { ServiceResponse } from '../../api/response';
import { isRecord } from '../../api/response';
import { isHtml, errorMessage } from '../../api/errorMessage';

/**
 * This file answers one question: did WhatsApp reject a message because its customer service window is closed? The
 * window is the 24 hours after the customer's last message. If so, a template is sent to the customer, so the answer
 * in doubt is no.
 *
 * The service documents neither the code nor the text of this rejection. Recognized are the platform's codes, and
 * sentences that say so. The table in test/resources/serviceWindow.test.mts is the specification.
 */

/**
 * Codes that mean exactly this: WhatsApp Cloud API, WhatsApp On-Premises API, Twilio. A shorter number is too common
 * in texts to count as a code without a word that says so; see `codeInText`.
 */
const CODES = ['131047', '470', '63016'];

/**
 * Keys of an error body that contain the service's message, ignoring `_`, `-` and case. All others may echo a
 * request.
 */
const MESSAGE_KEYS = new Set(
	'body cause code codes data description detail details err errcode error errorcode errordata errordescription errordetail errordetails errormessage errors errorsubcode errorusermsg errorusertitle fault info innererror message messages metaerror msg originalerror platformcode platformerror providercode providererror reason response subcode title type upstreamerror whatsapperror'.split(
		' ',
	),
);
const CODE_KEY = /err|code/;

/** Error bodies are small; a larger one is read up to this length. */
const MAX_DEPTH = 6;
const MAX_ENTRIES = 50;
const MAX_LENGTH = 2_000;

/** The content of an error body: its texts, and the values of its code fields. */
interface ErrorContent {
	texts: string[];
	codes: string[];
}

/**
 * Whether a response is a rejection because the customer service window is closed.
 *
 * A 409 never is: the document uses it for other agents' sessions (API document, section Errors). Nor is a 5xx, after
 * which the message may have been sent.
 */
export function isWindowClosed(
	response: Pick<ServiceResponse, 'status' | 'text' | 'json' | 'headers'>,
): boolean {
	const { status } = response;
	if (status === 409 || status >= 500) return false;
	const content = contentOf(response);
	return content.codes.some((code) => CODES.includes(code)) || content.texts.some(textMeansWindow);
}

function contentOf(
	response: Pick<ServiceResponse, 'status' | 'text' | 'json' | 'headers'>,
): ErrorContent {
	const content: ErrorContent = { texts: [], codes: [] };
	if (response.json !== undefined) collect(response.json, '', content, 0);
	else if (isHtml(response)) content.texts.push(errorMessage(response, String) ?? '');
	else content.texts.push(response.text.slice(0, MAX_LENGTH));
	return content;
}

function collect(value: unknown, key: string, content: ErrorContent, depth: number): void {
	if (depth > MAX_DEPTH || content.texts.length >= MAX_ENTRIES) return;
	if (typeof value === 'string' || typeof value === 'number') {
		const text = String(value).slice(0, MAX_LENGTH).trim();
		if (CODE_KEY.test(key)) content.codes.push(text.replace(/^\(?#?|\)$/g, ''));
		const inner = text.startsWith('{') ? parse(text) : undefined;
		// A platform's error is often included as text in the service's own.
		if (inner !== undefined) collect(inner, '', content, depth + 1);
		else content.texts.push(text);
	} else if (Array.isArray(value)) {
		for (const entry of value.slice(0, MAX_ENTRIES)) collect(entry, key, content, depth + 1);
	} else if (isRecord(value)) {
		for (const [name, entry] of Object.entries(value).slice(0, MAX_ENTRIES)) {
			const inner = name.toLowerCase().replace(/[_-]/g, '');
			if (MESSAGE_KEYS.has(inner)) collect(entry, inner, content, depth + 1);
		}
	}
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return undefined;
	}
}

const HOURS_24 = String.raw`(?:24|twenty[ -]four)[ -]?h(?:ou)?r?s?\b`;
const CUSTOMER = String.raw`(?:customer|user|recipient|contact|client|consumer|person)`;
const ANSWERED = String.raw`(?:replied|responded|wrote|written|messaged|contacted|interacted)`;
const MESSAGE = String.raw`(?:message|reply|response|interaction)`;
const LAST = String.raw`(?:last|latest|most recent|previous)`;

/** Wordings for the customer's last message. */
const LAST_MESSAGE = String.raw`(?:${CUSTOMER}(?:'s)? (?:has |have )?${LAST} (?:inbound |incoming )?(?:${MESSAGE}|${ANSWERED}|sent)|${LAST} (?:${CUSTOMER}|inbound|incoming|received)(?:'s)? ${MESSAGE}|${LAST} ${MESSAGE} (?:was )?(?:received )?(?:from|of|by) (?:the |your |this )?${CUSTOMER}|${LAST} reply|${CUSTOMER} ${ANSWERED})\b`;

/** The window by one of its names. Other windows (a rate limit, business hours, delivery) have other names. */
const QUALIFIER = String.raw`(?:${HOURS_24}|customer(?:'s)?|service|care|messag(?:e|ing)|conversation|session|reply|response|whats ?app|free[ -]?form|standard)`;
const WINDOW = String.raw`(?:(?:allowed |permitted |open )?(?:${QUALIFIER}[ -])*${QUALIFIER}[ -]window|${HOURS_24} (?:customer |messaging |conversation |chat |whats ?app )?(?:session|period|time ?frame))\b`;
const CLOSED = String.raw`(?:expired|closed|over|ended|passed|elapsed|lapsed|exceeded)\b`;
/** "(window) for this contact (has closed)" */
const OF_WHOM = String.raw`(?: (?:for|of|with|to)(?: [\w'+-]+){1,5}?)?`;
const FORMS_OF_BE = String.raw`(?: (?:has|have|is|was|been|already|now))*`;

/** Sentences that say that the window is closed, or that the message requires an open one. */
const CLOSED_WINDOW_PATTERNS = [
	String.raw`(?:^|[:)|-] ?)re-? ?engagement message(?: required)?(?= ?(?:$|[.:,;()|-]))`,
	String.raw`(?<!not )\boutside (?:of )?(?:(?:the|your|this|its|our|a) )?(?:${CUSTOMER}'s )?(?:${WINDOW}|${HOURS_24}(?! ?\w))`,
	String.raw`\b${WINDOW}${OF_WHOM}${FORMS_OF_BE} (?:${CLOSED}|(?:not|no longer) (?:open|active))`,
	String.raw`\bnot (?:with)?in(?:side)? (?:the |an? )?(?:open |active )?${WINDOW}`,
	String.raw`\bwindow (?:for|to) (?:send(?:ing)? )?(?:free[ -]?form|session|non-template) messages?${FORMS_OF_BE} ${CLOSED}`,
	String.raw`\b(?:expired|closed|no|without an?|requires? an?) (?:open |active )?${WINDOW}`,
	String.raw`\bonly\b.{0,60}\b(?:within|inside|during|in) (?:the |an? )?(?:open |active )?${WINDOW}`,
	String.raw`\b(?:more than|over|longer than|after|beyond|past) (?:the )?${HOURS_24}.{0,40}\b${LAST_MESSAGE}`,
	String.raw`\b(?:more than|over) ${HOURS_24}.{0,20} since (?:the |your )?${LAST} message\b`,
	String.raw`(?<!less than |under )\b${HOURS_24} (?:have |has )?(?:already )?(?:passed|elapsed|gone by|since).{0,30}\b${LAST_MESSAGE}`,
	String.raw`\bonly\b.{0,20}\btemplates?\b.{0,40}\b(?:after|outside|outside of|beyond) (?:the )?${HOURS_24}`,
	String.raw`\bonly\b.{0,60}\b(?:within|in|during|inside|up to|for) (?:the )?(?:first |next )?${HOURS_24}.{0,30}\b${LAST_MESSAGE}`,
	String.raw`\b${LAST_MESSAGE}.{0,30}\b(?:older than|more than|over|exceeds|longer than) ${HOURS_24}`,
	String.raw`\b${CUSTOMER} (?:has not|hasn't|did not|didn't) (?:${ANSWERED}|reply|respond|write|message|sent (?:a|any) messages?).{0,40}\b(?:in|within|for|during) (?:the |more than |over )?(?:last |past )?${HOURS_24}`,
	String.raw`\bno (?:${CUSTOMER}|inbound|incoming) (?:${MESSAGE}|messages) (?:received )?(?:in|within|for|during) (?:the )?(?:last |past )?${HOURS_24}`,
].map((pattern) => new RegExp(pattern));

/** Windows without a name: the rest of the sentence shows what they are, or contains nothing else. */
const UNNAMED_WINDOW_PATTERNS = [
	/^(?=.*\b(?:messages?|free[ -]?form|template|reply|customer|recipient|conversation)\b).*\boutside (?:of )?(?:the |its |your )?(?:allowed|permitted) (?:time )?window\b/,
	/^(?=.*\b(?:free[ -]?form|template|session message)).*\boutside (?:of )?(?:the )?(?:time )?window\b/,
	/^\W*(?:error\W*)?outside (?:of )?(?:the )?(?:allowed|permitted) window\W*$/,
];

/**
 * Words that show that a sentence is about something else: quantity limits, opening hours, clocks, schedules, files,
 * logins; or that it only guesses at one of several reasons.
 */
const OTHER_SUBJECTS = new RegExp(
	[
		String.raw`\b(?:rate|quota|throttl\w*|too many|per (?:second|minute|hour|day)|(?<!time )limits?)\b`,
		String.raw`\d[\d.,]* (?:messages|conversations|requests|recipients|calls|sends|customers|users)\b`,
		String.raw`\b(?:opening|business|office|working|quiet|maintenance|schedul\w*|send ?at|timestamp|clock|signature|nonce)\b`,
		String.raw`\b(?:upload\w*|download\w*|log ?in|sign ?in|credential|token|password|payment|refund|trial)\b`,
		String.raw`\bagent(?:'s)? session\b|\bagent's\b`,
		String.raw`\b(?:support|team|staff|campaign|sla|channel is|for this channel)\b|\b(?:mon|tue|wed|thu|fri|sat|sun)(?:day)?\b|\d:\d\d|\d to \d`,
		String.raw`\b(?:opted|opt[ -]?(?:in|out)|unsubscribed|block\w*|banned|forbidden word|contains|log on|country)\b`,
		String.raw`\b(?:possibl[ey]|perhaps|maybe|might|whether|make sure|ensure|may (?:have|be (?:closed|over|outside|expired))|could (?:have|be)|either|unless)\b`,
	].join('|'),
);

function textMeansWindow(text: string): boolean {
	if (codeInText(text)) return true;
	// Quoted text is not the service's own: the text of the message, the name of a template.
	const sentences = normalized(text)
		.replace(/"[^"]*"/g, '" "')
		.split(/[.!?](?:\s|$)|\n/);
	return sentences.some(
		(sentence) =>
			!OTHER_SUBJECTS.test(sentence) &&
			[...CLOSED_WINDOW_PATTERNS, ...UNNAMED_WINDOW_PATTERNS].some((pattern) =>
				pattern.test(sentence),
			),
	);
}

/** "OUTSIDE_24H_WINDOW", "windowExpired" and typographic marks in the form that the patterns expect. */
function normalized(text: string): string {
	return text
		.replace(/([a-z\d])([A-Z][a-z])/g, '$1 $2')
		.toLowerCase()
		.replace(/[\u2018\u2019]/g, "'")
		.replace(/[\u201c\u201d\u00ab\u00bb]/g, '"')
		.replace(/[\u2010-\u2015]/g, '-')
		.replace(/_/g, ' ')
		.replace(/[^\S\n]+/g, ' ')
		.trim();
}

const LONG_CODE = CODES.filter((code) => code.length > 3).join('|');
const ANY_CODE = CODES.join('|');
/** Strict enough that no phone number, ID, amount, postal or area code matches. */
const CODE_IN_TEXT = [
	// (#131047), the way the platform begins its messages
	String.raw`(?:^|[:;,.|"'-]\s*|\berror\s+|\bexception\s+)\(#(?:${ANY_CODE})\)`,
	// error code 470, error_code=131047, errorCode: "63016"
	String.raw`\berr(?:or)?[ _-]?code\W{0,4}(?:${ANY_CODE})(?!\d)`,
	// {"code":131047} inside a text
	String.raw`["'](?:error_?|sub)?code\\?["']\s*:\s*\\?["']?(?:${ANY_CODE})(?!\d)`,
	// error 470, error #470:
	String.raw`\berror #?(?:${ANY_CODE})(?=$|[:)]|\.?$| -)`,
	String.raw`\berror\W{1,3}(?:${LONG_CODE})(?!\d)`,
	// 131047: Re-engagement message
	String.raw`^\W{0,2}(?:${LONG_CODE})(?=$|\s*[:|-])`,
].map((pattern) => new RegExp(pattern, 'i'));

const codeInText = (text: string): boolean => CODE_IN_TEXT.some((pattern) => pattern.test(text));
