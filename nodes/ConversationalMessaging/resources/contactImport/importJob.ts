import type { IDataObject } from 'n8n-workflow';
import { isCount, isRecord, toCount } from '../../api/response/response';
import { isBlank } from '../../parameters/values';
import type { BackgroundJob } from '../../runner/backgroundJob';

/** An import as a background job. */
export const IMPORT_JOB: BackgroundJob = {
	noun: 'import',
	endpoint: 'GET /contacts/imports/{id}',
	failedRows,
};

/** What a counter of failed rows is called, without case, punctuation and COUNTED. */
const FAILED = [
	...[
		'fail',
		'failed',
		'failure',
		'failures',
		'error',
		'errors',
		'errored',
		'witherrors',
		'haderrors',
	],
	...['rejected', 'invalid', 'unsuccessful', 'notsuccessful', 'notimported', 'unimported'],
];
const COUNTED = /^(?:count|number|num|of|total|rows?|contacts?|records?|lines?|imports?)$/;

/**
 * How many rows failed: the highest counter of them. A job has counters, but their names are undocumented (API document,
 * section Other resources): `failedCount`, `rows_failed`, `rowsWithErrors` or, in an object such as `counters`, `errors`.
 *
 * @returns undefined if none of its counters has such a name, or what has one is neither a number nor a list of rows
 */
function failedRows(record: IDataObject): number | undefined {
	const inner = Object.values(record).filter(isRecord);
	const counts = [record, ...inner]
		.flatMap((place) => Object.entries(place))
		.filter(([name, value]) => isFailureCounter(name) && !saysNothing(value))
		.map(([, value]) => (Array.isArray(value) ? value.length : toCount(value)));
	const highest = Math.max(-1, ...counts.filter(isCount));
	// Beside a counter that is 0, a text in `error` is no success.
	return highest > 0 || (highest === 0 && counts.every(isCount)) ? highest : undefined;
}

function isFailureCounter(name: string): boolean {
	const words = name
		.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
		.toLowerCase()
		.split(/[ _-]+/);
	return FAILED.includes(words.filter((word) => !COUNTED.test(word)).join(''));
}

/** `error: null` or `errors: []` may be part of every record, whatever happened to its rows. */
const saysNothing = (value: unknown): boolean =>
	isBlank(value) ||
	value === false ||
	(typeof value === 'object' && Object.keys(value).length === 0);
