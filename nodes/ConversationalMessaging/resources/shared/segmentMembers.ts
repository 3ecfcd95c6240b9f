import { shown } from '../../api/access/shown';
import { textOf } from '../../api/base/text';
import { isCount, recordOf, toCount, valueOf, valuesOf } from '../../api/response/response';
import type { ServiceResponse } from '../../api/response/response';
import type { OperationContext, OperationRequest } from '../../runner/operationContext';

/** What reads a segment, page by page. */
const READ = 'GET /segments/{id}';

/**
 * Reads a segment and its members.
 *
 * @param rowLimit the number of members, if there are that many; Infinity for all
 * @throws NodeApiError if it cannot be read
 */
export async function readSegmentMembers(
	context: OperationContext,
	id: string,
	rowLimit: number,
	request: Pick<OperationRequest, 'action' | 'errorHint'> = {},
) {
	const list = { endpoint: READ, action: 'Get segment', path: { id }, ...request } as const;
	const { rows, first, gap } = await context.readList(list, rowLimit);
	const segment = recordOf(first?.json, READ).record;
	const total = first?.meta.total;
	const isDynamic = valueOf(segment, 'isDynamic');
	const shown = valuesOf(segment, ['memberCount', 'contactCount']).map(toCount);
	const counts = [...shown, total].filter(isCount);
	return {
		/** As the first page shows it; {} if that shows none. */
		segment,
		/** Its name, or else its ID. */
		name: textOf(segment.name).trim() || id,
		/** Whether rules define its members; undefined if the service does not show it. */
		isDynamic: typeof isDynamic === 'boolean' ? isDynamic : undefined,
		/** The total of the list of members; undefined if the service returns none. */
		total,
		/** That total, or the count that the segment shows, whichever is larger. The document names only the total. */
		count: counts.length > 0 ? Math.max(...counts) : undefined,
		rows,
		/** Why members are missing, or may be. */
		gap,
	};
}

/** The number of contacts per request. The service documents no maximum; this one keeps requests small. */
const CONTACTS_PER_REQUEST = 500;

/** The contact IDs of each request that adds contacts to a segment, or removes them from it. */
export function memberRequests(contactIds: string[]): string[][] {
	const requests: string[][] = [];
	for (let start = 0; start < contactIds.length; start += CONTACTS_PER_REQUEST)
		requests.push(contactIds.slice(start, start + CONTACTS_PER_REQUEST));
	return requests;
}

/**
 * Adds contacts to a segment, or removes them from it, in one request.
 *
 * @throws NodeApiError if it is rejected
 */
export async function changeMembers(
	context: OperationContext,
	segmentId: string,
	action: 'add' | 'remove',
	contactIds: string[],
): Promise<ServiceResponse> {
	return await context.send({
		endpoint: 'PUT /segments/{id}/members',
		action: action === 'add' ? 'Add contacts to segment' : 'Remove contacts from segment',
		path: { id: segmentId },
		body: { action, contactIds },
		errorHint: (status) =>
			status === 400
				? shown`Enter the contact IDs of contacts in this organization, and choose a static segment.`
				: undefined,
	});
}
