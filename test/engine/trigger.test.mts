import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { ClientRequest } from 'node:http';
import { outputOf } from '../../engine/engine.mts';
import { HAS_DURABLE_CURSORS, Poller } from '../../engine/poller.mts';
import type { Ticket } from '../../sandbox/records.mts';
import { FakeTime } from '../time.mts';
import { actionNode, TRIGGER_NODE, triggerWorkflow } from '../../engine/workflows.mts';
import { stateOf } from '../sandbox/client.mts';
import { WELCOME_COMPONENTS } from './harness.mts';
import { openTriggerHarness, ticketChanges, type TriggerHarness } from './triggerHarness.mts';

let time: FakeTime;
let harness: TriggerHarness;

beforeEach(async () => {
	time = new FakeTime().install();
	harness = await openTriggerHarness({
		clock: time.clock,
		tickets: 30,
		contacts: 60,
		rateLimit: { requests: 0 },
	});
});
afterEach(async () => {
	await harness.close();
	time.restore();
});

const TICKETS = { events: ['ticketStatusChanged'] };

/** A ticket that is not closed. */
const anyTicket = (index = 0): Ticket =>
	harness.sandbox.world.tickets.filter(({ status }) => status !== 'CLOSED')[index]!;

const close = (ticket: Ticket): string => {
	const before = ticket.status;
	ticket.status = 'CLOSED';
	return `${ticket.ticketNumber} ${before}>CLOSED`;
};

const minute = () => time.clock.advance(60_000);

describe('an event', () => {
	it('an event contains the record, its previous and new status, and the time', async () => {
		const trigger = await harness.publish(TICKETS);
		const ticket = anyTicket();
		const before = ticket.status;
		close(ticket);
		minute();
		const { events, requests } = await trigger.poll();
		expect(requests).toEqual(['GET /tickets']);
		expect(events).toEqual([
			{
				event: 'ticketStatusChanged',
				eventId: expect.stringMatching(`^ticketStatusChanged:${ticket.id}:`) as string,
				recordId: ticket.id,
				previousStatus: before,
				status: 'CLOSED',
				detectedAt: new Date(time.clock.now()).toISOString(),
				record: expect.objectContaining({ id: ticket.id, title: ticket.title }) as object,
			},
		]);
	});

	it('an event is emitted once', async () => {
		const trigger = await harness.publish(TICKETS);
		const change = close(anyTicket());
		expect(ticketChanges((await trigger.poll()).events)).toEqual([change]);
		expect((await trigger.poll()).events).toBeNull();
	});

	it('an event has another ID each time that a record returns to a status', async () => {
		const trigger = await harness.publish(TICKETS);
		const ticket = anyTicket();
		const ids = new Set<unknown>();
		for (const status of ['CLOSED', 'OPEN', 'CLOSED', 'OPEN', 'CLOSED'] as const) {
			ticket.status = status;
			for (const { eventId } of (await trigger.poll()).events ?? []) ids.add(eventId);
		}
		expect(ids.size).toBe(5);
	});

	it('a new record emits an event without a previous status', async () => {
		const trigger = await harness.publish(TICKETS);
		const { ticketNumber } = harness.sandbox.world.addTicket({ title: 'New' });
		const { events } = await trigger.poll();
		expect(ticketChanges(events)).toEqual([`${ticketNumber} (new)>OPEN`]);
		expect(events![0]!.previousStatus).toBeNull();
	});

	it('without Include New, a new record emits no event, and its later changes do', async () => {
		const trigger = await harness.publish({ ...TICKETS, includeNew: false });
		const ticket = harness.sandbox.world.addTicket({ title: 'New' });
		expect((await trigger.poll()).events).toBeNull();
		const change = close(ticket);
		expect(ticketChanges((await trigger.poll()).events)).toEqual([change]);
	});

	it('a deleted record emits no event', async () => {
		const trigger = await harness.publish(TICKETS);
		harness.sandbox.world.deleteTicket(anyTicket().id);
		expect((await trigger.poll()).events).toBeNull();
		expect((await trigger.poll()).requests).toEqual(['GET /tickets']);
	});

	it('with Include Details, the record is complete, and only changed records are read', async () => {
		const trigger = await harness.publish({ ...TICKETS, includeDetails: true });
		const ticket = anyTicket();
		ticket.notes.push({ id: 'n', body: 'Called back', authorId: null, createdAt: '' });
		close(ticket);
		const { events, requests } = await trigger.poll();
		expect((events![0]!.record as IDataObject).notes).toEqual(ticket.notes);
		expect(requests).toEqual(['GET /tickets', `GET /tickets/${ticket.id}`]);
	});
});

