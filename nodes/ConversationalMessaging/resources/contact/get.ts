import { contactParameter } from '../../descriptions/records';
import type { Operation } from '../operation';

export const get: Operation = {
	name: 'Get',
	value: 'get',
	action: 'Get contact',
	description: 'Get a contact with its custom fields and segments',
	endpoint: 'GET /contacts/{id}',
	fields: [contactParameter.field],
	result: 'record',
	request: (parameters) => ({ path: contactParameter.path(parameters) }),
};
