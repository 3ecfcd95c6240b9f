import type { Resource } from '../../runner/operation';
import { end } from './end';
import { get } from './get';
import { start } from './start';
import { takeOver } from './takeOver';

export const session: Resource = {
	name: 'Session',
	value: 'session',
	operations: [end, get, start, takeOver],
	defaultOperation: get,
};
