import { setTimeout as sleep } from 'node:timers/promises';
import axios from 'axios';
import type { INode } from 'n8n-workflow';
import {
	actionNode,
	builtIn,
	byId,
	linearWorkflow,
	triggerWorkflow,
} from '../../tools/engine/workflows.mts';
import type { SandboxSettings } from '../../sandbox/options.mts';
import type { Contact, Ticket } from '../../sandbox/records.mts';
import type { ReceivedRequest } from '../../sandbox/server.mts';
import { EndToEnd, type Execution, isEnded, type Saved, waitFor } from '../e2e/harness.mts';
import { type Database, startPostgres, startRedis } from './databases.mts';
import type { N8nWorker } from '../e2e/n8nServer.mts';

export const ROUTINGS = 400;
export const BULKS = 100;
export const CONTACTS_PER_BULK = 20;

/** Parallel requests for executions. */
const CALLERS = 10;

/** How long the killed worker is away, as if until a process manager restarts it. */
const DEAD_MS = 5_000;

/** The longest time for everything, in seconds. */
const WITHIN_S = 20 * 60;

const POLL_INTERVAL_MS = 60_000;

/** The longest time for a poll while the rate limit delays it. */
const POLLED_WITHIN_S = 10 * 60;

const webhook = (path: string): INode => ({
	...builtIn('Webhook', 'webhook', { httpMethod: 'POST', path }, 2),
	webhookId: path,
});

/** Routes one ticket, as the routing example does, and marks everything with the execution's ID. */
const ROUTE = linearWorkflow(
	'Route a ticket',
	webhook('route'),
	actionNode('Ticket', {
		resource: 'ticket',
		operation: 'get',
		ticketId: byId('={{ $json.body.ticketId }}'),
	}),
	actionNode('Assign', {
		resource: 'ticket',
		operation: 'update',
		ticketId: byId('={{ $json.id }}'),
		updateFields: {
			agentId: byId("={{ $('Webhook').item.json.body.agentId }}"),
			status: 'IN_PROGRESS',
		},
	}),
	actionNode('Note', {
		resource: 'ticket',
		operation: 'addNote',
		ticketId: byId("={{ $('Ticket').item.json.id }}"),
		body: '=Routed by {{ $execution.id }}',
	}),
	actionNode('Contact', {
		resource: 'contact',
		operation: 'get',
		contactId: byId("={{ $('Ticket').item.json.contactId }}"),
	}),
	actionNode('Message', {
		resource: 'message',
		operation: 'send',
		channel: 'WHATSAPP',
		to: byId('={{ $json.waId }}'),
		type: 'template',
		templateId: byId('ticket_update en_US'),
		agentId: byId("={{ $('Webhook').item.json.body.agentId }}"),
		options: {
			takeOver: true,
			templateComponents:
				"={{ [{ type: 'body', parameters: [$json.name, $('Ticket').item.json.ticketNumber, $execution.id].map((text) => ({ type: 'text', text: String(text) })) }] }}",
		},
	}),
);

/** Updates twenty contacts, one item each. */
const BULK = linearWorkflow(
	'Update contacts',
	webhook('bulk'),
	builtIn('Split Out', 'splitOut', { fieldToSplitOut: 'body.contactIds' }, 1),
	actionNode('Update', {
		resource: 'contact',
		operation: 'update',
		contactId: byId("={{ $json['body.contactIds'] }}"),
		updateFields: { name: '=Updated by {{ $execution.id }}' },
	}),
);

const TRIGGER = triggerWorkflow({ events: ['ticketStatusChanged'] });

/** The message of a routing: its third variable is the execution's ID. */
interface RoutingMessage {
	templateComponents: [{ parameters: [unknown, unknown, { text: string }] }];
}

/** The part of an event that identifies the change. */
interface Event {
	eventId: string;
	recordId: string;
	previousStatus: string;
	status: string;
	/** When the trigger found it, in ISO 8601. */
	detectedAt: string;
}

/**
 * n8n in queue mode: a main process and two workers on PostgreSQL and Redis, and a service whose rate limit is on for
 * every route.
 */
export class Queue {
	/** Each to be routed once, with a separate contact. */
	readonly tickets: Ticket[];
	/** Each to be updated once. */
	readonly contacts: Contact[];
	/** When each ticket changed, by its ID, in milliseconds since the epoch. */
	private readonly changedAt = new Map<string, number>();
	/** What the executions of the trigger started with, by their IDs. */
	private readonly emitted = new Map<string, Event[]>();

	private constructor(
		readonly e2e: EndToEnd,
		readonly workers: [N8nWorker, N8nWorker],
		private readonly saved: Record<'route' | 'bulk' | 'trigger', Saved>,
		private readonly databases: Database[],
	) {
		const { world } = e2e.sandbox;
		const onWhatsApp = world.contacts.filter(({ waId }) => waId !== null).slice(0, ROUTINGS);
		const theirs = new Set(onWhatsApp);
		this.tickets = onWhatsApp.map((contact) =>
			world.addTicket({ title: 'Parcel lost', contactId: contact.id, priority: 'URGENT' }),
		);
		this.contacts = world.contacts
			.filter((contact) => !theirs.has(contact))
			.slice(0, BULKS * CONTACTS_PER_BULK);
	}

