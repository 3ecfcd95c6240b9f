import type { Resource } from '../../runner/operation';
import { assign } from './assign';
import { deescalate } from './deescalate';
import { escalate } from './escalate';
import { get } from './get';
import { getAll } from './getAll';
import { getMessages } from './getMessages';
import { unassign } from './unassign';

export const chat: Resource = {
	name: 'Chat',
	value: 'chat',
	operations: [assign, deescalate, escalate, get, getAll, getMessages, unassign],
	defaultOperation: getAll,
};
