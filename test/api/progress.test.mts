import { endEvidence, progressOf } from '../../nodes/ConversationalMessaging/api/progress.ts';

describe('the meaning of a status', () => {
	test.each(
		`SCHEDULED QUEUED PROCESSING queued processing Pending RUNNING IN_PROGRESS in-progress inProgress VALIDATING
		importing Started STARTING active waiting_for_completion completing cancelling queued_for_processing accepted
		CREATED new not_started partially_processing retrying_failed paused finalizing pendingReview`.split(
			/\s+/,
		),
	)('the status %s means that the job is still running', (status) =>
		expect(progressOf(status)).toBe('running'),
	);

	test.each(
		`COMPLETED PARTIAL FAILED CANCELLED completed failed Canceled done FINISHED succeeded SUCCESS
		completed_with_errors completedWithErrors partially_completed PARTIAL_FAILURE processing_failed import_failed
		processed aborted expired TIMED_OUT error rejected terminated PARTIAL_RESULT`.split(/\s+/),
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
		// No present participles.
		'ping',
		'settings',
	])('the status %s is not understood', (status) => expect(progressOf(status)).toBe('unknown'));
});

describe('further evidence that a job has ended', () => {
	test.each([
		['a time of its end', { finishedAt: '2026-01-15T09:00:00Z' }, 'time'],
		['a time in epoch milliseconds', { completed_at: 1768467600000 }, 'time'],
		['no time yet', { finishedAt: null, createdAt: '2026-01-15T09:00:00Z' }, 'open'],
		['text that is no time', { finishedAt: 'soon' }, 'open'],
		['a time that is not set yet', { finishedAt: 0 }, 'open'],
		['a flag for a time', { finishedOn: true }, 'open'],
		['a flag', { done: true }, 'flag'],
		['a flag that is not set yet', { isCompleted: false }, 'open'],
		['a counter is no flag', { completed: 1 }, 'none'],
		['counters that are complete', { totalRows: 2, processedRows: 2 }, 'counters'],
		['counters that are not', { total: 2, processed: 1 }, 'open'],
		['a total alone', { total: 2 }, 'none'],
		['a number of processed rows alone', { processed: 2 }, 'none'],
		['counters that are texts', { total: '2', processed: '2' }, 'none'],
		['a counter that is not set yet', { total: 2, processed: -1 }, 'none'],
		['counters before the file was read', { total: 0, processed: 0 }, 'open'],
		['nothing', { id: 'x', fileName: 'a.csv' }, 'none'],
	])('the end of a job is recognized, or not yet: %s', (_name, record, evidence) => {
		expect(endEvidence(record)).toBe(evidence);
	});
});
