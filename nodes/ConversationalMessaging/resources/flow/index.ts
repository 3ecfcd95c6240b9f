import type { Resource } from '../../runner/operation';
import { getAll } from './getAll';
import { trigger } from './trigger';

export const flow: Resource = {
	name: 'Flow',
	value: 'flow',
	operations: [getAll, trigger],
	defaultOperation: getAll,
};
