import { updateFields } from '../../descriptions/collections';
import { clearOptions, updateBody } from '../../descriptions/updateBody';
import type { Operation } from '../../runner/operation';
import { contactFieldParameter, fieldIdField, labelField, valueField } from './fields';

export const update: Operation = {
	name: 'Update',
	value: 'update',
	action: 'Update contact field',
	description: 'Change the label or value of a custom field',
	endpoint: 'PATCH /contacts/{id}/fields/{fieldId}',
	of: contactFieldParameter,
	fields: [
		fieldIdField,
		updateFields([
			{ ...labelField, required: false },
			{ ...valueField, required: false },
		]),
		clearOptions([valueField]),
	],
	result: 'record',
	request: (parameters) => ({
		path: { fieldId: parameters.id('fieldId', 'required') },
		body: updateBody(parameters, (values) => ({
			label: values.key('label'),
			value: values.verbatim('value'),
		})),
	}),
};
