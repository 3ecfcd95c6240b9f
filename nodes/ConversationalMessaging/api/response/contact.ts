import type { IDataObject } from 'n8n-workflow';
import { textOf } from '../base/text';
import { valuesOf } from './names';

/** What identifies a contact on a channel. Both are missing on Web Chat, Telegram and TikTok Shop. */
export interface Address {
	waId?: string;
	igId?: string;
}

/** The names of an address, wherever a contact is shown. The first of each is the document's (section Contact). */
const ADDRESS_NAMES = {
	waId: ['waId', 'whatsappId', 'phone', 'phoneNumber'],
	igId: ['igId', 'instagramId'],
} as const;

/**
 * The address that a contact shows. The first name that the contact has counts, also with null: a contact with
 * `waId: null` and a phone number is on another channel.
 */
export function addressOf(contact: IDataObject): Address {
	const read = (names: readonly string[]): string | undefined =>
		textOf(valuesOf(contact, names)[0]).trim() || undefined;
	return { waId: read(ADDRESS_NAMES.waId), igId: read(ADDRESS_NAMES.igId) };
}

/** Everything under the names of an address. */
export const addressesIn = (contact: IDataObject): unknown[] =>
	valuesOf(contact, [...ADDRESS_NAMES.waId, ...ADDRESS_NAMES.igId]);

/** All numbers and WhatsApp user IDs that a contact shows, under whatever name. */
export const whatsAppIdsOf = (contact: IDataObject): string[] =>
	valuesOf(contact, ADDRESS_NAMES.waId)
		.map((value) => textOf(value).trim())
		.filter((text) => text !== '');

/** Whether a contact has a field for its number. */
export const hasWhatsAppField = (contact: IDataObject): boolean =>
	valuesOf(contact, ADDRESS_NAMES.waId).length > 0;
