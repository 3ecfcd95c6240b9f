import { CLOCK_MARGIN_MS } from './limits';

/** In which order the service returns the messages of a chat. */
export type HistoryOrder = 'newest first' | 'oldest first';

/**
 * How often chats have shown each order. The document says newest first (API document, `GET /chats/{id}/messages`). In
 * the other order, nothing above a known message would ever be new.
 */
export interface HistoryEvidence {
	newestFirst: number;
	oldestFirst: number;
}

export const NO_HISTORIES: HistoryEvidence = { newestFirst: 0, oldestFirst: 0 };

/** An order is known only if at least this many chats show it. */
const MIN_CHATS = 3;

/**
 * An order is known only if more than this many times as many chats show it as the other one. A few chats may show the
 * other one because messages were imported into them.
 */
const MIN_RATIO = 3;

/** Above this sum, both numbers are halved, so that a change of the service shows. */
const MAX_CHATS = 1_000;

/** @returns undefined while the order is unknown */
export function knownOrder({
	newestFirst,
	oldestFirst,
}: HistoryEvidence): HistoryOrder | undefined {
	const leads = (one: number, other: number): boolean =>
		one >= MIN_CHATS && one > MIN_RATIO * other;
	if (leads(newestFirst, oldestFirst)) return 'newest first';
	return leads(oldestFirst, newestFirst) ? 'oldest first' : undefined;
}

/**
 * The evidence after chats were read.
 *
 * @param shown the order that each of them shows; undefined for neither
 */
export function withShown(
	before: HistoryEvidence,
	shown: readonly (HistoryOrder | undefined)[],
): HistoryEvidence {
	const count = (order: HistoryOrder): number => shown.filter((one) => one === order).length;
	const newestFirst = before.newestFirst + count('newest first');
	const oldestFirst = before.oldestFirst + count('oldest first');
	const by = newestFirst + oldestFirst > MAX_CHATS ? 2 : 1;
	return { newestFirst: Math.floor(newestFirst / by), oldestFirst: Math.floor(oldestFirst / by) };
}

/** What the times of one history show, in the order in which its messages are returned. */
export class TimeOrder {
	private last?: number;

	private hasRisen = false;

	private hasFallen = false;

	/** Whether a time has risen by more than clocks may differ. */
	private hasClearlyRisen = false;

	private hasClearlyFallen = false;

	/** @param time of the next message, in milliseconds since the epoch; one without a time says nothing */
	add(time: number | undefined): void {
		if (time === undefined) return;
		const by = time - (this.last ?? time);
		this.hasRisen ||= by > 0;
		this.hasFallen ||= by < 0;
		this.hasClearlyRisen ||= by > CLOCK_MARGIN_MS;
		this.hasClearlyFallen ||= by < -CLOCK_MARGIN_MS;
		this.last = time;
	}

	get hasTimes(): boolean {
		return this.last !== undefined;
	}

	/** A guess, while the order of the service is unknown: times can be of two clocks, or some in whole seconds. */
	get seemsOldestFirst(): boolean {
		return this.hasRisen && !this.hasFallen;
	}

	/** What this history shows of the order of the service; undefined if its messages are too close to each other. */
	get shown(): HistoryOrder | undefined {
		if (this.hasClearlyRisen === this.hasClearlyFallen) return undefined;
		return this.hasClearlyFallen ? 'newest first' : 'oldest first';
	}
}
