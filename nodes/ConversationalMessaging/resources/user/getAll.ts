import type { Operation } from '../../runner/operation';

export const getAll: Operation = {
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many users',
	description: 'Get the users of the organization (its agents)',
	endpoint: 'GET /users',
	fields: [],
	result: 'list',
};
