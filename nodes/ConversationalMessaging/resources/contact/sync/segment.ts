import { shown } from '../../../api/access/shown';
import type { OperationContext } from '../../../runner/operationContext';
import { contactIdOfMember } from '../../../api/response/contact';
import { readSegmentMembers } from '../../shared/readSegmentMembers';

/** The segment that the contacts are added to. */
export interface Segment {
	id: string;
	/** The IDs of its members before the sync. */
	members: Set<string>;
	/** Whether the service shows the IDs of all members. */
	showsIds: boolean;
}

/**
 * Reads the segment and its members before anything is written. What the list of contacts shows as their segments does not
 * count.
 *
 * @throws NodeApiError if it does not exist
 * @throws NodeOperationError if it is dynamic: rules define its members
 */
export async function readSegment(context: OperationContext, id: string): Promise<Segment> {
	const errorHint = (status: number) =>
		status === 404 ? shown`Nothing was written. Choose an existing segment.` : undefined;
	const { name, isDynamic, rows, gap } = await readSegmentMembers(context, id, Infinity, {
		errorHint,
	});
	if (isDynamic === true) {
		throw context.invalid(
			shown`The segment ${name} is dynamic: rules define its members`,
			'Nothing was written. Choose a static segment.',
		);
	}
	if (gap) context.notify(gap.notice);
	const ids = rows.map(contactIdOfMember).filter((member) => member !== undefined);
	return { id, members: new Set(ids), showsIds: ids.length === rows.length };
}
