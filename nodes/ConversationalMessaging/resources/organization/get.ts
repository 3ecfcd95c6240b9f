import type { Operation } from '../../runner/operation';

export const get: Operation = {
	name: 'Get',
	value: 'get',
	action: 'Get organization',
	description: 'Get the organization that the token belongs to',
	endpoint: 'GET /organization',
	fields: [],
	result: 'record',
};
