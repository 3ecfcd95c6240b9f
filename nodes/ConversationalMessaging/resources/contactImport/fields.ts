import type { INodeProperties } from 'n8n-workflow';
import { choiceField, toggleField } from '../../descriptions/basicFields';
import { optionsCollection } from '../../descriptions/collections';
import { igIdField, nameField, waIdField } from '../../descriptions/contactFields';
import { csvFileField, filePartField } from '../../descriptions/filePart';
import { numberCountryField } from '../../descriptions/numberCountry';
import { requireSuccessField, waitForCompletionField } from '../../descriptions/wait';
import { columnsField } from '../shared/csvColumns';

export const fields: INodeProperties[] = [
	choiceField('Source', 'source', {
		options: [
			{
				name: 'CSV File',
				value: 'binary',
				description: 'A CSV file in a binary field, sent unchanged',
			},
			{ name: 'Input Items', value: 'items', description: 'All input items, as one import' },
		],
		default: 'binary',
		description: 'Where the contacts come from',
	}),
	{ ...csvFileField, displayOptions: { show: { source: ['binary'] } } },
	...[nameField, waIdField, igIdField].map((field) => ({
		...field,
		default: `={{ $json.${field.name} }}`,
		displayOptions: { show: { source: ['items'] } },
	})),
	{
		...columnsField({
			displayName: 'More Columns',
			name: 'columns',
			description:
				'Values for other columns of the import template. To see its columns, use Contact Import → Download Template.',
		}),
		displayOptions: { show: { source: ['items'] } },
	},
	optionsCollection([
		waitForCompletionField,
		// A CSV file is sent unchanged.
		{ ...numberCountryField, displayOptions: { show: { '/source': ['items'] } } },
		filePartField,
		requireSuccessField,
		toggleField('Return Failed Rows', 'returnFailedRows', {
			description:
				'Whether to wait for the import to end and return the failed rows as items instead of the job. Without failed rows, it returns no items, which ends a loop unless Always Output Data is on in Settings. Waits at most 10 minutes, unless you add Wait for Completion (Minutes).',
		}),
		toggleField('Send Columns Not in Template', 'moreColumns', {
			displayOptions: { show: { '/source': ['items'] } },
			description:
				'Whether to also send values that have no column in the service’s import template, in extra columns. The service may ignore them.',
		}),
	]),
];
