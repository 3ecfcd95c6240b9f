import { pagingFields } from '../../descriptions/paging';
import type { Operation, Resource } from '../operation';

const getAll: Operation = {
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many users',
	description: 'Get the users of the organization (its agents)',
	endpoint: 'GET /users',
	fields: pagingFields,
	result: 'rows',
	rowsName: 'users',
	request: () => ({}),
};

export const user: Resource = { name: 'User', value: 'user', operations: [getAll] };
