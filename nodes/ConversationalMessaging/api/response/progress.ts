/** Whether a job is still running, by the name of its status. */
type Progress = 'running' | 'ended' | 'unknown';

const RUNNING =
	/^(?:\p{L}{3,}ing|queued|scheduled|progress|active|started|created|accepted|paused|new)$/u;

const ENDED =
	/^(?:complete|completed|partial|finished|ended|succeeded|success|successful|done|fail|failed|failure|error|errors|errored|cancell?ed|aborted|rejected|expired|stopped|terminated|imported|processed|timed|timeout)$/u;

const UNSUCCESSFUL =
	/^(?:partial|partially|fail|failed|failures?|error|errors|errored|issues|cancell?ed|aborted|rejected|rejections|rejects|expired|stopped|terminated|timed|timeout)$/u;

/** An end that says nothing about success. */
const NEUTRAL = /^ended$/u;

/**
 * Interprets a status by its words. The document lists all statuses of a broadcast, but only queued and processing
 * for an import job (API document, section States), so the usual names of such services decide: "COMPLETED_WITH_ERRORS"
 * has ended, "in progress" and "processing" have not, and "processing_failed" may mean either.
 */
export function progressOf(status: string): Progress {
	const words = wordsOf(status);
	const isRunning = words.some((word) => RUNNING.test(word));
	const hasEnded = words.some((word) => ENDED.test(word)) && !words.includes('not');
	if (isRunning === hasEnded) return 'unknown';
	return isRunning ? 'running' : 'ended';
}

/**
 * Whether a job with this status has done all that it was to do: not if it failed, was cancelled, or did only a part.
 * Undefined if it has not ended, or the status says nothing about it.
 */
export function isSuccess(status: string): boolean | undefined {
	if (progressOf(status) !== 'ended') return undefined;
	// "completed without errors"
	const words = wordsOf(status).filter((_, index, all) => all[index - 1] !== 'without');
	if (words.some((word) => UNSUCCESSFUL.test(word))) return false;
	// "completed with warnings": no status of the document, and nothing shows whether something was left out.
	if (words.includes('with')) return undefined;
	return words.some((word) => ENDED.test(word) && !NEUTRAL.test(word)) || undefined;
}

function wordsOf(status: string): string[] {
	return status
		.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
		.toLowerCase()
		.split(/[^\p{L}]+/u);
}
