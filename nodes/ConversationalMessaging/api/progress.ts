import type { IDataObject } from 'n8n-workflow';

/** Whether a job is still running, by the name of its status. */
export type Progress = 'running' | 'ended' | 'unknown';

const words = (text: string): Set<string> => new Set(text.split(' '));

const ENDED = words(
	'complete completed done finish finished success successful succeeded processed imported sent delivered ' +
		'fail failed failure error errors errored cancelled canceled aborted rejected expired stopped terminated ' +
		'interrupted ended closed killed dead timeout timed skipped',
);

/** Final for a broadcast (API document, section States), but "partially processing" is not. */
const PARTIAL = words('partial partially');

const RUNNING = words(
	'queued enqueued scheduled active progress started created new accepted received submitted initialized initiated ' +
		'open draft delayed deferred paused hold held planned retry retried',
);

/**
 * Interprets a status by its words. The document lists all statuses of a broadcast, but only queued and processing
 * for an import job (API document, section States), so the usual names of such services decide:
 * "COMPLETED_WITH_ERRORS" has ended, "in progress" and every "-ing" have not.
 */
export function progressOf(status: string): Progress {
	const all = status
		.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
		.toLowerCase()
		.split(/[^\p{L}\p{N}]/u);
	if (all.includes('not') || all.includes('non'))
		return all.some((word) => RUNNING.has(word)) ? 'running' : 'unknown';
	const isRunning = all.some((word) => RUNNING.has(word) || /.{3,}ing$/.test(word));
	// "retrying_failed" has not ended; "processing_failed" has.
	if (all.some((word) => word.startsWith('retr')) && isRunning) return 'running';
	if (all.some((word) => ENDED.has(word))) return 'ended';
	if (isRunning) return 'running';
	return all.some((word) => PARTIAL.has(word)) ? 'ended' : 'unknown';
}

const END_TIMES = words(
	'finishedat completedat endedat failedat cancelledat canceledat finishedon completedon endtime finishtime',
);
const END_FLAGS = words(
	'done finished completed ended isdone isfinished iscompleted iscomplete isended',
);
const TOTALS = words('total totalrows totalcount rowcount rowstotal totalrecords totalcontacts');
const PROCESSED = words('processed processedrows processedcount rowsprocessed processedrecords');

/**
 * Evidence other than the status that a record's job has ended: an end time, a flag, or complete counters. 'open' if
 * such fields exist, but do not show an end yet.
 */
export type Evidence = 'time' | 'flag' | 'counters' | 'open' | 'none';

/**
 * Looks for evidence in other fields, for a status that is missing or unclear. Their names are undocumented; these
 * are the usual ones, in any spelling.
 */
export function endEvidence(record: IDataObject): Evidence {
	const fields = Object.entries(record).map(
		([key, value]) => [key.toLowerCase().replace(/[^a-z]/g, ''), value] as const,
	);
	const of = (names: Set<string>) => fields.filter(([name]) => names.has(name));
	const times = of(END_TIMES);
	if (times.some(([, value]) => isTime(value))) return 'time';
	const flags = of(END_FLAGS).filter(([, value]) => typeof value === 'boolean');
	if (flags.some(([, value]) => value === true)) return 'flag';
	const total = of(TOTALS).find(([, value]) => isCount(value))?.[1];
	const processed = of(PROCESSED).find(([, value]) => isCount(value))?.[1];
	const counted = total !== undefined && processed !== undefined;
	if (counted && Number(total) > 0 && Number(processed) >= Number(total)) return 'counters';
	return times.length > 0 || flags.length > 0 || counted ? 'open' : 'none';
}

const isTime = (value: unknown): boolean =>
	(typeof value === 'string' && !Number.isNaN(Date.parse(value))) ||
	(typeof value === 'number' && value > 0);

const isCount = (value: unknown): boolean => typeof value === 'number' && value >= 0;
