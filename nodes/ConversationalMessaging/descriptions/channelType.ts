import type { INodePropertyOptions } from 'n8n-workflow';

/** The channel types that the service filters by and sends to. */
export const channelTypeOptions: INodePropertyOptions[] = [
	{ name: 'Instagram', value: 'INSTAGRAM' },
	{ name: 'WhatsApp', value: 'WHATSAPP' },
];
