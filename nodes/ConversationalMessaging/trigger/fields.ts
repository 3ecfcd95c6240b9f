import type { INodeProperties } from 'n8n-workflow';
import { broadcastStatusOptions } from '../descriptions/broadcastStatus';
import { filterFields } from '../descriptions/collections';
import { agentField, channelField, contactField } from '../descriptions/records';
import { statusOptions as ticketStatusOptions } from '../descriptions/ticketChoices';

export const fields: INodeProperties[] = [
	{
		displayName: 'Events',
		name: 'events',
		type: 'multiOptions',
		options: [
			{
				name: 'Broadcast Status Changed',
				value: 'broadcastStatusChanged',
				description: 'When a broadcast is created or its status changes',
			},
			{
				name: 'Chat Escalation Changed',
				value: 'chatEscalationChanged',
				description: 'When a chat is escalated to human agents, or its escalation ends',
			},
			{
				name: 'Import Job Status Changed',
				value: 'importJobStatusChanged',
				description: 'When a contact import is created or its status changes',
			},
			{
				name: 'Ticket Status Changed',
				value: 'ticketStatusChanged',
				description: 'When a ticket is created or its status changes',
			},
		],
		default: ['ticketStatusChanged'],
		required: true,
		description: 'Changes that start the workflow',
	},
	{
		displayName: 'Broadcast Statuses',
		name: 'broadcastStatuses',
		type: 'multiOptions',
		options: broadcastStatusOptions,
		default: [],
		displayOptions: { show: { events: ['broadcastStatusChanged'] } },
		description: 'Only emit broadcasts whose status changes to one of these. Leave empty for all.',
	},
	{
		displayName: 'Chat Escalation',
		name: 'chatStatuses',
		type: 'multiOptions',
		options: [
			{ name: 'Escalated', value: 'ESCALATED' },
			{ name: 'Not Escalated', value: 'NOT_ESCALATED' },
		],
		default: [],
		displayOptions: { show: { events: ['chatEscalationChanged'] } },
		description: 'Only emit chats whose escalation changes to one of these. Leave empty for both.',
	},
	{
		displayName: 'Import Job Statuses',
		name: 'importStatuses',
		type: 'string',
		default: '',
		placeholder: 'e.g. completed, failed',
		displayOptions: { show: { events: ['importJobStatusChanged'] } },
		description:
			'Only emit import jobs whose status changes to one of these, separated by commas. Leave empty for all.',
	},
	{
		displayName: 'Ticket Statuses',
		name: 'ticketStatuses',
		type: 'multiOptions',
		options: ticketStatusOptions,
		default: [],
		displayOptions: { show: { events: ['ticketStatusChanged'] } },
		description: 'Only emit tickets whose status changes to one of these. Leave empty for all.',
	},
	{
		displayName: 'Include New Records',
		name: 'includeNew',
		type: 'boolean',
		default: true,
		description:
			'Whether to also emit records created since the last poll. They have no previous status.',
	},
	{
		displayName: 'Include Details',
		name: 'includeDetails',
		type: 'boolean',
		default: false,
		description:
			'Whether to fetch each changed record in full, e.g. with a broadcast’s delivery statistics or a ticket’s notes',
	},
	...filterFields([
		agentField('Only tickets and chats assigned to this agent'),
		channelField('Only broadcasts and chats on this channel'),
		contactField({
			description: 'Only tickets and chats of this contact. With By ID, enter the contact ID.',
		}),
	]),
];
