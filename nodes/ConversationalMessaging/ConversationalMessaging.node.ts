import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { listSearch } from './listSearch';
import { getFallbackVariables, getTemplateVariables } from './resourceMapping/getTemplateVariables';
import { getTimeZones } from './resourceMapping/getTimeZones';
import { resources } from './resources';
import { respond, responseWebhooks } from './resources/message/response/webhook';
import { buildProperties } from './runner/properties';
import { run } from './runner/run';
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
		subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
		description:
			'Send WhatsApp and Instagram messages and broadcasts, and manage contacts, chats and tickets',
		defaults: { name: 'Conversational Messaging' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		usableAsTool: true,
		credentials: [
			{ name: 'conversationalMessagingApi', required: true, testedBy: 'testConnection' },
		],
		webhooks: responseWebhooks,
		properties: buildProperties(resources),
	};

	methods = {
		credentialTest: { testConnection },
		listSearch,
		loadOptions: { getFallbackVariables, getTimeZones },
		resourceMapping: { getTemplateVariables },
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await run(this, resources);
	}

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await respond(this);
	}
}
