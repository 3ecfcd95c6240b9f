import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { ClientRequest } from 'node:http';
import { HAS_DURABLE_CURSORS } from '../../tools/engine/poller.mts';
import type { Template, Ticket, User } from '../../sandbox/records.mts';
import { byId } from '../../tools/engine/workflows.mts';
import { stateOf } from '../support/sandboxClient.mts';
import { WELCOME_COMPONENTS } from './harness.mts';
import { sources } from '../../nodes/ConversationalMessaging/trigger/status/sources/index.ts';
import { on, SharedHarness } from './sharedHarness.mts';
import { ticketChanges, triggersOf, type Trigger } from './triggerHarness.mts';

const service = new SharedHarness({ tickets: 8, contacts: 20 });
const { publish, restart, change: changed, fetchTestEvent } = triggersOf(service);

const TICKETS = { events: ['ticketStatusChanged'] };

/** A ticket that is not closed. */
const anyTicket = (index = 0): Ticket =>
	service.world.tickets.filter(({ status }) => status !== 'CLOSED')[index]!;

const close = (ticket: Ticket): string => {
	const before = ticket.status;
	ticket.status = 'CLOSED';
	return `${ticket.ticketNumber} ${before}>CLOSED`;
};

const minute = () => service.time.clock.advance(60_000);

it('an event contains the record, its previous and new status, and the time, as the test event does', async () => {
	const trigger = await publish(TICKETS);
	const ticket = service.world.addTicket({ title: 'Newest' });
	await trigger.poll();
	const { id, title, ticketNumber } = ticket;
	const event = (previousStatus: string | null, status: string, change: string) => ({
		...{ event: 'ticketStatusChanged', status, previousStatus, title, ticketNumber, recordId: id },
		eventId: expect.stringMatching(`^ticketStatusChanged:${id}:${change}`) as string,
		detectedAt: new Date(service.time.clock.now()).toISOString(),
		record: expect.objectContaining({ id, title }) as object,
	});
	minute();
	expect((await fetchTestEvent(TICKETS)).events).toStrictEqual([
		event(null, 'OPEN', 'test:0:OPEN$'),
	]);
	close(ticket);
	const { events, requests } = await trigger.poll();
	expect(new Set(requests)).toStrictEqual(new Set(['GET /tickets']));
	expect(events).toStrictEqual([event('OPEN', 'CLOSED', '')]);
});

const send = async (path: string, body: FormData | string): Promise<void> => {
	const { baseUrl, apiToken } = service.credential;
	const headers = {
		Authorization: `Bearer ${apiToken}`,
		...(typeof body === 'string' && { 'Content-Type': 'application/json' }),
	};
	const { status } = await fetch(`${baseUrl}${path}`, { method: 'POST', headers, body });
	expect(status).toBe(200);
};

/** Emitted by polls after these times: each event with its previous status and its status. */
async function course(parameters: INodeParameters, begin: () => Promise<void>, ...ms: number[]) {
	const trigger = await publish(parameters);
	await begin();
	const emitted: IDataObject[] = [];
	for (const each of ms) {
		service.time.clock.advance(each);
		emitted.push(...((await trigger.poll()).events ?? []));
	}
	return emitted;
}

it('a broadcast emits events from its schedule to its statistics', async () => {
	const broadcast = () => ({
		...{ name: 'Spring', templateName: 'welcome', templateLanguage: 'en_US' },
		templateComponents: JSON.parse(WELCOME_COMPONENTS) as unknown[],
		recipients: Array.from({ length: 100 }, (_, i) => `1202555${String(1000 + i)}`),
		scheduleType: 'schedule',
		sendAt: new Date(service.time.clock.now() + 600_000).toISOString(),
	});
	const emitted = await course(
		{ events: ['broadcastStatusChanged'], includeDetails: true },
		async () => await send('/broadcasts', JSON.stringify(broadcast())),
		...[1_000, 600_000, 2_500, 60_000],
	);
	expect(emitted.map(({ previousStatus, status }) => [previousStatus, status])).toStrictEqual([
		[null, 'SCHEDULED'],
		['SCHEDULED', 'QUEUED'],
		['QUEUED', 'PROCESSING'],
		['PROCESSING', 'COMPLETED'],
	]);
	expect(emitted.at(-1)).toMatchObject({ record: { statistics: { total: 100, pending: 0 } } });
});

