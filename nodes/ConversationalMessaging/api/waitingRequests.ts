/**
 * Who waits for a request, in the order in which they come first: a list in the editor; a poll; one of few requests
 * of an execution; one of many.
 */
export type Priority = 'editor' | 'poll' | 'single' | 'bulk';

/** Who waits this much longer, in milliseconds, comes before the editor: nobody waits forever. */
const PATIENCE_MS: Record<Priority, number> = {
	editor: 0,
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
	/** One queue per priority, in the order of arrival. */
	private readonly queues: Record<Priority, T[]> = { editor: [], poll: [], single: [], bulk: [] };

	private size = 0;

	get count(): number {
		return this.size;
	}

	add(waiting: T): void {
		this.queues[waiting.priority].push(waiting);
		this.size++;
	}

	/** Returns whether it was waiting. */
	remove(waiting: T): boolean {
		const queue = this.queues[waiting.priority];
		const index = queue.indexOf(waiting);
		if (index < 0) return false;
		queue.splice(index, 1);
		this.size--;
		return true;
	}

	/** All, those of one priority in the order of their arrival. */
	all(): T[] {
		return Object.values(this.queues).flat();
	}

	/** Those of one priority, beginning with the one that came last. */
	*latestFirst(priority: Priority): Generator<T> {
		const queue = this.queues[priority];
		for (let index = queue.length - 1; index >= 0; index--) yield queue[index] as T;
	}

	/** The first one of each priority, beginning with the one to be sent next. */
	next(): T[] {
		const first = Object.values(this.queues).flatMap((queue) => queue.slice(0, 1));
		return first.sort((a, b) => rank(a) - rank(b));
	}
}

const rank = ({ since, priority }: Waiting): number => since + PATIENCE_MS[priority];
