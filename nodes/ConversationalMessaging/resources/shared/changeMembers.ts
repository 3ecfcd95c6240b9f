import { shown } from '../../api/access/shown';
import type { ServiceResponse } from '../../api/response/response';
import type { OperationContext } from '../../runner/operationContext';

/** The number of contacts per request. The service documents no maximum; this one keeps requests small. */
const CONTACTS_PER_REQUEST = 500;

/** The contact IDs of each request that adds contacts to a segment, or removes them from it. */
export function memberRequests(contactIds: string[]): string[][] {
	const requests: string[][] = [];
	for (let start = 0; start < contactIds.length; start += CONTACTS_PER_REQUEST)
		requests.push(contactIds.slice(start, start + CONTACTS_PER_REQUEST));
	return requests;
}

/** Adds contacts to a segment, or removes them from it, in one request. */
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
