import { withoutUndefined } from '../../parameters/values';
import type { Parameters } from '../../parameters/parameters';
import { chatField } from '../../descriptions/records';
import type { Operation } from '../operation';
import { reasonField } from './fields';

const orderingKey = (parameters: Parameters) => parameters.id('chatId');

const request = (parameters: Parameters) => ({
	path: { id: parameters.requiredId('chatId') },
	body: withoutUndefined({ reason: parameters.text('reason') }),
});

export const escalate: Operation = {
	name: 'Escalate',
	value: 'escalate',
	action: 'Escalate chat',
	description:
		'Escalate a chat to human agents. Ends an AI or flow session and runs the assignment rules.',
	endpoint: 'POST /chats/{id}/escalate',
	fields: [chatField({ required: true }), reasonField],
	result: 'record',
	orderingKey,
	request,
};

export const deescalate: Operation = {
	name: 'De-Escalate',
	value: 'deescalate',
	action: 'De escalate chat',
	description: 'End the escalation of a chat',
	endpoint: 'POST /chats/{id}/de-escalate',
	fields: [chatField({ required: true }), reasonField],
	result: 'record',
	orderingKey,
	request,
};
