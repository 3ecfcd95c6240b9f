import { chatParameter } from '../../descriptions/records';
import { withoutUndefined } from '../../parameters/values';
import type { Operation } from '../../runner/operation';
import { chatErrorHint, reasonField } from './fields';

export const deescalate: Operation = {
	name: 'De-Escalate',
	value: 'deescalate',
	action: 'De-escalate chat',
	description: 'End the escalation of a chat',
	endpoint: 'POST /chats/{id}/de-escalate',
	fields: [
		chatParameter.field,
		reasonField('e.g. Order was delivered', 'Optional reason for ending the escalation'),
	],
	result: 'record',
	orderingKey: chatParameter.orderingKey,
	request: (parameters) => ({
		path: chatParameter.path(parameters),
		body: withoutUndefined({ reason: parameters.text('reason', 'mayBeEmpty') }),
	}),
	errorHint: chatErrorHint,
};
