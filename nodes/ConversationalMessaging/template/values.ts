import type { IDataObject } from 'n8n-workflow';
import { type Shown, shown } from '../api/access/shown';
import { textOf } from '../api/base/text';
import { isRecord } from '../api/response/response';
import { hasNoValue } from '../parameters/emptyValues';
import type { FieldReader } from '../parameters/fieldReader';
import type { Parameters } from '../parameters/parameters';
import { savedVariable } from '../parameters/savedParameters';
import { formatValue, isBlank, isWebUrl, readVerbatim } from '../parameters/values';
import { parseTemplate } from './chosen';
import {
	ADD_COMPONENTS,
	kindOf,
	mediumOf,
	partsWithoutField,
	recordsIn,
	variablesOf,
} from './variables';

/**
 * The values for the variables of a template, in the service's form; undefined if there are none.
 *
 * @throws NodeOperationError for a variable that is missing, a value that the template has no variable for, and
 *   anything that is not a list of variables
 */
export function readVariables(parameters: Parameters): IDataObject[] | undefined {
	const entered = parameters.collection('options').records('templateComponents');
	if (entered) return entered;
	const components = componentsFrom(variableValues(parameters));
	return components.length > 0 ? components : undefined;
}

function variableValues(parameters: Parameters): Record<string, string> {
	const mapper = parameters.raw('templateVariables') ?? {};
	if (!isRecord(mapper)) throw parameters.invalidValue('templateVariables', 'variables', mapper);
	const given = mapper.value ?? {};
	if (!isRecord(given)) throw parameters.invalidValue('templateVariables', 'variables', given);
	const schema = recordsIn(mapper.schema);
	requireSameTemplate(parameters, schema);
	const saved = parameters.savedValue('templateVariables');
	const parts = textOf(schema[0]?.partsWithoutField);
	if (parts !== '') throw parameters.invalid(withoutField(parts), ADD_COMPONENTS);
	const values = schema.map((variable): [id: string, value: string] => {
		const id = textOf(variable.id);
		const name = textOf(variable.label) || textOf(variable.displayName) || id;
		const label = `Template variable ${name}`;
		const isLeftOut = hasNoValue('value', given[id], savedVariable(saved, id));
		const entered = isLeftOut ? undefined : given[id];
		const value = variableValue(parameters, label, entered, variable.required === true);
		return [id, sentValue(parameters, id, label, value)];
	});
	const known = new Set(values.map(([id]) => id));
	const surplus = Object.keys(given).find((id) => !known.has(id) && !isBlank(given[id]));
	if (surplus === undefined) return Object.fromEntries(values);
	throw parameters.invalid(
		shown`The template has no variable ${surplus}`,
		'Refresh Template Variables, and remove the variables that the template does not have.',
	);
}

const withoutField = (parts: string): Shown =>
	shown`The template has parts without a field: ${parts}`;

/**
 * While an expression of the node has no data, n8n does not notice that the user picks another template: it keeps showing
 * the variables of the one before. If both have the same number of them, the service would accept the wrong values. An
 * expression may decide between templates with the same variables.
 */
function requireSameTemplate(parameters: Parameters, schema: IDataObject[]): void {
	const chosen = parameters.chosen('templateId');
	const name = chosen === undefined ? undefined : parseTemplate(chosen).name;
	const entered = schema[0]?.templateName;
	if (name === undefined || !entered || entered === name) return;
	throw parameters.invalid(
		shown`Template Variables are those of the template ${textOf(entered)}, but Template is ${name}`,
		'Close the node, open it again, and check the values. If the message comes again, choose Refresh Variable List under ⋮ beside Template Variables.',
	);
}

/** The text of a variable, with its spaces; empty if there is none. @param label what it is, for the message */
function variableValue(
	parameters: Parameters,
	label: string,
	value: unknown,
	required: boolean,
): string {
	if (isBlank(value)) {
		if (!required) return '';
		throw parameters.invalid(
			shown`${label} is empty`,
			'Enter a value under Template Variables, or check the expression.',
		);
	}
	const reading = readVerbatim(value);
	if (reading.expected === undefined) return reading.value;
	throw invalidVariable(parameters, label, reading.expected, value);
}

/**
 * The value of a variable as it is sent: the media of a header without the spaces around it.
 *
 * @param label what it is, for the message
 * @throws NodeOperationError for a text that nobody can read, and for media that are neither a link nor an ID: a service
 *   would take any other text for an ID
 */
