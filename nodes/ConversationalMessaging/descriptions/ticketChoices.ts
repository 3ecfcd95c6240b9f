import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { choiceField } from './basicFields';

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

export const statusField = (description: string): INodeProperties =>
	choiceField('Status', 'status', { options: statusOptions, default: 'OPEN', description });

export const priorityField = (description: string): INodeProperties =>
	choiceField('Priority', 'priority', { options: priorityOptions, default: 'MEDIUM', description });
