import type { Operation } from '../../runner/operation';

export const getAll: Operation = {
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many segments',
	description: 'Get the segments of the organization',
	endpoint: 'GET /segments',
	fields: [],
	result: 'list',
};
