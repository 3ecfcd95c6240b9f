/**
 * Who waits for a request, in the order in which they come first: a person at the screen; a poll; one of few requests
 * of an execution; one of many.
 */
export type Priority = 'person' | 'poll' | 'single' | 'bulk';

/** Who waits this much longer, in milliseconds, comes before a person: nobody waits forever. */
const PATIENCE_MS: Record<Priority, number> = {
	person: 0,
	poll: 30_000,
	single: 60_000,
	bulk: 120_000,
};

/** A request that waits for its turn. */
export interface Waiting {
	priority: Priority;
	/** Milliseconds since the epoch. */
	since: number;
	/** The latest time to which it waits, in milliseconds since the epoch. */
	deadline: number;
	/** Called when it has to wait for a pause that it accepts, with the end of the pause. */
	onWait: (until: number) => void;
}

/** The requests that wait, in the order in which they are to be sent. */
export class WaitingRequests<T extends Waiting> {
	private readonly queues: Record<Priority, T[]> = { person: [], poll: [], single: [], bulk: [] };

	get count(): number {
		return this.all().length;
	}

	add(waiting: T): void {
		this.queues[waiting.priority].push(waiting);
	}

	/** Returns whether it was waiting. */
	remove(waiting: T): boolean {
		const queue = this.queues[waiting.priority];
		const index = queue.indexOf(waiting);
		if (index >= 0) queue.splice(index, 1);
		return index >= 0;
	}

	/** All, those of one priority in the order of their arrival. */
	all(): T[] {
		return Object.values(this.queues).flat();
	}

	/** The next request of each priority, the one that is to be sent first at the beginning. */
	next(): T[] {
		const rank = ({ since, priority }: T) => since + PATIENCE_MS[priority];
		return Object.values(this.queues)
			.flatMap((queue) => queue.slice(0, 1))
			.sort((a, b) => rank(a) - rank(b));
	}
}
