import type { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { isTransient } from './lister';

/** The number of consecutive incomplete polls after which the execution fails. */
export const QUIET_FAILURES = 4;

/**
 * The error of an incomplete poll; undefined while it may be a short outage.
 *
 * @param failures the number of consecutive incomplete polls
 */
export function errorToReport<E extends NodeApiError | NodeOperationError>(
	failure: E,
	failures: number,
): E | undefined {
	if (!isTransient(failure)) return failure;
	if (failures <= QUIET_FAILURES) return undefined;
	const note = `Failed ${failures} polls in a row. No events are lost; the next successful poll reports them.`;
	failure.description = [failure.description, note].filter(Boolean).join(' ');
	return failure;
}
