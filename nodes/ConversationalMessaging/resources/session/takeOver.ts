import { contactOrderingKey } from '../../descriptions/records';
import type { Operation } from '../../runner/operation';
import { agentSession, sessionAgentField, sessionContactField, sessionOptions } from './fields';

export const takeOver: Operation = {
	name: 'Take Over',
	value: 'takeOver',
	action: 'Take over session',
	description:
		'Transfer a contact’s session from another agent to the chosen one. Uses session credits.',
	endpoint: 'POST /chats/session',
	fields: [sessionContactField, sessionAgentField, sessionOptions],
	result: 'record',
	orderingKey: contactOrderingKey,
	request: agentSession('TAKEOVER'),
	errorHint: (status) =>
		status === 409
			? 'No other agent has a session to take over. Check with Get Status, or use Start.'
			: undefined,
};
