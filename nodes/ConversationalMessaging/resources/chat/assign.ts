import { agentField, chatField } from '../../descriptions/records';
import type { Operation } from '../operation';

export const assign: Operation = {
	name: 'Assign',
	value: 'assign',
	action: 'Assign chat',
	description: 'Assign a chat to an agent',
	endpoint: 'POST /chats/{id}/assign',
	fields: [
		chatField({ required: true }),
		{ ...agentField('The agent to assign the chat to'), required: true },
	],
	result: 'record',
	orderingKey: (parameters) => parameters.id('chatId'),
	request: (parameters) => ({
		path: { id: parameters.requiredId('chatId') },
		body: { agentId: parameters.requiredId('agentId') },
	}),
};

export const unassign: Operation = {
	name: 'Unassign',
	value: 'unassign',
	action: 'Unassign chat',
	description: 'Remove the assigned agent from a chat',
	endpoint: 'POST /chats/{id}/assign',
	fields: [chatField({ required: true })],
	result: 'record',
	orderingKey: (parameters) => parameters.id('chatId'),
	request: (parameters) => ({
		path: { id: parameters.requiredId('chatId') },
		body: { agentId: null },
	}),
};
