import type { ServiceResponse } from '../../api/response';
import { OTHER_FORM_STATUSES, storedForms } from '../../parameters/address';
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
 * Sends a request for each form of an ID in turn, until the service finds one.
 *
 * @returns the response for the form that was found; if none was, the 404 for the first
 * @throws NodeApiError for any other rejection
 */
export async function sendToFirst(
	context: OperationContext,
	forms: string[],
	requestFor: (form: string) => OperationRequest,
): Promise<ServiceResponse> {
	const [first = '', ...others] = forms;
	const send = async (id: string, acceptStatuses: number[]) =>
		await context.send({ ...requestFor(id), path: { id }, acceptStatuses });
	const response = await send(first, [404]);
	if (response.status !== 404) return response;
	for (const form of others) {
		const other = await send(form, OTHER_FORM_STATUSES);
		if (!OTHER_FORM_STATUSES.includes(other.status)) return other;
	}
	return response;
}
