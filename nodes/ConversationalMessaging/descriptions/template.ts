import type { INodeProperties } from 'n8n-workflow';
import { templateField } from './records';

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
				valuesLabel: 'Template Variables',
				fieldWords: { singular: 'variable', plural: 'variables' },
				addAllFields: true,
				supportAutoMap: false,
				noFieldsError: 'This template has no variables.',
			},
		},
		displayOptions: { show: { templateBy: ['list'] } },
		description: 'Values for the template’s variables',
		builderHint: {
			propertyHint:
				'Its variables are known only once a template is picked. If the template’s name, language and variables are known, set templateBy to name and use templateComponents instead.',
		},
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
