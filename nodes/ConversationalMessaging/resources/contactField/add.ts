import type { Operation } from '../../runner/operation';
import { contactFieldParameter, labelField, valueField } from './fields';

export const add: Operation = {
	name: 'Add',
	value: 'add',
	action: 'Add contact field',
	description:
		'Add a custom field to a contact. If the contact may have the label already, use Set instead.',
	endpoint: 'POST /contacts/{id}/fields',
	of: contactFieldParameter,
	fields: [labelField, valueField],
	result: 'record',
	request: (parameters) => ({
		body: {
			label: parameters.id('label', 'required'),
			value: parameters.verbatim('value', 'required'),
		},
	}),
};
