import {
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type IWebhookFunctions,
	type IWebhookResponseData,
	NodeConnectionTypes,
} from 'n8n-workflow';
import { listSearch } from './listSearch';
import { defaultResource, resources } from './resources';
import { respond, responseWebhooks, WAITING_TOOLTIP } from './resources/message/response/webhook';
import { buildProperties, subtitleFor } from './runner/properties';
import { run } from './runner/run';
import {
	getTemplateText,
	getTemplateVariables,
	searchFallbackVariables,
	searchTemplates,
} from './template/editor';
import { testConnection } from './credentialTest/testConnection';

export class ConversationalMessaging implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Conversational Messaging',
		name: 'conversationalMessaging',
		icon: {
			light: 'file:conversationalMessaging.svg',
			dark: 'file:conversationalMessaging.dark.svg',
		},
		group: ['transform'],
		version: 1,
		subtitle: subtitleFor(resources),
		description:
			'Send WhatsApp and Instagram messages and broadcasts, and manage contacts, chats and tickets',
		defaults: { name: 'Conversational Messaging' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		usableAsTool: true,
		builderHint: {
			searchHint:
				'Use it instead of HTTP Request for the Conversational Messaging Service: it waits for the rate limit, repeats what is safe to repeat, and reads all pages of a list. It runs all input items at once, so it needs no loop and no Wait node. Do not set retryOnFail on it: n8n would run the node again for all items, and so send messages and create records a second time.',
			relatedNodes: [
				{
					nodeType: 'n8n-nodes-conversational-messaging.conversationalMessagingTrigger',
					relationHint:
						'Starts a workflow when a customer writes, or when a ticket, broadcast, import or chat changes',
				},
				{
					nodeType: 'n8n-nodes-base.splitInBatches',
					relationHint: 'Only for Send and Wait for Response, which accepts one item',
				},
			],
		},
		credentials: [
			{ name: 'conversationalMessagingApi', required: true, testedBy: 'testConnection' },
		],
		waitingNodeTooltip: WAITING_TOOLTIP,
		webhooks: responseWebhooks,
		properties: buildProperties(resources, defaultResource),
	};

	methods = {
		credentialTest: { testConnection },
		listSearch: { ...listSearch, searchFallbackVariables, searchTemplates },
		resourceMapping: { getTemplateText, getTemplateVariables },
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await run(this, resources);
	}

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await respond(this);
	}
}
