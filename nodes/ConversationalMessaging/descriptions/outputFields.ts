import type { INodeProperties } from 'n8n-workflow';
import type { Parameters } from '../parameters/parameters';

/** How much of each record to return. */
export const outputFields: INodeProperties[] = [
	{
		displayName: 'Output',
		name: 'outputFields',
		type: 'options',
		options: [
			{ name: 'All Fields', value: 'all', description: 'Everything that the service returns' },
			{
				name: 'Selected Fields',
				value: 'selected',
				description: 'Only the fields you name, e.g. to keep the context of an AI agent small',
			},
		],
		default: 'all',
		description: 'How much of each record to return',
	},
	{
		displayName: 'Fields',
		name: 'outputFieldNames',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. name, status, contact.name',
		displayOptions: { show: { outputFields: ['selected'] } },
		description:
			'Names of the fields, separated by commas, with dots for fields within fields. To see them, run the node once with All Fields. Fields that the node itself adds, such as sent, are always returned.',
	},
];

/**
 * The names of the fields to return; undefined for all.
 *
 * @throws NodeOperationError if none is named
 */
export function outputFieldNames(parameters: Parameters): string[] | undefined {
	if (parameters.option('outputFields') !== 'selected') return undefined;
	return parameters.requiredTexts('outputFieldNames');
}
