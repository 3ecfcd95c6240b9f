import type { Resource } from '../../runner/operation';
import { get } from './get';

export const organization: Resource = {
	name: 'Organization',
	value: 'organization',
	operations: [get],
	defaultOperation: get,
};
