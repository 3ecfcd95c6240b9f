import type { INodeProperties } from 'n8n-workflow';
import { shown } from '../api/access/shown';
import type { Parameters } from '../parameters/parameters';
import { customerId } from '../phone/customerId';
import { type LocatorSettings, locator, textMode } from './locator';
import { pathParameter } from './pathParameter';

const CUID = 'cm4k2w8qx0001v8l4a1b2c3d4';

/** Fields that pick a record, shared by the operations. Their names must not change: workflows are saved with them. */

type Settings = Partial<Pick<LocatorSettings, 'description' | 'example' | 'modes' | 'required'>>;

type DescribedSettings = Settings & Pick<LocatorSettings, 'description'>;

const recordField =
	(displayName: string, name: string, search: string) =>
	(settings: Settings = {}): INodeProperties =>
		locator({
			...{ displayName, name, search, example: CUID },
			description: `The ${displayName.toLowerCase()}`,
			...settings,
		});

export const chatField = recordField('Chat', 'chatId', 'searchChats');
export const contactField = recordField('Contact', 'contactId', 'searchContacts');
export const segmentField = recordField('Segment', 'segmentId', 'searchSegments');
const broadcastField = recordField('Broadcast', 'broadcastId', 'searchBroadcasts');
const importField = recordField('Import Job', 'importId', 'searchImports');

export const broadcastParameter = pathParameter(broadcastField({ required: true }));
export const importParameter = pathParameter(importField({ required: true }));
export const segmentParameter = pathParameter(segmentField({ required: true }));

/** Contacts and chats have similar IDs. */
export const chatParameter = pathParameter(chatField({ required: true }), {
	errorHint: (status, serviceMessage) =>
		status === 404 && !/agent|user|message/i.test(serviceMessage)
			? shown`Check the chat’s ID: it is not that of its contact. Chat → Get Many finds the chats of a contact. A contact without any message has no chat.`
			: undefined,
});

/** A field for a contact where the service accepts the contact ID, the WhatsApp ID and the Instagram ID. */
const contactFieldByAnyId = (settings: DescribedSettings): INodeProperties =>
	contactField({
		...settings,
		example: `${CUID} or 12025550143`,
		description: `${settings.description}. With By ID, enter the contact ID, the WhatsApp ID or the Instagram ID.`,
	});

export const contactParameter = pathParameter(
	contactFieldByAnyId({ required: true, description: 'The contact' }),
	{ normalize: (id) => customerId(id).id, keyOf: (id) => customerId(id).key },
);

/** The same key for the same contact, so that operations on one contact keep their order. */
export function contactOrderingKey(parameters: Parameters): string | undefined {
	const { contactId, waId, igId } = contactBy(parameters);
	const id = waId ?? igId ?? contactId;
	return id === undefined ? undefined : customerId(id).key;
}

/** Modes for a contact's WhatsApp ID and Instagram ID, by which `contactBy` names it to the service. */
const addressModes = [
	textMode('By WhatsApp ID', 'waId', {
		placeholder: 'e.g. 12025550143 or US.13491208655302741918',
	}),
	textMode('By Instagram ID', 'igId', { placeholder: 'e.g. 17841400000000001' }),
];

/** A field for a contact whose ID the request has by its name: `contactBy` reads it. */
export const namedContactField = (settings: DescribedSettings): INodeProperties =>
	contactFieldByAnyId({ ...settings, modes: addressModes });

/** How a request names a contact: one ID, by the service's names. */
export interface ContactIds {
	contactId?: string;
	waId?: string;
	igId?: string;
}

/**
 * The contact of a `namedContactField`, by the kind of its ID: the chosen one or, with By ID, which is all that AI agents fill in,
 * what the ID looks like. {} if the field was left empty.
 */
export function contactBy(parameters: Parameters): ContactIds {
	const { mode = 'id', value } = parameters.choice('contactId') ?? {};
	if (value === undefined) return {};
	const kind = mode === 'id' ? customerId(value).kind : mode;
	if (kind === 'igId' || kind === 'instagramId') return { igId: value };
	if (['waId', 'phoneNumber', 'nationalNumber', 'userId'].includes(kind))
		return { waId: parameters.whatsAppAddress('contactId', 'required') };
	return { contactId: value };
}

/** Ticket numbers are often written as #1042. */
export const ticketParameter = pathParameter(
	locator({
		displayName: 'Ticket',
		name: 'ticketId',
		search: 'searchTickets',
		example: `1042 or ${CUID}`,
		required: true,
		description: 'The ticket. With By ID, enter the ticket number or the ticket ID.',
	}),
	{ normalize: (id) => id.replace(/^#\s*(?=\d)/, '') },
);

export const channelField = (description: string, required = false): INodeProperties =>
	recordField('Channel', 'channelId', 'searchChannels')({ description, required });

export function agentField(description: string, displayName = 'Agent'): INodeProperties {
	return locator({
		displayName,
		name: 'agentId',
		search: 'searchAgents',
		noun: 'agent',
		example: CUID,
		description,
	});
}

/** The recipient of a message or a flow: an address, or a contact whose address is looked up. */
export const recipientField = (example: string, description: string): INodeProperties =>
	locator({
		displayName: 'To',
		name: 'to',
		search: 'searchRecipients',
		noun: 'contact',
		example,
		byId: { hint: 'A phone number with country code, or the ID of a contact' },
		required: true,
		description,
		builderHint: {
			propertyHint:
				'Use mode id with an expression that reads the trigger or an earlier node. Never let a model define it with $fromAI, and never invent it. If it is not known, use mode list with an empty value: the user then picks a contact.',
		},
	});

/** The label of a custom field, which the service may not have yet. */
export const fieldLabelField = (
	settings: Omit<LocatorSettings, 'example' | 'search'> & { example?: string },
): INodeProperties =>
	locator({
		example: 'City',
		...settings,
		search: 'searchFieldLabels',
		noun: 'label',
		byId: { name: 'label', displayName: 'By Label' },
		description: `${settings.description}. The list has the labels of the contacts that the service lists first; enter any other.`,
		builderHint: {
			propertyHint: 'Use mode label for a label that is known. Never invent a label.',
		},
	});
