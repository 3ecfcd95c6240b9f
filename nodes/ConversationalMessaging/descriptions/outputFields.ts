import type { INodeProperties } from 'n8n-workflow';
import type { Parameters } from '../parameters/parameters';
import { textField } from './basicFields';
import { optionsCollection } from './collections';

const OUTPUT_FIELDS = textField('Selected Fields', 'outputFieldNames', {
	placeholder: 'e.g. name, status, contact.name',
	description:
		'Return only these fields of each record, e.g. to keep an AI agent’s context small. Separate names with commas, and use dots for fields within fields. Fields that the node adds, such as sent, are always returned; the ID of the record is not.',
});

/** The fields of an operation that returns records, with the option to return some of their fields only. */
export function withOutputFields(fields: INodeProperties[]): INodeProperties[] {
	const isOptions = ({ name }: INodeProperties): boolean => name === 'options';
	if (!fields.some(isOptions)) return [...fields, optionsCollection([OUTPUT_FIELDS])];
	return fields.map((field) => {
		if (!isOptions(field)) return field;
		const options = [...((field.options ?? []) as INodeProperties[]), OUTPUT_FIELDS];
		return { ...field, options: optionsCollection(options).options };
	});
}

/** The names of the fields to return; undefined for all. @throws NodeOperationError if none is named */
export function outputFieldNames(parameters: Parameters): string[] | undefined {
	const names = parameters.collection('options').texts('outputFieldNames');
	return names.length > 0 ? names : undefined;
}
