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
	/** Whether every request succeeded. */
	isSuccessful: boolean;
	/** Whether the trigger starts anew. */
	isFirst: boolean;
	/** Whether it emits the records that exist then: the node has no state yet. */
	fromExisting: boolean;
	/** Whether nothing happened during the poll. */
	isQuiet: boolean;
	/** Whether a poll may read all lists. */
	isEnough: boolean;
	/** When it began, by the service's clock. */
	at: number;
	/** In how many successful polls a status is emitted that a record has in all of them. */
	polls: number;
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
	/** Whether every list has one page. */
	isOnePage: boolean;
	/** Whether lists are too long for one poll. */
	isLong: boolean;
	/** Whether an event means that a record is in one more list: it has no previous status, and returns only if it was looked up. */
	isMembership: boolean;
	/** In how many polls, of which none was disturbed, all lists become known. */
	pollsToSettle: number;
	/** Whether all records fit into the state. */
	hasRoom: boolean;
	/** The most existing records that the first poll emits. */
	mostExisting: number;
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

	/** The statuses of the lists that the last poll read. */
	private lists = new Set<string>();

	/** The number of records that the lists showed at last. */
	size = 0;

	/** Whether the trigger has had the time to read all lists. */
	isSettled = false;

	/** How many polls in a row were undisturbed. */
	private quiet = 0;

	/** When the first poll began, by the service's clock. */
	private began = 0;

	/** Whether a list without pages had more records than it shows, or nothing shows that it had not. */
	private wasCut = false;

	/** The statuses that a record had before the one it has now. */
	private readonly ever = new Map<string, Set<string>>();

	private readonly last = new Map<string, string>();

	constructor(private readonly promises: Promises) {}

	copy(): Judge {
		const copy = new Judge(this.promises);
		copy.seen = new Map([...this.seen].map(([id, options]) => [id, new Set(options)]));
		for (const [id, held] of this.held) copy.held.set(id, { ...held });
		for (const [id, ever] of this.ever) copy.ever.set(id, new Set(ever));
		for (const [id, status] of this.last) copy.last.set(id, status);
		copy.filters = [...this.filters];
		const { size, isSettled, quiet, began, wasCut } = this;
		return Object.assign(copy, { size, isSettled, quiet, began, wasCut });
	}

	judge(events: readonly Event[], facts: PollFacts): void {
		const { service, filter, isSuccessful, isFirst, isQuiet } = facts;
		const { isWatched } = this.promises;
		this.filters.push(filter);
		const lists = this.promises.source.lists(filter.statuses);
		this.lists = new Set(lists.map(({ status }) => status));
		if (isFirst) {
			if (facts.fromExisting) this.judgeExisting(events, facts);
			else check(events.length === 0, 'The first poll emits something', events);
			this.began = facts.at;
			this.seen.clear();
			this.held.clear();
			this.isSettled = false;
			this.quiet = 0;
			this.ever.clear();
			this.last.clear();
		}
		this.wasCut ||= service.isCut || (service.hasDeleted && !service.hasMeta);
		const emitted = new Set<string>();
		for (const event of isFirst ? [] : events) {
			const isAgain = emitted.has(event.recordId) && !this.promises.isMembership;
			check(!isAgain, 'Two events of one record', events);
			emitted.add(event.recordId);
			this.judgeEvent(event, service);
		}
		for (const row of service.rows) if (!emitted.has(row.id)) this.judgeSilence(row, facts);
		// What the first poll emitted, it has seen.
		if (isFirst)
			for (const { recordId, status } of events) this.seen.set(recordId, new Set([status]));
		const listed = service.rows.filter((row) => isWatched(row) && this.isListed(row.status));
		for (const row of service.rows) this.noteStatus(row, service);
		// A poll whose look-ups failed may have seen that the lists are empty.
		this.size = isSuccessful ? listed.length : Math.min(this.size, listed.length);
		if (!isSuccessful) {
			this.quiet = 0;
			return;
		}
		this.filters = [filter];
		this.quiet = isQuiet && service.rejectedPages === undefined ? this.quiet + 1 : 0;
		this.isSettled ||= this.quiet >= this.promises.pollsToSettle;
	}

	private noteStatus(row: Row, service: FakeService): void {
		const { id, status } = row;
		const last = this.last.get(id);
		if (service.isConstant(row) && last === status) return;
		const ever = this.ever.get(id) ?? new Set();
		const during = service.statusesOf(id);
		// One that changes during a poll may have been seen in each.
		if (during.size > 1) for (const each of during) ever.add(each);
		if (last !== undefined && last !== status) ever.add(last);
		this.ever.set(id, ever);
		this.last.set(id, status);
	}

	/** Each record that matches comes once, the oldest first; of more than the limit, the oldest come. */
	private judgeExisting(
		events: readonly Event[],
		{ service, filter, isSuccessful, isQuiet, isEnough }: PollFacts,
	): void {
		const { source, isWatched, isLong, isOnePage, mostExisting } = this.promises;
		const isChosen = (status: string): boolean =>
			filter.statuses.length === 0 || filter.statuses.includes(status.toUpperCase());
		const numbers = events.map(({ recordId }) => Number(recordId.slice(1)));
		// A member can be seen in two segments, if it moves meanwhile.
		const least = this.promises.isMembership ? 0 : 1;
		const areInOrder =
			!service.showsCreated ||
			numbers.every((number, i) => i === 0 || number >= numbers[i - 1]! + least);
		check(areInOrder && events.length <= mostExisting, 'Existing, and their order', numbers);
		for (const { recordId, status, previousStatus } of events) {
			const isTrue = previousStatus === null && service.statusesOf(recordId).has(status);
			check(isTrue && isChosen(status), 'Not an existing record that matches', recordId, status);
		}
		const isInFull = isOnePage || (isQuiet && service.rejectedPages === undefined);
		if (!isSuccessful || isLong || !isInFull || !isEnough || !service.showsCreated) return;
		const isFull = events.length === mostExisting;
		const isListed = (status: string): boolean => status !== source.otherList?.status;
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
		const { implied, hasRoom, isMembership } = this.promises;
		const mayBeUnknown = options.has(NONE) || !this.isSettled || !hasRoom || isMembership;
		const isTrue =
			previousStatus === null
				? mayBeUnknown
				: (options.has(previousStatus) && previousStatus !== status) ||
					(options.has(NONE) && previousStatus === implied);
		check(isTrue, 'Another previous status', event, [...options]);
		// What has been there all the time, but beyond the end of the list, is not new.
		const row = service.rows.find((each) => each.id === id);
		const isOld = this.wasCut && previousStatus === null && row && row.created < this.began;
		check(!isOld, 'An old record as a new one', event, row, this.began);
		const isPossible = [...options].some((option) => this.isWanted(option, status, 'may'));
		check(isPossible || !this.isSettled || !hasRoom, 'Not wanted', event, this.filters);
		this.seen.set(id, new Set([status]));
		this.held.delete(id);
	}

	/** Whether seeing this status after that one makes an event: whether it may, or must. */
	private isWanted(before: string, status: string, may: 'may' | 'must'): boolean {
		if (before === status) return false;
		// A change must pass the filter of the poll before, too. Which one that is, is sure if no poll was incomplete meanwhile.
		const isSure = may === 'must' || this.filters.length === 2;
		const filters = isSure ? this.filters : this.filters.slice(-1);
		const isChosen = filters.every(
			({ statuses }) => statuses.length === 0 || statuses.includes(status.toUpperCase()),
		);
		if (!isChosen || before !== NONE || !this.promises.source.showsNewRecords) return isChosen;
		return filters.every(({ includeNew }) => includeNew);
	}

	private judgeSilence(row: Row, facts: PollFacts): void {
		const { service, isSuccessful, isFirst, isQuiet, polls } = facts;
		const { id, status, updated } = row;
		const { source, isWatched, hasScope, hasRoom, isOnePage, isLong, isMembership } = this.promises;
		const options = this.optionsOf(id);
		const isConstant = service.isConstant(row);
		const isNeverListed = status === source.otherList?.status;
		if (isConstant && !isWatched(row)) {
			if (this.seen.has(id)) this.seen.set(id, options.add(NONE).add(status));
			return;
		}
		if (isConstant && isNeverListed && options.has(NONE)) {
			this.seen.set(id, options.add(status));
			return;
		}
		if (isFirst) {
			// Rows that shift between pages can hide others.
			const isStill = isOnePage || (isQuiet && service.rejectedPages === undefined);
			const isSure = isConstant && this.isVisible(row, service) && isSuccessful && isStill;
			this.seen.set(id, new Set(isSure ? [status] : [...service.statusesOf(id), NONE]));
			return;
		}
		if (!isConstant) {
			// What would have been emitted has not been seen.
			const before = [...options];
			for (const each of service.statusesOf(id)) {
				const isDue = this.isDueFrom(before, each, row, service);
				if (!isDue || !this.isSettled || !hasRoom) options.add(each);
			}
			// A look-up can find that a member is in none of its segments any more.
			if (hasScope || isMembership) options.add(NONE);
			this.seen.set(id, options);
			return;
		}
		const isDue =
			this.isSettled &&
			hasRoom &&
			this.isVisible(row, service) &&
			!(isMembership && this.ever.get(id)?.has(status)) &&
			this.isDueFrom([...options], status, row, service);
		const held = this.held.get(id);
		// Rows that shift between pages can hide it, and a list that grows meanwhile is not read to its end. Long ones have more polls.
		const isSeenInPoll = isQuiet || isOnePage || isLong;
		// What left a list is looked up once all its pages can be read.
		const isCounted =
			isSuccessful &&
			isSeenInPoll &&
			(service.window === Infinity || (isQuiet && service.isShown(row))) &&
			(isNeverListed
				? service.rejectedPages === undefined && !service.rejected.has(id)
				: service.isReadable(row, hasScope));
		const count = (held?.updated === updated ? held.polls : 0) + (isCounted ? 1 : 0);
		this.held.set(id, { updated, polls: count });
		const isLate = count >= polls;
		check(!isDue || !isLate, 'Missed', row, [...options], count);
		if (isDue) {
			// Meanwhile, a look-up can find that a member has left its segment, so that returning to it is an event of its own.
			if (isMembership) this.seen.set(id, options.add(NONE));
			return;
		}
		options.add(status);
		// By now, it has been seen: silently, or with an event before.
		const isSeen = isLate && this.isSettled && hasRoom && this.isVisible(row, service);
		this.seen.set(id, isSeen ? new Set([status]) : options);
	}

	/** Whether seeing this status must make an event, whichever it was seen with before: something has to show that a record is new. */
	private isDueFrom(before: string[], status: string, row: Row, service: FakeService): boolean {
		const { showsCreated, date } = service;
		const isCreated = showsCreated && date && row.created >= this.began;
		const isProven = !this.wasCut || isCreated || !before.includes(NONE);
		return isProven && before.every((option) => this.isWanted(option, status, 'must'));
	}

	/** Whether a list, or a look-up that does not fail, shows its status. */
	private isVisible(row: Row, service: FakeService): boolean {
		const { id, status } = row;
		const { otherList } = this.promises.source;
		if (!service.isShown(row)) return false;
		return this.isListed(status) || (status === otherList?.status && !service.rejected.has(id));
	}

	private isListed(status: string): boolean {
		return this.lists.has(status) || this.lists.has('');
	}
}
