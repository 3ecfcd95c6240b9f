/** What the trigger's parameters select: kinds of records, their lists, and which changes become events. */
import type { IDataObject } from 'n8n-workflow';
import { readSubscriptions } from '../../nodes/ConversationalMessaging/trigger/subscription.ts';
import { FakeHost } from './host.mts';

const TICKETS = 'ticketStatusChanged';
const BROADCASTS = 'broadcastStatusChanged';
const CHATS = 'chatEscalationChanged';
const IMPORTS = 'importJobStatusChanged';
const MESSAGES = 'messageReceived';

function readAll(parameters: IDataObject) {
	const host = new FakeHost();
	host.parameters = { ...host.parameters, ...parameters };
	return readSubscriptions(host.context());
}

const read = (parameters: IDataObject) => readAll(parameters).sources;

test.each<[events: string[], nouns: string[]]>([
	[[TICKETS], ['ticket']],
	[
		[IMPORTS, TICKETS, CHATS, BROADCASTS],
		['broadcast', 'chat', 'import job', 'ticket'],
	],
])('the events %j are about these kinds, in this order: %j', (events, nouns) => {
	expect(read({ events }).map(({ source }) => source.noun)).toStrictEqual(nouns);
});

test.each<[what: string, parameters: IDataObject, message: string, description: string]>([
	['no event', { events: [] }, 'Trigger On is empty', 'Choose at least one event.'],
	[
		'a filter that applies to none of the events',
		{ events: [BROADCASTS, IMPORTS], filters: { agentId: 'A1' } },
		'The filter Agent does not apply to the events you chose',
		'Remove it from Filters, or choose an event that it applies to.',
	],
	[
		'one of two filters that applies to none of them',
		{ events: [TICKETS], filters: { agentId: 'A1', channelId: 'CH1' } },
		'The filter Channel does not apply to the events you chose',
		'Remove it from Filters, or choose an event that it applies to.',
	],
	...(
		[
			['Channel Type', { channel: 'WHATSAPP' }],
			['Needs Escalation', { needsEscalation: true }],
			['Needs Escalation', { needsEscalation: false }],
		] as const
	).map(([label, filters]): [string, IDataObject, string, string] => [
		`a filter that only messages have, ${JSON.stringify(filters)},`,
		{ events: [TICKETS, CHATS], filters },
		`The filter ${label} does not apply to the events you chose`,
		'Remove it from Filters, or choose an event that it applies to.',
	]),
])('%s is rejected', (_what, parameters, message, description) => {
	let thrown: unknown;
	try {
		read(parameters);
	} catch (error) {
		thrown = error;
	}
	expect(thrown).toMatchObject({ name: 'NodeOperationError', message, description });
});

test('a filter applies to the kinds whose lists have it, under the name that the list has for it', () => {
	const filters = { agentId: 'A1', channelId: 'CH1', contactId: 'K1' };
	const all = read({ events: [TICKETS, BROADCASTS, CHATS, IMPORTS], filters });
	expect(Object.fromEntries(all.map(({ source, scope }) => [source.noun, scope]))).toStrictEqual({
		broadcast: { channelId: 'CH1' },
		chat: { assigneeId: 'A1', channelId: 'CH1', contactId: 'K1' },
		'import job': {},
		ticket: { assigneeId: 'A1', contactId: 'K1' },
	});
	// A filter for one of several kinds.
	const [broadcast] = read({ events: [TICKETS, BROADCASTS], filters: { agentId: 'A1' } });
	expect(broadcast!.scope).toStrictEqual({});
});

test('each kind has the statuses of its own field', () => {
	const all = read({
		events: [TICKETS, BROADCASTS, CHATS, IMPORTS],
		ticketStatuses: ['CLOSED'],
		broadcastStatuses: ['FAILED', 'PARTIAL'],
		chatStatuses: [],
		// No spelling is documented.
		importStatuses: 'completed, Failed',
	});
	expect(all.map(({ filter }) => filter.statuses)).toStrictEqual([
		['FAILED', 'PARTIAL'],
		[],
		['completed', 'Failed'],
		['CLOSED'],
	]);
});

describe('Message Received', () => {
	const messages = (parameters: IDataObject) =>
		readAll({ events: [MESSAGES], ...parameters }).messages;

	test('is no kind of record with statuses, and is chosen only by its own event', () => {
		expect(
			readAll({ events: [MESSAGES, TICKETS] }).sources.map(({ source }) => source.noun),
		).toStrictEqual(['ticket']);
		expect(readAll({ events: [TICKETS, CHATS] }).messages).toBeUndefined();
	});

	test('without settings, each message of customers in all chats is an item', () => {
		expect(messages({})).toStrictEqual({
			query: {},
			from: 'customers',
			isGrouped: false,
			direction: undefined,
			timeField: undefined,
		});
	});

	test.each<[settings: IDataObject, read: IDataObject]>([
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
	])('%j is read as %j', (settings, expected) => {
		expect(messages(settings)).toMatchObject(expected);
	});

	test('a Direction Value without a Direction Field is rejected', () => {
		expect(() => messages({ options: { directionValue: 'L' } })).toThrow(
			'Direction Value has no Direction Field',
		);
	});

	test('filters that only messages have do not apply to the other events', () => {
		const filters = { channel: 'WHATSAPP', needsEscalation: true };
		const { sources } = readAll({ events: [MESSAGES, CHATS, TICKETS], filters });
		expect(sources.map(({ scope }) => scope)).toStrictEqual([{}, {}]);
	});
});

test.each([
	[true, true],
	[true, false],
	[false, true],
])('new records are included as set, %j, and so are details, %j', (includeNew, includeDetails) => {
	const { filter, details } = read({ includeNew, includeDetails })[0]!;
	expect([filter.includeNew, details]).toStrictEqual([includeNew, includeDetails]);
});
