import type { INodeProperties, INodePropertyMode } from 'n8n-workflow';
import { locator } from './locator';
import type { Choice } from './parameters';
import { phone } from './phone';

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

/** Ways to name a contact by its address, where the service takes that too. */
const byAddress: Pick<INodeProperties, 'modes'> = {
	modes: [
		{
			displayName: 'By WhatsApp ID',
			name: 'waId',
			type: 'string',
			placeholder: 'e.g. 12025550143',
		},
		{
			displayName: 'By Instagram ID',
			name: 'igId',
			type: 'string',
			placeholder: 'e.g. 17841400000000001',
		},
	],
};

export const contactModes = byAddress.modes;

/** The contact of a field with `contactModes`, the way it was named. */
export function contactBy(choice: Choice | undefined): {
	contactId?: string;
	waId?: string;
	igId?: string;
} {
	if (choice?.mode === 'waId') return { waId: phone(choice.value) };
	if (choice?.mode === 'igId') return { igId: choice.value };
	return { contactId: choice?.value };
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

export function chatField(
	settings: { required?: boolean; description?: string } = {},
): INodeProperties {
	return locator({
		displayName: 'Chat',
		name: 'chatId',
		search: 'searchChats',
		example: CUID,
		required: settings.required,
		description: settings.description ?? 'The chat',
	});
}

export function segmentField(
	settings: { required?: boolean; description?: string } = {},
): INodeProperties {
	return locator({
		displayName: 'Segment',
		name: 'segmentId',
		search: 'searchSegments',
		example: CUID,
		required: settings.required,
		description: settings.description ?? 'The segment',
	});
}

export function broadcastField(): INodeProperties {
	return locator({
		displayName: 'Broadcast',
		name: 'broadcastId',
		search: 'searchBroadcasts',
		example: CUID,
		required: true,
		description: 'The broadcast',
	});
}

export function importField(): INodeProperties {
	return locator({
		displayName: 'Import Job',
		name: 'importId',
		search: 'searchImports',
		example: CUID,
		required: true,
		description: 'The import job',
	});
}

export function templateField(
	settings: { required?: boolean; description?: string } = {},
): INodeProperties {
	return {
		...locator({
			displayName: 'Template',
			name: 'templateId',
			search: 'searchTemplates',
			example: '1234567890123456',
			required: settings.required,
			description: settings.description ?? 'The template',
		}),
		typeOptions: { loadOptionsDependsOn: ['options.channelId.value', 'channelId.value'] },
	};
}
