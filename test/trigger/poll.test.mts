/** A poll as n8n calls it: which requests, what is saved and when, what fails, and what it takes. */
import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import {
	poll as pollTrigger,
	RATE_LIMIT_WAIT_MS,
	READING_MS,
} from '../../nodes/ConversationalMessaging/trigger/poll.ts';
import { decode } from '../../nodes/ConversationalMessaging/trigger/state.ts';
import { NODE } from '../support/node.mts';
import { useFakeTime } from '../support/time.mts';
import { FakeHost } from './host.mts';

/** The longest poll. */
const POLL_MS = READING_MS + RATE_LIMIT_WAIT_MS;

const time = useFakeTime();
let host: FakeHost;
beforeEach(() => {
	host = new FakeHost();
});

/** Lets all requests be sent that may be sent now: one after another. */
async function allSent(): Promise<void> {
	for (let n = 0; n < 10; n++) await new Promise((resolve) => setImmediate(resolve));
}

async function take20Seconds(): Promise<void> {
	await allSent();
	time.clock.advance(20_000);
}

const TICKETS = 'ticketStatusChanged';
const BROADCASTS = 'broadcastStatusChanged';
const CHATS = 'chatEscalationChanged';

/** "R1 OPEN>CLOSED" for each event; null if there are none. */
async function poll(): Promise<string[] | null> {
	const events = (await host.poll()) as Record<string, string | null>[] | null;
	return (
		events &&
		events.map(
			({ recordId, previousStatus, status }) =>
				`${recordId!} ${previousStatus ?? 'new'}>${status!}`,
		)
	);
}

const checkpointOf = (event: string) => decode(host.staticData.state).sources[event]!;

/** Requests that the service rejects, from now on. */
const reject = (statusCode: number, path = '', headers: Record<string, string> = {}) => {
	host.onRequest = (request) => (request.startsWith(path) ? { statusCode, headers } : undefined);
};

describe('the events of a poll', () => {
	test('their IDs are others than those of another trigger that was published at the same time', async () => {
		const ids = [];
		for (const random of [0.25, 0.75]) {
			host = new FakeHost();
			time.randomValue = random;
			const ticket = host.tickets.make('OPEN');
			await poll();
			host.tickets.change(ticket, 'CLOSED');
			ids.push((await host.poll())![0]!.eventId);
		}
		expect(ids[0]).toMatch(/^ticketStatusChanged:R1:\w{8,}:1:CLOSED$/);
		expect(ids[1]).not.toBe(ids[0]);
	});
});

describe('the saved state', () => {
	test('is assigned once, after the last request, and only if it has changed', async () => {
		const log: string[] = [];
		let state: unknown;
		Object.defineProperty(host.staticData, 'state', {
			get: () => state,
			set: (value) => {
				state = value;
				log.push('state');
			},
		});
		host.onRequest = (request) => {
			const [what] = request.split('?');
			if (log.at(-1) !== what) log.push(what!);
		};
		host.parameters.events = [TICKETS, BROADCASTS];
		host.parameters.includeDetails = true;
		const pollLog = async () => {
			log.length = 0;
			await poll();
			return log;
		};
		const ticket = host.tickets.make('OPEN');
		expect(await pollLog()).toStrictEqual(['broadcasts', 'tickets', 'state']);
		expect(await pollLog()).toStrictEqual(['broadcasts', 'tickets']);
		host.tickets.change(ticket, 'CLOSED');
		expect(await pollLog()).toStrictEqual(['broadcasts', 'tickets', 'tickets/R1', 'state']);
	});

	test.each<[what: string, isSame: boolean, change: () => void]>([
		['another workflow, as after copying it', false, () => (host.workflowId = 'other')],
		['a workflow that was never saved', false, () => (host.workflowId = undefined)],
		['another node', false, () => (host.node = { ...NODE, id: '2' })],
		['another name of the node', true, () => (host.node = { ...NODE, name: 'Renamed' })],
		['another token', true, () => (host.credential.apiToken = 'wa_pk_two')],
		['another credential', false, () => (host.credentialId = '2')],
		[
			'another base URL',
			false,
			() => (host.credential.baseUrl = 'https://other.example.com/api/v2'),
		],
		['a filter', false, () => (host.parameters.filters = { agentId: 'A1' })],
		['other statuses', true, () => (host.parameters.ticketStatuses = ['CLOSED', 'OPEN'])],
		['another event as well', true, () => (host.parameters.events = [BROADCASTS, TICKETS])],
	])('with %s, it is used: %j', async (_what, isSame, change) => {
		const ticket = host.tickets.make('OPEN');
		await poll();
		change();
		host.tickets.change(ticket, 'CLOSED');
		expect(await poll()).toStrictEqual(isSame ? ['R1 OPEN>CLOSED'] : null);
	});

	test('belongs to the name of the node, if older workflows have no ID of it', async () => {
		host.node = { ...NODE, id: '' };
		const ticket = host.tickets.make('OPEN');
		await poll();
		host.tickets.change(ticket, 'CLOSED');
		expect(await poll()).toStrictEqual(['R1 OPEN>CLOSED']);
		host.node = { ...host.node, name: 'Another' };
		host.tickets.change(ticket, 'OPEN');
		expect(await poll()).toBeNull();
	});
});

