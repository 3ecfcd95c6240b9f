import type { INodeProperties } from 'n8n-workflow';
import { withoutUndefined } from '../../parameters/values';
import type { Parameters } from '../../parameters/parameters';
import {
	agentField,
	channelField,
	contactBy,
	contactField,
	contactModes,
	contactOrder,
} from '../../descriptions/records';
import type { Operation, Resource } from '../operation';

const contact = contactField({
	required: true,
	description: 'The contact of the session. With By ID, enter the contact ID.',
	modes: contactModes,
});

const options: INodeProperties = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add Option',
	default: {},
	options: [channelField('Search for the chat only on this channel')],
};

const agent: INodeProperties = {
	...agentField('The agent to give the session to'),
	required: true,
};

/** The contact by the chosen kind of ID, and the channel to search. */
function sessionContact(parameters: Parameters) {
	parameters.requiredId('contactId');
	return {
		...contactBy(parameters),
		channelId: parameters.collection('options').idIfSet('channelId'),
	};
}

/** The body for a session of an agent. */
const toAgent = (action: 'START' | 'TAKEOVER') => (parameters: Parameters) => ({
	body: withoutUndefined({
		...sessionContact(parameters),
		agentId: parameters.requiredId('agentId'),
		action,
	}),
});

const get: Operation = {
	name: 'Get Status',
	value: 'get',
	action: 'Get session status',
	description: 'Check whether a contact has an active session',
	endpoint: 'GET /chats/session',
	fields: [contact, options],
	result: 'record',
	request: (parameters) => ({ query: withoutUndefined(sessionContact(parameters)) }),
};

const start: Operation = {
	name: 'Start',
	value: 'start',
	action: 'Start session',
	description: 'Start a session between an agent and a contact. Uses session credits.',
	endpoint: 'POST /chats/session',
	fields: [contact, agent, options],
	result: 'record',
	orderingKey: contactOrder,
	request: toAgent('START'),
	errorHint: (status) =>
		status === 409
			? 'The contact already has an active session. Use Take Over, or end that session first.'
			: undefined,
};

const takeOver: Operation = {
	name: 'Take Over',
	value: 'takeOver',
	action: 'Take over session',
	description:
		'Transfer a contact’s session from another agent to the chosen one. Uses session credits.',
	endpoint: 'POST /chats/session',
	fields: [contact, agent, options],
	result: 'record',
	orderingKey: contactOrder,
	request: toAgent('TAKEOVER'),
	errorHint: (status) =>
		status === 409
			? 'No other agent has a session to take over. Check with Get Status, or use Start.'
			: undefined,
};

const end: Operation = {
	name: 'End',
	value: 'end',
	action: 'End session',
	description: 'End the active session of a contact. Uses session credits.',
	endpoint: 'POST /chats/session',
	fields: [contact, options],
	result: 'record',
	orderingKey: contactOrder,
	request: (parameters) => ({
		body: withoutUndefined({ ...sessionContact(parameters), action: 'END' }),
	}),
	errorHint: (status) =>
		status === 409 ? 'The contact has no active session. Check with Get Status.' : undefined,
};

export const session: Resource = {
	name: 'Session',
	value: 'session',
	operations: [end, get, start, takeOver],
};
