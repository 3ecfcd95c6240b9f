import { shown } from '../../api/access/shown';
import type { Endpoint } from '../../api/endpoint';
import {
	recordOf,
	refusalIn,
	hasErrors,
	isEnvelope,
	isRecord,
	isRejection,
	payloadOf,
} from '../../api/response/response';
import type { ServiceResponse } from '../../api/response/response';
import { textOf } from '../../api/base/text';
import type { OperationContext } from '../../runner/operationContext';
import type { Output } from '../../runner/output';
import { outputOf } from '../../runner/output';

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
	const status = sentStatusOf(response, context.requestInfo.endpoint);
	if (status === 'unsent') throw context.responseError(response);
	if (status === 'unknown') {
		context.notify(
			shown`The service’s response does not show whether the ${noun} was ${VERBS[noun]}. Check in the service before you run the node again.`,
		);
	}
	return outputOf(response, context.requestInfo.endpoint);
}

/**
 * What the service says about something that cannot be taken back (API document, section Response envelope).
 *
 * | response                                                          | status  |
 * |-------------------------------------------------------------------|---------|
 * | a rejection, or a refusal (`refusalIn`)                           | unsent  |
 * | a record with a status such as FAILED, or an error beside `data`  | unknown |
 * | `success: true`, or a record in `data`                            | sent    |
 * | anything else                                                     | unknown |
 */
export function sentStatusOf(
	response: ServiceResponse,
	endpoint: Endpoint,
): 'sent' | 'unsent' | 'unknown' {
	const payload = payloadOf(response.json);
	const { status = '' } = recordOf(response.json, endpoint);
	const rows: unknown[] = Array.isArray(payload) ? payload : [payload];
	if (isRejection(response) || refusalIn(response.json, endpoint)) return 'unsent';
	if (FAILED.test(status) || (isRecord(response.json) && hasErrors(response.json)))
		return 'unknown';
	const hasRecord = rows.some((row) => isRecord(row) && !isEnvelope(row));
	return hasRecord || ['true', '1'].includes(successIn(response.json)) ? 'sent' : 'unknown';
}

/** A service may keep, and return, a message that it could not hand over. */
const FAILED = /^(?:error|fail|failed|failure|rejected|undelivered|undeliverable)$/i;

const successIn = (value: unknown): string =>
	isRecord(value) ? textOf(value.success).trim().toLowerCase() : '';
