import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { shown } from '../api/access/shown';
import type { Collection } from '../parameters/collection';
import { TriggerParameters } from '../parameters/parameters';
import { isBlank, locatorValue, withoutUndefined } from '../parameters/values';
import { eventsWith, fields, FILTERS } from './fields';
import { sources } from './status/sources';
import {
	type MessageSubscription,
	MESSAGE_RECEIVED,
	readMessageSubscription,
} from './messages/subscription';
import type { FilterName, Subscription } from './status/sources/source';

/** Everything that the user chose. */
export interface Subscriptions {
	sources: Subscription[];
	/** Undefined without Message Received. */
	messages?: MessageSubscription;
	/** The number of poll times. */
	pollTimes: number;
}

/** The user's subscriptions. @throws NodeOperationError if no event is chosen, or a setting is invalid */
export function readSubscriptions(n8n: IPollFunctions): Subscriptions {
	const parameters = new TriggerParameters(n8n, fields);
	const events = parameters.options('events');
	if (events.length === 0)
		throw parameters.invalid('Trigger On is empty', 'Choose at least one event.');
	const filters = parameters.filters();
	const options = parameters.collection('options');
	for (const name of FILTERS) {
		const isUsed = eventsWith(name).some((event) => events.includes(event));
		if (!isUsed && !isBlank(locatorValue(filters.raw(name))))
			throw parameters.invalid(
				shown`The filter ${filters.label(name)} does not apply to the events you chose`,
				'Remove it from Filters, or choose an event that it applies to.',
			);
	}
	return {
		sources: sources
			.filter(({ event }) => events.includes(event))
			.map((source) => {
				const statuses = source.statuses(parameters);
				// n8n drops the fields that are hidden because no event has them.
				const includeNew = !source.showsNewRecords || parameters.boolean('includeNew', 'required');
				const details =
					source.recordEndpoint !== undefined && parameters.boolean('includeDetails', 'required');
				const scope = queryOf(source.filters, filters);
				const fieldValues = queryOf(source.fieldFilters ?? {}, filters);
				const fromExisting = options.option('startFrom') === 'existing';
				return {
					...{ source, scope, details, fromExisting },
					filter: { statuses, includeNew, fields: fieldValues },
				};
			}),
		messages: events.includes(MESSAGE_RECEIVED)
			? readMessageSubscription(parameters, filters)
			: undefined,
		pollTimes: pollTimesOf(n8n),
	};
}

/** Of n8n's own field, which every polling trigger has. */
function pollTimesOf(n8n: IPollFunctions): number {
	const { pollTimes } = n8n.getNode().parameters as { pollTimes?: { item?: unknown } };
	return Array.isArray(pollTimes?.item) ? pollTimes.item.length : 1;
}

/** What the user chose for these filters, by the service's names. Filters of other sources do not apply. */
function queryOf(names: Partial<Record<FilterName, string>>, filters: Collection): IDataObject {
	const query: IDataObject = {};
	for (const [name, parameter] of Object.entries(names))
		query[parameter] = name === 'contactId' ? filters.contactId(name) : filters.listedId(name);
	return withoutUndefined(query);
}
