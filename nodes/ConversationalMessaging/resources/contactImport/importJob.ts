import type { IDataObject } from 'n8n-workflow';
import { hasErrors, isCount, isRecord, toCount, valuesOf } from '../../api/response/response';
import type { BackgroundJob } from '../../runner/backgroundJob';

export const IMPORT_JOB: BackgroundJob = {
	noun: 'import',
	endpoint: 'GET /contacts/imports/{id}',
	failedRows,
};

const FAILED = [
	...['failed', 'failedCount', 'failedRows', 'errors', 'errorCount', 'errorRows'],
	...['rejected', 'invalid'],
];

/**
 * How many rows failed: the highest counter of them. A job has counters, but their names are undocumented (API document,
 * section Other resources).
 *
 * @returns undefined if it has none of these, in itself or in an object such as `counters`. An empty list may be part of every
 *   record, whatever happened to its rows
 */
function failedRows(record: IDataObject): number | undefined {
	const counts = [record, ...Object.values(record).filter(isRecord)]
		.flatMap((place) => valuesOf(place, FAILED))
		.map((value) => (Array.isArray(value) ? value.length || undefined : toCount(value)))
		.filter(isCount);
	const highest = Math.max(-1, ...counts);
	// Beside a counter that is 0, a text in `error` is no success.
	return highest > 0 || (highest === 0 && !hasErrors(record)) ? highest : undefined;
}
