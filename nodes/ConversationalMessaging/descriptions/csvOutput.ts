import type { INodeProperties } from 'n8n-workflow';
import { choiceField, textField } from './basicFields';
import type { Parameters } from '../parameters/parameters';

/** How to return a CSV: as a file or as items. */
export const csvOutputFields: INodeProperties[] = [
	choiceField('Output', 'output', {
		options: [
			{ name: 'File', value: 'file', description: 'One item with the CSV file' },
			{ name: 'Items', value: 'items', description: 'One item per CSV row' },
		],
		default: 'file',
		description: 'How to return the CSV',
	}),
	textField('Put Output File in Field', 'binaryPropertyName', {
		default: 'data',
		required: true,
		displayOptions: { show: { output: ['file'] } },
		description: 'Name of the binary field to put the file in',
	}),
];

/** Where to put a CSV: into items, or into a binary field. */
export type CsvTarget = { kind: 'items' } | { kind: 'file'; field: string };

/** @throws NodeOperationError if the name of the field is empty */
export function csvTarget(parameters: Parameters): CsvTarget {
	if (parameters.option('output', 'required') === 'items') return { kind: 'items' };
	return { kind: 'file', field: parameters.text('binaryPropertyName', 'required') };
}

/** Shown if a template has no row besides its header. As a file, it shows its columns. */
export const noTemplateRows = ({ kind }: CsvTarget) =>
	kind === 'items'
		? ('The template has no row besides its header. To see its columns, set Output to File.' as const)
		: undefined;