it.each<['lower' | 'upper', string | undefined, string[]]>([
	['upper', undefined, ['QUEUED', 'PROCESSING', 'COMPLETED']],
	// The statuses are not documented, so they are entered as text.
	['lower', 'Completed, FAILED', ['completed']],
])(
	'in %s case, with the import statuses %j, an import job emits events with the statuses %j',
	async (importStates, importStatuses, statuses) => {
		service.shapes.importStates = importStates;
		const rows = Array.from({ length: 100 }, (_, i) => `Person ${i},1202555${1000 + i}`);
		const form = new FormData();
		form.set('file', new Blob([`name,waId\n${rows.join('\n')}`]), 'contacts.csv');
		const emitted = await course(
			{
				events: ['importJobStatusChanged'],
				...(importStatuses !== undefined && { importStatuses }),
			},
			async () => await send('/contacts/import', form),
			...[100, 2_500, 60_000],
		);
		expect(emitted.map(({ status }) => status)).toStrictEqual(statuses);
	},
);

it.each([
	['ticketStatusChanged', 'GET /tickets', 'Watch tickets', { title: 'x', status: 'OPEN' }],
	['messageReceived', 'GET /chats', 'Watch messages', { name: 'x' }],
	['messageReceived', 'GET /chats/{id}/messages', 'Watch messages', { text: 'x' }],
])('%s: rows without IDs end publishing: %s', async (event, route, action, row) => {
	service.respond(
		{ success: true, data: [row, row] },
		{ times: 999, matches: (request) => request.route === route },
	);
	const keys = Object.keys(row).join(', ');
	await expect(publish({ events: [event] })).rejects.toMatchObject({
		message: `${action}: the response contains no IDs (a row has the keys ${keys})`,
	});
});

describe('templates', () => {
	const template = (
		name: string,
		status: Template['status'],
		category = 'UTILITY',
		language = 'en_US',
	) =>
		service.world.templates.add({
			...{ id: `t-${name}`, name, status, category, language, decision: 'APPROVED' },
			...{ components: [], channelId: null, allowCategoryChange: true },
			createdAt: new Date(service.time.clock.now()).toISOString(),
		});

	it('a template emits events when it is created, and when its status changes', async () => {
		const trigger = await publish({ events: ['templateStatusChanged'] });
		const made = template('summer', 'PENDING');
		const { events, requests } = await trigger.poll();
		expect(requests).toStrictEqual(['GET /templates']);
		expect(events).toMatchObject([{ status: 'PENDING', previousStatus: null }]);
		made.status = 'APPROVED';
		expect((await trigger.poll()).events).toMatchObject([
			{
				...{ event: 'templateStatusChanged', status: 'APPROVED', previousStatus: 'PENDING' },
				...{ name: 'summer', language: 'en_US', category: 'UTILITY', recordId: 't-summer' },
				record: { name: 'summer' },
			},
		]);
		expect((await trigger.poll()).events).toBeNull();
	});

	it.each([
		[{ category: 'MARKETING' }, ['b']],
		[{ language: 'de' }, ['c']],
		[{}, ['a', 'b', 'c']],
	])('with the filters %j, these emit events: %j', async (filters, names) => {
		const trigger = await publish({ events: ['templateStatusChanged'], filters });
		template('a', 'REJECTED');
		template('b', 'REJECTED', 'MARKETING');
		template('c', 'REJECTED', 'UTILITY', 'de');
		const { events } = await trigger.poll();
		expect(events!.map(({ name }) => name).sort()).toStrictEqual(names);
		const options = { startFrom: 'existing' };
		const { published } = await publish({ events: ['templateStatusChanged'], filters, options });
		const found = published!.filter(({ status }) => status === 'REJECTED');
		expect(found.map(({ name }) => name).sort()).toStrictEqual(names);
		const templateStatuses = 'rejected';
		const test = { events: ['templateStatusChanged'], filters, templateStatuses };
		expect(names).toContain((await fetchTestEvent(test)).events[0]!.name);
	});

	it('one that gets the category of the filter, or another one, has not changed its status', async () => {
		const made = template('summer', 'APPROVED');
		const filters = { category: 'MARKETING' };
		const trigger = await publish({ events: ['templateStatusChanged'], filters });
		for (const [change, events] of [
			[{ category: 'MARKETING' }, null],
			[{ status: 'REJECTED' }, [{ previousStatus: 'APPROVED' }]],
			[{ category: 'UTILITY', status: 'APPROVED' }, null],
		] as const) {
			Object.assign(made, change);
			expect(await trigger.poll()).toMatchObject({ events });
		}
	});
});

