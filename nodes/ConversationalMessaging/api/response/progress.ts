/** Whether a job is still running, by the name of its status. */
type Progress = 'running' | 'ended' | 'unknown';

/** Every word of a service for work that goes on: "queued", "processing", "in progress". */
const RUNNING =
	/^(?:queued|scheduled|pending|created|accepted|started|active|paused|in progress|[a-z]{3,}ing)$/;

const SUCCESSFUL = /^(?:completed?|finished|done|success|successful|succeeded|imported|processed)$/;

const UNSUCCESSFUL =
	/^(?:partial(?:ly)?(?: (?:completed?|succe\w+|fail\w+))?|failed|failure|error|errored|cancell?ed|aborted|rejected|expired|stopped|timed out|timeout)$/;

/** An end with an addition: "completed with errors", "finished with warnings". */
const WITH = /^(\w+) with (\w+)$/;

/** "COMPLETED_WITH_ERRORS" and "completedWithErrors" as "completed with errors". */
const wordsOf = (status: string): string =>
	status
		.replace(/([a-z])([A-Z])/g, '$1 $2')
		.toLowerCase()
		.split(/[^a-z]+/)
		.join(' ')
		.trim();

/**
 * Interprets a status by its name. The document lists all statuses of a broadcast, but only queued and processing for an import
 * job (API document, section States), so the usual names of such services are known; any other is unknown.
 */
export function progressOf(status: string): Progress {
	const words = wordsOf(status);
	if (RUNNING.test(words)) return 'running';
	const [end] = words.split(' with ');
	return SUCCESSFUL.test(end ?? '') || UNSUCCESSFUL.test(words) ? 'ended' : 'unknown';
}

/**
 * Whether a job with this status has done all that it was to do: not if it failed, was cancelled, or did only a part.
 * Undefined if it has not ended, or the status says nothing about it.
 */
export function isSuccess(status: string): boolean | undefined {
	const words = wordsOf(status);
	if (UNSUCCESSFUL.test(words)) return false;
	const [, end, addition] = WITH.exec(words) ?? [];
	if (end !== undefined && SUCCESSFUL.test(end))
		// "with warnings": nothing shows whether something was left out.
		return /^(?:errors?|failures?|rejections?|issues)$/.test(addition ?? '') ? false : undefined;
	return SUCCESSFUL.test(words) || undefined;
}
