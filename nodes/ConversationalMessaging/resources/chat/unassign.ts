import { chatParameter } from '../../descriptions/records';
import type { Operation } from '../../runner/operation';
import { chatErrorHint } from './fields';

export const unassign: Operation = {
	name: 'Unassign',
	value: 'unassign',
	action: 'Unassign chat',
	description: 'Remove the assigned agent from a chat',
	endpoint: 'POST /chats/{id}/assign',
	fields: [chatParameter.field],
	result: 'record',
	orderingKey: chatParameter.orderingKey,
	request: (parameters) => ({
		path: chatParameter.path(parameters),
		body: { agentId: null },
	}),
	errorHint: chatErrorHint,
};
