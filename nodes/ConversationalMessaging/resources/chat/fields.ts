import type { INodeProperties } from 'n8n-workflow';

export const reasonField: INodeProperties = {
	displayName: 'Reason',
	name: 'reason',
	type: 'string',
	default: '',
	placeholder: 'e.g. Customer asks for a human agent',
	description: 'Optional reason. Agents see it when a chat is escalated.',
};
