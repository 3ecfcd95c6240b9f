import type { IDataObject } from 'n8n-workflow';
import { shownMoment } from '../../parameters/dateTime';
import type { PreparedBroadcast } from './prepareBroadcast';

/** What the guards of a broadcast changed, for its output. */
export function guardResult({ audience, start, changes }: PreparedBroadcast): IDataObject {
	const { sent, repeated, skipsRepeated, equalRows, excluded, withoutNumber, invalid } =
		audience.counts;
	return {
		recipients: sent ?? null,
		repeatedNumbersLeftOut: skipsRepeated ? repeated : 0,
		equalRowsLeftOut: equalRows,
		excludedMembersLeftOut: excluded,
		contactsWithoutNumberLeftOut: withoutNumber,
		// Unknown if nobody had to count them.
		invalidNumbers: sent === undefined ? null : invalid,
		...(start.postponedFrom !== undefined && {
			startsAt: start.sendAt,
			startPostponedFrom: shownMoment(start.postponedFrom, 'UTC').iso,
		}),
		changes,
		warnings: audience.warnings,
	};
}
