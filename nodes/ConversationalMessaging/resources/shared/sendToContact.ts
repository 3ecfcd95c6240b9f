import type { ServiceResponse } from '../../api/response';
import { addressForms } from '../../parameters/phone';
import type { OperationContext, OperationRequest } from '../../runner/operationContext';

/**
 * Sends a request for a contact, whose WhatsApp ID may be stored with or without a plus. Whether the service finds one
 * by the other is undocumented, so a number that is not found is sent once more, with a plus.
 *
 * @param id a contact ID, WhatsApp ID or Instagram ID
 * @throws NodeApiError unless the request succeeds
 */
export async function sendToContact(
	context: OperationContext,
	id: string,
	request: OperationRequest = {},
): Promise<ServiceResponse> {
	const forms = addressForms(id);
	const last = forms.pop() ?? id;
	for (const form of forms) {
		const response = await context.send({ ...request, path: { id: form }, acceptStatuses: [404] });
		if (response.status !== 404) return response;
	}
	return await context.send({ ...request, path: { id: last } });
}
