import type { Endpoint } from '../../api/endpoint';
import { recordOf } from '../../api/response/record';
import { recordNames } from '../../api/response/recordNames';
import type { ServiceResponse } from '../../api/response/response';
import { isEnvelope, isRecord, isRejection, payloadOf } from '../../api/response/response';
import { textOf } from '../../api/base/text';
import type { OperationContext } from '../../runner/operationContext';
import type { Output } from '../../runner/output';

/** What cannot be taken back, with the verb for it. */
export const VERBS = { message: 'sent', broadcast: 'sent', flow: 'started' };

/**
 * The output for something that cannot be taken back. A response that shows nothing is no error, because the user would send
 * again; a notice says so.
 *
 * @throws NodeApiError if the service says that it did not send it
 */
export function sentOutputs(
	context: OperationContext,
	noun: keyof typeof VERBS,
	response: ServiceResponse,
): Output[] {
	if (isUnsent(response, context.operation.endpoint)) throw context.responseError(response);
	if (!showsSuccess(response)) {
		context.notify(
			`The service’s response does not show whether the ${noun} was ${VERBS[noun]}. Check in the service before you run the node again.`,
		);
	}
	return context.outputOf(response);
}

/** Whether the service says that it did nothing, be it in a record in `data` (API document, section Response envelope: `success`). */
export function isUnsent(response: ServiceResponse, endpoint: Endpoint): boolean {
	const payload = payloadOf(response.json);
	const { record } = recordOf(response.json, recordNames(endpoint));
	return isRejection(response) || [payload, record].some((value) => successIn(value) === 'false');
}

/** Whether a response has what the document shows (section Response envelope): `success: true`, or a record in `data`. */
function showsSuccess({ json }: ServiceResponse): boolean {
	const payload = payloadOf(json);
	const rows: unknown[] = Array.isArray(payload) ? payload : [payload];
	return (
		['true', '1'].includes(successIn(json)) || rows.some((row) => isRecord(row) && !isEnvelope(row))
	);
}

const successIn = (value: unknown): string =>
	isRecord(value) ? textOf(value.success).trim().toLowerCase() : '';
