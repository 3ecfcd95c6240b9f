import type { Operation, Resource } from '../operation';

const get: Operation = {
	name: 'Get',
	value: 'get',
	action: 'Get organization',
	description: 'Get the organization that the token belongs to',
	endpoint: 'GET /organization',
	fields: [],
	result: 'record',
	request: () => ({}),
};

export const organization: Resource = {
	name: 'Organization',
	value: 'organization',
	operations: [get],
};
