import type { IDataObject } from 'n8n-workflow';
import { shown } from '../../api/access/shown';
import { textOf } from '../../api/base/text';
import type { ListRequest } from '../../api/reads/pages';
import { isCount, recordOf, toCount, valueOf, valuesOf } from '../../api/response/response';
import type { Meta, ServiceResponse } from '../../api/response/response';
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
	request: Pick<OperationRequest, 'action' | 'errorHint'> & Pick<ListRequest, 'onIncomplete'> = {},
) {
	let segment: IDataObject = {};
	let total: number | undefined;
	const onFirstPage = (json: unknown, meta: Meta) => {
		segment = recordOf(json, READ).record;
		total = meta.total;
	};
	const list = { action: 'Get segment', path: { id }, onFirstPage, ...request };
	const rows = await context.readRows({ endpoint: READ, ...list }, rowLimit);
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