describe('the first poll', () => {
	it('the first poll emits nothing', async () => {
		const poller = (await harness.publish(TICKETS)).poller;
		expect(await poller.activate()).toEqual({ items: null });
	});

	it('the saved state contains no token', async () => {
		const { poller } = await harness.publish(TICKETS);
		expect(poller.saved).toContain('ticketStatusChanged');
		expect(poller.saved).not.toContain(harness.sandbox.tokens.all.value);
	});
});

describe('broadcasts', () => {
	const WELCOME = {
		templateName: 'welcome',
		templateLanguage: 'en_US',
		templateComponents: JSON.parse(WELCOME_COMPONENTS) as unknown[],
	};

	it('a broadcast emits events from its schedule to its statistics', async () => {
		const trigger = await harness.publish({
			events: ['broadcastStatusChanged'],
			includeDetails: true,
		});
		const credential = {
			baseUrl: harness.sandbox.baseUrl,
			apiToken: harness.sandbox.tokens.all.value,
		};
		await fetch(`${credential.baseUrl}/broadcasts`, {
			method: 'POST',
			headers: {
				Authorization: `Bearer ${credential.apiToken}`,
				'Content-Type': 'application/json',
			},
			body: JSON.stringify({
				name: 'Spring',
				...WELCOME,
				recipients: Array.from({ length: 100 }, (_, i) => `1202555${String(1000 + i)}`),
				scheduleType: 'schedule',
				sendAt: new Date(time.clock.now() + 600_000).toISOString(),
			}),
		});
		const emitted: string[] = [];
		for (const ms of [1_000, 600_000, 2_500, 60_000]) {
			time.clock.advance(ms);
			const { events } = await trigger.poll();
			for (const { previousStatus, status } of events ?? [])
				emitted.push(`${(previousStatus as string | null) ?? '(new)'}>${status as string}`);
			const last = events?.at(-1);
			if (last?.status === 'COMPLETED')
				expect((last.record as IDataObject).statistics).toMatchObject({ total: 100, pending: 0 });
		}
		expect(emitted).toEqual([
			'(new)>SCHEDULED',
			'SCHEDULED>QUEUED',
			'QUEUED>PROCESSING',
			'PROCESSING>COMPLETED',
		]);
	});

	it.each([
		['as broadcastId', { jobId: 'byType' }],
		['under broadcast', { jobUnder: 'byType' }],
		['under job, with a jobId', { jobUnder: 'job', jobId: 'jobId' }],
	] as const)(
		'a broadcast is read if the response has its ID or record %s',
		async (_name, shapes) => {
			await harness.close();
			harness = await openTriggerHarness({ clock: time.clock, shapes });
			const parameters = { events: ['broadcastStatusChanged'], includeDetails: true };
			const trigger = await harness.publish(parameters);
			const { baseUrl, tokens } = harness.sandbox;
			await fetch(`${baseUrl}/broadcasts`, {
				method: 'POST',
				headers: {
					Authorization: `Bearer ${tokens.all.value}`,
					'Content-Type': 'application/json',
				},
				body: JSON.stringify({
					name: 'Spring',
					...WELCOME,
					recipients: ['12025550143'],
				}),
			});
			time.clock.advance(60_000);
			const { events } = await trigger.poll();
			expect(events).toEqual([
				expect.objectContaining({
					status: 'COMPLETED',
					record: expect.objectContaining({ name: 'Spring', statistics: expect.anything() }),
				}),
			]);
		},
	);
});

