/**
 * What the status of a job means. The document lists all statuses of a broadcast, but only queued and processing for an import
 * job (API document, section States), so the usual words for other states are here; any other is unknown.
 */
const STATUSES = {
	running: [
		...['scheduled', 'queued', 'processing', 'pending', 'created', 'accepted', 'started'],
		...['active', 'running', 'in progress', 'validating', 'importing'],
	],
	succeeded: [
		...['completed', 'complete', 'done', 'finished', 'success', 'successful', 'succeeded'],
		...['imported', 'processed'],
	],
	/** It has ended, but has not done all that it was to do. */
	failed: [
		...['partial', 'failed', 'failure', 'cancelled', 'canceled', 'error', 'errored', 'aborted'],
		...['rejected', 'expired', 'timed out', 'timeout', 'completed with errors'],
		...['partially completed', 'partially failed', 'partial success', 'partial failure'],
	],
};

/** Longer than any of them in any spelling: a text of megabytes would block n8n for seconds at each look at it. */
const MAX_LENGTH = 100;

type Progress = keyof typeof STATUSES | 'unknown';

/** @param status in any spelling: "IN_PROGRESS", "inProgress" */
export function progressOf(status: string): Progress {
	if (status.length > MAX_LENGTH) return 'unknown';
	const words = status
		.replace(/([a-z])([A-Z])/g, '$1 $2')
		.toLowerCase()
		.split(/[^a-z]+/)
		.join(' ')
		.trim();
	const known = Object.keys(STATUSES) as (keyof typeof STATUSES)[];
	return known.find((progress) => STATUSES[progress].includes(words)) ?? 'unknown';
}

/** Whether a job with this status has ended, successfully or not. */
export const hasEnded = (status: string): boolean =>
	['succeeded', 'failed'].includes(progressOf(status));
