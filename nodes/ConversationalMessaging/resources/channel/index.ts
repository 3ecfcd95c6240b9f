import type { Resource } from '../../runner/operation';
import { get } from './get';
import { getAll } from './getAll';

export const channel: Resource = {
	name: 'Channel',
	value: 'channel',
	operations: [get, getAll],
	defaultOperation: get,
};