describe('the members of segments', () => {
	const staticSegment = () => service.world.segments.find(({ isDynamic }) => !isDynamic)!;
	const of = (...ids: string[]) => ({
		events: ['contactAddedToSegment'],
		segmentId: byId(ids.join(', ')),
	});
	const outside = () => {
		const { members } = staticSegment();
		return service.world.contacts.find(({ id }) => !members.has(id))!;
	};

	it.each(['members', 'contacts', 'segment'] as const)(
		'a contact that is added emits an event with the segment, whatever form its members have: %s',
		async (segmentMembers) => {
			service.shapes.segmentMembers = segmentMembers;
			service.shapes.memberRows = segmentMembers === 'contacts' ? 'memberships' : 'contacts';
			const { id, name, members } = staticSegment();
			// Entered twice, it is read once.
			const trigger = await publish({ ...of(id, id), includeDetails: true });
			const contact = outside();
			members.add(contact.id);
			const { events, requests } = await trigger.poll();
			expect(requests).toStrictEqual([`GET /segments/${id}`, `GET /contacts/${contact.id}`]);
			expect(events).toMatchObject([
				{
					...{ event: 'contactAddedToSegment', status: 'ADDED', previousStatus: null },
					...{ name: contact.name, segment: { id, name }, recordId: contact.id },
					...{ record: { id: contact.id }, detailsFetched: true },
				},
			]);
			members.delete(contact.id);
			expect((await trigger.poll()).events).toBeNull();
			members.add(contact.id);
			expect((await trigger.poll()).events).toHaveLength(1);
			const shown = await fetchTestEvent(of(id));
			expect(shown.events).toMatchObject([{ status: 'ADDED', segment: { id } }]);
		},
	);

	it('a dynamic segment that is empty is published, also with line breaks between the IDs; its first members are emitted', async () => {
		const { world } = service;
		const dynamic = { ...staticSegment(), id: 'D', isDynamic: true, rules: {}, name: 'Buyers' };
		world.segments.add(dynamic);
		const trigger = await publish({ ...of(), segmentId: byId(`${staticSegment().id},\nD`) });
		dynamic.rules = { channel: 'WHATSAPP' };
		const { events } = await trigger.poll();
		const members = world.contacts.filter(({ waId }) => waId !== null).map(({ id }) => id);
		expect(events!.map(({ recordId }) => recordId).sort()).toStrictEqual(members.sort());
		expect(events![0]!.segment).toStrictEqual({ id: 'D', name: 'Buyers' });
	});

	it('without a segment, publishing is rejected', async () => {
		await expect(publish({ events: ['contactAddedToSegment'] })).rejects.toThrow(
			'Segment is empty',
		);
	});
});

describe('filters', () => {
	const CONTACT = { contactId: byId('C1') };

	it.each<[what: string, events: INodeParameters, contactId: string | undefined]>([
		[
			'that is not shown for the chosen events has no effect',
			{ events: ['importJobStatusChanged', 'broadcastStatusChanged'] },
			undefined,
		],
		['applies although the chosen event is the default, which n8n does not save', {}, 'C1'],
	])('a filter %s', async (_what, events, contactId) => {
		await publish({ ...events, filters: CONTACT });
		const filtered = service.requests.map(({ query }) => query.contactId);
		expect(new Set(filtered)).toStrictEqual(new Set([contactId]));
	});

	it('a ticket that is assigned to the agent of the filter comes as a new one, and is gone with the next agent', async () => {
		const [one, other] = service.world.users.filter(() => true) as [User, User];
		const ticket = anyTicket();
		ticket.assigneeId = other.id;
		const trigger = await publish({ ...TICKETS, filters: { agentId: byId(one.id) } });
		for (const { id } of [one, other, one]) {
			ticket.assigneeId = id;
			const event = { recordId: ticket.id, previousStatus: null };
			expect(await trigger.poll()).toMatchObject({ events: id === one.id ? [event] : null });
		}
	});
});

