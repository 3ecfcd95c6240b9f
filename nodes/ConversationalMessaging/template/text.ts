import type { IDataObject } from 'n8n-workflow';
import { textOf } from '../api/base/text';
import { isRecord } from '../api/response/response';
import { kindOf, mediumOf, recordsIn, variablesOf } from './variables';

type ValueOf = (id: string) => string | undefined;

/**
 * A template as a recipient reads it, with a line for each part: header or its medium, body, footer, buttons. A variable
 * without a value stays as it is in the template: "{{1}}".
 *
 * @param components in the messaging platform's usual form; any other form has no text
 * @returns e.g. "[image] https://cdn.example.com/a.png", "[Shop: https://shop.example.com/spring]" in the lines
 */
export function templateText(components: unknown, valueOf: ValueOf): string {
	const shown = recordsIn(components);
	const lines = ['header', 'body', 'footer', 'buttons'].flatMap((place) =>
		shown
			.filter(({ type }) => kindOf(type) === place)
			.flatMap((component) => {
				switch (place) {
					case 'header':
						return headerText(component, valueOf);
					case 'buttons':
						return buttonTexts(component.buttons, valueOf);
					default:
						return filled(component.text, 'body:', valueOf);
				}
			}),
	);
	return lines.filter((line) => line !== '').join('\n');
}

/** The text of a template with its variables as "[2]". */
export function textWithBlanks(components: unknown): string {
	const inText = variablesOf(components).filter(({ id }) => mediumOf(id) === undefined);
	const blanks = new Map(inText.map(({ id, blank }) => [id, `[${blank}]`]));
	return templateText(components, (id) => blanks.get(id));
}

/** Ten times the platform's greatest length of a text. Filling in a million variables would block n8n for seconds. */
const MAX_TEXT = 10_240;

function filled(text: unknown, prefix: string, valueOf: ValueOf): string {
	const whole = textOf(text);
	const shown = whole.length > MAX_TEXT ? `${whole.slice(0, MAX_TEXT)}…` : whole;
	return shown.replace(
		/\{\{\s*(\w+)\s*\}\}/g,
		(placeholder, name: string) => valueOf(`${prefix}${name}`) ?? placeholder,
	);
}

function headerText({ format, text }: IDataObject, valueOf: ValueOf): string {
	const medium = kindOf(format ?? 'text');
	if (medium === 'text') return filled(text, 'header:text:', valueOf);
	return [`[${medium}]`, valueOf(`header:${medium}`)].filter(Boolean).join(' ');
}

function buttonTexts(buttons: unknown, valueOf: ValueOf): string[] {
	return (Array.isArray(buttons) ? buttons : []).map((button: unknown, index) => {
		if (!isRecord(button)) return '';
		const end = valueOf(`button:${index}:url`);
		const url = textOf(button.url).replace(/\{\{\s*\w+\s*\}\}/, (blank) => end ?? blank);
		const more = url || valueOf(`button:${index}:copy_code`);
		const text = [textOf(button.text), more].filter(Boolean).join(': ');
		return text && `[${text}]`;
	});
}
