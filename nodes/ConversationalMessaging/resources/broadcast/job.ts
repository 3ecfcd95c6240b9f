import type { BackgroundJob } from '../waitForCompletion';

/** A broadcast as a background job. */
export const BROADCAST_JOB: BackgroundJob = {
	noun: 'broadcast',
	endpoint: 'GET /broadcasts/{id}',
};
