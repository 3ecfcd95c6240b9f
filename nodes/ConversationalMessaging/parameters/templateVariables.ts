import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../api/response/response';
import { textOf } from '../api/base/text';
import { isWebUrl } from './values';

/**
 * A placeholder in a template. Its id says what kind it is, so that a saved workflow can run without looking up the
 * template again: "header:text:1", "header:image", "body:name", "button:0:url".
 */
interface TemplateVariable {
	id: string;
	/** Its name, for messages: "2", "Header image", "Button “Shop”". */
	label: string;
	/** What it is inside the text of the template: "2", "end of URL". */
	blank: string;
	/** The words around it, as far as a label has room for them: "is [2] off until". */
	excerpt?: string;
	/** A value that was given when the template was submitted. */
	example?: string;
	/** A quick reply does not need a payload; everything else is required. */
	required: boolean;
}

/** n8n gives the label of a mapper's field 170 pixels, and cuts it there. */
const MAX_LABEL = 26;

/** A variable as the label of its field: `2 · is [2] off until`. */
export const fieldLabel = ({ label, excerpt }: TemplateVariable): string =>
	excerpt === undefined ? label : `${label} · ${excerpt}`;

/** The name of a variable, from the label of its field. */
export const nameInLabel = (text: string): string => text.split(' · ')[0] as string;

/** A variable as text shows it. */
export const shownBlank = (name: string): string => `[${name}]`;

/** What a header can show instead of text. */
export const HEADER_MEDIA = ['image', 'video', 'document'];

/** More than a text of the platform's greatest length has room for. */
export const MAX_VARIABLES = 500;

/** Why a template cannot be filled in. */
export const TOO_MANY_VARIABLES = `The template has more than ${MAX_VARIABLES} variables. Choose another one.`;

/** The names in "Hello {{1}}, {{ name }}", in order, without duplicates; at most one more than a template may have. */
function placeholders(text: unknown): string[] {
	const names = new Set<string>();
	for (const [, name] of textOf(text).matchAll(/\{\{\s*(\w+)\s*\}\}/g)) {
		names.add(name as string);
		if (names.size > MAX_VARIABLES) break;
	}
	return [...names];
}

/**
 * The variables of a template, from its components in the messaging platform's usual form. Components in any other
 * form have no recognizable variables.
 *
 * @returns at most one more than MAX_VARIABLES
 */
export function variablesOf(components: unknown): TemplateVariable[] {
	const variables: TemplateVariable[] = [];
	for (const component of Array.isArray(components) ? components.filter(isRecord) : []) {
		variables.push(...componentVariables(component));
		if (variables.length > MAX_VARIABLES) break;
	}
	return variables.slice(0, MAX_VARIABLES + 1);
}

function componentVariables(component: IDataObject): TemplateVariable[] {
	switch (textOf(component.type).toLowerCase()) {
		case 'header':
			return headerVariables(component);
		case 'body':
			return textVariables(component, 'body');
		case 'buttons':
			return buttonVariables(component.buttons);
		default:
			return [];
	}
}

/** Whether components have the form that `variablesOf` reads: with a body, as every template has one. */
export const showsVariables = (components: unknown): boolean =>
	Array.isArray(components) &&
	components.some(
		(component) =>
			isRecord(component) &&
			textOf(component.type).toLowerCase() === 'body' &&
			typeof component.text === 'string',
	);

/** A part of a template that needs a value, and for which there is no field. */
interface TemplatePart {
	/** "carousel", "location header", "mpm button" */
	name: string;
	/** Whether `templateComponents` have an entry for it. */
	isIn: (components: readonly unknown[]) => boolean;
}

/** What needs no value, or has a field. A kind that is not known may need one, so it is a part without a field. */
const OTHER_COMPONENTS = ['', 'header', 'body', 'footer', 'buttons', 'call_permission_request'];
const OTHER_BUTTONS = [
	...['url', 'quick_reply', 'copy_code', 'otp'],
	...['phone_number', 'catalog', 'flow', 'voice_call', 'spm'],
];

