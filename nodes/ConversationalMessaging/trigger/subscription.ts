import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { TriggerParameters } from '../parameters/parameters';
import { fields } from './fields';
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
	scopeQuery: IDataObject;
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
	const parameters = new TriggerParameters(context, fields);
	const events = parameters.options('events');
	if (events.length === 0)
		throw parameters.invalid('Events is empty', 'Choose at least one event.');
	const filters = parameters.filters();
	return sources
		.filter(({ event }) => events.includes(event))
		.map((source) => {
			const chosen = parameters.options(source.statusesField);
			const filter = {
				statuses: chosen.map((status) => status.toUpperCase()),
				includeNew: parameters.requiredBoolean('includeNew'),
			};
			const details = parameters.requiredBoolean('includeDetails');
			return subscriptionTo(source, source.toQuery(filters), filter, details);
		});
}

export function subscriptionTo(
	source: StatusSource,
	scopeQuery: IDataObject,
	filter: Filter,
	details: boolean,
): Subscription {
	const { partitions } = source;
	const lists = source.toLists?.(scopeQuery) ?? { scope: scopeQuery, partitions };
	return { ...lists, source, scopeQuery, filter, details };
}
