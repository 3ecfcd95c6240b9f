import type { IDataObject } from 'n8n-workflow';
import { wordsOf } from './names.mts';

const PHONE_WORDS = ['wa', 'whatsapp', 'phone', 'mobile', 'msisdn', 'telephone', 'tel'];

/** Whether the name says that it is the number for WhatsApp: another number need not address the contact. */
export const isWhatsAppKey = (key: string): boolean =>
	wordsOf(key).some((word) => ['wa', 'whatsapp'].includes(word));

const isNumber = (value: unknown): boolean => /^\+?\d{7,15}$/.test(String(value as string));

/** The key of a contact's phone number: waId, as documented, or one that is called like it. */
export function phoneKey(contacts: readonly IDataObject[]): string | undefined {
	const keys = new Set(contacts.slice(0, 100).flatMap((contact) => Object.keys(contact)));
	const named = [...keys].filter((key) => wordsOf(key).some((word) => PHONE_WORDS.includes(word)));
	return ['waId', ...named].find((key) => contacts.some((contact) => isNumber(contact[key])));
}
