import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { Shown } from '../../api/access/shown';
import { optionsCollection } from '../../descriptions/collections';
import { numberCountryField } from '../../descriptions/numberCountry';
import {
	type ContactIds,
	agentField,
	channelField,
	contactBy,
	contactOrderingKey,
	namedContactField,
} from '../../descriptions/records';
import type { Parameters } from '../../parameters/parameters';
import type { OperationContext } from '../../runner/operationContext';
import type { Output } from '../../runner/output';
import { sendForContact } from '../shared/numberVariants';

export const sessionContactField = namedContactField({
	required: true,
	description: 'The contact',
});

export const sessionOptions: INodeProperties = optionsCollection([
	channelField('Search for the chat only on this channel'),
	numberCountryField,
]);

const sessionAgentField: INodeProperties = {
	...agentField('The agent to give the session to'),
	required: true,
};

interface SessionPlan {
	/** The contact by the chosen kind of ID. */
	contact: ContactIds;
	/** What else the request contains: the channel to search, the agent. */
	settings: IDataObject;
}

export function readSession(parameters: Parameters): SessionPlan {
	parameters.id('contactId', 'required');
	const channelId = parameters.collection('options').id('channelId');
	return { contact: contactBy(parameters), settings: { channelId } };
}

function readAgentSession(parameters: Parameters): SessionPlan {
	const { contact, settings } = readSession(parameters);
	return { contact, settings: { ...settings, agentId: parameters.id('agentId', 'required') } };
}

/** Sends the request for the contact, with its parameters in the query or the body. */
export const sendSession =
	(action?: 'START' | 'TAKEOVER' | 'END') =>
	async (context: OperationContext, { contact, settings }: SessionPlan): Promise<Output[]> => {
		const response = await sendForContact(context, contact, [404], (ids) => {
			const values = { ...ids, ...settings };
			return action === undefined ? { query: values } : { body: { ...values, action } };
		});
		return context.outputOf(response);
	};

/**
 * What the operations that start, take over or end a session have in common.
 *
 * @param conflict the next step if the contact has no such session
 */
export const sessionChange = (action: 'START' | 'TAKEOVER' | 'END', conflict: Shown) => ({
	endpoint: 'POST /chats/session' as const,
	otherEndpoints: ['GET /contacts/{id}' as const],
	fields:
		action === 'END'
			? [sessionContactField, sessionOptions]
			: [sessionContactField, sessionAgentField, sessionOptions],
	orderingKey: contactOrderingKey,
	prepare: action === 'END' ? readSession : readAgentSession,
	run: sendSession(action),
	errorHint: (status: number): Shown | undefined => (status === 409 ? conflict : undefined),
});
