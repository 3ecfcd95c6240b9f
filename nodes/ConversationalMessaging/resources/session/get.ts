import { planned } from '../../runner/operation';
import { readSession, sendSession, sessionContactField, sessionOptions } from './fields';

export const get = planned({
	name: 'Get Status',
	value: 'get',
	action: 'Get session status',
	description: 'Check whether a contact has an active session',
	endpoint: 'GET /chats/session',
	otherEndpoints: ['GET /contacts/{id}'],
	fields: [sessionContactField, sessionOptions],
	prepare: readSession,
	run: sendSession(),
});