describe('a poll that fails', () => {
	test.each<[when: string, change: () => void]>([
		['at publishing', () => (host = new FakeHost())],
		['once another event is added', () => (host.parameters.events = [TICKETS, BROADCASTS])],
		['once a filter is changed', () => (host.parameters.filters = { agentId: 'A1' })],
	])('%s, throws: a restart would lose what a later poll records', async (_when, change) => {
		await poll();
		change();
		reject(503);
		await expect(poll()).rejects.toMatchObject({
			httpCode: '503',
			description: expect.stringMatching(/Publish again once the service responds\.$/),
		});
		host.onRequest = () => undefined;
		expect(await poll()).toBeNull();
	});

	test('is silent otherwise, and nothing is lost', async () => {
		const ticket = host.tickets.make('OPEN');
		await poll();
		host.tickets.change(ticket, 'CLOSED');
		reject(503);
		for (let i = 0; i < 4; i++) expect(await poll()).toBeNull();
		host.onRequest = () => undefined;
		expect(await poll()).toStrictEqual(['R1 OPEN>CLOSED']);
	});

	test('with templates that all show no status, it throws with the names of their fields, and the next one goes on', async () => {
		host.parameters.events = ['templateStatusChanged'];
		await poll();
		const [one, other] = host.templates.makeAll(['APPROVED', 'APPROVED']);
		host.templates.showsStatus = false;
		const error = await poll().catch((thrown: unknown) => thrown);
		expect(error).toMatchObject({
			message: 'The templates in the service’s list show no ID or no status',
			description:
				'Without them, no change can be recognized. The fields of the first one are: id, createdAt, assigneeId.',
		});
		host.templates.showsStatus = true;
		expect(await poll()).toStrictEqual([`${other!.id} new>APPROVED`, `${one!.id} new>APPROVED`]);
	});

	test('with the only import job, which shows no status, it does not: one broken record holds up no other', async () => {
		host.parameters.events = [TICKETS, 'importJobStatusChanged'];
		host.importJobs.make('queued');
		host.importJobs.showsStatus = false;
		expect(await poll()).toBeNull();
		host.tickets.make('OPEN');
		expect(await poll()).toStrictEqual(['R1 new>OPEN']);
	});

	test('if the service responds without the record, the event has what the list shows', async () => {
		host.parameters.includeDetails = true;
		const ticket = host.tickets.make('OPEN');
		await poll();
		host.tickets.change(ticket, 'CLOSED');
		reject(200, 'tickets/');
		const [event] = (await host.poll())!;
		expect(event).toMatchObject({ record: { id: 'R1' }, detailsFetched: false });
	});

	test('the events of the other kinds are returned; it throws only if there are none', async () => {
		host.parameters.events = [TICKETS, BROADCASTS];
		await poll();
		host.broadcasts.make('QUEUED');
		reject(403, 'tickets');
		expect(await poll()).toStrictEqual(['R1 new>QUEUED']);
		// Meanwhile, only the log shows it.
		expect(host.logged).toStrictEqual([
			expect.stringMatching(
				/^warn .*: Not all tickets could be read, so changes are emitted later/,
			),
		]);
		await expect(poll()).rejects.toMatchObject({ httpCode: '403' });
		host.onRequest = () => undefined;
		expect(await poll()).toBeNull();
		expect(host.logged[1]).toMatch(/^info .*: All tickets could be read again/);
	});
});