	static async start(service: SandboxSettings): Promise<Queue> {
		const databases = [await startPostgres(), await startRedis()];
		const env: NodeJS.ProcessEnv = { EXECUTIONS_MODE: 'queue' };
		for (const database of databases) Object.assign(env, database.env);
		const e2e = await EndToEnd.start(service, env);
		const workers: [N8nWorker, N8nWorker] = [await e2e.n8n.worker(), await e2e.n8n.worker()];
		const saved = {
			route: await e2e.save(ROUTE),
			bulk: await e2e.save(BULK),
			trigger: await e2e.save(TRIGGER),
		};
		const queue = new Queue(e2e, workers, saved, databases);
		for (const each of Object.values(saved)) await e2e.publish(each);
		return queue;
	}

	async close(): Promise<void> {
		await this.e2e.close();
		for (const database of this.databases) await database.close();
	}

	/**
	 * Requests all executions, kills the first worker in the middle of them, restarts it, and waits until nothing is
	 * running.
	 *
	 * @returns how long it took until the last one succeeded, in seconds
	 */
	async run(): Promise<number> {
		const started = Date.now();
		const timer = setInterval(() => this.recordChanges(), 250);
		try {
			await this.requestAll();
			await Promise.all([this.killInTheMiddle(), this.allEnded(started)]);
		} finally {
			clearInterval(timer);
		}
		const succeeded = (await this.requested()).filter(({ status }) => status === 'success');
		return (Math.max(...succeeded.map((each) => Date.parse(each.stoppedAt))) - started) / 1_000;
	}

	private recordChanges(): void {
		for (const { id, status } of this.tickets)
			if (status !== 'OPEN' && !this.changedAt.has(id)) this.changedAt.set(id, Date.now());
	}

	private async killInTheMiddle(): Promise<void> {
		await waitFor(async () => this.sent().length >= ROUTINGS / 3 || undefined, WITHIN_S);
		const [worker] = this.workers;
		await worker.kill();
		// n8n marks the executions that died as crashed, without the items that they started with.
		await this.saveEvents();
		await sleep(DEAD_MS);
		await worker.up();
	}

	private async allEnded(started: number): Promise<void> {
		for (;;) {
			await sleep(15_000);
			const passed = Date.now() - started;
			const all = await this.requested();
			const ended = all.filter(isEnded).length;
			if (ended === ROUTINGS + BULKS) return;
			if (passed > WITHIN_S * 1_000)
				throw new Error(`The executions did not end within ${WITHIN_S / 60} minutes`);
			const sent = this.sent().length;
			console.error(
				`${Math.round(passed / 1_000)} s: ${ended} executions ended, ${sent} messages sent`,
			);
		}
	}

	private async requestAll(): Promise<void> {
		const agents = [...this.e2e.sandbox.world.users.newestFirst()];
		const bodies = [
			...this.tickets.map(({ id }, i) => ({
				path: 'route',
				body: { ticketId: id, agentId: agents[i % agents.length]!.id },
			})),
			...Array.from({ length: BULKS }, (_, i) => ({
				path: 'bulk',
				body: {
					contactIds: this.contacts
						.slice(i * CONTACTS_PER_BULK, (i + 1) * CONTACTS_PER_BULK)
						.map(({ id }) => id),
				},
			})),
		];
		// Both kinds mixed, not one after the other.
		const mixed = bodies.map((each, i) => bodies[(i * 7) % bodies.length] ?? each);
		const callers = Array.from({ length: CALLERS }, async () => {
			for (let next = mixed.pop(); next; next = mixed.pop())
				await axios.post(`${this.e2e.n8n.url}/webhook/${next.path}`, next.body);
		});
		await Promise.all(callers);
	}

	/** The requested executions. */
	async requested(): Promise<Execution[]> {
		const { route, bulk } = this.saved;
		return [...(await this.e2e.executions(route.id)), ...(await this.e2e.executions(bulk.id))];
	}

	/** The changes that the trigger has found so far, one event each, also of an execution that died with its worker. */
	async events(): Promise<Event[]> {
		await this.saveEvents();
		return [...this.emitted.values()].flat();
	}

	private async saveEvents(): Promise<void> {
		for (const { id, status } of await this.e2e.executions(this.saved.trigger.id)) {
			if (this.emitted.has(id)) continue;
			const items = await this.e2e.startedWith(id, 'Trigger');
			console.error(`execution ${id} of the trigger: ${items.length} events, ${status}`);
			this.emitted.set(
				id,
				items.map(({ json }) => json as unknown as Event),
			);
		}
	}

	/** The longest time between a change and its event, in seconds. */
	slowest(events: Event[]): number {
		const delays = events.map(
			({ recordId, detectedAt }) => Date.parse(detectedAt) - this.changedAt.get(recordId)!,
		);
		return Math.round(Math.max(...delays) / 1_000);
	}

	/** Waits until the trigger has polled twice more: changes that are not found by then are missed. */
	async polledTwice(): Promise<void> {
		const requests = () =>
			this.e2e.sandbox.requests.filter(
				({ route, status }) => route === 'GET /tickets' && status === 200,
			).length;
		for (let poll = 1; poll <= 2; poll++) {
			// After so many changes, one poll takes several requests: their number does not count polls.
			await sleep(POLL_INTERVAL_MS);
			const wanted = requests() + 1;
			await waitFor(async () => requests() >= wanted || undefined, POLLED_WITHIN_S);
		}
		// Its execution starts after its last request.
		await sleep(15_000);
	}

	/** The IDs of the executions whose messages the service has sent, each as often as sent. */
	sent(): string[] {
		return this.accepted('POST /messages').map(
			({ body }) => (body as RoutingMessage).templateComponents[0].parameters[2].text,
		);
	}

	/** Requests of a route that the service accepted. */
	accepted(route: string): ReceivedRequest[] {
		return this.e2e.sandbox.requests.filter((seen) => seen.route === route && seen.status === 200);
	}
}
