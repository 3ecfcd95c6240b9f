import { contactOrderingKey } from '../../descriptions/records';
import { withoutUndefined } from '../../parameters/values';
import type { Operation } from '../../runner/operation';
import { sessionContact, sessionContactField, sessionOptions } from './fields';

export const end: Operation = {
	name: 'End',
	value: 'end',
	action: 'End session',
	description: 'End the active session of a contact. Uses session credits.',
	endpoint: 'POST /chats/session',
	fields: [sessionContactField, sessionOptions],
	result: 'record',
	orderingKey: contactOrderingKey,
	request: (parameters) => ({
		body: withoutUndefined({ ...sessionContact(parameters), action: 'END' }),
	}),
	errorHint: (status) =>
		status === 409 ? 'The contact has no active session. Check with Get Status.' : undefined,
};
