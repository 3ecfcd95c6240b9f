import type { INodePropertyOptions } from 'n8n-workflow';

/** API document, section Resources and their fields, Ticket. In the usual order. */
export const statusOptions: INodePropertyOptions[] = [
	{ name: 'Open', value: 'OPEN' },
	{ name: 'In Progress', value: 'IN_PROGRESS' },
	{ name: 'Resolved', value: 'RESOLVED' },
	{ name: 'Closed', value: 'CLOSED' },
];

export const priorityOptions: INodePropertyOptions[] = [
	{ name: 'Low', value: 'LOW' },
	{ name: 'Medium', value: 'MEDIUM' },
	{ name: 'High', value: 'HIGH' },
	{ name: 'Urgent', value: 'URGENT' },
];
