import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../api/response';
import { textOf } from '../api/text';

/**
 * A placeholder in a template. Its id says what kind it is, so that a saved workflow can run without looking up the
 * template again: "header:text:1", "header:image", "body:name", "button:0:url".
 */
export interface TemplateVariable {
	id: string;
	/** Its name, for messages: "2", "Header image", "Button “Shop”". */
	label: string;
	/** The text around it: "your ticket … is now {{3}}". */
	excerpt?: string;
	/** A value that was given when the template was submitted. */
	example?: string;
	/** A quick reply does not need a payload; everything else is required. */
	required: boolean;
}

/**
 * A variable as the label of its field: `2 · your ticket … is now {{3}}, e.g. 1042`. What distinguishes it comes first:
 * the editor shows about 22 characters. n8n's fields of a mapper have no placeholder.
 */
export const fieldLabel = ({ label, excerpt, example }: TemplateVariable): string =>
	[
		label,
		...(excerpt === undefined ? [] : [` · ${excerpt}`]),
		...(example === undefined ? [] : [`, e.g. ${example}`]),
	].join('');

/** The name of a variable, from the label of its field. */
export const nameInLabel = (text: string): string => text.split(/ · |, e\.g\. /)[0] as string;

/** What a header can show instead of text. */
export const HEADER_MEDIA = ['image', 'video', 'document'];

/** The names in "Hello {{1}}, {{ name }}", in order, without duplicates. */
function placeholders(text: unknown): string[] {
	const found = typeof text === 'string' ? [...text.matchAll(/\{\{\s*(\w+)\s*\}\}/g)] : [];
	return [...new Set(found.map((match) => match[1] as string))];
}

/**
 * The variables of a template, from its components in the messaging platform's usual form. Components in any other
 * form have no recognizable variables.
 */
export function variablesOf(components: unknown): TemplateVariable[] {
	if (!Array.isArray(components)) return [];
	return components.filter(isRecord).flatMap((component) => {
		switch (textOf(component.type).toLowerCase()) {
			case 'header':
				return headerVariables(component);
			case 'body':
				return textVariables(component, 'body').map(({ name, ...shown }) => ({
					id: `body:${name}`,
					label: name,
					...shown,
					required: true,
				}));
			case 'buttons':
				return buttonVariables(component.buttons);
			default:
				return [];
		}
	});
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

function headerVariables(component: IDataObject): TemplateVariable[] {
	const format = textOf(component.format ?? 'text').toLowerCase();
	if (HEADER_MEDIA.includes(format)) {
		return [
			{
				id: `header:${format}`,
				label: `Header ${format}`,
				excerpt: 'URL or media ID',
				required: true,
			},
		];
	}
	return textVariables(component, 'header').map(({ name, ...shown }) => ({
		id: `header:text:${name}`,
		label: `Header ${name}`,
		...shown,
		required: true,
	}));
}

/** What is shown of the variables in a text. */
function textVariables(
	{ text, example }: IDataObject,
	part: 'body' | 'header',
): (Pick<TemplateVariable, 'excerpt' | 'example'> & { name: string })[] {
	const line = oneLine(textOf(text)).replace(/\{\{\s*(\w+)\s*\}\}/g, '{{$1}}');
	return placeholders(text).map((name) => ({
		name,
		excerpt: excerptOf(line, name),
		example: textExample(example, part, name),
	}));
}

function buttonVariables(buttons: unknown): TemplateVariable[] {
	if (!Array.isArray(buttons)) return [];
	return buttons.flatMap((button, index): TemplateVariable[] => {
		if (!isRecord(button)) return [];
		const name = typeof button.text === 'string' ? `“${button.text}”` : String(index + 1);
		const type = textOf(button.type).toLowerCase();
		if (type === 'url') {
			if (placeholders(button.url).length === 0) return [];
			return [
				{
					id: `button:${index}:url`,
					label: `Button ${name}`,
					excerpt: `end of ${shortUrl(textOf(button.url))}`,
					example: urlExample(button),
					required: true,
				},
			];
		}
		if (type === 'quick_reply') {
			return [
				{
					id: `button:${index}:quick_reply`,
					label: `Button ${name}`,
					excerpt: 'payload',
					required: false,
				},
			];
		}
		if (type === 'copy_code') {
			return [
				{
					id: `button:${index}:copy_code`,
					label: `Button ${name}`,
					excerpt: 'code',
					example: exampleText([button.example].flat()[0]),
					required: true,
				},
			];
		}
		// A one-time password button is sent as a URL button whose variable is the code.
		return type === 'otp'
			? [{ id: `button:${index}:url`, label: `Button ${name}`, excerpt: 'code', required: true }]
			: [];
	});
}

/** What the editor shows of a label has room for these words before a variable, and its number. */
const MAX_BEFORE = 14;
const MAX_AFTER = 30;
const MAX_URL = 40;
const MAX_EXAMPLE = 30;

/**
 * The text around the first occurrence of a variable, cut between words: "your ticket … is now {{3}}".
 *
 * @param line with variables as `{{name}}`
 */
function excerptOf(line: string, name: string): string | undefined {
	const variable = `{{${name}}}`;
	const start = line.indexOf(variable);
	const end = start + variable.length;
	// A character has at most two units. Of a long text, only those near the variable are read.
	const before = Array.from(line.slice(Math.max(0, start - 2 * MAX_BEFORE - 3), start));
	const after = Array.from(line.slice(end, end + 2 * MAX_AFTER + 3));
	// A text that consists of its variable has no place in it.
	if (before.length + after.length === 0) return undefined;
	const from =
		before.length > MAX_BEFORE
			? before
					.slice(-MAX_BEFORE - 1)
					.join('')
					.replace(/^\S*\s+/, '')
			: before.join('');
	const until =
		after.length > MAX_AFTER
			? after
					.slice(0, MAX_AFTER + 1)
					.join('')
					.replace(/ \S*$/, '')
			: after.join('');
	return `${from}…${until}`;
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** The end of a URL is what distinguishes it. */
function shortUrl(text: string): string {
	const characters = Array.from(oneLine(text));
	return characters.length > MAX_URL
		? `…${characters.slice(-MAX_URL).join('')}`
		: characters.join('');
}

/**
 * The example of a text variable, in the messaging platform's usual form: `{ body_text: [["Ann", "20%"]] }`,
 * `{ header_text: ["Ann"] }`, `{ body_text_named_params: [{ param_name: "name", example: "Ann" }] }`.
 */
function textExample(example: unknown, part: 'body' | 'header', name: string): string | undefined {
	if (!isRecord(example)) return undefined;
	const named = example[`${part}_text_named_params`];
	const own = (Array.isArray(named) ? named : [])
		.filter(isRecord)
		.find((entry) => entry.param_name === name);
	if (own) return exampleText(own.example);
	const values = example[`${part}_text`];
	const list: unknown[] = Array.isArray(values) ? values.flat() : [];
	return /^\d+$/.test(name) ? exampleText(list[Number(name) - 1]) : undefined;
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
	return { type: format, [format]: /^https?:\/\//i.test(value) ? { link: value } : { id: value } };
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
