import type { IDataObject } from 'n8n-workflow';
import { shownMoment } from '../../parameters/dateTime';
import type { PreparedBroadcast } from './prepareBroadcast';

/** What the guards of a broadcast changed, for its output. */
export function guardResult({ audience, start, changes }: PreparedBroadcast): IDataObject {
	const { sent, repeated, skipsRepeated, excluded, withoutNumber } = audience.counts;
	return {
		recipients: sent ?? null,
		repeatedNumbersLeftOut: skipsRepeated ? repeated : 0,
		excludedMembersLeftOut: excluded,
		contactsWithoutNumberLeftOut: withoutNumber,
		...(start.movedFrom !== undefined && {
			startsAt: start.sendAt,
			startMovedFrom: shownMoment(start.movedFrom, 'UTC').iso,
		}),
		changes,
	};
}
