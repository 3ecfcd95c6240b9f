import type { Parameters } from '../../parameters/parameters';
import { contactOrder } from '../../descriptions/records';
import { clearOptions, updateBody, updateFields } from '../../descriptions/updateFields';
import type { Operation, Resource } from '../operation';
import { contact, fieldIdField, labelField, valueField } from './fields';
import { set } from './set';

const fieldPath = (parameters: Parameters) => ({
	id: parameters.requiredId('contactId'),
	fieldId: parameters.requiredId('fieldId'),
});

const add: Operation = {
	name: 'Add',
	value: 'add',
	action: 'Add contact field',
	description: 'Add a custom field with a label and a value to a contact',
	endpoint: 'POST /contacts/{id}/fields',
	fields: [contact, labelField, valueField],
	result: 'record',
	orderingKey: contactOrder,
	request: (parameters) => ({
		path: { id: parameters.requiredId('contactId') },
		body: {
			label: parameters.required('label'),
			value: parameters.requiredVerbatim('value'),
		},
	}),
};

const update: Operation = {
	name: 'Update',
	value: 'update',
	action: 'Update contact field',
	description: 'Change the label or value of a custom field',
	endpoint: 'PATCH /contacts/{id}/fields/{fieldId}',
	fields: [
		contact,
		fieldIdField,
		updateFields([
			{ ...labelField, required: false },
			{ ...valueField, required: false },
		]),
		clearOptions([valueField]),
	],
	result: 'record',
	orderingKey: contactOrder,
	request: (parameters) => ({
		path: fieldPath(parameters),
		body: updateBody(parameters, (values) => ({
			label: values.text('label'),
			value: values.verbatim('value'),
		})),
	}),
};

const remove: Operation = {
	name: 'Delete',
	value: 'delete',
	action: 'Delete contact field',
	description: 'Permanently delete a custom field of a contact',
	endpoint: 'DELETE /contacts/{id}/fields/{fieldId}',
	fields: [contact, fieldIdField],
	result: 'deleted',
	orderingKey: contactOrder,
	request: (parameters) => ({ path: fieldPath(parameters) }),
};

export const contactField: Resource = {
	name: 'Contact Field',
	value: 'contactField',
	operations: [add, remove, set, update],
};
