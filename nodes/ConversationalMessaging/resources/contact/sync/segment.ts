import { shown } from '../../../api/access/shown';
import { textOf } from '../../../api/base/text';
import type { OperationContext } from '../../../runner/operationContext';
import { contactIdOfMember } from '../../../api/response/contact';
import { isDynamicIn, segmentIn } from '../../shared/segmentMembers';

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
	const onFirstPage = (json: unknown) => {
		if (isDynamicIn(json) !== true) return;
		throw context.invalid(
			shown`The segment ${textOf(segmentIn(json).name) || id} is dynamic: rules define its members`,
			'Nothing was written. Choose a static segment.',
		);
	};
	const errorHint = (status: number) =>
		status === 404 ? shown`Nothing was written. Choose an existing segment.` : undefined;
	const rows = await context.readRows(
		{
			...{ endpoint: 'GET /segments/{id}', action: 'Get segment', path: { id } },
			...{ onFirstPage, errorHint },
		},
		Infinity,
	);
	const ids = rows.map(contactIdOfMember).filter((member) => member !== undefined);
	return { id, members: new Set(ids), showsIds: ids.length === rows.length };
}
