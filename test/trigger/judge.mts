import type {
	Filter,
	StatusSource,
} from '../../nodes/ConversationalMessaging/trigger/status/sources/source.ts';
import { check } from './histories.mts';
import type { FakeService, Row } from './service.mts';

export interface Event {
	eventId: string;
	recordId: string;
	previousStatus: string | null;
	status: string;
}

/** A record that the trigger has not seen yet, or does not know any more. */
const NONE = '';

/** How a poll went, by what happened at the service. */
interface PollFacts {
	service: FakeService;
	filter: Filter;
	/** Whether the first page of every list could be read. */
	isSuccessful: boolean;
	/** Whether the trigger starts anew. */
	isFirst: boolean;
	/** Whether it emits the records that exist then: the node has no state yet. */
	fromExisting: boolean;
	/** Whether nothing happened during the poll. */
	isQuiet: boolean;
}

/** What the documentation promises for the source and the limits of a history. */
interface Promises {
	source: StatusSource;
	/** Whether a record belongs to the subscription. */
	isWatched: (row: Row) => boolean;
	/** Whether records can be assigned to it, and away from it. */
	hasScope: boolean;
	/** The status that a chat had before it appeared. */
	implied: string | null;
	/** Whether lists are too long for one poll. */
	isLong: boolean;
	/** Whether all records fit into the state. */
	hasRoom: boolean;
	/** The most existing records that the first poll emits. */
	mostExisting: number;
	/** In how many successful polls a status is emitted that a record has in all of them. */
	polls: (service: FakeService) => number;
}

/**
 * Judges the events of polls by the service's own history alone. For each record, it keeps the statuses in which the trigger
 * may have seen it last: one, unless the record changed during a poll, or was out of sight. So:
 *
 * - an event is wrong if the record had not this status during the poll, or can only have been seen with it before;
 * - `previousStatus` is wrong if the trigger cannot have seen it last. It is null for a record that it cannot have seen;
 * - an event is missing if a record has had a status in all of so many polls, whichever it was seen with before.
 *
 * It goes with the saved state: a copy belongs to each, and a restart brings it back.
 */
export class Judge {
	private seen = new Map<string, Set<string>>();

	/** In how many successful polls in a row a record has been as it is. */
	private readonly held = new Map<string, { updated: number; polls: number }>();

	/** The filters of the polls since the last successful one, that one included. */
	private filters: Filter[] = [];

	/** The number of records that the lists showed at last. */
	size = 0;

	/** Whether the trigger has had the time to read all lists. */
	isSettled = false;

	/** Whether n8n may have brought back an older state, for so many polls. */
	restored = 0;

	/** Whether the last successful poll could not read all pages. */
	private hadGaps = false;

	/** Whether it could not look up all records, or fetch them in full. */
	private hadRejections = false;

	constructor(private readonly promises: Promises) {}

	copy(): Judge {
		const copy = new Judge(this.promises);
		copy.seen = new Map([...this.seen].map(([id, options]) => [id, new Set(options)]));
		for (const [id, held] of this.held) copy.held.set(id, { ...held });
		copy.filters = [...this.filters];
		Object.assign(copy, { size: this.size, isSettled: this.isSettled });
		return copy;
	}

	judge(events: readonly Event[], facts: PollFacts): void {
		const { service, filter, isSuccessful, isFirst, isQuiet } = facts;
		const { source, isWatched } = this.promises;
		this.filters.push(filter);
		if (isFirst) {
			if (facts.fromExisting) this.judgeExisting(events, facts);
			else check(events.length === 0, 'The first poll emits something', events);
			this.seen.clear();
			this.held.clear();
			this.isSettled = false;
			this.restored = 0;
		}
		const emitted = new Set<string>();
		for (const event of isFirst ? [] : events) {
			check(!emitted.has(event.recordId), 'Two events of one record', events);
			emitted.add(event.recordId);
			this.judgeEvent(event, service);
		}
		for (const row of service.rows) if (!emitted.has(row.id)) this.judgeSilence(row, facts);
		// What the first poll emitted, it has seen.
		if (isFirst)
			for (const { recordId, status } of events) this.seen.set(recordId, new Set([status]));
		const listed = service.rows.filter(
			(row) =>
				isWatched(row) &&
				(source.layout !== 'filtered' || source.partitions[0]!.status === row.status),
		);
		// A poll whose look-ups failed may have seen that the lists are empty.
		this.size = isSuccessful ? listed.length : Math.min(this.size, listed.length);
		if (!isSuccessful) return;
		this.filters = [filter];
		this.hadGaps = service.rejectedPages !== undefined;
		this.hadRejections = service.rejected.size > 0;
		if (this.hadGaps) return;
		// A change whose record is rejected is left to the next poll, which compares as after a restart, too.
		if (!this.hadRejections) this.restored = Math.max(0, this.restored - 1);
		this.isSettled ||= isQuiet && !this.promises.isLong;
	}

