import { contactOrderingKey } from '../../descriptions/records';
import type { Operation } from '../../runner/operation';
import { agentSession, sessionAgentField, sessionContactField, sessionOptions } from './fields';

export const start: Operation = {
	name: 'Start',
	value: 'start',
	action: 'Start session',
	description: 'Start a session between an agent and a contact. Uses session credits.',
	endpoint: 'POST /chats/session',
	fields: [sessionContactField, sessionAgentField, sessionOptions],
	result: 'record',
	orderingKey: contactOrderingKey,
	request: agentSession('START'),
	errorHint: (status) =>
		status === 409
			? 'The contact already has an active session. Use Take Over, or end that session first.'
			: undefined,
};
