/** Which fields are shown for which events. */
import type { INode, INodeProperties } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';
import { fields } from '../../nodes/ConversationalMessaging/trigger/fields.ts';
import {
	MESSAGE_FILTERS,
	MESSAGE_RECEIVED,
} from '../../nodes/ConversationalMessaging/trigger/messages/subscription.ts';
import { sources } from '../../nodes/ConversationalMessaging/trigger/status/sources/index.ts';

const NODE = { id: 'node', name: 'Trigger', type: 'trigger', typeVersion: 1 } as INode;

const shown = (events: string[] | string) =>
	fields
		.filter((field) => NodeHelpers.displayParameter({ events }, field, NODE, null))
		.map(({ name }) => name);

/** The names of the fields under Filters, or Options, that are shown. */
const shownIn = (name: string, events: string[] | string) =>
	(fields.find((field) => field.name === name)!.options as INodeProperties[])
		.filter((field) => NodeHelpers.displayParameter({}, field, NODE, null, { events }))
		.map((field) => field.name);

const ALL = ['includeNew', 'includeDetails'];

test.each<[string[] | string, string[]]>([
	[['messageReceived'], []],
	[['ticketStatusChanged'], ALL],
	[['importJobStatusChanged'], ALL],
	[['messageReceived', 'ticketStatusChanged'], ALL],
	[['templateStatusChanged'], ['includeNew']],
	[['contactAddedToSegment'], ['includeDetails']],
	['={{ $json.events }}', ALL],
])('with %j, of the options of changed records: %j', (events, expected) => {
	expect(shown(events).filter((name) => ALL.includes(name))).toStrictEqual(expected);
});

test.each<[string[], RegExp[]]>([
	[['messageReceived'], [/only for messages that arrive after you publish/]],
	[['ticketStatusChanged'], [/set the option Start From/]],
	[['messageReceived', 'importJobStatusChanged'], [/set the option Start From/]],
	[[], []],
])('with %j, the notice about the first poll names what the events have', (events, expected) => {
	const notices = fields
		.filter(({ type }) => type === 'notice')
		.filter((field) => NodeHelpers.displayParameter({ events }, field, NODE, null));
	expect(notices.map(({ displayName }) => displayName)).toStrictEqual(
		expected.map((text) => expect.stringMatching(text) as string),
	);
});

test.each<[string[] | string, string[]]>([
	[
		['broadcastStatusChanged', 'ticketStatusChanged'],
		['agentId', 'channelId', 'contactId'],
	],
	[[], []],
	[['templateStatusChanged'], ['category', 'channelId', 'language']],
	[
		'={{ $json.events }}',
		[
			...['agentId', 'category', 'channelId', 'channel', 'contactId', 'language'],
			'needsEscalation',
		],
	],
])('with %j, of the filters: %j', (events, expected) => {
	expect(shownIn('filters', events)).toStrictEqual(expected);
});

test('a filter is shown for the events that it applies to', () => {
	const applies = (name: string) =>
		[
			...sources
				.filter(({ filters, fieldFilters }) => name in { ...filters, ...fieldFilters })
				.map(({ event }) => event),
			...(MESSAGE_FILTERS.some((filter) => filter === name) ? [MESSAGE_RECEIVED] : []),
		].toSorted();
	const filters = fields.find(({ name }) => name === 'filters')?.options as INodeProperties[];
	for (const { name, displayOptions } of filters)
		expect([name, displayOptions?.show?.['/events']?.toSorted()]).toStrictEqual([
			name,
			applies(name),
		]);
});

test.each<[string[], string[]]>([
	[['messageReceived'], ['directionField', 'directionValue', 'ignoreEmptyFilters', 'timeField']],
	[['ticketStatusChanged'], ['ignoreEmptyFilters', 'startFrom']],
])('with %j, of the options: %j', (events, expected) => {
	expect(shownIn('options', events)).toStrictEqual(expected);
});
