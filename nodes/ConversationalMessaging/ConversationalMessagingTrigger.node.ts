import type {
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	IPollFunctions,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { listSearch } from './listSearch';
import { testConnection } from './credentialTest/testConnection';
import { fields } from './trigger/fields';
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
		subtitle: '={{ $parameter["events"].join(", ") }}',
		description:
			'Starts the workflow when a customer writes, a ticket, broadcast or contact import changes status, or a chat is escalated or de-escalated',
		defaults: { name: 'Conversational Messaging Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		polling: true,
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
