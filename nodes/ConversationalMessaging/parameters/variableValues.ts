import type { IDataObject } from 'n8n-workflow';
import { shown } from '../api/access/shown';
import { isRecord } from '../api/response/response';
import { textOf } from '../api/base/text';
import type { FieldReader } from './fieldReader';
import type { Parameters } from './parameters';
import { parseTemplate } from './template';
import { componentsFrom, isMedia, isMediaVariable, nameInLabel } from './templateVariables';
import { formatValue, isBlank, readVerbatim } from './values';

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

/** The entered values by their ids, checked against the variables that the template had when it was picked. */
function variableValues(parameters: Parameters): Record<string, string> {
	const mapper = parameters.raw('templateVariables') ?? {};
	if (!isRecord(mapper)) throw parameters.invalidValue('templateVariables', 'variables', mapper);
	const given = mapper.value ?? {};
	if (!isRecord(given)) throw parameters.invalidValue('templateVariables', 'variables', given);
	const schema = (Array.isArray(mapper.schema) ? mapper.schema : []).filter(isRecord);
	requireSameTemplate(parameters, schema);
	const parts = textOf(
		schema.find(({ partsWithoutField }) => partsWithoutField)?.partsWithoutField,
	);
	if (parts !== '')
		throw parameters.invalid(
			shown`The template has parts without a field: ${parts}`,
			ADD_COMPONENTS,
		);
	const values = schema.map(({ id: rawId, displayName, required }): [id: string, value: string] => {
		const id = textOf(rawId);
		const label = nameInLabel(textOf(displayName)) || id;
		const value = variableValue(parameters, label, given[id], required === true);
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

/**
 * While an expression of the node has no data, n8n does not notice that the user picks another template: it keeps showing
 * the variables of the one before. If both have the same number of them, the service would accept the wrong values. An
 * expression may decide between templates with the same variables.
 *
 * @throws NodeOperationError if the values were entered for a template of another name
 */
function requireSameTemplate(parameters: Parameters, schema: IDataObject[]): void {
	const chosen = parameters.chosen('templateId');
	const name = chosen === undefined ? undefined : parseTemplate(chosen).name;
	const entered = schema.map(({ templateName }) => templateName).find(Boolean);
	if (name === undefined || entered === undefined || entered === name) return;
	throw parameters.invalid(
		shown`Template Variables are those of the template ${textOf(entered)}, but Template is ${name}`,
		'Close the node, open it again, and check the values. If the message comes again, choose Refresh Variable List under ⋮ beside Template Variables.',
	);
}

/** The next step for a template with parts without a field. */
export const ADD_COMPONENTS =
	'Add the option Template Components, with an entry for each of them and for each variable.';

/**
 * The value of a variable as it is sent: the media of a header without the spaces around it.
 *
 * @throws NodeOperationError for media that are neither a link nor an ID
 */
export function sentValue(fields: FieldReader, id: string, label: string, value: string): string {
	if (value === '' || !isMediaVariable(id)) return value;
	const media = value.trim();
	if (isMedia(media)) return media;
	throw fields.invalid(
		shown`Template variable ${label} expects a URL that begins with https:// or http://, or a media ID, but got ${formatValue(value)}`,
		'Check the value, or the expression that returns it.',
	);
}

/** The text of a variable, with its spaces; empty if there is none. */
function variableValue(
	parameters: Parameters,
	label: string,
	value: unknown,
	required: boolean,
): string {
	if (isBlank(value)) {
		if (!required) return '';
		throw parameters.invalid(
			shown`Template variable ${label} is empty`,
			'Enter a value under Template Variables, or check the expression.',
		);
	}
	const reading = readVerbatim(value);
	if (reading.expected === undefined) return reading.value;
	throw parameters.invalid(
		shown`Template variable ${label} expects ${reading.expected}, but got ${formatValue(value)}`,
		'Check the value, or the expression that returns it.',
	);
}
