import type { Operation } from '../../runner/operation';
import { contactFilterFields, filtersIn } from './filters';

export const getAll: Operation = {
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many contacts',
	description: 'Get contacts with their custom fields and segments, optionally filtered',
	endpoint: 'GET /contacts',
	fields: contactFilterFields,
	result: 'list',
	request: (parameters) => ({ query: filtersIn(parameters) }),
};