	/** Each record that matches comes once, the oldest first; of more than the limit, the oldest come. */
	private judgeExisting(
		events: readonly Event[],
		{ service, filter, isSuccessful }: PollFacts,
	): void {
		const { source, isWatched, isLong, mostExisting } = this.promises;
		const isChosen = (status: string): boolean =>
			filter.statuses.length === 0 || filter.statuses.includes(status.toUpperCase());
		const numbers = events.map(({ recordId }) => Number(recordId.slice(1)));
		const areInOrder = numbers.every((number, i) => i === 0 || number > numbers[i - 1]!);
		check(areInOrder && events.length <= mostExisting, 'Existing, and their order', numbers);
		for (const { recordId, status, previousStatus } of events) {
			const isTrue = previousStatus === null && service.statusesOf(recordId).has(status);
			check(isTrue && isChosen(status), 'Not an existing record that matches', recordId, status);
		}
		if (!isSuccessful || isLong || service.rejectedPages !== undefined) return;
		const isFull = events.length === mostExisting;
		const isListed = (status: string): boolean =>
			source.layout !== 'filtered' || status === source.partitions[0]!.status;
		for (const row of service.rows) {
			const isDue = isWatched(row) && isListed(row.status) && isChosen(row.status);
			const isIn = numbers.includes(Number(row.id.slice(1)));
			const isBeyond = isFull && Number(row.id.slice(1)) > numbers.at(-1)!;
			if (service.isConstant(row) && this.isVisible(row, service))
				check(
					isIn === (isDue && !isBeyond),
					'Existing, but not emitted, or the reverse',
					row,
					numbers,
				);
		}
	}

	private optionsOf(id: string): Set<string> {
		return this.seen.get(id) ?? new Set([NONE]);
	}

	private judgeEvent(event: Event, service: FakeService): void {
		const { recordId: id, status, previousStatus } = event;
		const options = this.optionsOf(id);
		check(service.statusesOf(id).has(status), 'Never had this status', event);
		check(
			[...options].some((option) => option !== status),
			'Invented, or twice',
			event,
			[...options],
		);
		const { implied, hasRoom } = this.promises;
		const mayBeUnknown = options.has(NONE) || !this.isSettled || !hasRoom;
		const isTrue =
			previousStatus === null
				? mayBeUnknown
				: (options.has(previousStatus) && previousStatus !== status) ||
					(options.has(NONE) && previousStatus === implied);
		check(isTrue, 'Another previous status', event, [...options]);
		const isPossible = [...options].some((option) => this.isWanted(option, status, 'may'));
		check(isPossible || !this.isSettled || !hasRoom, 'Not wanted', event, this.filters);
		this.seen.set(id, new Set([status]));
		this.held.delete(id);
	}

	/** Whether seeing this status after that one makes an event: whether it may, or must. */
	private isWanted(before: string, status: string, may: 'may' | 'must'): boolean {
		if (before === status) return false;
		const { source, isLong } = this.promises;
		const filters = may === 'may' ? this.filters.slice(-1) : this.filters;
		const isChosen = filters.every(
			({ statuses }) => statuses.length === 0 || statuses.includes(status.toUpperCase()),
		);
		if (!isChosen || before !== NONE || !source.showsNewRecords) return isChosen;
		// Since the state that n8n brought back, it may have been seen in another status.
		const isLost = this.restored > 0 && !source.firstStatuses.includes(status.toUpperCase());
		if (isLost && (may === 'may' || (!isLong && !this.hadGaps && !this.hadRejections))) return true;
		return filters.every(({ includeNew }) => includeNew);
	}

	private judgeSilence(row: Row, { service, isSuccessful, isFirst }: PollFacts): void {
		const { id, status, updated } = row;
		const { source, isWatched, hasScope, hasRoom, polls } = this.promises;
		const options = this.optionsOf(id);
		const isConstant = service.isConstant(row);
		const isNeverListed = source.layout === 'filtered' && status !== source.partitions[0]!.status;
		if (isConstant && !isWatched(row)) {
			if (this.seen.has(id)) this.seen.set(id, options.add(NONE).add(status));
			return;
		}
		if (isConstant && isNeverListed && options.has(NONE)) {
			this.seen.set(id, options.add(status));
			return;
		}
		if (isFirst) {
			const isSure = isConstant && this.isVisible(row, service);
			this.seen.set(id, new Set(isSure ? [status] : [...service.statusesOf(id), NONE]));
			return;
		}
		if (!isConstant) {
			// What would have been emitted has not been seen.
			const before = [...options];
			for (const each of service.statusesOf(id)) {
				const isWanted = before.every((option) => this.isWanted(option, each, 'must'));
				if (!isWanted || !this.isSettled || !hasRoom) options.add(each);
			}
			if (hasScope) options.add(NONE);
			this.seen.set(id, options);
			return;
		}
		const isDue =
			this.isSettled &&
			hasRoom &&
			this.isVisible(row, service) &&
			[...options].every((option) => this.isWanted(option, status, 'must'));
		const held = this.held.get(id);
		// What left a list is looked up once all its pages can be read.
		const isCounted =
			isSuccessful &&
			(isNeverListed ? service.rejectedPages === undefined : service.isReadable(row));
		const count = (held?.updated === updated ? held.polls : 0) + (isCounted ? 1 : 0);
		this.held.set(id, { updated, polls: count });
		const isLate = count >= polls(service);
		check(!isDue || !isLate, 'Missed', row, [...options], count);
		if (isDue) return;
		options.add(status);
		// By now, it has been seen: silently, or with an event before.
		const isSeen = isLate && this.isSettled && hasRoom && this.isVisible(row, service);
		this.seen.set(id, isSeen ? new Set([status]) : options);
	}

	/** Whether a list, or a look-up that does not fail, shows its status. */
	private isVisible({ id, status }: Row, service: FakeService): boolean {
		const { source, isLong } = this.promises;
		const isListed = source.partitions.some((each) => each.status === status);
		if (source.layout === 'filtered') return isListed || !service.rejected.has(id);
		// Only the list of all shows the others, if all its pages can be read.
		const isInAll = !isLong && service.showsStatus && service.rejectedPages === undefined;
		return source.layout === 'recent' || isListed || isInAll;
	}
}
