import { shown } from '../../api/access/shown';
import { recordNames } from '../../api/endpoint';
import { statusIn } from '../../api/errors';
import { rowKey } from '../../api/reads/pages';
import type { ServiceResponse } from '../../api/response/response';
import type { ContactIds } from '../../descriptions/records';
import { customerId } from '../../phone/customerId';
import type { OperationContext, OperationRequest } from '../../runner/operationContext';

/**
 * Who tries which variants of a phone number. The service may store a WhatsApp ID with a plus, or as the other WhatsApp ID
 * of the number (521 for 52), and does not document whether it finds one by another; the check of a live service shows it. A
 * number has 2 variants, in Mexico, Argentina and Brazil 4 (`PhoneNumber.variants`).
 *
 * | Operations                                      | How             | Cost                                               |
 * | ----------------------------------------------- | --------------- | -------------------------------------------------- |
 * | on a contact by its ID, in the path             | `sendToContact` | after a 404: one look-up for each other variant,   |
 * | on a contact by its ID, in the query or body;   | `sendForContact`| until one is found; then the request again         |
 * | messages and flows                              |                 |                                                    |
 * | Create or Update; Sync for an unlisted contact  | `sendToFirst`   | the same, before every new contact                 |
 * | Chat → Get Many by WhatsApp ID                  | `readVariants`  | a list for each variant, always                    |
 * | Message → Send with Wait for Reply              | `readCustomerChats` | a list for each variant, each time it reads    |
 * | Broadcast with Exclude Segments                 | `readExclusion` | none: numbers are compared, not requested          |
 */

/**
 * Sends a request for a contact, and for the first other variant of its number that the service finds.
 *
 * @param id a contact ID, WhatsApp ID or Instagram ID
 */
export async function sendToContact(
	context: OperationContext,
	id: string,
	request: OperationRequest = {},
): Promise<ServiceResponse> {
	const { variants, kind } = customerId(id);
	const response = await sendToFirst(context, variants, () => request);
	if (response.status !== 404) return response;
	throw context.responseError(response, {
		...context.requestInfo,
		...(kind === 'nationalNumber' && { errorHint: () => ADD_COUNTRY_CODE }),
	});
}

const ADD_COUNTRY_CODE = shown`A phone number identifies a contact only with its country code. Enter it, such as +49 1511 2345678, or the contact ID.`;

/**
 * Sends a request for an ID and, if the service does not find it, for the first other variant that it does find.
 *
 * The other variants are looked up first: a service may answer 400 to one such as a plus, and a write may be answered with
 * 400 because of its values.
 *
 * @returns the response for the variant that was found; if none was, the 404 for the first
 * @throws NodeApiError for any other rejection
 */
export async function sendToFirst(
	context: OperationContext,
	variants: string[],
	requestFor: (variant: string) => OperationRequest,
): Promise<ServiceResponse> {
	const send = async (id: string) =>
		await context.send({ ...requestFor(id), path: { id }, acceptStatuses: [404] });
	return await sendUntilFound(context, variants, [404], send);
}

/**
 * Sends a request that names a contact in its query or body, as `sendToFirst` does. A request that was rejected has done
 * nothing, so it is safe to send again; all variants of a number are one customer's.
 *
 * @param unknown the statuses that may mean that there is no such contact
 */
export async function sendForContact(
	context: OperationContext,
	ids: ContactIds,
	unknown: number[],
	requestFor: (ids: ContactIds) => OperationRequest,
): Promise<ServiceResponse> {
	const { waId } = ids;
	if (waId === undefined) return await context.send(requestFor(ids));
	const send = async (variant: string) => {
		const { acceptStatuses = [], ...request } = requestFor({ waId: variant });
		return await context.send({ ...request, acceptStatuses: [...unknown, ...acceptStatuses] });
	};
	// An ID that was picked from a list is sent unchanged.
	const variants = [...new Set([waId, ...customerId(waId).variants])];
	const response = await sendUntilFound(context, variants, unknown, send);
	if (!unknown.includes(response.status)) return response;
	throw context.responseError(response, { ...context.requestInfo, ...requestFor(ids) });
}

/**
 * The statuses that mean that there is no record with a variant of an ID. A service that checks its parameters rejects
 * another than the usual one, such as one with a plus.
 *
 * @param index of the variant, in their order
 */
export const unknownStatuses = (index: number): number[] => (index === 0 ? [404] : [400, 404, 422]);

/** @returns the response for the variant that was found; if none was, that for the first */
async function sendUntilFound(
	context: OperationContext,
	[first = '', ...others]: string[],
	unknown: number[],
	send: (variant: string) => Promise<ServiceResponse>,
): Promise<ServiceResponse> {
	const response = await send(first);
	if (!unknown.includes(response.status)) return response;
	for (const id of others) {
		const found = await context.send({
			endpoint: 'GET /contacts/{id}',
			action: 'Get contact',
			path: { id },
			// A token that may write contacts, but not read them, finds no other variant.
			acceptStatuses: [...unknownStatuses(1), 403],
		});
		if (found.status < 300) return await send(id);
	}
	return response;
}

/**
 * The chats of all variants of a number, each once.
 *
 * @param waId the filter; empty for none
 * @throws NodeApiError the first rejection if every variant is rejected as unknown, or any other rejection
 */
export async function readVariants(
	waId: string,
	rowLimit: number,
	read: (waId: string | undefined) => Promise<unknown[]>,
): Promise<unknown[]> {
	const lists: unknown[][] = [];
	let rejection: unknown;
	for (const [index, variant] of customerId(waId).variants.entries()) {
		if ((lists.at(-1)?.length ?? 0) >= rowLimit) break;
		const found = await read(variant || undefined).catch((error: unknown) => {
			if (!unknownStatuses(index).includes(statusIn(error))) throw error;
			rejection ??= error;
			return undefined;
		});
		if (found) lists.push(found);
	}
	const [first, ...others] = lists;
	if (!first) throw rejection;
	if (others.length === 0) return first;
	// A service that accepts all variants of a number returns the same rows for each, also those without an ID.
	const names = recordNames('GET /chats');
	const rows = new Map(lists.flat().map((row) => [rowKey(row, names), row]));
	return [...rows.values()].slice(0, rowLimit);
}