describe('several events', () => {
	it('several events are emitted together, and need one request for each list', async () => {
		const { world } = service;
		const trigger = await publish({
			events: [
				...['ticketStatusChanged', 'chatEscalationChanged'],
				...['broadcastStatusChanged', 'importJobStatusChanged'],
			],
		});
		expect((await trigger.poll()).requests).toHaveLength(7 + 1 + 1 + 4);
		close(anyTicket());
		world.chats.find(({ needsEscalation }) => !needsEscalation)!.needsEscalation = true;
		const { events } = await trigger.poll();
		expect(events!.map(({ event }) => event)).toStrictEqual([
			'chatEscalationChanged',
			'ticketStatusChanged',
		]);
	});
});

describe('Start From: Existing Records', () => {
	const EXISTING = { ...TICKETS, options: { startFrom: 'existing' } };

	/** The tickets that the service has, the oldest first, as events. */
	const existing = (): string[] =>
		service.world.tickets
			.filter(() => true)
			.sort((one, other) => Date.parse(one.createdAt) - Date.parse(other.createdAt))
			.map(({ ticketNumber, status }) => `${ticketNumber} (new)>${status}`);

	const republished = async (trigger: Trigger, parameters: INodeParameters) =>
		ticketChanges((await changed(trigger, parameters).poll()).events);

	it('publishing starts the workflow with them, once', async () => {
		const trigger = await publish(EXISTING);
		expect(ticketChanges(trigger.published!)).toStrictEqual(existing());
		expect((await trigger.poll()).events).toBeNull();
		const change = close(anyTicket());
		expect(ticketChanges((await trigger.poll()).events)).toStrictEqual([change]);
	});

	it.each<[what: string, parameters: INodeParameters, isChanged: boolean]>([
		['n8n restarts with an older state', {}, true],
		['another filter is chosen', { filters: { contactId: byId('C1') } }, false],
		['an event is added', { events: ['broadcastStatusChanged', 'ticketStatusChanged'] }, true],
		['another event is chosen', { events: ['chatEscalationChanged'] }, false],
	])('not again, if %s', async (_what, parameters, isChanged) => {
		const trigger = await publish(EXISTING);
		const change = close(anyTicket());
		const events = await republished(trigger, { ...EXISTING, ...parameters });
		expect(events).toStrictEqual(isChanged ? [change] : []);
	});

	it('applies to the events that were chosen first, once each can be read', async () => {
		const { world, faults } = service.sandbox;
		world.chats.find(({ needsEscalation }) => !needsEscalation)!.needsEscalation = true;
		const escalated = world.chats.filter(({ needsEscalation }) => needsEscalation).length;
		service.reject(503, on('GET /chats', 9));
		const events = ['chatEscalationChanged', 'ticketStatusChanged'];
		const options = { startFrom: 'existing' };
		const trigger = await publish({ events, includeDetails: true, options });
		expect(ticketChanges(trigger.published!)).toStrictEqual(existing());
		expect(trigger.published![0]!.record).toHaveProperty('notes');
		faults.clear();
		const chats = (await trigger.poll()).events!;
		expect(chats).toHaveLength(escalated);
		expect(chats[0]).toMatchObject({ previousStatus: null, status: 'ESCALATED' });
	});

	it.each([false, HAS_DURABLE_CURSORS])(
		'if n8n discards what publishing finds, or dies before it saves the state, the next poll emits it with the same eventIds; with durable cursors: %j',
		async (durable) => {
			const trigger = await publish(EXISTING, { durable });
			trigger.poller.saved = '{}';
			const again = durable ? trigger : restart(trigger);
			const { events } = await again.poll();
			expect(ticketChanges(events)).toStrictEqual(existing());
			const ids = (all: IDataObject[] | null | undefined) => all?.map(({ eventId }) => eventId);
			expect(ids(events)).toStrictEqual(ids(trigger.published));
			expect((await again.poll()).events).toBeNull();
		},
	);
});

