import { shown } from '../../api/access/shown';
import type { Endpoint } from '../../api/endpoint';
import {
	hasErrors,
	isRecord,
	says,
	shownRecords,
	showsRecord,
	statusOf,
	type ServiceResponse,
} from '../../api/response/response';
import type { OperationContext } from '../../runner/operationContext';
import { type Output, outputOf } from '../../runner/output';

/** What cannot be taken back, with the verb for it. */
export const VERBS = { message: 'sent', broadcast: 'sent', flow: 'started' };

/**
 * The output for something that cannot be taken back. A response that shows nothing is no error, because the user would send
 * again; a notice says so.
 *
 * @throws NodeApiError for a rejection whose status was accepted
 */
export function sentOutputs(
	context: OperationContext,
	noun: keyof typeof VERBS,
	response: ServiceResponse,
): Output[] {
	const { endpoint } = context.requestInfo;
	if (response.status >= 300) throw context.responseError(response);
	if (!showsSuccess(response, endpoint)) {
		context.notify(
			shown`The service’s response does not show whether the ${noun} was ${VERBS[noun]}. Check in the service before you run the node again.`,
		);
	}
	return outputOf(response, endpoint);
}

/**
 * Whether a response shows that it was sent: it has a record, or `success: true` (API document, section Response envelope). Not
 * if it names an error, or the record has a status such as FAILED: a service may keep a message that it could not hand over.
 */
function showsSuccess({ json }: ServiceResponse, endpoint: Endpoint): boolean {
	const records = shownRecords(json, endpoint);
	const isFailed = records.some((record) => FAILED.test(statusOf(record) ?? ''));
	if (isFailed || [...records, json].filter(isRecord).some(hasErrors)) return false;
	return showsRecord(json, endpoint) || says(json, 'true');
}

const FAILED = /^(?:error|failed|rejected|undelivered)$/i;
