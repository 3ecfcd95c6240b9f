import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../api/response/response';
import { textOf } from '../api/base/text';
import { HEADER_MEDIA, isMediaVariable, shownBlank, variablesOf } from './templateVariables';

/** A template as a recipient reads it. */
interface TemplateText {
	/** Its text, or its medium: "[image] https://cdn.example.com/a.png". */
	header?: string;
	body?: string;
	footer?: string;
	/** The text of each button, with its URL: "Shop: https://shop.example.com/spring". */
	buttons?: string[];
}

/**
 * A template with its variables filled in. A variable without a value stays as it is in the template: "{{1}}".
 *
 * @param components in the messaging platform's usual form; any other form has no text
 * @param valueOf the value of a variable, by its id from `variablesOf`
 */
export function templateText(
	components: unknown,
	valueOf: (id: string) => string | undefined,
): TemplateText {
	const text: TemplateText = {};
	for (const component of Array.isArray(components) ? components.filter(isRecord) : []) {
		switch (textOf(component.type).toLowerCase()) {
			case 'header':
				text.header = headerText(component, valueOf);
				break;
			case 'body':
				text.body = filled(component.text, 'body:', valueOf);
				break;
			case 'footer':
				text.footer = textOf(component.text);
				break;
			case 'buttons':
				text.buttons = (Array.isArray(component.buttons) ? component.buttons : [])
					.map((button: unknown, index) => buttonText(button, index, valueOf))
					.filter((shown) => shown !== '');
		}
	}
	return text;
}

/** The text as one, with a line for each part: header, body, footer, `[Shop: https://shop.example.com/spring]`. */
export const joinTexts = ({ header, body, footer, buttons = [] }: TemplateText): string =>
	[header, body, footer, ...buttons.map((button) => `[${button}]`)].filter(Boolean).join('\n');

/** The text of a template with its variables as "[2]", as one. */
export function textWithBlanks(components: unknown): string {
	const inText = variablesOf(components).filter(({ id }) => !isMediaVariable(id));
	const blanks = new Map(inText.map(({ id, blank }) => [id, shownBlank(blank)]));
	return joinTexts(templateText(components, (id) => blanks.get(id)));
}

type ValueOf = (id: string) => string | undefined;

function filled(text: unknown, prefix: string, valueOf: ValueOf): string {
	return textOf(text).replace(
		/\{\{\s*(\w+)\s*\}\}/g,
		(placeholder, name: string) => valueOf(`${prefix}${name}`) ?? placeholder,
	);
}

function headerText(component: IDataObject, valueOf: ValueOf): string {
	const format = textOf(component.format ?? 'text').toLowerCase();
	if (!HEADER_MEDIA.includes(format)) return filled(component.text, 'header:text:', valueOf);
	return [`[${format}]`, valueOf(`header:${format}`)].filter(Boolean).join(' ');
}

function buttonText(button: unknown, index: number, valueOf: ValueOf): string {
	if (!isRecord(button)) return '';
	const text = textOf(button.text);
	const end = valueOf(`button:${index}:url`);
	const url = textOf(button.url).replace(/\{\{\s*\w+\s*\}\}/, (placeholder) => end ?? placeholder);
	const code = valueOf(`button:${index}:copy_code`);
	return [text, url || code].filter(Boolean).join(': ');
}
