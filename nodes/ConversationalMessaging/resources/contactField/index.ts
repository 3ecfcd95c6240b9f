import type { Resource } from '../../runner/operation';
import { add } from './add';
import { remove } from './delete';
import { set } from './set';
import { update } from './update';

export const contactField: Resource = {
	name: 'Contact Field',
	value: 'contactField',
	operations: [add, remove, set, update],
	defaultOperation: add,
};
