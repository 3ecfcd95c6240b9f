import { chatParameter } from '../../descriptions/records';
import type { Operation } from '../../runner/operation';

export const unassign: Operation = {
	name: 'Unassign',
	value: 'unassign',
	action: 'Unassign chat',
	description: 'Remove the assigned agent from a chat',
	endpoint: 'POST /chats/{id}/assign',
	of: chatParameter,
	fields: [],
	result: 'record',
	request: () => ({ body: { agentId: null } }),
};
