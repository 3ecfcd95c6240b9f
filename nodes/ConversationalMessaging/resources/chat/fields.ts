import type { INodeProperties } from 'n8n-workflow';

export const reasonField: INodeProperties = {
	displayName: 'Reason',
	name: 'reason',
	type: 'string',
	default: '',
	placeholder: 'e.g. Customer asks for a person',
	description: 'Why. It is optional; agents see it.',
};
