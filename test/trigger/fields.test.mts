/** Which fields are shown for which events. */
import type { INode } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';
import { fields } from '../../nodes/ConversationalMessaging/trigger/fields.ts';

const NODE = { id: 'node', name: 'Trigger', type: 'trigger', typeVersion: 1 } as INode;

const shown = (events: string[] | string) =>
	fields
		.filter((field) => NodeHelpers.displayParameter({ events }, field, NODE, null))
		.map(({ name }) => name);

const ALL = ['includeNew', 'includeDetails'];

test.each<[string[] | string, string[]]>([
	[['messageReceived'], []],
	[['ticketStatusChanged'], ALL],
	[['broadcastStatusChanged'], ALL],
	[['chatEscalationChanged'], ALL],
	[['importJobStatusChanged'], ALL],
	[['messageReceived', 'ticketStatusChanged'], ALL],
	['={{ $json.events }}', ALL],
])('with %j, of the options of changed records: %j', (events, expected) => {
	expect(shown(events).filter((name) => ALL.includes(name))).toEqual(expected);
});
