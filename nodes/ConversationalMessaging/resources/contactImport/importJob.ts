import type { BackgroundJob } from '../../runner/waitForCompletion';

/** An import as a background job. */
export const IMPORT_JOB: BackgroundJob = {
	noun: 'import',
	endpoint: 'GET /contacts/imports/{id}',
};
