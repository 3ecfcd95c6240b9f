import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../../api/response/response';
import { textOf } from '../../api/base/text';
import type { BackgroundJob } from '../../runner/backgroundJob';

/** An import as a background job. */
export const IMPORT_JOB: BackgroundJob = {
	noun: 'import',
	endpoint: 'GET /contacts/imports/{id}',
	failedRows,
};

const FAILED = /^(?:fail(?:ed|ures?)?|errors?|errored|rejected|invalid)$/;
const COUNTED = /^(?:count|number|num|of|total|rows?|contacts?|records?|lines?)$/;

/**
 * The highest counter of failed rows. A job has counters, but their names are undocumented (API document, section Other
 * resources): `failedCount`, `rows_failed` or, in an object such as `counters`, `errors`.
 */
function failedRows(record: IDataObject): number {
	const counts = Object.entries(record).map(([name, value]) => {
		if (isRecord(value)) return failedRows(value);
		const words = name
			.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
			.toLowerCase()
			.split(/[ _-]+/);
		const isCounter =
			words.some((word) => FAILED.test(word)) &&
			words.every((word) => FAILED.test(word) || COUNTED.test(word));
		if (!isCounter) return 0;
		return Array.isArray(value) ? value.length : Number(textOf(value)) || 0;
	});
	return Math.max(0, ...counts);
}
