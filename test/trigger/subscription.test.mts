/** What the trigger's parameters select: kinds of records, their lists, and which changes become events. */
import type { IDataObject } from 'n8n-workflow';
import { readSubscriptions } from '../../nodes/ConversationalMessaging/trigger/subscription.ts';
import { FakeHost } from './host.mts';

const TICKETS = 'ticketStatusChanged';
const BROADCASTS = 'broadcastStatusChanged';
const CHATS = 'chatEscalationChanged';
const IMPORTS = 'importJobStatusChanged';
const MESSAGES = 'messageReceived';

function read(parameters: IDataObject) {
	const host = new FakeHost();
	host.parameters = { ...host.parameters, ...parameters };
	return readSubscriptions(host.context());
}

/** What is read for each kind of record, by its noun. */
const byNoun = (parameters: IDataObject) =>
	Object.fromEntries(read(parameters).sources.map((each) => [each.source.noun, each]));

test.each<[events: string[], nouns: string[], hasMessages: boolean]>([
	[[IMPORTS, TICKETS, CHATS, BROADCASTS], ['broadcast', 'chat', 'import job', 'ticket'], false],
	[[MESSAGES, TICKETS], ['ticket'], true],
])(
	'the events %j are about these kinds of records, in this order: %j; about messages: %j',
	(...of) => {
		const [events, nouns, hasMessages] = of;
		const { messages } = read({ events });
		expect(Object.keys(byNoun({ events }))).toStrictEqual(nouns);
		expect(messages !== undefined).toBe(hasMessages);
	},
);

test.each<[parameters: IDataObject, message: string]>([
	[{ events: [] }, 'Trigger On is empty'],
	[
		{ events: [MESSAGES], options: { directionValue: 'L' } },
		'Direction Value has no Direction Field',
	],
	...(
		[
			['Agent', { agentId: 'A1' }, [BROADCASTS, IMPORTS]],
			// The other filter applies to one of them.
			['Channel', { agentId: 'A1', channelId: 'CH1' }, [TICKETS]],
			['Channel Type', { channel: 'WHATSAPP' }, [TICKETS, CHATS]],
			['Needs Escalation', { needsEscalation: true }, [TICKETS, CHATS]],
			['Needs Escalation', { needsEscalation: false }, [TICKETS, CHATS]],
		] as const
	).map(([filter, filters, events]): [IDataObject, string] => [
		{ events: [...events], filters },
		`The filter ${filter} does not apply to the events you chose`,
	]),
])('%j is rejected: %s', (parameters, message) => {
	expect(() => read(parameters)).toThrow(
		expect.objectContaining({
			name: 'NodeOperationError',
			message,
			description: expect.stringMatching(/^(Choose|Enter|Remove|Add) /),
		}),
	);
});

test.each([MESSAGES, CHATS, TICKETS])('a number is no contact to filter %s by', (event) => {
	expect(() => read({ events: [event], filters: { contactId: '12025550143' } })).toThrow(
		'Contact expects a contact ID, but got "12025550143": this is a WhatsApp ID or an Instagram ID',
	);
});

test.each([
	[MESSAGES, 'agentId'],
	[MESSAGES, 'channelId'],
	[CHATS, 'contactId'],
	[TICKETS, 'agentId'],
])('%s is not filtered by a name in %s, which would match nothing', (event, name) => {
	expect(() => read({ events: [event], filters: { [name]: 'Ann Lee' } })).toThrow(
		' expects an ID, but got "Ann Lee": IDs contain no spaces and no @',
	);
});

test('a filter applies to the kinds whose lists have it, under the name that the list has for it', () => {
	const filters = { agentId: 'A1', channelId: 'CH1', contactId: 'K1' };
	const all = byNoun({ events: [TICKETS, BROADCASTS, CHATS, IMPORTS], filters });
	expect(Object.entries(all).map(([noun, { scope }]) => [noun, scope])).toStrictEqual([
		['broadcast', { channelId: 'CH1' }],
		['chat', { assigneeId: 'A1', channelId: 'CH1', contactId: 'K1' }],
		['import job', {}],
		['ticket', { assigneeId: 'A1', contactId: 'K1' }],
	]);
	const ofMessages = { channel: 'WHATSAPP', needsEscalation: true };
	const { sources } = read({ events: [MESSAGES, CHATS, TICKETS], filters: ofMessages });
	expect(sources.map(({ scope }) => scope)).toStrictEqual([{}, {}]);
});

test('each kind has the statuses of its own field', () => {
	const all = byNoun({
		events: [TICKETS, BROADCASTS, CHATS, IMPORTS],
		ticketStatuses: ['CLOSED'],
		broadcastStatuses: ['FAILED', 'PARTIAL'],
		chatStatuses: [],
		// No spelling is documented.
		importStatuses: 'completed, Failed',
	});
	expect(Object.values(all).map(({ filter }) => filter.statuses)).toStrictEqual([
		['FAILED', 'PARTIAL'],
		[],
		['completed', 'Failed'],
		['CLOSED'],
	]);
});

test.each<[settings: IDataObject, read: IDataObject]>([
	[
		{},
		{ query: {}, from: 'customers', isGrouped: false, direction: undefined, timeField: undefined },
	],
	[{ messagesFrom: 'both' }, { from: 'both' }],
	[{ groupMessages: 'chat' }, { isGrouped: true }],
	[
		{ options: { directionField: 'kind', directionValue: 'L' } },
		{ direction: { key: 'kind', value: 'L' } },
	],
	// Messages from customers have no value there.
	[{ options: { directionField: 'agentId' } }, { direction: { key: 'agentId', value: '' } }],
	[{ options: { timeField: 'meta.at' } }, { timeField: 'meta.at' }],
	[
		{ filters: { agentId: 'A1', channelId: 'CH1', contactId: 'K1', channel: 'INSTAGRAM' } },
		{
			query: { assigneeId: 'A1', channelId: 'CH1', contactId: 'K1', channel: 'INSTAGRAM' },
		},
	],
	[{ filters: { needsEscalation: true } }, { query: { needsEscalation: true } }],
	[{ filters: { needsEscalation: false } }, { query: { needsEscalation: false } }],
])('of Message Received, %j is read as %j', (settings, expected) => {
	expect(read({ events: [MESSAGES], ...settings }).messages).toMatchObject(expected);
});

test.each([
	[true, false],
	[false, true],
])('new records are included as set, %j, and so are details, %j', (includeNew, includeDetails) => {
	const { filter, details } = byNoun({ includeNew, includeDetails }).ticket!;
	expect([filter.includeNew, details]).toStrictEqual([includeNew, includeDetails]);
});
