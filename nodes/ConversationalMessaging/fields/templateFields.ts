import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeProperties,
	ResourceMapperFields,
} from 'n8n-workflow';
import { isRecord, rowsOf } from '../api/answer';
import type { Answer } from '../api/answer';
import { connect } from '../api/connection';
import { send } from '../api/send';
import type { Parameters } from './parameters';
import { chosenInEditor } from './parameters';
import { PATIENCE_MS } from './picker';
import { templateField } from './records';
import type { TemplateRef } from './template';
import { MANY_TEMPLATES, pickedTemplate, TEMPLATE_LIST, templateOf } from './template';
import { componentsFrom, variablesOf } from './templateVariables';

/** Which template, and what stands in its variables. Shared by messages and broadcasts. */
export const templateFields: INodeProperties[] = [
	{
		displayName: 'Template By',
		name: 'templateBy',
		type: 'options',
		options: [
			{ name: 'List', value: 'list', description: 'Pick it, and fill in its variables by name' },
			{
				name: 'Name',
				value: 'name',
				description: 'Enter name and language, and the variables as JSON',
			},
		],
		default: 'list',
		description: 'How to name the template',
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
			loadOptionsDependsOn: ['templateId.value'],
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
		description: 'What stands in the places of the template',
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
			'Values of the template’s variables as a JSON list, e.g. [{ "type": "body", "parameters": [{ "type": "text", "text": "Nathan" }] }]',
	},
];

/** A template as it was chosen: fully, or by its ID alone. */
export interface ChosenTemplate {
	template: TemplateRef | { id: string } | { name: string; language: string };
	components?: unknown[];
}

/** @throws NodeOperationError when the template is missing, or a variable of it is missing or unknown */
export function chosenTemplate(parameters: Parameters): ChosenTemplate {
	if (parameters.requiredOption('templateBy') === 'name') {
		return {
			template: {
				name: parameters.required('templateName'),
				language: parameters.required('templateLanguage'),
			},
			components: parameters.list('templateComponents'),
		};
	}
	const value = parameters.requiredId('templateId');
	const components = componentsFrom(variableValues(parameters));
	return {
		template: pickedTemplate(value),
		components: components.length > 0 ? components : undefined,
	};
}

/** What was filled in, held against the variables that the template had when it was chosen. */
function variableValues(parameters: Parameters): Record<string, string> {
	const mapper = parameters.raw('templateVariables');
	if (!isRecord(mapper)) return {};
	const schema = (Array.isArray(mapper.schema) ? mapper.schema : []).filter(
		isRecord,
	) as IDataObject[];
	const given = isRecord(mapper.value) ? mapper.value : {};
	const values: Record<string, string> = {};
	for (const { id, displayName, required } of schema) {
		const value = given[String(id)];
		values[String(id)] = value === undefined || value === null ? '' : String(value);
		if (required === true && values[String(id)] === '') {
			throw parameters.invalid(
				`The template's variable ${String(displayName)} is empty`,
				'Fill it in under Template Variables, or check the expression behind it.',
			);
		}
	}
	const surplus = Object.keys(given).find(
		(id) => !(id in values) && given[id] !== null && given[id] !== '',
	);
	if (surplus !== undefined) {
		throw parameters.invalid(
			`The template has no variable ${surplus}`,
			'Refresh the list of Template Variables, and remove what the template does not have.',
		);
	}
	return values;
}

/** The template of an ID, out of a list of templates. */
export function templateOfId(answer: Answer, id: string): IDataObject | undefined {
	const rows = (rowsOf(answer.json, TEMPLATE_LIST.rowsName) ?? []).filter(isRecord);
	return rows.find((row) => templateOf(row)?.id === id);
}

/** The variables of the chosen template as fields, for the editor. */
export async function getTemplateVariables(
	this: ILoadOptionsFunctions,
): Promise<ResourceMapperFields> {
	const value = chosenInEditor(this.getCurrentNodeParameter('templateId'));
	if (value === undefined) return { fields: [] };
	const { id } = pickedTemplate(value);
	const connection = await connect(this, { patienceMs: PATIENCE_MS });
	const answer = await send(connection, { ...TEMPLATE_LIST, query: { limit: MANY_TEMPLATES } });
	const variables = variablesOf(templateOfId(answer, id)?.components);
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
