import type { INodeProperties, INodePropertyMode } from 'n8n-workflow';
import { locator } from './locator';

const CUID = 'cm4k2w8qx0001v8l4a1b2c3d4';

/** Fields that pick a record, shared by the operations. The names stay: workflows are saved with them. */

interface ContactSettings {
	required?: boolean;
	description?: string;
	modes?: INodePropertyMode[];
}

export function contactField(settings: ContactSettings = {}): INodeProperties {
	return locator({
		displayName: 'Contact',
		name: 'contactId',
		search: 'searchContacts',
		example: `${CUID}, or a WhatsApp or Instagram ID`,
		required: settings.required,
		modes: settings.modes,
		description:
			settings.description ??
			'The contact. By ID takes the contact ID, the WhatsApp ID or the Instagram ID.',
	});
}

export function ticketField(): INodeProperties {
	return locator({
		displayName: 'Ticket',
		name: 'ticketId',
		search: 'searchTickets',
		example: `1042, or ${CUID}`,
		required: true,
		description: 'The ticket. By ID takes the ticket number or the ticket ID.',
	});
}

export function channelField(description: string, required = false): INodeProperties {
	return locator({
		displayName: 'Channel',
		name: 'channelId',
		search: 'searchChannels',
		example: CUID,
		required,
		description,
	});
}

export function agentField(description: string, displayName = 'Agent'): INodeProperties {
	return locator({
		displayName,
		name: 'agentId',
		search: 'searchAgents',
		example: CUID,
		description,
	});
}
