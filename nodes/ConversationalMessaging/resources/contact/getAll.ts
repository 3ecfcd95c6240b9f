import type { INodeProperties } from 'n8n-workflow';
import { pagingFields } from '../../descriptions/paging';
import type { Operation } from '../../runner/operation';
import { contactFilterFields, filtersIn } from './filters';

const fields: INodeProperties[] = [...pagingFields, ...contactFilterFields];

export const getAll: Operation = {
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many contacts',
	description: 'Get contacts with their custom fields and segments, optionally filtered',
	endpoint: 'GET /contacts',
	fields,
	result: 'list',
	request: (parameters) => ({ query: filtersIn(parameters) }),
};