describe('import jobs', () => {
	it.each([
		['lower', ['queued', 'processing', 'completed']],
		['upper', ['QUEUED', 'PROCESSING', 'COMPLETED']],
	] as const)(
		'an import job emits events until its end (%s case)',
		async (importStates, statuses) => {
			await harness.close();
			harness = await openTriggerHarness({ clock: time.clock, shapes: { importStates } });
			const trigger = await harness.publish({ events: ['importJobStatusChanged'] });
			const form = new FormData();
			const rows = Array.from({ length: 100 }, (_, i) => `Person ${i},1202555${1000 + i}`);
			form.set('file', new Blob([`name,waId\n${rows.join('\n')}`]), 'contacts.csv');
			await fetch(`${harness.sandbox.baseUrl}/contacts/import`, {
				method: 'POST',
				headers: { Authorization: `Bearer ${harness.sandbox.tokens.all.value}` },
				body: form,
			});
			const emitted: unknown[] = [];
			for (const ms of [100, 2_500, 60_000]) {
				time.clock.advance(ms);
				for (const { status } of (await trigger.poll()).events ?? []) emitted.push(status);
			}
			expect(emitted).toEqual(statuses);
		},
	);

	it('an import job emits events for statuses that are entered as text, in any case', async () => {
		const trigger = await harness.publish({
			events: ['importJobStatusChanged'],
			importStatuses: 'Completed, FAILED',
		});
		const form = new FormData();
		form.set('file', new Blob(['name,waId\nAda,12025550199']), 'contacts.csv');
		await fetch(`${harness.sandbox.baseUrl}/contacts/import`, {
			method: 'POST',
			headers: { Authorization: `Bearer ${harness.sandbox.tokens.all.value}` },
			body: form,
		});
		expect((await trigger.poll()).events).toBeNull();
		time.clock.advance(60_000);
		expect((await trigger.poll()).events?.map(({ status }) => status)).toEqual(['completed']);
	});
});

describe('chats', () => {
	it('a chat emits events when it is escalated and when it is de-escalated', async () => {
		const trigger = await harness.publish({ events: ['chatEscalationChanged'] });
		const chat = harness.sandbox.world.chats.find(({ needsEscalation }) => !needsEscalation)!;
		const emitted: string[] = [];
		for (const needsEscalation of [true, false, true]) {
			chat.needsEscalation = needsEscalation;
			const { events } = await trigger.poll();
			for (const { recordId, previousStatus, status } of events ?? []) {
				expect(recordId).toBe(chat.id);
				emitted.push(`${previousStatus as string}>${status as string}`);
			}
		}
		expect(emitted).toEqual([
			'NOT_ESCALATED>ESCALATED',
			'ESCALATED>NOT_ESCALATED',
			'NOT_ESCALATED>ESCALATED',
		]);
	});
});

