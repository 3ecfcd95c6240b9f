import type { Resource } from '../operation';
import { create } from './create';
import { get } from './get';
import { getAll } from './getAll';
import { update } from './update';
import { upsert } from './upsert';

export const contact: Resource = {
	name: 'Contact',
	value: 'contact',
	operations: [create, upsert, get, getAll, update],
};
