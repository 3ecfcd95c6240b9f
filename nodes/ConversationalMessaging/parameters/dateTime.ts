import { isRecord } from '../api/response';
import type { ReadResult } from './values';
import { readText } from './values';

/** A date and time that could be read. */
export interface Moment {
	/** ISO 8601 with the offset of the workflow's time zone, to the second: "2031-05-06T10:00:00+02:00". */
	iso: string;
	/** Milliseconds since the epoch, of whole seconds. */
	ms: number;
}

/**
 * Reads a moment from any usual form: ISO text with or without an offset, a Luxon DateTime (`$now`), a JavaScript
 * Date, or milliseconds since the epoch, as number or text.
 *
 * Ambiguous values are rejected, never guessed: 01.02.2027, a day without a time, seconds since the epoch, a local
 * time that a clock change skips or repeats. A wrong guess would send to thousands at the wrong time; a text can
 * always include its offset. Milliseconds must have 13 digits (the years 2001 to 2286): shorter numbers are seconds
 * or a spreadsheet's day counts, and longer texts are dates without separators.
 *
 * @param timeZone an IANA name, e.g. "Europe/Berlin", for texts without an offset and for the result
 */
export const readMoment =
	(timeZone: string) =>
	(value: unknown): ReadResult<Moment> => {
		if (typeof value === 'string') return fromText(value.trim(), timeZone);
		if (typeof value === 'number') return fromNumber(value, timeZone);
		const ms = millisecondsIn(value);
		if (ms === undefined) return { expected: `a date and time, ${EXAMPLE}` };
		// "Invalid DateTime" and "Invalid Date": what an expression on a missing field returns.
		return Number.isFinite(ms) ? momentAt(ms, timeZone) : { expected: 'a valid date and time' };
	};

const EXAMPLE = 'e.g. 2031-05-06T10:00';

/**
 * The time of a Date or a DateTime; NaN for an invalid one, undefined for anything else. Recognized by their methods,
 * because n8n's expressions, and other copies of Luxon, have different classes.
 */
function millisecondsIn(value: unknown): number | undefined {
	if (!isRecord(value)) return undefined;
	if (Object.prototype.toString.call(value) === '[object Date]')
		return (value as unknown as Date).getTime();
	const { isLuxonDateTime, toMillis } = value as { isLuxonDateTime?: unknown; toMillis?: unknown };
	if (isLuxonDateTime !== true || typeof toMillis !== 'function') return undefined;
	return Number(toMillis.call(value));
}

function fromNumber(number: number, timeZone: string): ReadResult<Moment> {
	if (number >= 1e12 && number < 1e13) return momentAt(number, timeZone);
	return {
		expected: `a date and time, ${EXAMPLE}, or milliseconds since 1970 (13 digits)`,
	};
}

const ISO =
	/^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?(?: ?(Z|[+-]\d{2}(?::?\d{2})?))?)?$/i;

