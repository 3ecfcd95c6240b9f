import {
	isSuccess,
	progressOf,
} from '../../nodes/ConversationalMessaging/api/response/progress.ts';

const words = (text: string) => text.trim().split(/\s+/);

test.each(
	words(`
		SCHEDULED QUEUED PROCESSING queued processing Pending IN_PROGRESS in-progress inProgress VALIDATING
		Started active waiting_for_completion completing cancelling accepted CREATED new not_started paused
		partially_processing
	`),
)('the status %s means that the job is still running', (status) => {
	expect(progressOf(status)).toBe('running');
});

test.each(
	words(`
		COMPLETED PARTIAL FAILED CANCELLED completed failed Canceled done FINISHED succeeded SUCCESS
		completed_with_errors completedWithErrors PARTIAL_FAILURE import_failed processed aborted expired
		TIMED_OUT error rejected terminated SUCCESSFUL ENDED timeout
	`),
)('the status %s means that the job has ended', (status) => {
	expect(progressOf(status)).toBe('ended');
});

test.each(
	// Words for both, and words that end like present participles.
	words(`
		stage-2 validated abgeschlossen not_completed OK incomplete 7 進行中 processing_failed
		finished_importing ping settings
	`),
)('the status %s is not understood', (status) => {
	expect(progressOf(status)).toBe('unknown');
});

test.each<[success: boolean | undefined, statuses: string]>([
	[
		true,
		'COMPLETED completed done FINISHED succeeded SUCCESS processed imported completed_without_errors',
	],
	[
		false,
		`PARTIAL FAILED CANCELLED completed_with_errors partially_completed TIMED_OUT expired
		COMPLETED_WITH_FAILURES finished_with_issues success_with_rejections COMPLETED_WITH_REJECTS`,
	],
	// Not ended, or not known to have succeeded.
	[
		undefined,
		'QUEUED processing stage-3 ended not_completed COMPLETED_WITH_WARNINGS done_with_skips',
	],
])('success is %s for the statuses %s', (success, statuses) => {
	for (const status of words(statuses))
		expect([status, isSuccess(status)]).toStrictEqual([status, success]);
});
