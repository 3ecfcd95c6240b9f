import type { Resource } from '../../runner/operation';
import { addNote } from './addNote';
import { create } from './create';
import { get } from './get';
import { getAll } from './getAll';
import { update } from './update';

export const ticket: Resource = {
	name: 'Ticket',
	value: 'ticket',
	operations: [addNote, create, get, getAll, update],
	defaultOperation: create,
};