describe('filters', () => {
	it('only records with a chosen status emit events', async () => {
		const trigger = await harness.publish({ ...TICKETS, ticketStatuses: ['CLOSED'] });
		const [one, other] = [anyTicket(0), anyTicket(1)];
		one.status = 'RESOLVED';
		other.status = other.status === 'OPEN' ? 'IN_PROGRESS' : 'OPEN';
		await trigger.poll();
		const change = close(one);
		expect(ticketChanges((await trigger.poll()).events)).toEqual([change]);
	});

	const CONTACT = { contactId: { __rl: true, mode: 'id', value: 'C1' } };

	it('a filter that is not shown for the chosen events has no effect', async () => {
		await harness.publish({
			events: ['importJobStatusChanged', 'broadcastStatusChanged'],
			filters: CONTACT,
		});
		const filtered = harness.sandbox.requests.map(({ query }) => query.contactId);
		expect(new Set(filtered)).toEqual(new Set([undefined]));
	});

	it('a filter applies although the chosen event is the default, which n8n does not save', async () => {
		await harness.publish({ filters: CONTACT });
		const filtered = harness.sandbox.requests.map(({ query }) => query.contactId);
		expect(new Set(filtered)).toEqual(new Set(['C1']));
	});

	it('a filter that applies to none of the events of an expression is rejected', async () => {
		await expect(
			harness.publish({ events: "={{ ['broadcastStatusChanged'] }}", filters: CONTACT }),
		).rejects.toThrow('The filter Contact does not apply to the events you chose');
	});

	it('only tickets of the chosen agent emit events, and a new agent is not an event', async () => {
		const { world } = harness.sandbox;
		const [agent, other] = [...world.users.newestFirst()];
		const [kept, given] = [anyTicket(0), anyTicket(1)];
		kept.assigneeId = agent!.id;
		given.assigneeId = agent!.id;
		const trigger = await harness.publish({
			...TICKETS,
			filters: { agentId: { __rl: true, mode: 'id', value: agent!.id } },
		});
		given.assigneeId = other!.id;
		expect((await trigger.poll()).events).toBeNull();
		close(given);
		const change = close(kept);
		expect(ticketChanges((await trigger.poll()).events)).toEqual([change]);
	});
});

describe('several events', () => {
	it('several events are emitted together, and need one request each', async () => {
		const { world } = harness.sandbox;
		const trigger = await harness.publish({
			events: [
				'ticketStatusChanged',
				'chatEscalationChanged',
				'broadcastStatusChanged',
				'importJobStatusChanged',
			],
		});
		expect((await trigger.poll()).requests.sort()).toEqual([
			'GET /broadcasts',
			'GET /chats',
			'GET /contacts/imports',
			'GET /tickets',
		]);
		close(anyTicket());
		world.chats.find(({ needsEscalation }) => !needsEscalation)!.needsEscalation = true;
		const { events } = await trigger.poll();
		expect(events!.map(({ event }) => event).sort()).toEqual([
			'chatEscalationChanged',
			'ticketStatusChanged',
		]);
	});

	it('an event that is added starts with a first poll of its own, and the others continue', async () => {
		const trigger = await harness.publish(TICKETS);
		const change = close(anyTicket());
		const more = { events: ['ticketStatusChanged', 'broadcastStatusChanged'] };
		const { saved } = trigger.poller;
		const wider = harness.restart({
			...trigger,
			poller: { file: triggerWorkflow(more), saved } as Poller,
		});
		const { events } = await wider.poll();
		expect(events).toHaveLength(1);
		expect(ticketChanges(events)).toEqual([change]);
	});

	it('an outage of one list delays no events of the others', async () => {
		const trigger = await harness.publish({
			events: ['ticketStatusChanged', 'broadcastStatusChanged'],
		});
		const change = close(anyTicket());
		const matches = ({ path }: { path: string }) => path === '/broadcasts';
		harness.sandbox.faults.add({ kind: 'status', status: 503 }, { matches, times: 3 });
		expect(ticketChanges((await trigger.poll()).events)).toEqual([change]);
	});
});

describe('n8n without durable cursors', () => {
	it('a restart loses no event and repeats none', async () => {
		const trigger = await harness.publish(TICKETS);
		expect(await trigger.poll()).toMatchObject({ events: null });
		const first = close(anyTicket(0));
		expect(ticketChanges((await trigger.poll()).events)).toEqual([first]);
		const second = close(anyTicket(0));
		const again = harness.restart(trigger);
		expect(ticketChanges((await again.poll()).events)).toEqual([second]);
		expect((await again.poll()).events).toBeNull();
	});

	it('an event that n8n could not save is emitted again with the same eventId', async () => {
		const trigger = await harness.publish(TICKETS);
		const { saved } = trigger.poller;
		close(anyTicket());
		const { events } = await trigger.poll();
		// The process dies before the state is in the database.
		trigger.poller.saved = saved;
		const again = await harness.restart(trigger).poll();
		expect(again.events!.map(({ eventId }) => eventId)).toEqual(
			events!.map(({ eventId }) => eventId),
		);
	});

	it('a changed filter emits no events for earlier changes', async () => {
		const trigger = await harness.publish({ ...TICKETS, ticketStatuses: ['RESOLVED'] });
		for (let i = 0; i < 4; i++) close(anyTicket(0));
		// Excluded by the filter: no event, and so n8n saves nothing.
		expect((await trigger.poll()).events).toBeNull();
		const wider = harness.restart({
			...trigger,
			poller: { file: triggerWorkflow(TICKETS), saved: trigger.poller.saved } as Poller,
		});
		expect((await wider.poll()).events).toBeNull();
		const change = close(anyTicket(0));
		expect(ticketChanges((await wider.poll()).events)).toEqual([change]);
	});
});

