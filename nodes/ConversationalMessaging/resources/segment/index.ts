import type { Resource } from '../../runner/operation';
import { addContacts } from './addContacts';
import { create } from './create';
import { remove } from './delete';
import { get } from './get';
import { getAll } from './getAll';
import { removeContacts } from './removeContacts';

export const segment: Resource = {
	name: 'Segment',
	value: 'segment',
	operations: [addContacts, create, remove, get, getAll, removeContacts],
	defaultOperation: getAll,
};
