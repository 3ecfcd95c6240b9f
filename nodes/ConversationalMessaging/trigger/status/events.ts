import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { clock } from '../../api/base/clock';
import { addFieldValuesIn } from '../../api/response/contact';
import { isSameOption, withoutUndefined } from '../../parameters/values';
import type { Change } from './compare';
import { contradicts } from '../contradicts';
import { titleOf } from '../title';
import type { Filter, ObservedRecord, StatusSource } from './sources/source';

/** Whether the user subscribed to this status. */
export function isChosen(status: string, { statuses }: Filter): boolean {
	return statuses.length === 0 || statuses.some((each) => isSameOption(each, status));
}

/** Whether the user subscribed to records like this one. */
export const matches = ({ status, record }: ObservedRecord, filter: Filter): boolean =>
	isChosen(status, filter) && !contradicts(record, filter.fields);

/**
 * Whether a change becomes an event. Applied after the comparison, so that changing a filter does not produce a flood
 * of events.
 */
export function passes(change: Change, filter: Filter): boolean {
	return matches(change, filter) && (!change.isNew || filter.includeNew);
}

/**
 * `eventId` is the same whenever the same change is found again, for instance by the first poll after a crash, and
 * different for every other change that a saved poll found, even if a record returns to an earlier status. After a crash,
 * a second change to the same status cannot be distinguished from the first one.
 *
 * @param detailsFetched whether its record is in full; undefined without Include Details
 * @param epoch of the memory that the record was compared with; a constant for records that existed before it, which
 *   are emitted once
 * @param poll the number of this poll among those with events
 */
export function eventItem(
	source: StatusSource,
	change: ObservedRecord & Pick<Change, 'previousStatus'>,
	detailsFetched: boolean | undefined,
	epoch: string,
	poll: number,
): INodeExecutionData {
	const { key, id, previousStatus, status, record } = change;
	addFieldValuesIn(record, source.recordEndpoint ?? source.list);
	const { title, ...names } = source.nameOf(change);
	return {
		json: withoutUndefined({
			event: source.event,
			status,
			previousStatus,
			title: titleOf(title, id),
			...(names as IDataObject),
			detectedAt: new Date(clock.now()).toISOString(),
			record,
			detailsFetched,
			recordId: id,
			eventId: [source.event, key, epoch, poll, status].join(':'),
		}),
	};
}
