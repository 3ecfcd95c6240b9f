import type { IAuthenticateGeneric, Icon, ICredentialType, INodeProperties } from 'n8n-workflow';

/** The token of one organization, and the URL of the service (API document, section Authentication). */
export class ConversationalMessagingApi implements ICredentialType {
	name = 'conversationalMessagingApi';

	displayName = 'Conversational Messaging API';

	icon: Icon = {
		light: 'file:conversationalMessaging.svg',
		dark: 'file:conversationalMessaging.dark.svg',
	};

	documentationUrl = 'https://github.com/example/n8n-nodes-conversational-messaging#credentials';

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://your-service.example.com/api/v2',
			description: 'URL of the service, up to and including /api/v2',
		},
		{
			displayName: 'API Token',
			name: 'apiToken',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			placeholder: 'e.g. wa_pk_...',
			description:
				'Create a token in the dashboard under API Access and copy it. The dashboard shows it only once. Each token belongs to one organization.',
		},
		{
			displayName: 'Rate Limit Reserve (%)',
			name: 'windowReserve',
			type: 'number',
			typeOptions: { minValue: 0, maxValue: 50 },
			default: 10,
			hint: 'Leave at 10',
			description:
				'Share of each rate-limit window that executions with many requests leave to triggers, single messages and lists in the editor',
		},
		// Without these two, n8n adds fields of the same names, and their default lets whoever may use the credential send
		// the token to any address with the HTTP Request node.
		{
			displayName: 'Allowed HTTP Request Domains',
			name: 'allowedHttpRequestDomains',
			type: 'hidden',
			default: 'domains',
		},
		{
			displayName: 'Allowed Domains',
			name: 'allowedDomains',
			type: 'hidden',
			// The host of the base URL. n8n's expressions have no URL. None if it has a comma or an asterisk, which would allow others.
			default:
				'={{ $self["baseUrl"].replace(/^\\s*https?:\\/\\//i, "").replace(/[\\/?#].*/, "").replace(/:\\d*\\s*$/, "").replace(/^[^]*[*,][^]*/, "") }}',
		},
	];

	authenticate: IAuthenticateGeneric = {
		type: 'generic',
		properties: {
			headers: {
				Authorization: '=Bearer {{ $credentials.apiToken.trim() }}',
			},
		},
	};
}