/** The parts of a template whose values only Template Components can contain. */
export function partsWithoutField(components: unknown): TemplatePart[] {
	if (!showsVariables(components)) return [];
	return (components as unknown[]).filter(isRecord).flatMap((component): TemplatePart[] => {
		const type = kindOf(component.type);
		if (type === 'header') return headerPart(component);
		const buttons: unknown[] = Array.isArray(component.buttons) ? component.buttons : [];
		if (type === 'buttons') return buttons.slice(0, MAX_VARIABLES).flatMap(buttonPart);
		const isIn = (entries: readonly unknown[]) =>
			entries.some((entry) => isRecord(entry) && kindOf(entry.type) === type);
		return OTHER_COMPONENTS.includes(type) ? [] : [{ name: type.replace(/_/g, ' '), isIn }];
	});
}

const kindOf = (value: unknown): string => textOf(value).toLowerCase();

const headerFormat = (component: IDataObject): string => kindOf(component.format ?? 'text');

function headerPart(component: IDataObject): TemplatePart[] {
	const format = headerFormat(component);
	if (format === 'text' || HEADER_MEDIA.includes(format)) return [];
	const isIn = (entries: readonly unknown[]) =>
		entries
			.filter(isRecord)
			.filter((entry) => kindOf(entry.type) === 'header')
			.flatMap(({ parameters }) => parameters)
			.some((parameter) => isRecord(parameter) && kindOf(parameter.type) === format);
	return [{ name: `${format} header`, isIn }];
}

function buttonPart(button: unknown, index: number): TemplatePart[] {
	const type = isRecord(button) ? kindOf(button.type) : '';
	if (type === '' || OTHER_BUTTONS.includes(type)) return [];
	const isIn = (entries: readonly unknown[]) =>
		entries.some(
			(entry) =>
				isRecord(entry) && kindOf(entry.type) === 'button' && textOf(entry.index) === String(index),
		);
	return [{ name: `${type.replace(/_/g, ' ')} button`, isIn }];
}

/** "carousel, location header" */
export const partNames = (parts: TemplatePart[]): string =>
	[...new Set(parts.map(({ name }) => name))].join(', ');

/** The media of a header can be a link or an ID, and nothing else: a service would take a text for an ID. */
export const isMedia = (value: string): boolean =>
	isWebUrl(value) || (/^[\w:=+-]+$/.test(value) && !/^[a-z][\w+-]*:/i.test(value));

/** Whether a variable is the media of a header. */
export const isMediaVariable = (id: string): boolean =>
	HEADER_MEDIA.some((format) => id === `header:${format}`);

function headerVariables(component: IDataObject): TemplateVariable[] {
	const format = headerFormat(component);
	if (HEADER_MEDIA.includes(format)) {
		return [
			{
				id: `header:${format}`,
				label: `Header ${format}`,
				blank: format,
				excerpt: 'URL or ID',
				required: true,
			},
		];
	}
	return textVariables(component, 'header');
}

function textVariables(
	{ text, example }: IDataObject,
	part: 'body' | 'header',
): TemplateVariable[] {
	const line = oneLine(textOf(text)).replace(/\{\{\s*(\w+)\s*\}\}/g, '[$1]');
	const examples = textExamples(example, part);
	// One pass: a search for each variable would read the whole text again.
	const starts = new Map<string, number>();
	for (const { 1: name = '', index } of line.matchAll(/\[(\w+)\]/g))
		if (!starts.has(name)) starts.set(name, index);
	return placeholders(text).map((name) => {
		const label = part === 'body' ? name : `Header ${name}`;
		return {
			id: part === 'body' ? `body:${name}` : `header:text:${name}`,
			label,
			blank: name,
			excerpt: excerptOf(
				line,
				name,
				starts.get(name) ?? 0,
				MAX_LABEL - label.length - ' · '.length,
			),
			example: exampleText(examples.get(name)),
			required: true,
		};
	});
}

