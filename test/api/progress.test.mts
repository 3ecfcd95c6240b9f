import { progressOf } from '../../nodes/ConversationalMessaging/api/progress.ts';

describe('the meaning of a status', () => {
	test.each(
		`SCHEDULED QUEUED PROCESSING queued processing Pending RUNNING IN_PROGRESS in-progress inProgress VALIDATING
		importing Started STARTING active waiting_for_completion completing cancelling queued_for_processing accepted
		CREATED new not_started partially_processing paused finalizing pendingReview`.split(/\s+/),
	)('the status %s means that the job is still running', (status) =>
		expect(progressOf(status)).toBe('running'),
	);

	test.each(
		`COMPLETED PARTIAL FAILED CANCELLED completed failed Canceled done FINISHED succeeded SUCCESS
		completed_with_errors completedWithErrors partially_completed PARTIAL_FAILURE import_failed
		processed aborted expired TIMED_OUT error rejected terminated PARTIAL_RESULT errored SUCCESSFUL ENDED timeout`.split(
			/\s+/,
		),
	)('the status %s means that the job has ended', (status) =>
		expect(progressOf(status)).toBe('ended'),
	);

	test.each([
		'stage-2',
		'validated',
		'abgeschlossen',
		'not_completed',
		'OK',
		'incomplete',
		'7',
		'進行中',
		// Words for both.
		'processing_failed',
		'retrying_failed',
		'finished_importing',
		// No present participles.
		'ping',
		'settings',
	])('the status %s is not understood', (status) => expect(progressOf(status)).toBe('unknown'));
});
