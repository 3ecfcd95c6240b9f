import type { IDataObject } from 'n8n-workflow';
import type { World } from '../../sandbox/world.mts';

/** Compares what the triggers emit with what happened. */
export class Ledger {
	/** What is wrong, in words. */
	readonly findings: string[] = [];

	/** The longest time that a status waited for its event, in successful polls. */
	longestWait = 0;

	emitted = 0;

	/** The messages that no event has had yet. */
	private readonly expected = new Set<string>();

	/** The status of each record in its latest event, or when the workflow was published. */
	private readonly reported: Map<string, string>;

	/** For records whose status differs from that: for how many successful polls. */
	private readonly waiting = new Map<string, number>();

	constructor(private readonly world: World) {
		this.reported = this.statuses();
	}

	expect(messageId: string): void {
		this.expected.add(messageId);
	}

	/** Checks the events of a poll for messages. */
	messages(events: IDataObject[]): void {
		for (const { recordId, eventId } of events as { recordId: string; eventId: string }[]) {
			this.emitted++;
			if (!this.expected.delete(recordId)) this.findings.push(`twice, or invented: ${eventId}`);
		}
	}

	/** Checks the events of a poll for statuses. The world has not changed since the poll. */
	changes(events: IDataObject[], succeeded: boolean): void {
		const now = this.statuses();
		for (const event of events as { recordId: string; eventId: string; status: string }[]) {
			const { recordId, eventId, status } = event;
			this.emitted++;
			const before = this.reported.get(recordId);
			if (before === status) this.findings.push(`twice: ${eventId}`);
			if (now.get(recordId) !== status) this.findings.push(`not the status: ${eventId}`);
			if ((event as IDataObject).previousStatus !== (before ?? null))
				this.findings.push(`another previous status than ${before ?? 'none'}: ${eventId}`);
			this.reported.set(recordId, status);
		}
		for (const id of this.reported.keys()) if (!now.has(id)) this.reported.delete(id);
		if (succeeded) this.countWaiting(now);
	}

	/** Once there was time to catch up: what was never emitted. */
	end(): void {
		for (const id of this.expected) this.findings.push(`lost: message ${id}`);
		for (const id of this.waiting.keys()) this.findings.push(`lost: status of ${id}`);
	}

	private countWaiting(now: Map<string, string>): void {
		for (const [id, status] of now) {
			if (this.reported.get(id) === status) {
				this.waiting.delete(id);
				continue;
			}
			const polls = (this.waiting.get(id) ?? 0) + 1;
			this.waiting.set(id, polls);
			this.longestWait = Math.max(this.longestWait, polls);
		}
		for (const id of this.waiting.keys()) if (!now.has(id)) this.waiting.delete(id);
	}

	private statuses(): Map<string, string> {
		const found = new Map<string, string>();
		for (const { id, status } of this.world.tickets.newestFirst()) found.set(id, status);
		for (const { id, needsEscalation } of this.world.chats.newestFirst())
			found.set(id, needsEscalation ? 'ESCALATED' : 'NOT_ESCALATED');
		return found;
	}
}
