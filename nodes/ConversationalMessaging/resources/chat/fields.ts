import type { INodeProperties } from 'n8n-workflow';

export const reasonField = (placeholder: string, description: string): INodeProperties => ({
	displayName: 'Reason',
	name: 'reason',
	type: 'string',
	default: '',
	placeholder,
	description,
});
