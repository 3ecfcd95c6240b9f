import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../api/response';
import { textOf } from '../api/text';

/**
 * A placeholder in a template. Its id says what kind it is, so that a saved workflow can run without looking up the
 * template again: "header:text:1", "header:image", "body:name", "button:0:url".
 */
export interface TemplateVariable {
	id: string;
	label: string;
	/** A quick reply does not need a payload; everything else is required. */
	required: boolean;
}

const MEDIA = ['image', 'video', 'document'];

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
				return placeholders(component.text).map((name) => ({
					id: `body:${name}`,
					label: `Body {{${name}}}`,
					required: true,
				}));
			case 'buttons':
				return buttonVariables(component.buttons);
			default:
				return [];
		}
	});
}

function headerVariables(component: IDataObject): TemplateVariable[] {
	const format = textOf(component.format ?? 'text').toLowerCase();
	if (MEDIA.includes(format)) {
		return [
			{ id: `header:${format}`, label: `Header ${format} (URL or media ID)`, required: true },
		];
	}
	return placeholders(component.text).map((name) => ({
		id: `header:text:${name}`,
		label: `Header {{${name}}}`,
		required: true,
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
				{ id: `button:${index}:url`, label: `Button ${name}, end of the URL`, required: true },
			];
		}
		if (type === 'quick_reply') {
			return [
				{ id: `button:${index}:quick_reply`, label: `Button ${name}, payload`, required: false },
			];
		}
		if (type === 'copy_code') {
			return [{ id: `button:${index}:copy_code`, label: `Button ${name}, code`, required: true }];
		}
		// A one-time password button is sent as a URL button whose variable is the code.
		return type === 'otp'
			? [{ id: `button:${index}:url`, label: `Button ${name}, code`, required: true }]
			: [];
	});
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
	if (!MEDIA.includes(format)) return textParameter(name, value);
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

/** {{1}} before {{2}}, in whatever order they were entered; named ones keep their order. */
function byNumber([a]: [string, string], [b]: [string, string]): number {
	const [first, second] = [a, b].map((id) => Number(/:(\d+)\b/.exec(id)?.[1] ?? 0)) as [
		number,
		number,
	];
	return first - second;
}
