import type { Resource } from '../operation';
import { create } from './create';
import { remove } from './delete';
import { getAll, sync } from './others';

export const template: Resource = {
	name: 'Template',
	value: 'template',
	operations: [create, remove, getAll, sync],
};
