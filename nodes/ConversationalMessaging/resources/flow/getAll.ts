import type { Operation } from '../../runner/operation';

export const getAll: Operation = {
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many flows',
	description: 'Get the active automation flows',
	endpoint: 'GET /flows',
	fields: [],
	result: 'list',
};
