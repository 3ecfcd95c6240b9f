import type { Operation } from '../../runner/operation';
import { contactFieldParameter, fieldIdField } from './fields';

export const remove: Operation = {
	name: 'Delete',
	value: 'delete',
	action: 'Delete contact field',
	description: 'Delete a custom field of a contact permanently',
	endpoint: 'DELETE /contacts/{id}/fields/{fieldId}',
	of: contactFieldParameter,
	fields: [fieldIdField],
	result: 'deleted',
	request: (parameters) => ({ path: { fieldId: parameters.id('fieldId', 'required') } }),
};
