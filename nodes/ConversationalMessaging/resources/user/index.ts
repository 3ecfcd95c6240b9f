import type { Resource } from '../../runner/operation';
import { getAll } from './getAll';

export const user: Resource = {
	name: 'User',
	value: 'user',
	operations: [getAll],
	defaultOperation: getAll,
};
