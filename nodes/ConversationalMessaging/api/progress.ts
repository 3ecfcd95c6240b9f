/** Whether a job is still running, by the name of its status. */
export type Progress = 'running' | 'ended' | 'unknown';

const RUNNING =
	/^(?:\p{L}{3,}ing|queued|scheduled|progress|active|started|created|accepted|paused|new)$/u;

const ENDED =
	/^(?:complete|completed|partial|finished|ended|succeeded|success|successful|done|fail|failed|failure|error|errors|errored|cancell?ed|aborted|rejected|expired|stopped|terminated|imported|processed|timed|timeout)$/u;

/**
 * Interprets a status by its words. The document lists all statuses of a broadcast, but only queued and processing
 * for an import job (API document, section States), so the usual names of such services decide: "COMPLETED_WITH_ERRORS"
 * has ended, "in progress" and "processing" have not, and "processing_failed" may mean either.
 */
export function progressOf(status: string): Progress {
	const words = status
		.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
		.toLowerCase()
		.split(/[^\p{L}]+/u);
	const isRunning = words.some((word) => RUNNING.test(word));
	const hasEnded = words.some((word) => ENDED.test(word)) && !words.includes('not');
	if (isRunning === hasEnded) return 'unknown';
	return isRunning ? 'running' : 'ended';
}