// Older versions of n8n do not have them.
const describeDurable = HAS_DURABLE_CURSORS ? describe : describe.skip;

describeDurable('n8n with durable cursors', () => {
	it('the state of a poll without events is saved', async () => {
		const trigger = await publish({ ...TICKETS, ticketStatuses: ['CLOSED'] }, { durable: true });
		await trigger.poll();
		const before = trigger.poller.saved;
		anyTicket().status = anyTicket().status === 'OPEN' ? 'RESOLVED' : 'OPEN';
		expect((await trigger.poll()).events).toBeNull();
		expect(trigger.poller.saved).not.toBe(before);
		const change = close(anyTicket());
		const again = restart(trigger, { durable: true });
		expect(ticketChanges((await again.poll()).events)).toStrictEqual([change]);
	});

	it('a node that was renamed goes on: n8n saves its state by its ID', async () => {
		const trigger = await publish(TICKETS, { durable: true });
		const change = close(anyTicket());
		expect(ticketChanges((await trigger.poll()).events)).toStrictEqual([change]);
		trigger.poller.file.nodes[0]!.name = 'Renamed';
		const renamed = restart(trigger, { durable: true });
		await renamed.poller.activate();
		const next = close(anyTicket());
		expect(ticketChanges((await renamed.poll()).events)).toStrictEqual([next]);
	});

	it('the state of a poll that fails is not saved', async () => {
		const trigger = await publish(TICKETS, { durable: true });
		await trigger.poll();
		const before = trigger.poller.saved;
		service.sandbox.faults.add({ kind: 'status', status: 401 });
		expect((await trigger.poll()).error?.httpCode).toBe('401');
		expect(trigger.poller.saved).toBe(before);
	});
});

describe('a service that fails', () => {
	// Versions of n8n without durable cursors give a poll no time limit either.
	const itWithBudget = HAS_DURABLE_CURSORS ? it : it.skip;

	itWithBudget('a poll ends within the time that n8n gives it', async () => {
		const trigger = await publish(TICKETS);
		const patient = restart(trigger, { budgetMs: 200 });
		service.time.restore();
		service.sandbox.faults.add({ kind: 'hang' }, { times: 10 });
		const set = jest.spyOn(ClientRequest.prototype, 'setTimeout');
		expect(await patient.poll()).toMatchObject({ events: null, error: undefined });
		const times = set.mock.calls.map(([ms]) => ms);
		expect(times).toHaveLength(4);
		for (const ms of times) expect([ms > 0, ms <= 200]).toStrictEqual([true, true]);
	});
});

describe('Fetch Test Event', () => {
	it('the test changes neither the saved state nor the service', async () => {
		const trigger = await publish(TICKETS);
		const change = close(anyTicket());
		const { saved } = trigger.poller;
		const staticData = JSON.parse(saved) as IDataObject;
		const before = stateOf(service.world);
		expect((await fetchTestEvent(TICKETS, staticData)).events).toHaveLength(1);
		expect(staticData).toStrictEqual(JSON.parse(saved));
		expect(stateOf(service.world)).toStrictEqual(before);
		expect(ticketChanges((await trigger.poll()).events)).toStrictEqual([change]);
	});
});

describe('parameters', () => {
	it.each([
		['an expression returns no events', { events: '={{ undefined }}' }, 'Trigger On is empty'],
		[
			'an event is chosen that does not exist',
			{ events: ['tickets'] },
			`Trigger On expects one of ${[...sources.map(({ event }) => event), 'messageReceived'].toSorted().join(', ')}, but got "tickets"`,
		],
		['a filter is empty', { filters: { agentId: byId('={{ null }}') } }, 'Agent is empty'],
		['a list of statuses is empty', { ticketStatuses: '={{ [] }}' }, 'Ticket Statuses is empty'],
	])('publishing is rejected before anything is sent if %s', async (_what, parameters, message) => {
		await expect(publish({ ...TICKETS, ...parameters })).rejects.toThrow(message);
		expect(service.requests).toStrictEqual([]);
	});

	it('the events may come from an expression', async () => {
		const trigger = await publish({ events: '={{ ["ticketStatusChanged"] }}' });
		const change = close(anyTicket());
		expect(ticketChanges((await trigger.poll()).events)).toStrictEqual([change]);
	});
});
