import type { IDataObject } from 'n8n-workflow';

/** Whether the work behind a status goes on, by the name of the status. */
export type Progress = 'moving' | 'ended' | 'unknown';

const words = (text: string): Set<string> => new Set(text.split(' '));

const ENDED = words(
	'complete completed done finish finished success successful succeeded processed imported sent delivered ' +
		'fail failed failure error errors errored cancelled canceled aborted rejected expired stopped terminated ' +
		'interrupted ended closed killed dead timeout timed skipped',
);

/** An end for a broadcast (API document, section States), but "partially processing" is none. */
const PARTIAL = words('partial partially');

const MOVING = words(
	'queued enqueued scheduled active progress started created new accepted received submitted initialized initiated ' +
		'open draft delayed deferred paused hold held planned retry retried',
);

/**
 * Reads a status by its words. The document lists all that a broadcast can be, but of an import job only queued and
 * processing (API document, section States), so the usual names of such services decide: "COMPLETED_WITH_ERRORS" has
 * ended, "in progress" and every "-ing" goes on.
 */
export function progressOf(status: string): Progress {
	const all = status
		.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
		.toLowerCase()
		.split(/[^\p{L}\p{N}]+/u)
		.filter(Boolean);
	if (all.includes('not') || all.includes('non'))
		return all.some((word) => MOVING.has(word)) ? 'moving' : 'unknown';
	const moves = all.some((word) => MOVING.has(word) || /.{3,}ing$/.test(word));
	// "retrying_failed" goes on; "processing_failed" does not.
	if (all.some((word) => word.startsWith('retr')) && moves) return 'moving';
	if (all.some((word) => ENDED.has(word))) return 'ended';
	if (moves) return 'moving';
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

/** What a record says of its end besides its status. */
export interface Evidence {
	/** A time of its end, or a flag, or counters that are complete. */
	kind: 'time' | 'flag' | 'counters' | 'none';
	/** Whether it could still come: there are such fields, and they are not filled in yet. */
	open: boolean;
}

/**
 * Looks for the end of a job in its other fields, for a status that is missing or says nothing. Their names are
 * undocumented; these are the usual ones, in any spelling.
 */
export function endEvidence(record: IDataObject): Evidence {
	const fields = Object.entries(record).map(
		([key, value]) => [key.toLowerCase().replace(/[^a-z]/g, ''), value] as const,
	);
	const of = (names: Set<string>) => fields.filter(([name]) => names.has(name));
	const times = of(END_TIMES);
	if (times.some(([, value]) => isTime(value))) return { kind: 'time', open: false };
	const flags = of(END_FLAGS).filter(([, value]) => typeof value === 'boolean');
	if (flags.some(([, value]) => value === true)) return { kind: 'flag', open: false };
	const total = of(TOTALS).find(([, value]) => isCount(value))?.[1];
	const processed = of(PROCESSED).find(([, value]) => isCount(value))?.[1];
	const counted = total !== undefined && processed !== undefined;
	if (counted && Number(total) > 0 && Number(processed) >= Number(total))
		return { kind: 'counters', open: false };
	return { kind: 'none', open: times.length > 0 || flags.length > 0 || counted };
}

const isTime = (value: unknown): boolean =>
	(typeof value === 'string' && !Number.isNaN(Date.parse(value))) ||
	(typeof value === 'number' && value > 0);

const isCount = (value: unknown): boolean => typeof value === 'number' && value >= 0;
