import type { INodeExecutionData } from 'n8n-workflow';
import { shown } from '../../api/access/shown';
import type { ReadOn } from './cursor';
import { createdAt, eventItem, isChosen } from './events';
import { readDetails } from './lookups';
import { MOST_PASSES } from './memory';
import { Reader } from './reader';
import type { SourcePoll } from './sourcePoll';

/**
 * For Start From: the events of the records that the first poll has read and that match, the oldest first.
 *
 * They are in memory already, so a later poll does not emit them: what is left out here is never emitted. So a record whose
 * details cannot be read comes with what its list shows.
 */
export async function existingItems(
	poll: SourcePoll,
	{ long, others }: Pick<ReadOn, 'long' | 'others'>,
): Promise<INodeExecutionData[]> {
	const { reader, subscription, seen, reports, limits } = poll;
	const { source, scope, filter, details } = subscription;
	const matching = [...seen.records.values(), ...others]
		.filter(({ status }) => isChosen(status, filter))
		.sort((one, other) => createdAt(one.record) - createdAt(other.record));
	const records = matching.slice(0, limits.existing);
	// A full list of recent records does not show whether there are older ones.
	const isCutOff = source.layout === 'recent' && seen.readInFull !== 'all';
	const areAllRead =
		!isCutOff &&
		reader.failure === undefined &&
		Object.entries(long).every(
			([status, { isKnown, passes, gap }]) =>
				!isChosen(status, filter) || isKnown || (passes < MOST_PASSES && gap === 0),
		);
	const noun = `existing ${source.noun}s`;
	const which = areAllRead
		? `the oldest ${records.length} of the ${matching.length} ${noun} that match`
		: `${records.length} ${noun}, because the first poll could not read all of them`;
	if (records.length < matching.length || !areAllRead)
		reports.once(shown`Start From emits ${which}. Read the others with Get Many.`);
	// A reader of its own: if the rate limit ends it, the poll is complete all the same.
	const ofDetails = new Reader(reader.requests, source, scope);
	if (details) await readDetails({ ...poll, reader: ofDetails }, records);
	return records.map((row) => {
		const inDetail = seen.records.get(row.id) ?? row;
		return eventItem(source, { ...inDetail, previousStatus: null }, 'existing', 0);
	});
}