function fromText(text: string, timeZone: string): ReadResult<Moment> {
	if (/^\d+$/.test(text)) return fromNumber(Number(text), timeZone);
	const match = ISO.exec(text);
	if (!match) return { expected: `year, month, day and time in this order, ${EXAMPLE}` };
	const [year = 0, month = 0, day = 0, hour = 0, minute, second = 0] = (
		match.slice(1, 7) as (string | undefined)[]
	).map((part) => (part === undefined ? undefined : Number(part)));
	if (minute === undefined) return { expected: `both a date and a time, ${EXAMPLE}` };
	const wall = Date.UTC(year, month - 1, day, hour, minute, second);
	// Date.UTC reads 30 February as 2 March, and 24:00 as the next day; converting back reveals it.
	const exists =
		new Date(wall).toISOString().startsWith(text.slice(0, 10)) && minute < 60 && second < 60;
	if (!exists) return { expected: 'a date and time that exists' };
	const offset = match[7];
	if (offset === undefined) return fromWall(wall, timeZone);
	const minutes = minutesOf(offset);
	// No place on earth has a larger offset.
	if (minutes < -12 * 60 || minutes > 14 * 60)
		return { expected: 'an offset from -12:00 to +14:00' };
	return momentAt(wall - minutes * MINUTE_MS, timeZone);
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Date.UTC reads a year before 100 as one of the twentieth century. */
const FIRST_MS = Date.parse('0100-01-02T00:00:00Z');
const LAST_MS = Date.parse('9999-12-31T00:00:00Z');

/** "+05:30", "-0800", "+02", "Z" in minutes; Infinity if the minutes exceed 59. */
function minutesOf(offset: string): number {
	const digits = offset.slice(1).replace(':', '');
	const [hours, minutes] = [Number(digits.slice(0, 2)), Number(digits.slice(2))];
	if (minutes > 59) return Infinity;
	return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

/**
 * The moment at which a wall clock in the time zone shows a local time, given as if it were UTC; rejected if there is
 * none or more than one.
 */
function fromWall(wall: number, timeZone: string): ReadResult<Moment> {
	const [offset, second] = offsetsOf(wall, timeZone);
	if (offset === undefined) {
		return {
			expected: `an existing time (clocks in ${timeZone}, the workflow’s time zone, skip this one)`,
		};
	}
	if (second === undefined) return momentAt(wall - offset * MINUTE_MS, timeZone);
	const offsets = [offset, second].map(offsetText).join(' or ');
	return {
		expected: `the offset ${offsets} with this time (it occurs twice in ${timeZone}, the workflow’s time zone)`,
	};
}

/**
 * The offsets at which a wall clock in the time zone shows a local time, in minutes: none if clocks skip it, two if
 * they repeat it, that of the earlier moment first.
 */
function offsetsOf(wall: number, timeZone: string): number[] {
	// Clocks change at most once in two days, so only the offsets a day before and after can apply.
	const around = [wall - DAY_MS, wall, wall + DAY_MS].map((time) => offsetAt(time, timeZone));
	return [...new Set(around)].filter(
		(offset) => offsetAt(wall - offset * MINUTE_MS, timeZone) === offset,
	);
}

/**
 * The moments at which a wall clock in the time zone shows a local time, earliest first. A time that clocks skip is
 * the moment at which they skip it.
 *
 * @param wall the local time, as milliseconds since the epoch as if it were UTC
 */
export function momentsOf(wall: number, timeZone: string): number[] {
	const moments = offsetsOf(wall, timeZone).map((offset) => wall - offset * MINUTE_MS);
	if (moments.length > 0) return moments;
	// Halved until it is found to the second, the precision of clocks.
	let [before, after] = [wall - DAY_MS, wall + DAY_MS];
	const offset = offsetAt(before, timeZone);
	while (after - before > 1_000) {
		const middle = Math.floor((before + after) / 2_000) * 1_000;
		if (offsetAt(middle, timeZone) === offset) before = middle;
		else after = middle;
	}
	return [after];
}

/** What a wall clock in the time zone shows at a moment, as milliseconds since the epoch as if it were UTC. */
export const wallTime = (ms: number, timeZone: string): number =>
	ms + offsetAt(ms, timeZone) * MINUTE_MS;

/** An IANA time zone, e.g. "Europe/Berlin". */
export function readTimeZone(value: unknown): ReadResult<string> {
	const timeZone = readText(value).value;
	if (timeZone !== undefined && isTimeZone(timeZone)) return { value: timeZone };
	return { expected: 'the name of a time zone, e.g. Europe/Berlin' };
}

function isTimeZone(text: string): boolean {
	try {
		formatIn(text);
		return true;
	} catch {
		return false;
	}
}

/** A moment in a time zone: ISO 8601 with its offset, and in words, "Monday 5 May 2031 09:00, Europe/Berlin". */
export function shownMoment(ms: number, timeZone: string): { iso: string; text: string } {
	const moment = momentAt(ms, timeZone);
	const parts = new Intl.DateTimeFormat('en-GB', {
		timeZone,
		hourCycle: 'h23',
		weekday: 'long',
		day: 'numeric',
		month: 'long',
		year: 'numeric',
		hour: '2-digit',
		minute: '2-digit',
	}).formatToParts(ms);
	const of = (type: string) => parts.find((part) => part.type === type)?.value ?? '';
	const day = [of('weekday'), of('day'), of('month'), of('year')].join(' ');
	const text = `${day} ${of('hour')}:${of('minute')}, ${timeZone}`;
	return { iso: moment.value?.iso ?? new Date(ms).toISOString(), text };
}

function momentAt(time: number, timeZone: string): ReadResult<Moment> {
	// Years before 0 and after 9999 have another form, which the service may not support.
	if (!(time > FIRST_MS && time < LAST_MS)) return { expected: 'a year from 100 to 9999' };
	const ms = Math.floor(time / 1000) * 1000;
	const offset = offsetAt(ms, timeZone);
	const wall = new Date(ms + offset * MINUTE_MS).toISOString();
	return { value: { iso: `${wall.slice(0, 19)}${offsetText(offset)}`, ms } };
}

/**
 * Created once per time zone: creating one takes longer than everything else here, and there may be a date per item.
 */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatIn(timeZone: string): Intl.DateTimeFormat {
	const known = formats.get(timeZone);
	if (known) return known;
	const format = new Intl.DateTimeFormat('en-US', {
		timeZone,
		hourCycle: 'h23',
		year: 'numeric',
		month: 'numeric',
		day: 'numeric',
		hour: 'numeric',
		minute: 'numeric',
		second: 'numeric',
	});
	formats.set(timeZone, format);
	return format;
}

/** The offset of a time zone from UTC at a moment, in minutes. */
function offsetAt(time: number, timeZone: string): number {
	const parts = formatIn(timeZone).formatToParts(time);
	const of = (type: string) => Number(parts.find((part) => part.type === type)?.value);
	const wall = Date.UTC(
		of('year'),
		of('month') - 1,
		of('day'),
		of('hour'),
		of('minute'),
		of('second'),
	);
	return Math.round((wall - Math.floor(time / 1000) * 1000) / MINUTE_MS);
}

function offsetText(minutes: number): string {
	const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60].map((part) =>
		String(part).padStart(2, '0'),
	);
	return `${minutes < 0 ? '-' : '+'}${hours}:${rest}`;
}