export function sentValue(fields: FieldReader, id: string, label: string, value: string): string {
	if (value === '' || mediumOf(id) === undefined) return fields.readable(label, value);
	const media = value.trim();
	const isId = /^[\w:=+-]+$/.test(media) && !/^[a-z][\w+-]*:/i.test(media);
	if (isId || isWebUrl(media)) return media;
	const expected = 'a URL that begins with https:// or http://, or a media ID';
	throw invalidVariable(fields, label, expected, value);
}

const invalidVariable = (fields: FieldReader, label: string, expected: string, value: unknown) =>
	fields.invalid(
		shown`${label} expects ${expected}, but got ${formatValue(value)}`,
		'Check the value, or the expression that returns it.',
	);

/**
 * Variables with their values as `templateComponents`, in the messaging platform's usual form.
 *
 * @param values by the ids from `variablesOf`; empty ones are left out
 */
export function componentsFrom(values: Record<string, string>): IDataObject[] {
	const filled = Object.entries(values).filter(([, value]) => value !== '');
	const of = (place: string) => filled.filter(([id]) => id.startsWith(place)).sort(byNumber);
	const header = of('header:').map(([id, value]) => headerParameter(id, value));
	const body = of('body:').map(([id, value]) => textParameter(id.slice('body:'.length), value));
	const buttons = of('button:').map(([id, value]) => buttonComponent(id, value));
	return [
		...(header.length > 0 ? [{ type: 'header', parameters: header }] : []),
		...(body.length > 0 ? [{ type: 'body', parameters: body }] : []),
		...buttons,
	];
}

/** {{1}} before {{2}}, in whatever order they were entered; named ones keep their order. */
function byNumber([a]: [string, string], [b]: [string, string]): number {
	const numberIn = (id: string) => Number(/:(\d+)\b/.exec(id)?.[1] ?? 0);
	return numberIn(a) - numberIn(b);
}

/** {{1}} and {{2}} are identified by position, named variables by name. */
function textParameter(name: string, text: string): IDataObject {
	return /^\d+$/.test(name) ? { type: 'text', text } : { type: 'text', parameter_name: name, text };
}

function headerParameter(id: string, value: string): IDataObject {
	const medium = mediumOf(id);
	if (medium === undefined) return textParameter(id.slice('header:text:'.length), value);
	return { type: medium, [medium]: isWebUrl(value) ? { link: value } : { id: value } };
}

/** What the value of a button is called; that of any other kind is a text. */
const BUTTON_VALUES: Record<string, string> = { quick_reply: 'payload', copy_code: 'coupon_code' };

function buttonComponent(id: string, value: string): IDataObject {
	const [, index, kind = ''] = id.split(':');
	const type = BUTTON_VALUES[kind] ?? 'text';
	return { type: 'button', sub_type: kind, index, parameters: [{ type, [type]: value }] };
}

/**
 * The values of variables in `templateComponents`, by the ids from `variablesOf`: the inverse of `componentsFrom`, for
 * whatever a user entered as JSON. A part without a field has an empty value.
 */
export function valuesIn(components: readonly unknown[]): Map<string, string> {
	const values = new Map<string, string>();
	for (const component of components.filter(isRecord)) {
		const type = kindOf(component.type);
		if (!['header', 'body', 'button'].includes(type)) values.set(type, '');
		recordsIn(component.parameters).forEach((parameter, position) => {
			const kind = kindOf(parameter.type);
			const inner = parameter[kind];
			const { link, id, fallback_value: fallback } = isRecord(inner) ? inner : { link: inner };
			const value = textOf(link) || textOf(id) || textOf(fallback);
			const name = textOf(parameter.parameter_name) || String(position + 1);
			if (type === 'button')
				values.set(`button:${textOf(component.index)}:${kindOf(component.sub_type)}`, value);
			else if (isRecord(inner) && fallback === undefined) values.set(`${type}:${kind}`, value);
			else if (value !== '')
				values.set(`${type === 'header' ? 'header:text' : type}:${name}`, value);
		});
	}
	return values;
}

/**
 * Why a template cannot be sent with these values, and what to do; undefined if nothing shows that.
 *
 * @param listed its components in the service's list
 * @param ids of the variables that have a value
 */
export function whyUnfilled(
	listed: unknown,
	ids: Iterable<string>,
): { message: Shown; step: string } | undefined {
	const given = new Set(ids);
	const missing = variablesOf(listed).filter(({ id, required }) => required && !given.has(id));
	const parts = partsWithoutField(missing);
	if (parts !== '') return { message: withoutField(parts), step: ADD_COMPONENTS };
	return (
		missing[0] && {
			message: shown`Template variable ${missing[0].label} is empty`,
			step: 'Enter a value for it.',
		}
	);
}
