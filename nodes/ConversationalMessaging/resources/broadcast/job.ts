import type { BackgroundJob } from '../../runner/waitForCompletion';

/** A broadcast as a background job. */
export const BROADCAST_JOB: BackgroundJob = {
	noun: 'broadcast',
	endpoint: 'GET /broadcasts/{id}',
};
