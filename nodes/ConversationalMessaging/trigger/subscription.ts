import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { shown } from '../api/access/shown';
import type { Collection } from '../parameters/collection';
import { TriggerParameters } from '../parameters/parameters';
import { isBlank, locatorValue, withoutUndefined } from '../parameters/values';
import { fields } from './fields';
import { sources } from './status/sources';
import type { MessageSubscription } from './messages/subscription';
import {
	MESSAGE_FILTERS,
	MESSAGE_RECEIVED,
	readMessageSubscription,
} from './messages/subscription';
import type { StatusSource, Subscription } from './status/sources/source';

/** Everything that the user chose. */
export interface Subscriptions {
	sources: Subscription[];
	/** Undefined without Message Received. */
	messages?: MessageSubscription;
}

/**
 * The user's subscriptions.
 *
 * @throws NodeOperationError if no event is chosen, or a setting is invalid
 */
export function readSubscriptions(n8n: IPollFunctions): Subscriptions {
	const parameters = new TriggerParameters(n8n, fields);
	const events = parameters.options('events');
	if (events.length === 0)
		throw parameters.invalid('Trigger On is empty', 'Choose at least one event.');
	const chosen = sources.filter(({ event }) => events.includes(event));
	const hasMessages = events.includes(MESSAGE_RECEIVED);
	const filters = parameters.filters();
	const options = parameters.collection('options');
	for (const name of MESSAGE_FILTERS) {
		const isUsed = hasMessages || chosen.some((source) => name in source.filters);
		if (!isUsed && !isBlank(locatorValue(filters.raw(name))))
			throw parameters.invalid(
				shown`The filter ${filters.label(name)} does not apply to the events you chose`,
				'Remove it from Filters, or choose an event that it applies to.',
			);
	}
	return {
		sources: chosen.map((source) => {
			const statuses = parameters
				.options(source.statusesField)
				.map((status) => status.toUpperCase());
			const includeNew = parameters.requiredBoolean('includeNew');
			const details = parameters.requiredBoolean('includeDetails');
			const scope = scopeOf(source, filters);
			const fromExisting = options.option('startFrom') === 'existing';
			return { source, scope, filter: { statuses, includeNew }, details, fromExisting };
		}),
		messages: hasMessages ? readMessageSubscription(parameters, filters) : undefined,
	};
}

/** Filters that this source's list does not have apply only to other sources. */
function scopeOf(source: StatusSource, filters: Collection): IDataObject {
	const query: IDataObject = {};
	for (const [name, parameter] of Object.entries(source.filters))
		query[parameter] = filters.id(name);
	return withoutUndefined(query);
}
