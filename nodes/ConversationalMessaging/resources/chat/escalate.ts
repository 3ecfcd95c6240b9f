import { chatParameter } from '../../descriptions/records';
import type { Operation } from '../../runner/operation';
import { reasonField } from './fields';

export const escalate: Operation = {
	name: 'Escalate',
	value: 'escalate',
	action: 'Escalate chat',
	description:
		'Escalate a chat to human agents. Ends an AI or flow session and runs the assignment rules.',
	endpoint: 'POST /chats/{id}/escalate',
	of: chatParameter,
	fields: [reasonField('e.g. Customer asks for a human agent', 'Optional reason, shown to agents')],
	result: 'record',
	request: (parameters) => ({ body: { reason: parameters.text('reason', 'mayBeEmpty') } }),
};
