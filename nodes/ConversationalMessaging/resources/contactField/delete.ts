import type { Operation } from '../../runner/operation';
import { contactFieldParameter, fieldIdField, fieldPath } from './fields';

export const remove: Operation = {
	name: 'Delete',
	value: 'delete',
	action: 'Delete contact field',
	description: 'Delete a custom field of a contact permanently',
	endpoint: 'DELETE /contacts/{id}/fields/{fieldId}',
	fields: [contactFieldParameter.field, fieldIdField],
	result: 'deleted',
	orderingKey: contactFieldParameter.orderingKey,
	request: (parameters) => ({ path: fieldPath(parameters) }),
};