const describeDurable = HAS_DURABLE_CURSORS ? describe : describe.skip;

describeDurable('n8n with durable cursors', () => {
	it('the state of a poll without events is saved', async () => {
		const trigger = await harness.publish(
			{ ...TICKETS, ticketStatuses: ['CLOSED'] },
			{ durable: true },
		);
		await trigger.poll();
		const before = trigger.poller.saved;
		anyTicket().status = anyTicket().status === 'OPEN' ? 'RESOLVED' : 'OPEN';
		expect((await trigger.poll()).events).toBeNull();
		expect(trigger.poller.saved).not.toBe(before);
		const change = close(anyTicket());
		const again = harness.restart(trigger, { durable: true });
		expect(ticketChanges((await again.poll()).events)).toEqual([change]);
	});

	it('the state of a poll that fails is not saved', async () => {
		const trigger = await harness.publish(TICKETS, { durable: true });
		await trigger.poll();
		const before = trigger.poller.saved;
		harness.sandbox.faults.add({ kind: 'status', status: 401 });
		expect((await trigger.poll()).error?.httpCode).toBe('401');
		expect(trigger.poller.saved).toBe(before);
	});
});

describe('saved state that does not belong to this trigger', () => {
	const saved = async () => (await harness.publish(TICKETS)).poller.saved;

	const after = async (text: string, workflowId?: string, options: IDataObject = {}) => {
		for (let i = 0; i < 5; i++) close(anyTicket(0));
		const credential = {
			baseUrl: harness.sandbox.baseUrl,
			apiToken: harness.sandbox.tokens.all.value,
			...options,
		};
		const file = triggerWorkflow(TICKETS, workflowId);
		return await new Poller(harness.engine, file, { credential, saved: text }).tick();
	};

	it('the state of another workflow, from which this one was copied, is discarded', async () => {
		expect(await after(await saved(), 'another')).toEqual({ items: null });
	});

	it('the state is kept if the credential gets another token of the same organization', async () => {
		const { value } = harness.sandbox.tokens.readOnly;
		expect((await after(await saved(), undefined, { apiToken: value })).items).toHaveLength(5);
	});

	it('the state of another base URL is discarded', async () => {
		const baseUrl = harness.sandbox.baseUrl.replace('127.0.0.1', 'localhost');
		expect(baseUrl).not.toBe(harness.sandbox.baseUrl);
		expect(await after(await saved(), undefined, { baseUrl })).toEqual({ items: null });
	});

	it.each([
		['damaged', '{"node:Trigger":{"state":"{\\"version\\":1,\\"kinds\\":{\\"ticketSta"}}'],
		['of another version', '{"node:Trigger":{"state":"{\\"version\\":0}"}}'],
		['written by hand', '{"node:Trigger":{"state":{"tickets":["T1"]},"lastPoll":1}}'],
	])('a state that is %s is discarded', async (_what, text) => {
		expect(await after(text)).toEqual({ items: null });
	});

	it('the state of this trigger is used', async () => {
		expect((await after(await saved())).items).toHaveLength(5);
	});
});

