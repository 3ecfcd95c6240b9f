import {
	isSuccess,
	progressOf,
} from '../../nodes/ConversationalMessaging/api/response/progress.ts';

const words = (text: string) => text.trim().split(/\s+/);

test.each(
	words(`
		SCHEDULED QUEUED PROCESSING queued processing Pending IN_PROGRESS in-progress inProgress VALIDATING
		Started active completing cancelling accepted CREATED paused importing RUNNING
	`),
)('the status %s means that the job is still running', (status) => {
	expect(progressOf(status)).toBe('running');
});

test.each(
	words(`
		COMPLETED PARTIAL FAILED CANCELLED completed failed Canceled done FINISHED succeeded SUCCESS
		completed_with_errors completedWithErrors PARTIAL_FAILURE partially_completed processed aborted expired
		TIMED_OUT error ERRORED rejected SUCCESSFUL timeout finished_with_warnings
	`),
)('the status %s means that the job has ended', (status) => {
	expect(progressOf(status)).toBe('ended');
});

test.each(
	words(`
		stage-2 validated abgeschlossen not_completed OK incomplete 7 進行中 processing_failed import_failed
		partially_processing finished_importing not_started waiting_for_completion ping settings ended failed_with_x _
	`),
)('the status %s is not understood', (status) => {
	expect([progressOf(status), isSuccess(status)]).toStrictEqual(['unknown', undefined]);
});

test.each<[success: boolean | undefined, statuses: string]>([
	[true, 'COMPLETED completed done FINISHED succeeded SUCCESS processed imported'],
	[
		false,
		`PARTIAL FAILED CANCELLED completed_with_errors partially_completed TIMED_OUT expired
		COMPLETED_WITH_FAILURES finished_with_issues success_with_rejections`,
	],
	// Not ended, or not known to have succeeded.
	[undefined, 'QUEUED processing COMPLETED_WITH_WARNINGS done_with_skips'],
])('success is %s for the statuses %s', (success, statuses) => {
	for (const status of words(statuses))
		expect([status, isSuccess(status)]).toStrictEqual([status, success]);
});
