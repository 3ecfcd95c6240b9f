import { agentField, chatParameter } from '../../descriptions/records';
import type { Operation } from '../../runner/operation';

export const assign: Operation = {
	name: 'Assign',
	value: 'assign',
	action: 'Assign chat',
	description: 'Assign a chat to an agent',
	endpoint: 'POST /chats/{id}/assign',
	of: chatParameter,
	fields: [{ ...agentField('The agent to assign the chat to'), required: true }],
	result: 'record',
	request: (parameters) => ({ body: { agentId: parameters.id('agentId', 'required') } }),
};