test('that polls have too few requests for all events is logged once, but not while the first poll has used up the window', async () => {
	host.windowSize = 60;
	for (let i = 0; i < 7_000; i++) host.tickets.make('CLOSED');
	host.parameters.events = [TICKETS, BROADCASTS];
	const turns = () => host.logged.filter((line) => line.includes('for all events'));
	await poll();
	time.clock.advance(5_000);
	await poll();
	expect(turns()).toStrictEqual([]);
	for (let i = 0; i < 10; i++) {
		time.clock.advance(10_000);
		await poll();
	}
	expect(turns()).toStrictEqual([
		expect.stringMatching(/^warn .*: Half of the rate limit is not enough/),
	]);
});

test('with a poll every two hours, events take turns too', async () => {
	host.windowSize = 20;
	host.parameters.events = [BROADCASTS, TICKETS];
	for (let i = 0; i < 4; i++) {
		await poll();
		time.clock.advance(2 * 60 * 60_000);
	}
	expect(host.requests.filter((request) => request.startsWith('tickets?'))).toHaveLength(8);
	expect(host.logged).toStrictEqual([expect.stringMatching(/They take turns/)]);
});

test('an event that needs more requests than half of the rate limit has its turn, too', async () => {
	host.windowSize = 20;
	host.parameters.events = [TICKETS, CHATS];
	host.chats.makeAll(Array.from({ length: 1_500 }, () => 'ESCALATED'));
	for (let i = 0; i < 8; i++) {
		if (i === 2) host.requests.length = 0;
		await poll();
		time.clock.advance(60_000);
	}
	expect(new Set(host.requests.map((request) => request.replace(/\?.*/, '')))).toStrictEqual(
		new Set(['tickets', 'chats']),
	);
});

test.each([
	[30, 60_000],
	[150, 60_000],
	[150, 15_000],
])(
	'without totals, %d escalated chats keep no other event from a poll every %d ms',
	async (count, everyMs) => {
		host.windowSize = 1_000;
		const item = Array.from({ length: 60_000 / everyMs }, () => ({ mode: 'custom' }));
		Object.assign(host.parameters, { events: [TICKETS, CHATS], pollTimes: { item } });
		host.chats.hasMeta = false;
		host.chats.makeAll(Array.from({ length: count }, () => 'ESCALATED'));
		for (let i = 0; i < 8; i++) {
			host.requests.length = 0;
			await poll();
			const lists = ['tickets?', 'chats?'].filter((list) => host.requests.join().includes(list));
			expect([i, ...lists]).toStrictEqual([i, 'tickets?', 'chats?']);
			time.clock.advance(everyMs);
		}
		expect(host.logged).toStrictEqual([]);
	},
);

describe('polls that overlap', () => {
	test('that of another node does not wait', async () => {
		let open: () => void = () => undefined;
		const gate = new Promise<void>((resolve) => (open = resolve));
		host.onRequest = async () => await gate;
		const held = host.poll();
		host.node = { ...NODE, id: '2' };
		const other = host.poll();
		await allSent();
		expect(host.requests).toHaveLength(8);
		open();
		expect([await held, await other]).toStrictEqual([null, null]);
	});

	test('one that is older than its time does not block the next one, and has no effect', async () => {
		await poll();
		const first = host.tickets.make('OPEN');
		let read: (credential: IDataObject) => void = () => undefined;
		const credential = new Promise<IDataObject>((resolve) => (read = resolve));
		const context = { ...host.context(), getCredentials: async () => await credential };
		const stuck = pollTrigger(context as IPollFunctions);
		time.clock.advance(POLL_MS - 1);
		expect([await poll(), host.logged]).toStrictEqual([null, []]);
		time.clock.advance(1);
		expect(await poll()).toStrictEqual([`${first.id} new>OPEN`]);
		expect(host.logged).toStrictEqual([expect.stringMatching(/This poll takes over/)]);
		const { state } = host.staticData;
		host.tickets.change(first, 'CLOSED');
		read(host.credential);
		expect(await stuck).toBeNull();
		expect(host.staticData.state).toBe(state);
		expect(await poll()).toStrictEqual([`${first.id} OPEN>CLOSED`]);
	});
});

