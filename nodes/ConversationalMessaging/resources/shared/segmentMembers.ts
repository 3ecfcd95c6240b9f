import type { IDataObject } from 'n8n-workflow';
import { shown } from '../../api/access/shown';
import { isCount, recordOf, toCount, valueOf, valuesOf } from '../../api/response/response';
import type { Meta, ServiceResponse } from '../../api/response/response';
import type { OperationContext } from '../../runner/operationContext';

/** The segment in a response to `GET /segments/{id}`; {} without one. */
export const segmentIn = (json: unknown): IDataObject =>
	recordOf(json, 'GET /segments/{id}').record;

/** Whether rules define the members of a segment; undefined if the response does not show it. */
export function isDynamicIn(json: unknown): boolean | undefined {
	const isDynamic = valueOf(segmentIn(json), 'isDynamic');
	return typeof isDynamic === 'boolean' ? isDynamic : undefined;
}

/**
 * How many members a segment has, by the total of their list or the count that it shows itself, whichever is larger; undefined
 * if neither is shown. Of these, the document names only the total.
 *
 * @param json the response to `GET /segments/{id}`
 */
export function memberCountIn(json: unknown, { total }: Meta): number | undefined {
	const shown = valuesOf(segmentIn(json), ['memberCount', 'contactCount']).map(toCount);
	const counts = [...shown, total].filter(isCount);
	return counts.length > 0 ? Math.max(...counts) : undefined;
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
