import type { INodeProperties } from 'n8n-workflow';
import { optionsCollection } from '../../descriptions/collections';
import {
	agentField,
	channelField,
	contactBy,
	contactField,
	contactModes,
} from '../../descriptions/records';
import type { Parameters } from '../../parameters/parameters';
import { withoutUndefined } from '../../parameters/values';

export const sessionContactField = contactField({
	required: true,
	description: 'The contact of the session. With By ID, enter the contact ID.',
	modes: contactModes,
});

export const sessionOptions: INodeProperties = optionsCollection([
	channelField('Search for the chat only on this channel'),
]);

export const sessionAgentField: INodeProperties = {
	...agentField('The agent to give the session to'),
	required: true,
};

/** The contact by the chosen kind of ID, and the channel to search. */
export function sessionContact(parameters: Parameters) {
	parameters.requiredId('contactId');
	return {
		...contactBy(parameters),
		channelId: parameters.collection('options').id('channelId'),
	};
}

/** The body for a session of an agent. */
export const agentSession = (action: 'START' | 'TAKEOVER') => (parameters: Parameters) => ({
	body: withoutUndefined({
		...sessionContact(parameters),
		agentId: parameters.requiredId('agentId'),
		action,
	}),
});