describe('the time that a poll takes', () => {
	// Two readings: page 1, then the other three at once; and all four at once.
	const LONGEST = [0, 20, 20, 20, 80, 80, 80, 80]
		.map((seconds) => Math.min(30_000, POLL_MS - seconds * 1000))
		.filter((ms) => ms > 0);

	test.each<[budgetMs: unknown, timeouts: number[]]>([
		// Versions of n8n without a time limit.
		[undefined, LONGEST],
		[60_000, [30_000, 30_000, 30_000, 30_000]],
		[40_000, [30_000, 20_000, 20_000, 20_000]],
		[25_000, [25_000, 5_000, 5_000, 5_000]],
		[NaN, LONGEST],
	])('of %j milliseconds, requests that take 20 s may take %j', async (budgetMs, timeouts) => {
		host.budgetMs = budgetMs;
		host.parameters.events = ['chatEscalationChanged'];
		host.chats.makeAll(Array.from({ length: 301 }, () => 'ESCALATED'));
		host.onRequest = take20Seconds;
		await poll();
		expect(host.timeouts).toStrictEqual(timeouts);
	});

	const LONGEST_WAIT_S = Math.max(RATE_LIMIT_WAIT_MS, POLL_MS / 2) / 1000;

	test.each<[budgetMs: number | undefined, retryAfter: number, waits: boolean]>([
		[undefined, LONGEST_WAIT_S - 1, true],
		[undefined, LONGEST_WAIT_S + 1, false],
		[60_000, 30, true],
		[60_000, 31, false],
		[10_000, 5, true],
		[10_000, 6, false],
	])(
		'of %j milliseconds, all but 45 s, or half, may be a wait for the rate limit: %j seconds, %j',
		async (budgetMs, retryAfter, waits) => {
			host.budgetMs = budgetMs;
			host.parameters.events = ['chatEscalationChanged'];
			const headers = { 'retry-after': String(retryAfter) };
			host.onRequest = (_request, number) =>
				number === 1 ? { statusCode: 429, headers } : undefined;
			if (waits) expect(await poll()).toBeNull();
			else await expect(poll()).rejects.toMatchObject({ httpCode: '429' });
			expect(host.requests).toHaveLength(waits ? 2 : 1);
			expect(checkpointOf('chatEscalationChanged').failures).toBe(waits ? 0 : 1);
		},
	);
});

describe('Fetch Test Event', () => {
	beforeEach(() => {
		host.mode = 'manual';
	});

	test('is fetched while a poll is running', async () => {
		host.tickets.make('OPEN');
		host.mode = 'trigger';
		let open: () => void = () => undefined;
		const gate = new Promise<void>((resolve) => (open = resolve));
		host.onRequest = async (_request, number) => {
			if (number === 1) await gate;
		};
		const held = host.poll();
		host.mode = 'manual';
		// One of two kinds has none, so it is an example.
		host.parameters = { ...host.parameters, events: [TICKETS, BROADCASTS] };
		expect(await poll()).toStrictEqual(['example new>COMPLETED', 'R1 new>OPEN']);
		open();
		expect(await held).toBeNull();
	});

	test.each([
		[2, true],
		[3, false],
	])('waits %i seconds for the rate limit: %j', async (retryAfter, waits) => {
		host.tickets.make('OPEN');
		const headers = { 'retry-after': String(retryAfter) };
		host.onRequest = (_request, number) =>
			number === 1 ? { statusCode: 429, headers } : undefined;
		const shown = poll();
		if (waits) expect(await shown).toStrictEqual(['R1 new>OPEN']);
		else await expect(shown).rejects.toMatchObject({ httpCode: '429' });
	});

	test('ends after 45 seconds', async () => {
		Object.assign(host.parameters, { events: ['importJobStatusChanged'], includeDetails: true });
		host.importJobs.make('queued');
		host.onRequest = take20Seconds;
		await poll();
		expect(host.timeouts).toStrictEqual([30_000, 25_000]);
	});
});
