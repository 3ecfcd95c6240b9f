import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { clock } from '../../api/base/clock';
import { textOf } from '../../api/base/text';
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
 * @param epoch of the memory that the record was compared with; a constant for records that existed before it, which
 *   are emitted once
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

/** Possible names of a record's creation time; undocumented. */
const CREATED = ['createdAt', 'created_at', 'created'];

/** When a record was created, in milliseconds since the epoch; 0 if it does not show it. */
export function createdAt(record: IDataObject): number {
	const value = CREATED.map((name) => record[name]).find((candidate) => candidate !== undefined);
	const time = typeof value === 'number' ? value : Date.parse(textOf(value));
	return Number.isFinite(time) ? time : 0;
}
