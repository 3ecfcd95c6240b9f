import type { OperationContext } from '../../../runner/operationContext';
import type { Audience } from '../audience';
import type { NumberSet } from '../numberSet';
import type { BroadcastPlan } from '../plan';
import { RecipientFilter } from '../recipientFilter';
import { readMembers, summarize } from '../segmentMembers';
import type { Preparation, PreparedAudience } from './preparedAudience';
import {
	FIRST_RECIPIENTS,
	MAX_INVALID,
	NO_COUNTS,
	invalidNumbersWarning,
} from './preparedAudience';

/** A segment is sent as itself, or as a list of its members if some of them are excluded. */
export async function fromSegment(
	context: OperationContext,
	{ guards }: BroadcastPlan,
	{ segmentId }: Extract<Audience, { kind: 'segment' }>,
	excluded: NumberSet | undefined,
	{ forPreview }: Preparation,
): Promise<PreparedAudience> {
	if (excluded) {
		const { members, invalid, withoutNumber } = await readMembers(context, segmentId, 'Segment');
		const filter = new RecipientFilter(excluded);
		const kept = members.filter(({ digits }) => filter.judge(digits) === 'kept');
		const { repeated, excluded: leftOut } = filter;
		return {
			content: { mode: 'list', recipients: kept.map(({ to }) => to) },
			counts: {
				...NO_COUNTS,
				sent: kept.length,
				repeated,
				excluded: leftOut,
				withoutNumber,
				invalid: invalid.length,
				invalidValues: invalid.slice(0, MAX_INVALID),
			},
			first: kept.slice(0, FIRST_RECIPIENTS).map(({ to }) => ({ to })),
			warnings: invalidNumbersWarning(
				'Members of the segment without a valid phone number, who are left out because they cannot be compared with Exclude Segment',
				invalid,
			),
		};
	}
	const content = { mode: 'segment', segmentId } as const;
	const isNeeded = forPreview || guards.maxRecipients !== undefined;
	if (!isNeeded) return { content, counts: NO_COUNTS, first: [], warnings: [] };
	const summary = await summarize(context, segmentId, guards.maxRecipients);
	const { count, moreThan, isDynamic, first } = summary;
	const isUnknown = count === undefined && moreThan === undefined;
	const warnings = [
		...(isUnknown ? ['The service does not show how many members the segment has.'] : []),
		...(count === 0
			? [
					'The service shows no members of the segment. It may reject the broadcast, or send it to nobody.',
				]
			: []),
		...(isDynamic ? ['The segment is dynamic: its members may change until the start.'] : []),
	];
	return {
		content,
		counts: { ...NO_COUNTS, sent: count, moreThan },
		first: first.filter(({ to }) => to !== undefined).map(({ to }) => ({ to })),
		warnings,
	};
}
