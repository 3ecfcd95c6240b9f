import type { INodeExecutionData } from 'n8n-workflow';
import { clock } from '../../api/clock';
import type { Change } from './memory';
import type { Filter, StatusSource } from './sources/source';

/** Whether the user subscribed to this status. */
export function isChosen(status: string, { statuses }: Filter): boolean {
	return statuses.length === 0 || statuses.includes(status.toUpperCase());
}

/**
 * Whether a change becomes an event. Applied after the comparison, so that changing a filter does not produce a flood
 * of events.
 */
export function passes({ status, isNew }: Change, filter: Filter): boolean {
	return isChosen(status, filter) && (!isNew || filter.includeNew);
}

/**
 * A change as an item.
 *
 * `eventId` is the same whenever the same change is found again, for instance by the first poll after a crash, and
 * different for every other change that a saved poll found, even if a record returns to an earlier status. After a crash,
 * a second change to the same status cannot be distinguished from the first one.
 *
 * @param epoch of the memory that the record was compared with
 * @param poll the number of this poll among those with events
 */
export function eventItem(
	source: StatusSource,
	change: Pick<Change, 'id' | 'previousStatus' | 'status' | 'record'>,
	epoch: string,
	poll: number,
): INodeExecutionData {
	const { id, previousStatus, status, record } = change;
	return {
		json: {
			event: source.event,
			eventId: [source.event, id, epoch, poll, status].join(':'),
			recordId: id,
			previousStatus,
			status,
			detectedAt: new Date(clock.now()).toISOString(),
			record,
		},
	};
}
