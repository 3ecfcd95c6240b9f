import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

/** API document, section Resources and their fields, Ticket. In the usual order. */
export const statusOptions: INodePropertyOptions[] = [
	{ name: 'Open', value: 'OPEN' },
	{ name: 'In Progress', value: 'IN_PROGRESS' },
	{ name: 'Resolved', value: 'RESOLVED' },
	{ name: 'Closed', value: 'CLOSED' },
];

const priorityOptions: INodePropertyOptions[] = [
	{ name: 'Low', value: 'LOW' },
	{ name: 'Medium', value: 'MEDIUM' },
	{ name: 'High', value: 'HIGH' },
	{ name: 'Urgent', value: 'URGENT' },
];

export const statusField = (description: string): INodeProperties => ({
	displayName: 'Status',
	name: 'status',
	type: 'options',
	options: statusOptions,
	default: 'OPEN',
	description,
});

export const priorityField = (description: string): INodeProperties => ({
	displayName: 'Priority',
	name: 'priority',
	type: 'options',
	options: priorityOptions,
	default: 'MEDIUM',
	description,
});
