import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeProperties,
	ResourceMapperFields,
} from 'n8n-workflow';
import { isRecord, rowsOf } from '../api/response';
import type { ServiceResponse } from '../api/response';
import { createClient } from '../api/client';
import { send } from '../api/send';
import { chosenChannel } from '../parameters/editor';
import type { Parameters } from '../parameters/parameters';
import { chosenInEditor } from '../parameters/parameters';
import { MAX_RATE_LIMIT_WAIT_MS } from '../listSearch/search';
import { templateField } from './records';
import type { TemplateRef } from '../parameters/template';
import { MAX_TEMPLATES, pickedTemplate, TEMPLATE_LIST, templateOf } from '../parameters/template';
import { componentsFrom, variablesOf } from '../parameters/templateVariables';
import { isBlank, readVerbatim, formatValue } from '../parameters/values';
import { textOf } from '../api/text';

/** The template and the values for its variables. Shared by messages and broadcasts. */
export const templateFields: INodeProperties[] = [
	{
		displayName: 'Template By',
		name: 'templateBy',
		type: 'options',
		options: [
			{
				name: 'List',
				value: 'list',
				description: 'Pick a template and fill in its variables by name',
			},
			{
				name: 'Name',
				value: 'name',
				description: 'Enter the name, the language, and the variables as JSON',
			},
		],
		default: 'list',
		description: 'How to select the template',
	},
	{
		...templateField({ required: true, description: 'An approved template' }),
		displayOptions: { show: { templateBy: ['list'] } },
	},
	{
		displayName: 'Template Variables',
		name: 'templateVariables',
		type: 'resourceMapper',
		default: { mappingMode: 'defineBelow', value: null },
		noDataExpression: true,
		typeOptions: {
			loadOptionsDependsOn: ['templateId.value', 'options.channelId.value'],
			resourceMapper: {
				resourceMapperMethod: 'getTemplateVariables',
				mode: 'map',
				valuesLabel: 'Variables',
				fieldWords: { singular: 'variable', plural: 'variables' },
				addAllFields: true,
				supportAutoMap: false,
				noFieldsError: 'This template has no variables.',
			},
		},
		displayOptions: { show: { templateBy: ['list'] } },
		description: 'Values for the template’s variables',
	},
	{
		displayName: 'Template Name',
		name: 'templateName',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. ticket_update',
		displayOptions: { show: { templateBy: ['name'] } },
		description: 'Name of an approved template',
	},
	{
		displayName: 'Template Language',
		name: 'templateLanguage',
		type: 'string',
		default: 'en_US',
		required: true,
		displayOptions: { show: { templateBy: ['name'] } },
		description: 'Language code of the template',
	},
	{
		displayName: 'Template Components',
		name: 'templateComponents',
		type: 'json',
		default: '[]',
		displayOptions: { show: { templateBy: ['name'] } },
		description:
			'Values for the template’s variables, as a JSON list, e.g. [{ "type": "body", "parameters": [{ "type": "text", "text": "Nathan" }] }]',
	},
];

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

/** @throws NodeOperationError if a variable of the template is missing, or if it does not have a given one */
export function filledVariables(parameters: Parameters): FilledVariables {
	if (parameters.requiredOption('templateBy') === 'name') {
		const components = parameters.list('templateComponents');
		return { components, byName: { [parameters.label('templateComponents')]: components } };
	}
	const variables = variableValues(parameters);
	const components = componentsFrom(
		Object.fromEntries(variables.map(({ id, value }) => [id, value])),
	);
	return {
		components: components.length > 0 ? components : undefined,
		byName: Object.fromEntries(variables.map(({ label, value }) => [label, value])),
	};
}

/** The entered values, checked against the variables that the template had when it was picked. */
function variableValues(parameters: Parameters): { id: string; label: string; value: string }[] {
	const mapper = parameters.raw('templateVariables') ?? {};
	if (!isRecord(mapper)) throw parameters.refuse('templateVariables', 'variables', mapper);
	const given = mapper.value ?? {};
	if (!isRecord(given)) throw parameters.refuse('templateVariables', 'variables', given);
	const schema = (Array.isArray(mapper.schema) ? mapper.schema : []).filter(isRecord);
	const variables = schema.map(({ id: rawId, displayName, required }) => {
		const id = textOf(rawId);
		const label = textOf(displayName) || id;
		const value = variableValue(parameters, label, given[id], required === true);
		return { id, label, value };
	});
	const known = new Set(variables.map(({ id }) => id));
	const surplus = Object.keys(given).find((id) => !known.has(id) && !isBlank(given[id]));
	if (surplus !== undefined) {
		throw parameters.invalid(
			`The template has no variable ${surplus}`,
			'Refresh Template Variables, and remove the variables that the template does not have.',
		);
	}
	return variables;
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
			`Template variable ${label} is empty`,
			'Enter a value under Template Variables, or check the expression.',
		);
	}
	const reading = readVerbatim(value);
	if (reading.expected === undefined) return reading.value;
	throw parameters.invalid(
		`Template variable ${label} expects ${reading.expected}, but got ${formatValue(value)}`,
		'Check the value, or the expression that returns it.',
	);
}

/** The template with an ID, from a list of templates. */
export function templateOfId(response: ServiceResponse, id: string): IDataObject | undefined {
	const rows = (rowsOf(response.json, TEMPLATE_LIST.rowsName) ?? []).filter(isRecord);
	return rows.find((row) => templateOf(row)?.id === id);
}

/** The variables of the chosen template as fields, for the editor. */
export async function getTemplateVariables(
	this: ILoadOptionsFunctions,
): Promise<ResourceMapperFields> {
	const value = chosenInEditor(this.getCurrentNodeParameter('templateId'));
	if (value === undefined) return { fields: [] };
	const { id } = pickedTemplate(value);
	const client = await createClient(this, { maxRateLimitWaitMs: MAX_RATE_LIMIT_WAIT_MS });
	const query = { limit: MAX_TEMPLATES, channelId: chosenChannel(this) };
	const response = await send(client, { ...TEMPLATE_LIST, query });
	const variables = variablesOf(templateOfId(response, id)?.components);
	return {
		fields: variables.map(({ id: variable, label, required }) => ({
			id: variable,
			displayName: label,
			required,
			defaultMatch: false,
			display: true,
			type: 'string',
		})),
	};
}
