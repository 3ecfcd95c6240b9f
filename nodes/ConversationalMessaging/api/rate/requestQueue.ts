/**
 * Who waits for a request, in the order in which they come first: a list in the editor; a poll; one of few requests
 * of an execution; one of many; a poll that reads a long list for the first time.
 */
export type Priority = 'editor' | 'poll' | 'single' | 'bulk' | 'background';

/** Who waits this much longer, in milliseconds, comes before the editor: nobody waits forever. */
const PATIENCE_MS: Record<Priority, number> = {
	editor: 0,
	poll: 30_000,
	single: 60_000,
	bulk: 120_000,
	background: 240_000,
};

/** A request that waits for its turn. */
export interface QueuedRequest {
	priority: Priority;
	isRead: boolean;
	/** On `clock.elapsed`. */
	since: number;
}

/** The requests that wait, in the order in which they are to be sent. */
export class RequestQueue<T extends QueuedRequest> {
	/** In the order of arrival. Reads have queues of their own: they may be sent while writes have to wait. */
	private readonly queues = new Map<string, T[]>();

	private size = 0;

	/** All, those of one queue in the order of their arrival. */
	get all(): T[] {
		return [...this.queues.values()].flat();
	}

	/** All of a priority, those of one queue in the order of their arrival. */
	of(priority: Priority): T[] {
		return [true, false].flatMap((isRead) => this.queues.get(queueKey({ priority, isRead })) ?? []);
	}

	get count(): number {
		return this.size;
	}

	add(waiting: T): void {
		const queue = this.queueOf(waiting);
		if (queue) queue.push(waiting);
		else this.queues.set(queueKey(waiting), [waiting]);
		this.size++;
	}

	/** Returns whether it was waiting. */
	remove(waiting: T): boolean {
		const queue = this.queueOf(waiting) ?? [];
		const index = queue.indexOf(waiting);
		if (index < 0) return false;
		queue.splice(index, 1);
		this.size--;
		return true;
	}

	/** The first one of each queue, beginning with the one to be sent next. */
	next(): T[] {
		const first: T[] = [];
		for (const [waiting] of this.queues.values()) if (waiting) first.push(waiting);
		return first.length < 2 ? first : first.sort((a, b) => rank(a) - rank(b));
	}

	private queueOf(waiting: T): T[] | undefined {
		return this.queues.get(queueKey(waiting));
	}
}

const queueKey = ({ priority, isRead }: Omit<QueuedRequest, 'since'>): string =>
	`${priority} ${isRead}`;

const rank = ({ since, priority }: QueuedRequest): number => since + PATIENCE_MS[priority];
