import type { Resource } from '../../runner/operation';
import { create } from './create';
import { remove } from './delete';
import { getAll } from './getAll';
import { sync } from './sync';

export const template: Resource = {
	name: 'Template',
	value: 'template',
	operations: [create, remove, getAll, sync],
	defaultOperation: create,
};
