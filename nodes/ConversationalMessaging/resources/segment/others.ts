import { pagingFields } from '../../descriptions/paging';
import { segmentField } from '../../descriptions/records';
import type { Operation } from '../operation';

export const getAll: Operation = {
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many segments',
	description: 'Get the segments of the organization',
	endpoint: 'GET /segments',
	fields: pagingFields,
	result: 'rows',
	rowsName: 'segments',
	request: () => ({}),
};

export const remove: Operation = {
	name: 'Delete',
	value: 'delete',
	action: 'Delete segment',
	description: 'Delete a segment. Its contacts are kept.',
	endpoint: 'DELETE /segments/{id}',
	fields: [segmentField({ required: true })],
	result: 'deleted',
	orderingKey: (parameters) => parameters.id('segmentId'),
	request: (parameters) => ({ path: { id: parameters.requiredId('segmentId') } }),
};
