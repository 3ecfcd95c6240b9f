/** The notice and the filters of the trigger; test/contract/fields shows which of its other fields are shown when. */
import { type INode, type INodeProperties, NodeHelpers } from 'n8n-workflow';
import { fields } from '../../nodes/ConversationalMessaging/trigger/fields.ts';
import {
	MESSAGE_FILTERS,
	MESSAGE_RECEIVED,
} from '../../nodes/ConversationalMessaging/trigger/messages/subscription.ts';
import { sources } from '../../nodes/ConversationalMessaging/trigger/status/sources/index.ts';

const NODE = { id: 'node', name: 'Trigger', type: 'trigger', typeVersion: 1 } as INode;

const shown = (events: string[] | string) =>
	fields.filter((field) => NodeHelpers.displayParameter({ events }, field, NODE, null));

const filters = fields.find(({ name }) => name === 'filters')!.options as INodeProperties[];

test.each<[string[], RegExp[]]>([
	[['messageReceived'], [/only for messages that arrive after you publish/]],
	[['ticketStatusChanged'], [/set the option Start From/]],
	[['messageReceived', 'importJobStatusChanged'], [/set the option Start From/]],
	[[], []],
])('with %j, the notice about the first poll names what the events have', (events, expected) => {
	const notices = shown(events).filter(({ type }) => type === 'notice');
	expect(notices.map(({ displayName }) => displayName)).toStrictEqual(
		expected.map((text) => expect.stringMatching(text) as string),
	);
});

test('with an expression for the events, all fields and filters are shown', () => {
	const events = '={{ $json.events }}';
	const names = shown(events).map(({ name }) => name);
	expect(names).toStrictEqual(expect.arrayContaining(['includeNew', 'includeDetails']));
	expect(
		filters.filter((field) => !NodeHelpers.displayParameter({}, field, NODE, null, { events })),
	).toStrictEqual([]);
});

test('a filter is shown for the events that it applies to', () => {
	const applies = (name: string) =>
		[
			...sources
				.filter(({ filters: own, fieldFilters }) => name in { ...own, ...fieldFilters })
				.map(({ event }) => event),
			...(MESSAGE_FILTERS.some((filter) => filter === name) ? [MESSAGE_RECEIVED] : []),
		].toSorted();
	expect(filters.length).toBeGreaterThan(6);
	for (const { name, displayOptions } of filters)
		expect([name, displayOptions?.show?.['/events']?.toSorted()]).toStrictEqual([
			name,
			applies(name),
		]);
});
