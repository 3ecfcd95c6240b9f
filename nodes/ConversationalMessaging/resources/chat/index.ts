import type { Resource } from '../operation';
import { assign, unassign } from './assign';
import { deescalate, escalate } from './escalate';
import { get } from './get';
import { getAll } from './getAll';
import { getMessages } from './getMessages';

export const chat: Resource = {
	name: 'Chat',
	value: 'chat',
	operations: [assign, deescalate, escalate, get, getAll, getMessages, unassign],
};
