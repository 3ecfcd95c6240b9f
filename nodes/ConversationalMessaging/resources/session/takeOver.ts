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

export const takeOver = planned({
	name: 'Take Over',
	value: 'takeOver',
	action: 'Take over session',
	description:
		'Transfer a contact’s session from another agent to the chosen one. Uses session credits.',
	endpoint: 'POST /chats/session',
	otherEndpoints: ['GET /contacts/{id}'],
	fields: [sessionContactField, sessionAgentField, sessionOptions],
	orderingKey: contactOrderingKey,
	prepare: readAgentSession,
	run: sendSession('TAKEOVER'),
	errorHint: (status) =>
		status === 409
			? shown`No other agent has a session to take over. Check with Get Status, or use Start.`
			: undefined,
});
