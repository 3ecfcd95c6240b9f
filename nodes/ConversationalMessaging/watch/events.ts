import type { INodeExecutionData } from 'n8n-workflow';
import { clock } from '../api/clock';
import type { Change } from './compare';
import type { Filter, Kind } from './kind';

/** Whether a person chose to hear of records that come to a status. */
export function isChosen(status: string, { statuses }: Filter): boolean {
	return statuses.length === 0 || statuses.includes(status.toUpperCase());
}

/** Whether a change is one that a person wants to hear of. Acts after the comparison, so that no choice floods anybody. */
export function passes({ previousStatus, status }: Change, filter: Filter): boolean {
	return isChosen(status, filter) && (previousStatus !== null || filter.appeared);
}

/**
 * A change as an item.
 *
 * `eventId` is the same whenever the same change is found again, for instance by the first poll after a crash, and
 * another for every other change: also when a record comes back to a status where it was before.
 *
 * @param epoch of the memory that the record was compared with
 */
export function eventItem(kind: Kind, change: Change, epoch: string): INodeExecutionData {
	const { id, previousStatus, status, ordinal, record } = change;
	return {
		json: {
			event: kind.event,
			eventId: [kind.event, id, epoch, ordinal, status].join(':'),
			recordId: id,
			previousStatus,
			status,
			detectedAt: new Date(clock.now()).toISOString(),
			record,
		},
	};
}
