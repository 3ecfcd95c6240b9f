import { progressOf } from '../../nodes/ConversationalMessaging/api/response/progress.ts';

test.each([
	[
		'running',
		`SCHEDULED QUEUED PROCESSING queued processing Pending IN_PROGRESS in-progress inProgress VALIDATING
		Started active accepted CREATED importing RUNNING`,
	],
	[
		'succeeded',
		'COMPLETED completed done FINISHED succeeded SUCCESS SUCCESSFUL processed imported',
	],
	[
		'failed',
		`PARTIAL FAILED CANCELLED failed Canceled completed_with_errors completedWithErrors PARTIAL_FAILURE
		partially_completed aborted expired TIMED_OUT error ERRORED rejected timeout`,
	],
	[
		'unknown',
		`stage-2 validated abgeschlossen not_completed OK incomplete 7 進行中 processing_failed import_failed
		partially_processing not_started ended failed_with_x COMPLETED_WITH_WARNINGS constructor _`,
	],
])('jobs with these statuses are %s: %s', (progress, statuses) => {
	for (const status of statuses.trim().split(/\s+/))
		expect([status, progressOf(status)]).toStrictEqual([status, progress]);
});

test('a status that is longer than any of them is unknown: reading megabytes takes seconds', () => {
	expect(progressOf('completed'.padStart(101))).toBe('unknown');
});
