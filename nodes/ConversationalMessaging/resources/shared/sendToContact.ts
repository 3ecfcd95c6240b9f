import type { ServiceResponse } from '../../api/response';
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
	const [first = '', ...others] = forms;
	const send = async (id: string) =>
		await context.send({ ...requestFor(id), path: { id }, acceptStatuses: [404] });
	const response = await send(first);
	if (response.status !== 404) return response;
	for (const form of others) {
		const found = await getContact(context, form);
		if (found.status < 300) return requestFor(form).endpoint === LOOK_UP ? found : await send(form);
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
