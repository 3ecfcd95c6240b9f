import { minuteOfDay } from './dateTime';
import { type ReadResult, readText } from './values';

/** A part of every day, in minutes since midnight. It may include midnight: from 1260 until 480 is 21:00 to 08:00. */
export interface QuietHours {
	from: number;
	/** The first minute that is not quiet. */
	until: number;
}

const TIME = String.raw`(\d{1,2})[:.](\d{2})`;
const HOURS = new RegExp(
	String.raw`^${TIME}\s*(?:-|\u2010|\u2011|\u2012|\u2013|\u2014|to)\s*${TIME}$`,
	'i',
);

const EXPECTED = 'two different times of day, e.g. 21:00-08:00';

/** Reads "21:00-08:00". */
export function readQuietHours(value: unknown): ReadResult<QuietHours> {
	const match = HOURS.exec(readText(value).value ?? '');
	if (!match) return { expected: EXPECTED };
	const [from, until] = [minuteIn(match[1], match[2]), minuteIn(match[3], match[4])];
	// From and until the same time could be no time or the whole day.
	if (from === undefined || until === undefined || from % DAY === until % DAY)
		return { expected: EXPECTED };
	return { value: { from: from % DAY, until: until % DAY } };
}

const DAY = 24 * 60;
const MINUTE_MS = 60_000;

/** Quiet hours last less than a day; a second one if clocks skip the time at which they would end. */
const MAX_QUIET_MS = 2 * DAY * MINUTE_MS;

/** Minutes since midnight; 24:00 is the end of the day. */
function minuteIn(hours = '', rest = ''): number | undefined {
	const sum = Number(hours) * 60 + Number(rest);
	return Number(rest) < 60 && sum <= DAY ? sum : undefined;
}

/**
 * The end of the quiet hours that a moment falls into; undefined if it falls into none. A moment is quiet if a clock in
 * the time zone shows a time from the beginning of the quiet hours until their end, whether or not clocks are changed.
 *
 * @param ms the moment, in milliseconds since the epoch
 */
export function endOfQuietHours(
	ms: number,
	hours: QuietHours,
	timeZone: string,
): number | undefined {
	if (!isQuiet(minuteOfDay(ms, timeZone), hours)) return undefined;
	const first = Math.ceil((ms + 1) / MINUTE_MS) * MINUTE_MS;
	const last = first + MAX_QUIET_MS;
	let end = first;
	while (end < last && isQuiet(minuteOfDay(end, timeZone), hours)) end += MINUTE_MS;
	return end;
}

const isQuiet = (minute: number, { from, until }: QuietHours): boolean =>
	from < until ? minute >= from && minute < until : minute >= from || minute < until;
