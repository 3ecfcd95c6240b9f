import type { Resource } from '../operation';
import { create } from './create';
import { get } from './get';
import { addContacts, removeContacts } from './members';
import { getAll, remove } from './others';

export const segment: Resource = {
	name: 'Segment',
	value: 'segment',
	operations: [addContacts, create, remove, get, getAll, removeContacts],
};
