import { shown } from '../../api/access/shown';
import { contactOrderingKey } from '../../descriptions/records';
import { planned } from '../../runner/operation';
import {
	readAgentSession,
	sendSession,
	sessionAgentField,
	sessionContactField,
	sessionOptions,
} from './fields';

export const start = planned({
	name: 'Start',
	value: 'start',
	action: 'Start session',
	description: 'Start a session between an agent and a contact. Uses session credits.',
	endpoint: 'POST /chats/session',
	otherEndpoints: ['GET /contacts/{id}'],
	fields: [sessionContactField, sessionAgentField, sessionOptions],
	orderingKey: contactOrderingKey,
	prepare: readAgentSession,
	run: sendSession('START'),
	errorHint: (status) =>
		status === 409
			? shown`The contact already has an active session. Use Take Over, or end that session first.`
			: undefined,
});
