import { NodeApiError } from 'n8n-workflow';
import type { RowLimit } from '../../api/pages';
import { idOf } from '../../api/pages';
import type { ServiceResponse } from '../../api/response';
import type { ContactIds } from '../../descriptions/records';
import { storedForms, unknownStatuses } from '../../parameters/address';
import type { OperationContext, OperationRequest } from '../../runner/operationContext';

/**
 * Sends a request for a contact, whose WhatsApp ID may be stored in another form: with a plus, or as the other
 * WhatsApp ID of the number (521 for 52). Whether the service finds one by the other is undocumented.
 *
 * @param id a contact ID, WhatsApp ID or Instagram ID
 * @throws NodeApiError unless the request succeeds
 */
export async function sendToContact(
	context: OperationContext,
	id: string,
	request: OperationRequest = {},
): Promise<ServiceResponse> {
	const response = await sendToFirst(context, storedForms(id), () => request);
	if (response.status === 404) throw context.responseError(response);
	return response;
}

/**
 * Sends a request for an ID and, if the service does not find it, for the first other form that it does find.
 *
 * The other forms are looked up first: a service may answer 400 to a form such as a plus, and a write may be answered with
 * 400 because of its values.
 *
 * @returns the response for the form that was found; if none was, the 404 for the first
 * @throws NodeApiError for any other rejection
 */
export async function sendToFirst(
	context: OperationContext,
	forms: string[],
	requestFor: (form: string) => OperationRequest,
): Promise<ServiceResponse> {
	const send = async (id: string) =>
		await context.send({ ...requestFor(id), path: { id }, acceptStatuses: [404] });
	return await sendUntilFound(context, forms, [404], send, (id) => requestFor(id).endpoint);
}

/**
 * Sends a request that names a contact in its query or body and, if the service does not find its WhatsApp ID, for the
 * first other form that it does find, as `sendToFirst` does. A request that was rejected has done nothing, so it is safe to
 * send again; all forms of a number are one customer's.
 *
 * @param unknown the statuses that may mean that there is no such contact
 * @throws NodeApiError unless the request succeeds
 */
export async function sendForContact(
	context: OperationContext,
	ids: ContactIds,
	unknown: number[],
	requestFor: (ids: ContactIds) => OperationRequest,
): Promise<ServiceResponse> {
	const { waId } = ids;
	if (waId === undefined) return await context.send(requestFor(ids));
	const send = async (form: string) =>
		await context.send({ ...requestFor({ waId: form }), acceptStatuses: unknown });
	const response = await sendUntilFound(context, storedForms(waId), unknown, send);
	if (unknown.includes(response.status)) throw context.responseError(response);
	return response;
}

/** @returns the response for the form that was found; if none was, that for the first */
async function sendUntilFound(
	context: OperationContext,
	[first = '', ...others]: string[],
	unknown: number[],
	send: (form: string) => Promise<ServiceResponse>,
	endpointOf?: (form: string) => OperationRequest['endpoint'],
): Promise<ServiceResponse> {
	const response = await send(first);
	if (!unknown.includes(response.status)) return response;
	for (const form of others) {
		const found = await getContact(context, form);
		if (found.status < 300) return endpointOf?.(form) === LOOK_UP ? found : await send(form);
	}
	return response;
}

const LOOK_UP = 'GET /contacts/{id}';

/** A token that may write contacts, but not read them, finds no other form. */
async function getContact(context: OperationContext, id: string): Promise<ServiceResponse> {
	return await context.send({
		endpoint: LOOK_UP,
		action: 'Get contact',
		path: { id },
		acceptStatuses: [...unknownStatuses(1), 403],
	});
}

/**
 * The rows of a list for all forms of a number, each once: the chats of one customer may be stored under several.
 *
 * @param waId the filter; empty for none
 * @param read reads the rows for one form
 * @throws NodeApiError the first rejection, if every form is rejected, or one in another way than because of its form
 */
export async function readAllForms(
	waId: string,
	rowLimit: RowLimit,
	read: (waId: string | undefined) => Promise<unknown[]>,
): Promise<unknown[]> {
	const forms = storedForms(waId);
	if (forms.length === 1) return await read(waId || undefined);
	const rows = new Map<string, unknown>();
	let firstRejection: unknown;
	let isRead = false;
	for (const [index, form] of forms.entries()) {
		const found = await read(form).catch((error: unknown) => {
			const status = error instanceof NodeApiError ? Number(error.httpCode) : undefined;
			if (!unknownStatuses(index).includes(status ?? 0)) throw error;
			firstRejection ??= error;
			return undefined;
		});
		isRead ||= found !== undefined;
		// A service that accepts all forms of a number returns the same rows for each.
		for (const row of found ?? []) rows.set(idOf(row) ?? JSON.stringify(row), row);
		if (found && rowLimit !== 'all' && found.length >= rowLimit) break;
	}
	if (!isRead) throw firstRejection;
	return [...rows.values()].slice(0, rowLimit === 'all' ? undefined : rowLimit);
}
