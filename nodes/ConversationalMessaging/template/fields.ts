import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { type LocatorSettings, locator, textMode } from '../descriptions/locator';

/** API document, section Resources and their fields, Template. */
export const categoryOptions: INodePropertyOptions[] = [
	{ name: 'Authentication', value: 'AUTHENTICATION' },
	{ name: 'Marketing', value: 'MARKETING' },
	{ name: 'Utility', value: 'UTILITY' },
];

/** A template by name, where its ID is not needed. */
export const templateModes = [
	textMode('By Name', 'name', {
		hint: 'Name and language code, separated by a space',
		placeholder: 'e.g. ticket_update en_US',
	}),
];

/** The picker of a template. */
export const templateField = (
	settings: Pick<LocatorSettings, 'description'> &
		Partial<Pick<LocatorSettings, 'modes' | 'required'>>,
): INodeProperties =>
	locator({
		displayName: 'Template',
		name: 'templateId',
		search: 'searchTemplates',
		example: '1234567890123456',
		typeOptions: { loadOptionsDependsOn: ['options.channelId.value', 'channelId.value'] },
		...settings,
	});

/** The template and the values for its variables. Shared by messages and broadcasts. */
export const templateFields: INodeProperties[] = [
	templateField({ required: true, modes: templateModes, description: 'An approved template' }),
	{
		displayName: 'Template Text',
		name: 'templateText',
		type: 'resourceMapper',
		default: { mappingMode: 'defineBelow', value: {} },
		noDataExpression: true,
		typeOptions: {
			loadOptionsDependsOn: ['templateId.value', 'options.channelId.value'],
			resourceMapper: {
				resourceMapperMethod: 'getTemplateText',
				mode: 'map',
				fieldWords: { singular: 'text', plural: 'text' },
				supportAutoMap: false,
			},
		},
		description:
			'The text of the template, with its variables in brackets. There is nothing to enter.',
		builderHint: { propertyHint: 'Only shows the template to the user. Leave it out.' },
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
				refreshStaleSchemaOnOpen: true,
				noFieldsError: 'This template has no variables.',
			},
		},
		description: 'Values for the template’s variables',
		builderHint: {
			propertyHint:
				'Its variables are known only once a template is picked. If the template’s name, language and variables are known, use mode name for the template, and the option templateComponents instead.',
		},
	},
];

/** The values for the variables, for a template that is not known in the editor, or has other variables than texts. */
export const componentsField: INodeProperties = {
	displayName: 'Template Components',
	name: 'templateComponents',
	type: 'json',
	default: '[]',
	description:
		'Values for the template’s variables, instead of Template Variables, as a JSON list. For a carousel, or if an expression or a model selects the template. E.g. [{ "type": "body", "parameters": [{ "type": "text", "text": "Nathan" }] }].',
};
