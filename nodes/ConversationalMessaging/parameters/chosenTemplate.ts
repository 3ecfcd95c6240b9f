import type { NodeOperationError } from 'n8n-workflow';
import { isRecord } from '../api/response';
import { textOf } from '../api/text';
import type { Parameters } from './parameters';
import type { TemplateRef } from './template';
import { pickedTemplate } from './template';
import { componentsFrom, nameInLabel } from './templateVariables';
import { formatValue, isBlank, readVerbatim } from './values';

/** A chosen template: complete, only its ID, or only name and language. */
export type ChosenTemplate = TemplateRef | { id: string } | { name: string; language: string };

/** @throws NodeOperationError if the template is missing */
export function chosenTemplate(parameters: Parameters): ChosenTemplate {
	if (parameters.requiredOption('templateBy') === 'list')
		return pickedTemplate(parameters.requiredId('templateId'));
	return {
		name: parameters.required('templateName'),
		language: parameters.required('templateLanguage'),
	};
}

/** The values for the variables of a template. */
export interface FilledVariables {
	/** In the service's form; undefined if there are none. */
	components?: unknown[];
	/** The values by their names on screen. */
	byName: Record<string, unknown>;
}

/** What to do with a value that cannot be sent. */
export type Reject = (error: NodeOperationError) => void;

/** Stops at the first one. */
export const throwRejection: Reject = (error) => {
	throw error;
};

/**
 * @param reject called for a variable that is missing, and for a value that the template has no variable for; by
 *   default, it throws
 * @throws NodeOperationError for anything that is not a list of variables
 */
export function filledVariables(
	parameters: Parameters,
	reject: Reject = throwRejection,
): FilledVariables {
	if (parameters.requiredOption('templateBy') === 'name') {
		const components = parameters.list('templateComponents');
		return { components, byName: { [parameters.label('templateComponents')]: components } };
	}
	const variables = variableValues(parameters, reject);
	const components = componentsFrom(
		Object.fromEntries(variables.map(({ id, value }) => [id, value])),
	);
	return {
		components: components.length > 0 ? components : undefined,
		byName: Object.fromEntries(variables.map(({ label, value }) => [label, value])),
	};
}

/** The entered values, checked against the variables that the template had when it was picked. */
function variableValues(
	parameters: Parameters,
	reject: Reject,
): { id: string; label: string; value: string }[] {
	const mapper = parameters.raw('templateVariables') ?? {};
	if (!isRecord(mapper)) throw parameters.invalidValue('templateVariables', 'variables', mapper);
	const given = mapper.value ?? {};
	if (!isRecord(given)) throw parameters.invalidValue('templateVariables', 'variables', given);
	const schema = (Array.isArray(mapper.schema) ? mapper.schema : []).filter(isRecord);
	const variables = schema.map(({ id: rawId, displayName, required }) => {
		const id = textOf(rawId);
		const label = nameInLabel(textOf(displayName)) || id;
		const value = variableValue(parameters, label, given[id], required === true, reject);
		return { id, label, value };
	});
	const known = new Set(variables.map(({ id }) => id));
	const surplus = Object.keys(given).filter((id) => !known.has(id) && !isBlank(given[id]));
	for (const id of surplus) {
		const message = `The template has no variable ${id}`;
		const step =
			'Refresh Template Variables, and remove the variables that the template does not have.';
		reject(parameters.invalid(message, step));
	}
	return variables;
}

/** The text of a variable, with its spaces; empty if there is none. */
function variableValue(
	parameters: Parameters,
	label: string,
	value: unknown,
	required: boolean,
	reject: Reject,
): string {
	if (isBlank(value)) {
		const step = 'Enter a value under Template Variables, or check the expression.';
		if (required) reject(parameters.invalid(`Template variable ${label} is empty`, step));
		return '';
	}
	const reading = readVerbatim(value);
	if (reading.expected === undefined) return reading.value;
	const message = `Template variable ${label} expects ${reading.expected}, but got ${formatValue(value)}`;
	reject(parameters.invalid(message, 'Check the value, or the expression that returns it.'));
	return '';
}