function buttonVariables(buttons: unknown): TemplateVariable[] {
	if (!Array.isArray(buttons)) return [];
	return buttons.slice(0, MAX_VARIABLES + 1).flatMap((button, index): TemplateVariable[] => {
		if (!isRecord(button)) return [];
		const name = typeof button.text === 'string' ? `“${button.text}”` : String(index + 1);
		const type = textOf(button.type).toLowerCase();
		const label = `Button ${name}`;
		const variable = (blank: string, more: Partial<TemplateVariable> = {}): TemplateVariable[] => {
			const excerpt = `${label} · ${blank}`.length > MAX_LABEL ? undefined : blank;
			return [{ id: `button:${index}:${type}`, label, blank, excerpt, required: true, ...more }];
		};
		switch (type) {
			case 'url':
				if (placeholders(button.url).length === 0) return [];
				return variable('end of URL', { example: urlExample(button) });
			case 'quick_reply':
				return variable('payload', { required: false });
			case 'copy_code':
				return variable('code', { example: exampleText([button.example].flat()[0]) });
			case 'otp':
				// A one-time password button is sent as a URL button whose variable is the code.
				return variable('code', { id: `button:${index}:url` });
			default:
				return [];
		}
	});
}

const MAX_EXAMPLE = 30;

/**
 * The whole words around the first occurrence of a variable, as many as fit: "is [2] off until".
 *
 * @param line with variables as `[name]`
 * @param start where the variable is in the line
 * @returns undefined if there are none, or if the variable alone does not fit
 */
