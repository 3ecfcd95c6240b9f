import { chatParameter } from '../../descriptions/records';
import type { Operation } from '../../runner/operation';
import { reasonField } from './fields';

export const deescalate: Operation = {
	name: 'De-Escalate',
	value: 'deescalate',
	action: 'De-escalate chat',
	description: 'End the escalation of a chat',
	endpoint: 'POST /chats/{id}/de-escalate',
	of: chatParameter,
	fields: [reasonField('e.g. Order was delivered', 'Optional reason for ending the escalation')],
	result: 'record',
	request: (parameters) => ({ body: { reason: parameters.text('reason', 'mayBeEmpty') } }),
};
