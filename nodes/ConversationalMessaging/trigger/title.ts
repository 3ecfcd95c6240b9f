import type { IDataObject } from 'n8n-workflow';
import { textOf } from '../api/base/text';
import { contactOf } from '../api/response/chat';
import { valueOf } from '../api/response/response';

/** The first of these values that shows something, as text; '' if none does. */
export const titleOf = (...values: readonly unknown[]): string =>
	values.map((value) => textOf(value).trim()).find((text) => text !== '') ?? '';

/** What a person knows the customer of a chat by; '' if its row shows nothing of that. */
export function customerTitle(chat: IDataObject): string {
	const contact = contactOf(chat);
	return titleOf(...['name', 'waId', 'igUsername', 'igId'].map((name) => valueOf(contact, name)));
}
