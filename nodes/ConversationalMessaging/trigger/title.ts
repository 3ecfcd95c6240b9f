import type { IDataObject } from 'n8n-workflow';
import { contactOf } from '../api/response/chat';

/** What a person knows the customer of a chat by; undefined if its row shows nothing of that. */
export function customerTitle(chat: IDataObject): string | undefined {
	const { name, waId, igId } = contactOf(chat);
	return name ?? waId ?? igId;
}
