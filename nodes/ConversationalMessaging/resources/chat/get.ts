import { chatParameter } from '../../descriptions/records';
import type { Operation } from '../../runner/operation';
import { chatErrorHint } from './fields';

export const get: Operation = {
	name: 'Get',
	value: 'get',
	action: 'Get chat',
	description: 'Get a chat with its escalation status, active session and contact',
	endpoint: 'GET /chats/{id}',
	fields: [chatParameter.field],
	result: 'record',
	request: (parameters) => ({ path: chatParameter.path(parameters) }),
	errorHint: chatErrorHint,
};