describe('a service that fails', () => {
	const fail = (status: number, times: number) =>
		harness.sandbox.faults.add({ kind: 'status', status }, { times });

	it.each([429, 500, 503])(
		'a short outage (%d) does not fail the execution, and no event is lost',
		async (status) => {
			const trigger = await harness.publish(TICKETS);
			const change = close(anyTicket());
			fail(status, 3);
			expect(await trigger.poll()).toMatchObject({ events: null, error: undefined });
			harness.sandbox.faults.clear();
			minute();
			minute();
			expect(ticketChanges((await trigger.poll()).events)).toEqual([change]);
		},
	);

	it('a long outage fails the execution with the service’s message, and no event is lost', async () => {
		const trigger = await harness.publish(TICKETS);
		const change = close(anyTicket());
		fail(503, 1_000);
		for (let i = 0; i < 4; i++) expect((await trigger.poll()).error).toBeUndefined();
		const { error } = await trigger.poll();
		expect(error?.message).toMatch(/^The service did not complete "Watch tickets"/);
		expect(error?.description).toContain('5 polls in a row');
		harness.sandbox.faults.clear();
		expect(ticketChanges((await trigger.poll()).events)).toEqual([change]);
	});

	const rejectOnce = (retryAfter: string) =>
		harness.sandbox.faults.add({
			kind: 'status',
			status: 429,
			headers: { 'retry-after': retryAfter },
		});

	it('a poll whose window is used up waits for the next one', async () => {
		const trigger = await harness.publish(TICKETS);
		const quiet = await trigger.poll();
		rejectOnce('60');
		const before = time.clock.now();
		const { requests } = await trigger.poll();
		expect(requests).toEqual(['GET /tickets', ...quiet.requests]);
		expect(time.clock.now() - before).toBeGreaterThanOrEqual(60_000);
	});

	it('a longer pause ends the poll at once', async () => {
		const trigger = await harness.publish(TICKETS);
		rejectOnce('120');
		const before = time.clock.now();
		const { requests } = await trigger.poll();
		expect(requests).toEqual(['GET /tickets']);
		expect(time.clock.now() - before).toBeLessThan(5_000);
		// The rate limiter is paused: the next poll sends nothing.
		expect((await trigger.poll()).requests).toEqual([]);
	});

	it.each([
		['an unknown token', 401, /Unauthorized/, /dashboard/],
		['a token without the permission', 403, /Forbidden/, /tickets\.view/],
	])('%s fails the execution at once', async (_what, status, message, description) => {
		const trigger = await harness.publish(TICKETS);
		fail(status, 2);
		const { error } = await trigger.poll();
		expect(error?.message).toMatch(message);
		expect(error?.description).toMatch(description);
	});

	it('a rejected token keeps the workflow from being published', async () => {
		const credential = {
			baseUrl: harness.sandbox.baseUrl,
			apiToken: harness.sandbox.tokens.expired.value,
		};
		await expect(harness.publish(TICKETS, { credential })).rejects.toThrow(/403 Forbidden/);
	});

	const itWithBudget = HAS_DURABLE_CURSORS ? it : it.skip;

	itWithBudget('a poll ends within the time that n8n gives it', async () => {
		const trigger = await harness.publish(TICKETS);
		const patient = harness.restart(trigger, { budgetMs: 200 });
		time.restore();
		harness.sandbox.faults.add({ kind: 'hang' }, { times: 10 });
		const set = jest.spyOn(ClientRequest.prototype, 'setTimeout');
		expect(await patient.poll()).toMatchObject({ events: null, error: undefined });
		const times = set.mock.calls.map(([ms]) => ms);
		set.mockRestore();
		expect(times).toEqual([expect.any(Number)]);
		expect(times[0]).toBeGreaterThan(0);
		expect(times[0]).toBeLessThanOrEqual(200);
	});
});

describe('polls that overlap', () => {
	it('the later of two overlapping polls emits nothing', async () => {
		const trigger = await harness.publish(TICKETS);
		const change = close(anyTicket());
		const other = harness.restart(trigger);
		harness.sandbox.faults.add({ kind: 'latency', ms: 100 });
		const [first, second] = await Promise.all([trigger.poll(), other.poll()]);
		expect(ticketChanges(first.events)).toEqual([change]);
		expect(second.events).toBeNull();
	});

	it('two main instances emit the same event with the same ID', async () => {
		const trigger = await harness.publish(TICKETS);
		const other = harness.restart(trigger);
		close(anyTicket());
		const ids = [await trigger.poll(), await other.poll()].map(({ events }) => events![0]!.eventId);
		expect(ids[0]).toBe(ids[1]);
	});
});

