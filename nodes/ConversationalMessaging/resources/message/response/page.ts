import { hash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import { fieldName, shownAgain } from './answer';
import {
	type ApprovalButton,
	type FormField,
	type Question,
	APPROVED_PARAMETER,
	RESPONSE_PLACEHOLDER,
} from './question';

/**
 * The pages behind a link: plain HTML for a phone. They contain no script and load nothing. Everything from a parameter
 * or a request is escaped.
 */

const STYLE = `
:root { color-scheme: light dark; font: 1.0625rem/1.5 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 34rem; padding: 1.5rem 1rem; overflow-wrap: anywhere; }
h1, p { white-space: pre-wrap; unicode-bidi: plaintext; margin: 0 0 1.5rem; }
h1 { font-size: 1.25rem; margin-bottom: 1rem; }
form { display: grid; gap: 1.25rem; }
label { display: grid; gap: .25rem; }
input, select, textarea, button { box-sizing: border-box; font: inherit; padding: .75rem; width: 100%; border: 1px solid; border-radius: .5rem; }
::placeholder { color: inherit; opacity: .7; unicode-bidi: plaintext; }
button { border-color: #1f6f43; background: #1f6f43; color: #fff; font-weight: 600; }
button.other { background: none; border-color: currentColor; color: inherit; }
strong { display: block; color: #b3261e; font-weight: 600; }
@media (prefers-color-scheme: dark) { strong { color: #ff9c8f; } }
`;

const STYLE_HASH = hash('sha256', STYLE, 'base64');

/** Nothing may be loaded or run, and the form may only be sent to n8n. */
const RULES = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action 'self'; base-uri 'none'`;

/** The headers of every page. The link is a secret: it must not be cached, indexed or passed on. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
	'Content-Type': 'text/html; charset=utf-8',
	// Where a page is embedded can only be restricted in the header.
	'Content-Security-Policy': `${RULES}; frame-ancestors 'none'`,
	'Cache-Control': 'no-store',
	'Referrer-Policy': 'no-referrer',
	'X-Content-Type-Options': 'nosniff',
	'X-Robots-Tag': 'noindex',
};

interface Entered {
	/** The decision of the link that was opened; undefined for a link to both. */
	approved?: boolean;
	body?: IDataObject;
	/** For each field: what to correct. */
	corrections?: (string | undefined)[];
}

/** The page that asks. Opening it changes nothing; sending its form does. */
export function questionPage(question: Question, shown: Entered = {}): string {
	const { title, message, submitLabel, texts } = question;
	const { body = {}, corrections = [] } = shown;
	const first = corrections.findIndex((correction) => correction !== undefined);
	const controls =
		question.responseType === 'approval'
			? decisionsFor(question, shown.approved).map(button)
			: [
					...question.fields.map((field, index) =>
						control(field, index, {
							value: shownAgain(body, index),
							correction: corrections[index],
							isFocused: index === first,
						}),
					),
					`<button dir="auto">${escape(submitLabel)}</button>`,
				];
	const parts = [
		title === '' ? withoutFirstLine(message) : message,
		question.fields.some(({ required }) => required) ? `* ${texts.required}` : '',
	];
	return page(
		question,
		`${parts.map(paragraph).join('')}<form method="post" enctype="multipart/form-data">\n${controls.join('\n')}\n</form>`,
		corrections[first],
	);
}

/** @param shown the response in words */
export const recordedPage = (question: Question, shown: string): string =>
	page(question, paragraph(question.texts.recorded.split(RESPONSE_PLACEHOLDER).join(shown)));

export const expiredPage = (question: Question): string =>
	page(question, paragraph(question.texts.expired));

export const closedPage = (): string =>
	page(
		{ title: 'This link is no longer valid', message: '', language: 'en' },
		paragraph('The question has been answered, or the time to respond has passed.'),
	);

function decisionsFor({ decisions }: Question, approved: boolean | undefined): ApprovalButton[] {
	const chosen = decisions.filter((decision) => decision.approved === approved);
	return chosen.length > 0 ? chosen : decisions;
}

const button = ({ label, approved }: ApprovalButton): string =>
	`<button dir="auto" name="${APPROVED_PARAMETER}" value="${String(approved)}"${approved ? '' : ' class="other"'}>${escape(label)}</button>`;

interface ControlState {
	value: string;
	correction: string | undefined;
	/** Whether typing goes there once the page has opened. */
	isFocused: boolean;
}

function control(field: FormField, index: number, state: ControlState): string {
	const { value, correction, isFocused } = state;
	const name = fieldName(index);
	const noteId = `${name}-correction`;
	const note =
		correction === undefined
			? ''
			: `\n<strong id="${noteId}" dir="auto">${escape(correction)}</strong>`;
	const attributes = [
		field.placeholder ? ` placeholder="${escape(field.placeholder)}"` : '',
		field.required ? ' required' : '',
		correction === undefined ? '' : ` aria-invalid="true" aria-describedby="${noteId}"`,
		isFocused ? ' autofocus' : '',
	].join('');
	const mark = field.required ? ' *' : '';
	return `<div>\n<label><span dir="auto">${escape(field.label)}${mark}</span>${inputFor()}</label>${note}\n</div>`;

	function inputFor(): string {
		switch (field.type) {
			case 'textarea':
				// A browser drops the first line break after the tag.
				return `<textarea name="${name}" dir="auto" rows="5"${attributes}>\n${escape(value)}</textarea>`;
			case 'dropdown': {
				const choices = ['', ...(field.options ?? [])].map(
					(option) =>
						`<option value="${escape(option)}"${option === value ? ' selected' : ''}>${escape(option)}</option>`,
				);
				return `<select name="${name}" dir="auto"${attributes}>${choices.join('')}</select>`;
			}
			default: {
				// A field of the type "number" hides what it cannot read, so it is a text with a keyboard for numbers.
				const kind =
					field.type === 'number' ? 'type="text" inputmode="decimal"' : `type="${field.type}"`;
				return `<input name="${name}" dir="auto" ${kind} value="${escape(value)}"${attributes}>`;
			}
		}
	}
}

/** In the direction of its own words, whatever the language of the page. */
const paragraph = (text: string): string =>
	text === '' ? '' : `<p dir="auto">${escape(text)}</p>\n`;

const firstLine = (text: string): string => /^\s*(.*)/.exec(text)?.[1] ?? '';

const withoutFirstLine = (text: string): string => text.trimStart().replace(/^.*\s*/, '');

/** The languages that are written from right to left. */
const RIGHT_TO_LEFT = /^(?:ar|dv|fa|he|ps|sd|ug|ur|yi)\b/i;

/** @param correction the first one: the title begins with it, because a screen reader reads the title first */
function page(
	{ title, message, language }: Pick<Question, 'language' | 'message' | 'title'>,
	content: string,
	correction?: string,
): string {
	const heading = escape(title === '' ? firstLine(message) : title);
	return `<!doctype html>
<html lang="${escape(language)}" dir="${RIGHT_TO_LEFT.test(language) ? 'rtl' : 'ltr'}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${RULES}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${correction === undefined ? '' : `${escape(correction)} – `}${heading}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1 dir="auto">${heading}</h1>
${content}
</main>
</body>
</html>
`;
}

const ENTITIES: Readonly<Record<string, string>> = {
	'&': '&amp;',
	'<': '&lt;',
	'>': '&gt;',
	'"': '&quot;',
	"'": '&#39;',
};

/** Text for an element or a quoted attribute. */
const escape = (text: string): string => text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
