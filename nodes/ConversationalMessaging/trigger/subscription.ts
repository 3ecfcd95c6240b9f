import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { TriggerParameters } from '../fields/parameters';
import { sources } from './sources';
import type { Lists, StatusSource } from './sources/source';

/** Which changes become events. */
export interface Filter {
	/** In upper case; all when empty. */
	statuses: string[];
	/** Whether records created since the last poll count. */
	includeNew: boolean;
}

/** One source with everything that a person set for it. */
export interface Subscription extends Lists {
	source: StatusSource;
	/** What a person set under Filters, as query parameters. */
	narrowing: IDataObject;
	filter: Filter;
	/** Whether changed records are read in full. */
	details: boolean;
}

/**
 * What a person subscribed to.
 *
 * @throws NodeOperationError when nothing is chosen, or a choice makes no sense
 */
export function readSubscriptions(context: IPollFunctions): Subscription[] {
	const parameters = new TriggerParameters(context);
	const events = parameters.texts('events');
	const unknown = events.find((event) => !sources.some((source) => source.event === event));
	if (events.length === 0 || unknown !== undefined) {
		throw parameters.invalid(
			unknown === undefined ? 'Events is empty' : `There is no event "${unknown}"`,
			`Choose at least one of ${sources.map(({ event }) => event).join(', ')}.`,
		);
	}
	const filters = parameters.group('filters');
	return sources
		.filter(({ event }) => events.includes(event))
		.map((source) => {
			const statuses = parameters.texts(source.statusesField).map((text) => text.toUpperCase());
			const includeNew = parameters.flag('includeNew') ?? true;
			const details = parameters.flag('includeDetails') ?? false;
			return subscriptionTo(source, source.toQuery(filters), { statuses, includeNew }, details);
		});
}

export function subscriptionTo(
	source: StatusSource,
	narrowing: IDataObject,
	filter: Filter,
	details: boolean,
): Subscription {
	const { partitions } = source;
	const lists = source.toLists?.(narrowing) ?? { scope: narrowing, partitions };
	return { ...lists, source, narrowing, filter, details };
}
