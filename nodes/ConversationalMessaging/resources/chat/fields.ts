import type { INodeProperties } from 'n8n-workflow';
import { type Shown, shown } from '../../api/access/shown';

export const reasonField = (placeholder: string, description: string): INodeProperties => ({
	displayName: 'Reason',
	name: 'reason',
	type: 'string',
	default: '',
	placeholder,
	description,
});

/** The next step for a chat that was not found: contacts and chats have similar IDs. */
export const chatErrorHint = (status: number, serviceMessage: string): Shown | undefined =>
	status === 404 && !/agent|user|message/i.test(serviceMessage)
		? shown`Check the chat’s ID: it is not that of its contact. Chat → Get Many finds the chats of a contact. A contact without any message has no chat.`
		: undefined;
