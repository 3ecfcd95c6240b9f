import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import { entered, fieldName } from './answer';
import type { ApprovalButton, FormField, Question } from './question';
import { APPROVED_PARAMETER, RESPONSE_PLACEHOLDER } from './question';

/**
 * The pages behind a link: plain HTML for a phone. They contain no script and load nothing. Everything from a parameter
 * or a request is escaped.
 */

const STYLE = `
:root { color-scheme: light dark; font: 1.0625rem/1.5 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 34rem; padding: 1.5rem 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.25rem; margin: 0 0 1rem; }
p { margin: 0 0 1.5rem; white-space: pre-wrap; }
form { display: grid; gap: 1.25rem; }
label { display: grid; gap: .25rem; }
input, select, textarea, button { box-sizing: border-box; font: inherit; padding: .75rem; width: 100%; border: 1px solid; border-radius: .5rem; }
button { border-color: #1f6f43; background: #1f6f43; color: #fff; font-weight: 600; }
button.other { background: none; border-color: currentColor; color: inherit; }
strong { color: #c0392b; font-weight: 600; }
`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

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

/** What a page for a question shows besides the question. */
interface Entered {
	/** The decision of the link that was opened; undefined for a link to both. */
	approved?: boolean;
	/** What was sent before, to be corrected. */
	body?: IDataObject;
	/** For each field: what to correct. */
	corrections?: (string | undefined)[];
}

/** The page that asks. Opening it changes nothing; sending its form does. */
export function questionPage(question: Question, shown: Entered = {}): string {
	const { title, message, submitLabel, language } = question;
	const controls =
		question.responseType === 'approval'
			? decisionsFor(question, shown.approved).map(button)
			: [
					...question.fields.map((field, index) =>
						control(field, index, entered(shown.body ?? {}, index), shown.corrections?.[index]),
					),
					`<button>${escape(submitLabel)}</button>`,
				];
	return page(
		title,
		`${paragraph(message)}\n<form method="post">\n${controls.join('\n')}\n</form>`,
		language,
	);
}

/** @param shown the response in words */
export const recordedPage = ({ title, language, texts }: Question, shown: string): string =>
	page(title, paragraph(texts.recorded.split(RESPONSE_PLACEHOLDER).join(shown)), language);

export const expiredPage = ({ title, language, texts }: Question): string =>
	page(title, paragraph(texts.expired), language);

export const closedPage = (): string =>
	page(
		'',
		paragraph(
			'This link is no longer valid. The question has been answered, or the time to respond has passed.',
		),
	);

/** The decision of the link alone, or all of them. */
function decisionsFor({ decisions }: Question, approved: boolean | undefined): ApprovalButton[] {
	const chosen = decisions.filter((decision) => decision.approved === approved);
	return chosen.length > 0 ? chosen : decisions;
}

const button = ({ label, approved }: ApprovalButton): string =>
	`<button name="${APPROVED_PARAMETER}" value="${String(approved)}"${approved ? '' : ' class="other"'}>${escape(label)}</button>`;

function control(
	field: FormField,
	index: number,
	value: string,
	missing: string | undefined,
): string {
	const name = fieldName(index);
	const required = field.required ? ' required' : '';
	const placeholder = field.placeholder ? ` placeholder="${escape(field.placeholder)}"` : '';
	const noteId = `${name}-correction`;
	const note = missing === undefined ? '' : `\n<strong id="${noteId}">${escape(missing)}</strong>`;
	const invalid = missing === undefined ? '' : ` aria-invalid="true" aria-describedby="${noteId}"`;
	const mark = field.required ? ' *' : '';
	return `<div>\n<label>${escape(field.label)}${mark}${inputFor()}</label>${note}\n</div>`;

	function inputFor(): string {
		switch (field.type) {
			case 'textarea':
				// A browser drops the first line break after the tag.
				return `<textarea name="${name}" rows="5"${placeholder}${required}${invalid}>\n${escape(value)}</textarea>`;
			case 'dropdown': {
				const choices = ['', ...(field.options ?? [])].map(
					(option) =>
						`<option value="${escape(option)}"${option === value ? ' selected' : ''}>${escape(option)}</option>`,
				);
				return `<select name="${name}"${required}${invalid}>${choices.join('')}</select>`;
			}
			default: {
				// A field of the type "number" hides what it cannot read, so it is a text with a keyboard for numbers.
				const kind =
					field.type === 'number' ? 'type="text" inputmode="decimal"' : `type="${field.type}"`;
				return `<input name="${name}" ${kind} value="${escape(value)}"${placeholder}${required}${invalid}>`;
			}
		}
	}
}

const paragraph = (text: string): string => `<p>${escape(text)}</p>`;

const page = (title: string, content: string, language = 'en'): string => `<!doctype html>
<html lang="${escape(language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${RULES}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escape(title) || 'Response'}</title>
<style>${STYLE}</style>
</head>
<body>
${title === '' ? '' : `<h1>${escape(title)}</h1>`}
${content}
</body>
</html>
`;

const ENTITIES: Readonly<Record<string, string>> = {
	'&': '&amp;',
	'<': '&lt;',
	'>': '&gt;',
	'"': '&quot;',
	"'": '&#39;',
};

/** Text for an element or a quoted attribute. */
const escape = (text: string): string => text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
