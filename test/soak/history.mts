import type { Fault } from '../../sandbox/faults.mts';
import { seededRandom } from '../../sandbox/random.mts';
import type { Chat, Ticket, TicketStatus } from '../../sandbox/records.mts';
import type { Sandbox } from '../../sandbox/server.mts';

const STATUSES: TicketStatus[] = ['OPEN', 'IN_PROGRESS', 'RESOLVED', 'CLOSED'];
const LIMITS = [300, 120, 60];
const OUTAGES: Fault[] = [
	{ kind: 'status', status: 503 },
	{ kind: 'status', status: 500 },
	{ kind: 'html', status: 502 },
	{ kind: 'reset' },
	{ kind: 'truncate' },
];

/** So many tickets that their list is sometimes short for the trigger, sometimes long. */
const MOST_TICKETS = 1_050;

const DAY_MS = 86_400_000;

/** How often something happened, for the report. */
interface Counts {
	tickets: number;
	changes: number;
	escalations: number;
	messages: number;
	outages: number;
	limits: number;
	restarts: number;
}

/** What happens at the service and around n8n, minute by minute. The same seed gives the same history. */
export class History {
	readonly counts: Counts = {
		tickets: 0,
		changes: 0,
		escalations: 0,
		messages: 0,
		outages: 0,
		limits: 0,
		restarts: 0,
	};

	private readonly random: () => number;

	/** Minutes that the current outage still lasts. */
	private outage = 0;

	/** @param onMessage called with the ID of every message that a customer writes */
	constructor(
		private readonly sandbox: Sandbox,
		seed: number,
		private readonly onMessage: (id: string) => void,
	) {
		this.random = seededRandom(seed);
	}

	/** Lets one minute pass. @returns whether n8n restarts in it */
	minute(): boolean {
		if (this.happens(0.3)) this.changeTickets();
		if (this.happens(0.1)) this.addTicket();
		if (this.happens(0.05)) this.toggleEscalation();
		if (this.happens(0.3)) this.write();
		if (this.happens(1 / 240)) this.changeLimit();
		this.passOutage();
		if (this.happens(1 / 1440)) this.forgetMessages();
		if (!this.happens(1 / 300)) return false;
		this.counts.restarts++;
		return true;
	}

	/** Ends whatever lasts, so that the trigger can catch up. */
	end(): void {
		this.outage = 0;
		this.sandbox.faults.clear();
		this.sandbox.options.rateLimit.requests = LIMITS[0] as number;
	}

	private happens(probability: number): boolean {
		return this.random() < probability;
	}

	private oneOf<T>(list: readonly T[]): T {
		return list[Math.floor(this.random() * list.length)] as T;
	}

	private changeTickets(): void {
		const tickets = this.sandbox.world.tickets.filter(() => true);
		for (let left = 1 + Math.floor(this.random() * 3); left > 0; left--) {
			const ticket: Ticket = this.oneOf(tickets);
			ticket.status = this.oneOf(STATUSES.filter((status) => status !== ticket.status));
			this.counts.changes++;
		}
	}

	private addTicket(): void {
		const { world } = this.sandbox;
		world.addTicket({ title: 'Wrong size delivered', status: this.oneOf(STATUSES) });
		this.counts.tickets++;
		if (world.tickets.size > MOST_TICKETS)
			world.deleteTicket(this.oneOf(world.tickets.filter(() => true)).id);
	}

	private chat(): Chat {
		return this.oneOf(this.sandbox.world.chats.filter(() => true));
	}

	private toggleEscalation(): void {
		const chat = this.chat();
		chat.needsEscalation = !chat.needsEscalation;
		this.counts.escalations++;
	}

	/** Customers write one message or a few in a row, and sometimes get an answer. */
	private write(): void {
		const { world } = this.sandbox;
		const chat = this.chat();
		const message = { type: 'text', content: { text: 'Where is my order?' }, agentId: null };
		for (let left = 1 + Math.floor(this.random() * 3); left > 0; left--) {
			this.onMessage(world.addMessage(chat, { ...message, direction: 'INBOUND' }).id);
			this.counts.messages++;
		}
		if (this.happens(0.5)) world.addMessage(chat, { ...message, direction: 'OUTBOUND' });
	}

	private changeLimit(): void {
		this.sandbox.options.rateLimit.requests = this.oneOf(LIMITS);
		this.counts.limits++;
	}

	private passOutage(): void {
		if (this.outage > 0) {
			this.outage--;
			if (this.outage === 0) this.sandbox.faults.clear();
		} else if (this.happens(1 / 200)) {
			this.outage = 1 + Math.floor(this.random() * 15);
			// In every second one, only a part of the requests fails.
			const share = this.happens(0.5) ? 1 : 0.3;
			const matches = () => this.happens(share);
			this.sandbox.faults.add(this.oneOf(OUTAGES), { times: Infinity, matches });
			this.counts.outages++;
		}
	}

	/** The histories of the sandbox would otherwise grow in the memory that is measured. */
	private forgetMessages(): void {
		const { world } = this.sandbox;
		for (const [chatId, messages] of world.messages) {
			const recent = messages.filter((one) => Date.parse(one.createdAt) > world.now() - 2 * DAY_MS);
			world.messages.set(chatId, recent.length > 0 ? recent : messages.slice(-1));
		}
	}
}
