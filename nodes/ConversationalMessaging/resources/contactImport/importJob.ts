import type { IDataObject } from 'n8n-workflow';
import { isCount, isRecord } from '../../api/response/response';
import { textOf } from '../../api/base/text';
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
 * @returns undefined if none of its counters has such a name
 */
function failedRows(record: IDataObject): number | undefined {
	const inner = Object.values(record).filter(isRecord);
	const counts = [record, ...inner]
		.flatMap((place) => Object.entries(place))
		.filter(([name]) => isFailureCounter(name))
		.map(([, value]) => countIn(value))
		.filter(isCount);
	return counts.length > 0 ? Math.max(...counts) : undefined;
}

function isFailureCounter(name: string): boolean {
	const words = name
		.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
		.toLowerCase()
		.split(/[ _-]+/);
	return FAILED.includes(words.filter((word) => !COUNTED.test(word)).join(''));
}

/** A list of errors has one for each row; null is none. */
function countIn(value: unknown): number {
	if (Array.isArray(value)) return value.length;
	return value === null ? 0 : Number(textOf(value) || NaN);
}