function excerptOf(line: string, name: string, start: number, room: number): string | undefined {
	const blank = shownBlank(name);
	// No more of a long text is read than could fit.
	const before = line.slice(Math.max(0, start - MAX_LABEL - 1), start).split(' ');
	const after = line.slice(start + blank.length, start + blank.length + MAX_LABEL + 1).split(' ');
	const attached = `${before.pop() ?? ''}${blank}${after.shift() ?? ''}`;
	let text = attached.length > room ? blank : attached;
	// Words on the side of one that does not fit would not be next to the variable.
	let [hasBefore, hasAfter] = [text === attached, text === attached];
	while (hasBefore || hasAfter) {
		const next = hasAfter ? after.shift() : undefined;
		hasAfter = next !== undefined && text.length + 1 + next.length <= room;
		if (hasAfter) text = `${text} ${next ?? ''}`;
		const previous = hasBefore ? before.pop() : undefined;
		hasBefore = previous !== undefined && text.length + 1 + previous.length <= room;
		if (hasBefore) text = `${previous ?? ''} ${text}`;
	}
	return text === blank || text.length > room ? undefined : text;
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/**
 * The examples of text variables by name, in the messaging platform's usual form: `{ body_text: [["Ann", "20%"]] }`,
 * `{ header_text: ["Ann"] }`, `{ body_text_named_params: [{ param_name: "name", example: "Ann" }] }`.
 */
function textExamples(example: unknown, part: 'body' | 'header'): Map<string, unknown> {
	if (!isRecord(example)) return new Map();
	const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
	const byPlace = list(example[`${part}_text`]).flat();
	const byName = list(example[`${part}_text_named_params`]).filter(isRecord);
	return new Map([
		...byPlace.map((value, index): [string, unknown] => [String(index + 1), value]),
		// The first of a name counts.
		...byName
			.reverse()
			.map((entry): [string, unknown] => [textOf(entry.param_name), entry.example]),
	]);
}

/** The example of a URL is the whole URL; the value is only its end. */
function urlExample({ url, example }: IDataObject): string | undefined {
	const start = textOf(url).split('{{')[0] ?? '';
	const text = textOf([example].flat()[0]);
	return exampleText(text.startsWith(start) ? text.slice(start.length) : text);
}

function exampleText(value: unknown): string | undefined {
	const characters = Array.from(oneLine(textOf(value)));
	if (characters.length === 0) return undefined;
	return characters.length > MAX_EXAMPLE
		? `${characters.slice(0, MAX_EXAMPLE).join('')}…`
		: characters.join('');
}

/**
 * Variables with their values as `templateComponents`, in the messaging platform's usual form.
 *
 * @param values by the ids from `variablesOf`; empty ones are left out
 */
export function componentsFrom(values: Record<string, string>): IDataObject[] {
	const filled = Object.entries(values).filter(([, value]) => value !== '');
	const of = (prefix: string) => filled.filter(([id]) => id.startsWith(prefix)).sort(byNumber);
	const header = of('header:').map(([id, value]) => headerParameter(id, value));
	const body = of('body:').map(([id, value]) => textParameter(id.slice('body:'.length), value));
	const buttons = of('button:').map(([id, value]) => buttonComponent(id, value));
	return [
		...(header.length > 0 ? [{ type: 'header', parameters: header }] : []),
		...(body.length > 0 ? [{ type: 'body', parameters: body }] : []),
		...buttons,
	];
}

/** {{1}} and {{2}} are identified by position, named variables by name. */
function textParameter(name: string, text: string): IDataObject {
	return /^\d+$/.test(name) ? { type: 'text', text } : { type: 'text', parameter_name: name, text };
}

function headerParameter(id: string, value: string): IDataObject {
	const [, format = '', name = ''] = id.split(':');
	if (!HEADER_MEDIA.includes(format)) return textParameter(name, value);
	return { type: format, [format]: isWebUrl(value) ? { link: value } : { id: value } };
}

function buttonComponent(id: string, value: string): IDataObject {
	const [, index, kind] = id.split(':');
	const parameter =
		kind === 'quick_reply'
			? { type: 'payload', payload: value }
			: kind === 'copy_code'
				? { type: 'coupon_code', coupon_code: value }
				: { type: 'text', text: value };
	return { type: 'button', sub_type: kind, index, parameters: [parameter] };
}

/**
 * The values of variables in `templateComponents`, by the ids from `variablesOf`: the inverse of `componentsFrom`, for
 * whatever a user entered as JSON.
 */
export function valuesIn(components: readonly unknown[]): Map<string, string> {
	const values = new Map<string, string>();
	for (const component of components.filter(isRecord)) {
		const type = textOf(component.type).toLowerCase();
		const list: unknown[] = Array.isArray(component.parameters) ? component.parameters : [];
		list.filter(isRecord).forEach((parameter, position) => {
			const [id, value] =
				type === 'button'
					? buttonValue(component, parameter)
					: placeValue(type, parameter, position);
			if (value !== '') values.set(id, value);
		});
	}
	return values;
}

function placeValue(
	place: string,
	parameter: IDataObject,
	position: number,
): [id: string, value: string] {
	const kind = textOf(parameter.type).toLowerCase();
	const media = parameter[kind];
	if (HEADER_MEDIA.includes(kind))
		return [`${place}:${kind}`, isRecord(media) ? textOf(media.link) || textOf(media.id) : ''];
	const name = textOf(parameter.parameter_name) || String(position + 1);
	const fallback = isRecord(media) ? textOf(media.fallback_value) : '';
	return [
		`${place === 'header' ? 'header:text' : place}:${name}`,
		textOf(parameter.text) || fallback,
	];
}

function buttonValue(component: IDataObject, parameter: IDataObject): [id: string, value: string] {
	const kind = textOf(component.sub_type).toLowerCase();
	const value = [parameter.text, parameter.payload, parameter.coupon_code]
		.map(textOf)
		.find(Boolean);
	return [`button:${textOf(component.index)}:${kind}`, value ?? ''];
}

/** {{1}} before {{2}}, in whatever order they were entered; named ones keep their order. */
function byNumber([a]: [string, string], [b]: [string, string]): number {
	const [first, second] = [a, b].map((id) => Number(/:(\d+)\b/.exec(id)?.[1] ?? 0)) as [
		number,
		number,
	];
	return first - second;
}
