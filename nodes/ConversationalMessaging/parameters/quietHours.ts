import { momentsOf, wallTime } from './dateTime';
import type { ReadResult } from './values';
import { readText } from './values';

/** A part of every day, in minutes since midnight. It may include midnight: from 1260 until 480 is 21:00 to 08:00. */
export interface QuietHours {
	/** The first quiet minute. */
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
	const [from, until] = [minutes(match[1], match[2]), minutes(match[3], match[4])];
	// From and until the same time could be no time or the whole day.
	if (from === undefined || until === undefined || from % DAY === until % DAY)
		return { expected: EXPECTED };
	return { value: { from: from % DAY, until: until % DAY } };
}

const DAY = 24 * 60;
const MINUTE_MS = 60_000;
const DAY_MS = DAY * MINUTE_MS;

/** Minutes since midnight; 24:00 is the end of the day. */
function minutes(hours = '', rest = ''): number | undefined {
	const sum = Number(hours) * 60 + Number(rest);
	return Number(rest) < 60 && sum <= DAY ? sum : undefined;
}

/**
 * The end of the quiet hours that a moment falls into; undefined if it falls into none. Their first moment is quiet,
 * their end is not.
 *
 * Where clocks are changed, quiet hours are never shorter than they read: they begin with the first of two equal
 * times and end with the second one. A time that clocks skip is the moment at which they skip it.
 *
 * @param ms the moment, in milliseconds since the epoch
 */
export function endOfQuietHours(
	ms: number,
	{ from, until }: QuietHours,
	timeZone: string,
): number | undefined {
	const today = Math.floor(wallTime(ms, timeZone) / DAY_MS) * DAY_MS;
	// Quiet hours that began the day before may include midnight, and a clock may be set back over it.
	for (const day of [today - DAY_MS, today, today + DAY_MS]) {
		const [start = Infinity] = momentsOf(day + from * MINUTE_MS, timeZone);
		const lastDay = until > from ? day : day + DAY_MS;
		const end = momentsOf(lastDay + until * MINUTE_MS, timeZone).at(-1) ?? -Infinity;
		if (start > ms || ms >= end) continue;
		// Almost whole days overlap where a clock is set back.
		return endOfQuietHours(end, { from, until }, timeZone) ?? end;
	}
	return undefined;
}
