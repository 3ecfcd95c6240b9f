import type { INodeProperties } from 'n8n-workflow';
import { choiceField, choicesField, textField, toggleField } from '../descriptions/basicFields';
import { broadcastStatusOptions } from '../descriptions/broadcastStatus';
import { channelTypeField } from '../descriptions/channelTypes';
import { filterFields } from '../descriptions/collections';
import { agentField, channelField, contactField, segmentField } from '../descriptions/records';
import { categoryOptions } from '../template/fields';
import { statusOptions as ticketStatusOptions } from '../descriptions/ticketChoices';
import { MESSAGE_FILTERS, MESSAGE_RECEIVED } from './messages/subscription';
import { sources } from './status/sources';
import type { StatusSource } from './status/sources/source';

const eventsOf = (which: readonly StatusSource[]): string[] => which.map(({ event }) => event);

const statusEvents = eventsOf(sources);

const ofMessages = [MESSAGE_RECEIVED];

const filtersOf = ({ filters, fieldFilters }: StatusSource): string[] =>
	Object.keys({ ...filters, ...fieldFilters });

export const FILTERS = [...new Set<string>([...MESSAGE_FILTERS, ...sources.flatMap(filtersOf)])];

/** The events that a filter applies to. */
export const eventsWith = (filter: string): string[] => [
	...eventsOf(sources.filter((source) => filtersOf(source).includes(filter))),
	...(MESSAGE_FILTERS.some((each) => each === filter) ? ofMessages : []),
];

/**
 * A filter, or an option, is shown if one of these events is chosen. n8n drops hidden ones when the workflow runs. If
 * Trigger On is an expression, all are shown and none is dropped.
 */
const ifChosen = (events: string[]): INodeProperties['displayOptions'] => ({
	show: { '/events': events },
});

const [filters, options] = filterFields(
	[
		agentField(
			'Only tickets and chats assigned to this agent, and messages in these chats. A ticket that is assigned to the agent also starts the workflow, as a new one.',
		),
		choiceField('Category', 'category', {
			options: categoryOptions,
			default: 'UTILITY',
			description: 'Only templates of this category',
		}),
		channelField('Only broadcasts, chats, messages and templates on this channel'),
		channelTypeField('Only messages on this type of channel'),
		contactField({
			description:
				'Only tickets, chats and messages of this contact. With By ID, enter the contact ID.',
		}),
		textField('Language', 'language', {
			placeholder: 'e.g. en_US',
			description: 'Only templates in this language, by its code',
		}),
		toggleField('Needs Escalation', 'needsEscalation', {
			description:
				'Whether to emit only messages in escalated chats. If off, only messages in chats that are not escalated are emitted.',
		}),
	].map((field) => ({ ...field, displayOptions: ifChosen(eventsWith(field.name)) })),
	[
		textField('Direction Field', 'directionField', {
			displayOptions: ifChosen(ofMessages),
			placeholder: 'e.g. direction',
			description:
				'The field of a message that shows whether the customer sent it, with dots for fields within fields. The trigger recognizes the usual fields. Set this only if it asks you to.',
		}),
		textField('Direction Value', 'directionValue', {
			displayOptions: ifChosen(ofMessages),
			placeholder: 'e.g. INBOUND',
			description:
				'The value of Direction Field in messages from customers. Leave empty if they have no value there.',
		}),
		choiceField('Start From', 'startFrom', {
			displayOptions: ifChosen(statusEvents),
			options: [
				{
					name: 'Existing Records',
					value: 'existing',
					description:
						'The first poll also emits the records that match, oldest first, at most 1,000 per event. Messages are not included.',
				},
				{
					name: 'Now',
					value: 'now',
					description: 'Only what is new or changes once the workflow is published',
				},
			],
			default: 'now',
			description:
				'Which records start the workflow when it is published for the first time. A node that has polled before goes on from its last poll.',
		}),
		textField('Time Field', 'timeField', {
			displayOptions: ifChosen(ofMessages),
			placeholder: 'e.g. sentTime',
			description:
				'The field of a message that contains date and time, with dots for fields within fields. The trigger recognizes the usual fields. Set this only if it asks you to.',
		}),
	],
);

const eventOptions = [
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
		name: 'Contact Added to Segment',
		value: 'contactAddedToSegment',
		description: 'When a contact is added to a segment',
	},
	{
		name: 'Import Job Status Changed',
		value: 'importJobStatusChanged',
		description: 'When a contact import is created or its status changes',
	},
	{ name: 'Message Received', value: 'messageReceived', description: 'When a customer writes' },
	{
		name: 'Template Status Changed',
		value: 'templateStatusChanged',
		description: 'When a template is created, approved, rejected, paused or disabled',
	},
	{
		name: 'Ticket Status Changed',
		value: 'ticketStatusChanged',
		description:
			'When a ticket is created or its status changes. With the filter Agent, also when it is assigned to the agent.',
	},
];

