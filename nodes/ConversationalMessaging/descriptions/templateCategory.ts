import type { INodePropertyOptions } from 'n8n-workflow';

/** API document, section Resources and their fields, Template. */
export const categoryOptions: INodePropertyOptions[] = [
	{ name: 'Authentication', value: 'AUTHENTICATION' },
	{ name: 'Marketing', value: 'MARKETING' },
	{ name: 'Utility', value: 'UTILITY' },
];
