import {
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type IPollFunctions,
	NodeConnectionTypes,
} from 'n8n-workflow';
import { listSearch } from './listSearch';
import { testConnection } from './credentialTest/testConnection';
import { fields, subtitle } from './trigger/fields';
import { poll } from './trigger/poll';

export class ConversationalMessagingTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Conversational Messaging Trigger',
		name: 'conversationalMessagingTrigger',
		icon: {
			light: 'file:conversationalMessaging.svg',
			dark: 'file:conversationalMessaging.dark.svg',
		},
		group: ['trigger'],
		version: 1,
		subtitle,
		description:
			'Starts the workflow when a customer writes, when the status of a ticket, broadcast, template or contact import changes, when a chat is escalated or de-escalated, or when a contact is added to a segment',
		defaults: { name: 'Conversational Messaging Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		polling: true,
		builderHint: {
			searchHint:
				'Use it instead of a Schedule Trigger with Get Many: it polls, remembers what it has seen, and emits only what is new. The first poll emits nothing, unless the option startFrom is existing. For a chatbot, use the event messageReceived: several messages of a chat in a row are one item. Four custom poll times, at seconds 0, 15, 30 and 45, start it within seconds.',
			relatedNodes: [
				{
					nodeType: 'n8n-nodes-conversational-messaging.conversationalMessaging',
					relationHint: 'Replies to the message, or changes the record that the event names',
				},
			],
		},
		credentials: [
			{ name: 'conversationalMessagingApi', required: true, testedBy: 'testConnection' },
		],
		properties: fields,
	};

	methods = { credentialTest: { testConnection }, listSearch };

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		return await poll(this);
	}
}