/** The names of the chosen events, below the node on the canvas. An expression can return one or several. */
export const subtitle = `={{ [$parameter["events"]].flat().map((event) => (${JSON.stringify(
	Object.fromEntries(eventOptions.map(({ name, value }) => [value, name])),
)})[event] ?? event).join(", ") }}`;

export const fields: INodeProperties[] = [
	{
		displayName: 'Trigger On',
		name: 'events',
		type: 'multiOptions',
		options: eventOptions,
		default: ['messageReceived'],
		required: true,
	},
	{
		displayName:
			'The workflow starts only for what is new or changes after you publish it. To also start it for existing records, set the option Start From to Existing Records.',
		name: 'firstPollNotice',
		type: 'notice',
		default: '',
		displayOptions: { show: { events: statusEvents } },
	},
	{
		displayName: 'The workflow starts only for messages that arrive after you publish it',
		name: 'firstPollNotice',
		type: 'notice',
		default: '',
		displayOptions: { show: { events: ofMessages }, hide: { events: statusEvents } },
	},
	choiceField('Messages From', 'messagesFrom', {
		options: [
			{
				name: 'Both Directions',
				value: 'both',
				description: 'Also messages that were sent to customers, by agents, flows and workflows',
			},
			{ name: 'Customers', value: 'customers', description: 'Only messages that customers sent' },
		],
		default: 'customers',
		displayOptions: { show: { events: ofMessages } },
		description: 'Whose messages start the workflow',
	}),
	choiceField('Group Messages', 'groupMessages', {
		options: [
			{ name: 'Each Message', value: 'message', description: 'One item per message' },
			{
				name: 'One Item per Chat',
				value: 'chat',
				description:
					'All new messages of a chat as one item, so that several messages in a row start one execution and get one reply',
			},
		],
		default: 'chat',
		displayOptions: { show: { events: ofMessages } },
		description: 'How new messages become items',
	}),
	choicesField('Ticket Statuses', 'ticketStatuses', {
		options: ticketStatusOptions,
		displayOptions: { show: { events: ['ticketStatusChanged'] } },
		description: 'Only emit tickets whose status changes to one of these. Leave empty for all.',
	}),
	choicesField('Chat Escalation', 'chatStatuses', {
		options: [
			{ name: 'Escalated', value: 'ESCALATED' },
			{ name: 'Not Escalated', value: 'NOT_ESCALATED' },
		],
		displayOptions: { show: { events: ['chatEscalationChanged'] } },
		description: 'Only emit chats whose escalation changes to one of these. Leave empty for both.',
	}),
	choicesField('Broadcast Statuses', 'broadcastStatuses', {
		options: broadcastStatusOptions,
		displayOptions: { show: { events: ['broadcastStatusChanged'] } },
		description: 'Only emit broadcasts whose status changes to one of these. Leave empty for all.',
	}),
	textField('Import Job Statuses', 'importStatuses', {
		placeholder: 'e.g. completed, failed',
		displayOptions: { show: { events: ['importJobStatusChanged'] } },
		description:
			'Only emit import jobs whose status changes to one of these, separated by commas. Leave empty for all.',
	}),
	{
		...segmentField({
			required: true,
			description:
				'The segment whose new members start the workflow. With By ID, enter the segment ID, or several, separated by commas.',
		}),
		displayOptions: { show: { events: ['contactAddedToSegment'] } },
	},
	textField('Template Statuses', 'templateStatuses', {
		placeholder: 'e.g. approved, rejected',
		displayOptions: { show: { events: ['templateStatusChanged'] } },
		description:
			'Only emit templates whose status changes to one of these, separated by commas. Leave empty for all.',
	}),
	toggleField('Include New Records', 'includeNew', {
		displayOptions: {
			show: { events: eventsOf(sources.filter(({ showsNewRecords }) => showsNewRecords)) },
		},
		description:
			'Whether to also emit tickets, broadcasts, import jobs and templates created since the last poll. Their previous status is empty: to start only when a ticket is created, continue with an If node that checks this. Message Received does not need it.',
	}),
	toggleField('Include Details', 'includeDetails', {
		default: false,
		displayOptions: {
			show: { events: eventsOf(sources.filter(({ recordEndpoint }) => recordEndpoint)) },
		},
		description:
			'Whether to fetch each changed record in full, e.g. with a broadcast’s delivery statistics or a ticket’s notes',
	}),
	{
		...filters,
		// By its path: n8n's editor would remove all filters whenever `events` changes.
		displayOptions: { show: { '/events': [...new Set(FILTERS.flatMap(eventsWith))] } },
	},
	options,
];