describe('Fetch Test Event', () => {
	const fetchEvent = async (parameters: INodeParameters, staticData?: IDataObject) => {
		const run = await harness.engine.run(
			{
				name: 'Try',
				nodes: [actionNode('Trigger', parameters, TRIGGER_NODE)],
				connections: {},
			},
			{
				credential: {
					baseUrl: harness.sandbox.baseUrl,
					apiToken: harness.sandbox.tokens.all.value,
				},
				staticData,
			},
		);
		return {
			events: outputOf(run, 'Trigger').map(({ json }) => json),
			error: run.data.resultData.error as { message: string; description?: string } | undefined,
		};
	};

	it('the test event shows the newest record in the shape of an event', async () => {
		minute();
		const ticket = harness.sandbox.world.addTicket({ title: 'Newest' });
		const { events } = await fetchEvent(TICKETS);
		expect(events).toEqual([
			{
				event: 'ticketStatusChanged',
				eventId: `ticketStatusChanged:${ticket.id}:test:0:OPEN`,
				recordId: ticket.id,
				previousStatus: null,
				status: 'OPEN',
				detectedAt: new Date(time.clock.now()).toISOString(),
				record: expect.objectContaining({ title: 'Newest' }) as object,
			},
		]);
	});

	it('the test shows one record of each chosen event, with a chosen status', async () => {
		const { events } = await fetchEvent({
			events: ['ticketStatusChanged', 'chatEscalationChanged', 'broadcastStatusChanged'],
			ticketStatuses: ['CLOSED'],
			chatStatuses: ['NOT_ESCALATED'],
			broadcastStatuses: ['PARTIAL', 'COMPLETED'],
			includeDetails: true,
		});
		expect(events.map(({ event, status }) => [event, status])).toEqual([
			['broadcastStatusChanged', 'PARTIAL'],
			['chatEscalationChanged', 'NOT_ESCALATED'],
			['ticketStatusChanged', 'CLOSED'],
		]);
		expect(events[0]!.record).toHaveProperty('statistics');
	});

	it('the test changes neither the saved state nor the service', async () => {
		const trigger = await harness.publish(TICKETS);
		const change = close(anyTicket());
		const { saved } = trigger.poller;
		const staticData = JSON.parse(saved) as IDataObject;
		const before = stateOf(harness.sandbox.world);
		expect((await fetchEvent(TICKETS, staticData)).events).toHaveLength(1);
		expect(staticData).toEqual(JSON.parse(saved));
		expect(stateOf(harness.sandbox.world)).toEqual(before);
		expect(ticketChanges((await trigger.poll()).events)).toEqual([change]);
	});

	it('the test says so if there is no record to show', async () => {
		const { events, error } = await fetchEvent({ events: ['importJobStatusChanged'] });
		expect(events).toEqual([]);
		expect(error?.message).toBe('No import job matches your selection');
		expect(error?.description).toMatch(/^Create one in the service/);
	});
});

describe('parameters', () => {
	it.each([
		['no event is chosen', [], 'Events is empty'],
		[
			'an event is chosen that does not exist',
			['tickets'],
			'Events expects one of broadcastStatusChanged, chatEscalationChanged, importJobStatusChanged, messageReceived, ticketStatusChanged, but got "tickets"',
		],
	])('publishing is rejected if %s', async (_what, events, message) => {
		await expect(harness.publish({ events })).rejects.toThrow(message);
	});

	it('the events may come from an expression', async () => {
		const trigger = await harness.publish({ events: '={{ ["ticketStatusChanged"] }}' });
		const change = close(anyTicket());
		expect(ticketChanges((await trigger.poll()).events)).toEqual([change]);
	});
});
