import { chatParameter } from '../../descriptions/records';
import type { Operation } from '../../runner/operation';

export const get: Operation = {
	name: 'Get',
	value: 'get',
	action: 'Get chat',
	description: 'Get a chat with its escalation status, active session and contact',
	endpoint: 'GET /chats/{id}',
	of: chatParameter,
	fields: [],
	result: 'record',
};
