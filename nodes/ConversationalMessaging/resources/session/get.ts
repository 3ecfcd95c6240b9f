import { withoutUndefined } from '../../parameters/values';
import type { Operation } from '../../runner/operation';
import { sessionContact, sessionContactField, sessionOptions } from './fields';

export const get: Operation = {
	name: 'Get Status',
	value: 'get',
	action: 'Get session status',
	description: 'Check whether a contact has an active session',
	endpoint: 'GET /chats/session',
	fields: [sessionContactField, sessionOptions],
	result: 'record',
	request: (parameters) => ({ query: withoutUndefined(sessionContact(parameters)) }),
};
