import { segmentParameter } from '../../descriptions/records';
import type { Operation } from '../../runner/operation';

export const remove: Operation = {
	name: 'Delete',
	value: 'delete',
	action: 'Delete segment',
	description: 'Delete a segment. Its contacts are kept.',
	endpoint: 'DELETE /segments/{id}',
	of: segmentParameter,
	fields: [],
	result: 'deleted',
};
