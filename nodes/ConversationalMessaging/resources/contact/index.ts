import type { Resource } from '../../runner/operation';
import { create } from './create';
import { exportContacts } from './export';
import { get } from './get';
import { getAll } from './getAll';
import { sync } from './sync';
import { update } from './update';
import { upsert } from './upsert';

export const contact: Resource = {
	name: 'Contact',
	value: 'contact',
	operations: [create, upsert, exportContacts, get, getAll, sync, update],
	defaultOperation: create,
};
