import { agentField, chatParameter } from '../../descriptions/records';
import type { Operation } from '../../runner/operation';
import { chatErrorHint } from './fields';

export const assign: Operation = {
	name: 'Assign',
	value: 'assign',
	action: 'Assign chat',
	description: 'Assign a chat to an agent',
	endpoint: 'POST /chats/{id}/assign',
	fields: [
		chatParameter.field,
		{ ...agentField('The agent to assign the chat to'), required: true },
	],
	result: 'record',
	orderingKey: chatParameter.orderingKey,
	request: (parameters) => ({
		path: chatParameter.path(parameters),
		body: { agentId: parameters.id('agentId', 'required') },
	}),
	errorHint: chatErrorHint,
};
