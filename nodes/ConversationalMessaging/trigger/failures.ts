import { type IDataObject, NodeApiError, NodeOperationError } from 'n8n-workflow';
import { type Shown, shown } from '../api/access/shown';
import { statusIn } from '../api/errors';
import { isOutOfTime } from '../api/failures';

/** The number of consecutive incomplete polls after which the execution fails. */
export const QUIET_FAILURES = 4;

/**
 * The error of an incomplete poll; undefined while it may be a short outage.
 *
 * Its note promises no more than what holds: failed polls lose no change, but a status that a record has only between two
 * successful polls is not found. A first poll must not fail silently: n8n saves what it leaves only when it publishes the
 * workflow, or with an event, so a restart would lose the baseline of a later poll.
 *
 * @param failures the number of consecutive incomplete polls
 * @param hasBaseline whether one has succeeded
 */
export function errorToReport<E extends NodeApiError | NodeOperationError>(
	failure: E,
	failures: number,
	hasBaseline: boolean,
): E | undefined {
	if (!isTransientError(failure)) return failure;
	if (hasBaseline && failures <= QUIET_FAILURES) return undefined;
	const note = hasBaseline
		? `Failed ${failures} polls in a row. The next successful poll reports what has changed since the last successful one.`
		: 'Until a first poll succeeds, changes are not noticed. Publish again once the service responds.';
	failure.description = [failure.description, note].filter(Boolean).join(' ');
	return failure;
}

const MAX_FIELDS = 20;

/** For a user whose service calls a field otherwise than the trigger expects. */
export const fieldNamesText = (of: string, record: IDataObject): Shown =>
	shown`The fields of ${of} are: ${Object.keys(record).slice(0, MAX_FIELDS).join(', ')}.`;

/** What a request threw. @throws anything else: a defect */
export function requestError(error: unknown): NodeApiError | NodeOperationError {
	if (error instanceof NodeApiError || error instanceof NodeOperationError) return error;
	throw error;
}

/** Whether the next poll may succeed: after the rate limit, an unavailable or slow service, no connection. */
export function isTransientError(error: unknown): error is NodeApiError {
	if (!(error instanceof NodeApiError)) return false;
	const status = statusIn(error);
	return !(status >= 300 && status < 500) || status === 408 || status === 429;
}

/** Whether no other request can succeed now: the token is unknown, the rate limit is used up, or the poll's time is. */
export const concernsAll = (error: NodeApiError | NodeOperationError): boolean =>
	[401, 429].includes(statusIn(error)) || isOutOfTime(error);

/** Whether the service rejected, or redirected, only this record or page. */
export function isRejectedRecord(error: unknown): error is NodeApiError | NodeOperationError {
	// An ID that cannot be part of a path.
	if (error instanceof NodeOperationError) return true;
	const status = statusIn(error);
	return status >= 300 && status < 500 && ![401, 408, 429].includes(status);
}

/** Whether the service has nothing at this address. */
export const isNotFound = (error: unknown): boolean => statusIn(error) === 404;

/** Whether an error may mean that the page is beyond the end of its list. */
export const isBehindEnd = (error: unknown): boolean =>
	[400, 404, 416, 422].includes(statusIn(error));
