import type { INodeProperties } from 'n8n-workflow';
import { compact } from '../../fields/parameters';
import type { Parameters } from '../../fields/parameters';
import type { Operation, Resource } from '../operation';
import { contact, fieldIdField, labelField, valueField } from './fields';
import { set } from './set';

const subject = (parameters: Parameters) => parameters.choice('contactId')?.value;

const fieldPath = (parameters: Parameters) => ({
	id: parameters.requiredId('contactId', 'Contact'),
	fieldId: parameters.required('fieldId', 'Field ID'),
});

const add: Operation = {
	name: 'Add',
	value: 'add',
	action: 'Add contact field',
	description: 'Add a custom field with label and value to a contact',
	endpoint: 'POST /contacts/{id}/fields',
	fields: [contact, labelField, valueField],
	result: 'record',
	subject,
	request: (parameters) => ({
		path: { id: parameters.requiredId('contactId', 'Contact') },
		body: {
			label: parameters.required('label', 'Label'),
			value: parameters.verbatim('value', 'Value'),
		},
	}),
};

const updateFields: INodeProperties = {
	displayName: 'Update Fields',
	name: 'updateFields',
	type: 'collection',
	placeholder: 'Add Field',
	default: {},
	options: [
		{ ...labelField, required: false },
		{ ...valueField, required: false },
	],
};

const update: Operation = {
	name: 'Update',
	value: 'update',
	action: 'Update contact field',
	description: 'Change label or value of a custom field',
	endpoint: 'PATCH /contacts/{id}/fields/{fieldId}',
	fields: [contact, fieldIdField, updateFields],
	result: 'record',
	subject,
	request(parameters) {
		const changes = parameters.group('updateFields');
		if (changes.isEmpty())
			throw changes.invalid(
				'There is nothing to update',
				'Add at least one field under Update Fields.',
			);
		return {
			path: fieldPath(parameters),
			body: compact({ label: changes.text('label'), value: changes.text('value') }),
		};
	},
};

const remove: Operation = {
	name: 'Delete',
	value: 'delete',
	action: 'Delete contact field',
	description: 'Delete a custom field of a contact for good',
	endpoint: 'DELETE /contacts/{id}/fields/{fieldId}',
	fields: [contact, fieldIdField],
	result: 'deleted',
	subject,
	request: (parameters) => ({ path: fieldPath(parameters) }),
};

export const contactField: Resource = {
	name: 'Contact Field',
	value: 'contactField',
	operations: [add, remove, set, update],
};
