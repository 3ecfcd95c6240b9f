import { shown } from '../../api/access/shown';
import { contactOrderingKey } from '../../descriptions/records';
import { planned } from '../../runner/operation';
import { readSession, sendSession, sessionContactField, sessionOptions } from './fields';

export const end = planned({
	name: 'End',
	value: 'end',
	action: 'End session',
	description: 'End the active session of a contact. Uses session credits.',
	endpoint: 'POST /chats/session',
	otherEndpoints: ['GET /contacts/{id}'],
	fields: [sessionContactField, sessionOptions],
	orderingKey: contactOrderingKey,
	prepare: readSession,
	run: sendSession('END'),
	errorHint: (status) =>
		status === 409 ? shown`The contact has no active session. Check with Get Status.` : undefined,
});
