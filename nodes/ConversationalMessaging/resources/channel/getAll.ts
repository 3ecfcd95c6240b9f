import type { Operation } from '../../runner/operation';

export const getAll: Operation = {
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many channels',
	description: 'Get the channels of the organization',
	endpoint: 'GET /channels',
	fields: [],
	result: 'list',
};
