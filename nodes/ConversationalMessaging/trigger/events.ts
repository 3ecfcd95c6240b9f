import type { INodeExecutionData } from 'n8n-workflow';
import { clock } from '../api/clock';
import type { Change } from './diff';
import type { StatusSource } from './sources/source';
import type { Filter } from './subscription';

/** Whether the user subscribed to this status. */
export function isChosen(status: string, { statuses }: Filter): boolean {
	return statuses.length === 0 || statuses.includes(status.toUpperCase());
}

/**
 * Whether a change becomes an event. Applied after the diff, so that changing a filter does not produce a flood of
 * events.
 */
export function passes(
	{ previousStatus, status }: Change,
	{ hiddenStatus }: StatusSource,
	filter: Filter,
): boolean {
	if (hiddenStatus !== undefined && (status === hiddenStatus || previousStatus === hiddenStatus))
		return false;
	return isChosen(status, filter) && (previousStatus !== null || filter.includeNew);
}

/**
 * A change as an item.
 *
 * `eventId` is the same whenever the same change is found again, for instance by the first poll after a crash, and
 * different for every other change, even if a record returns to an earlier status.
 *
 * @param epoch of the baseline that the record was compared with
 */
export function eventItem(source: StatusSource, change: Change, epoch: string): INodeExecutionData {
	const { id, previousStatus, status, ordinal, record } = change;
	return {
		json: {
			event: source.event,
			eventId: [source.event, id, epoch, ordinal, status].join(':'),
			recordId: id,
			previousStatus,
			status,
			detectedAt: new Date(clock.now()).toISOString(),
			record,
		},
	};
}
