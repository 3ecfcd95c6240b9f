import { DateTime, IANAZone } from 'luxon';
import { isRecord } from '../api/response/response';
import { type ReadResult, readText } from './values';

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
	return { expected: `a date and time, ${EXAMPLE}, or milliseconds since 1970 (13 digits)` };
}

const ISO =
	/^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?)(?:[.,]\d{1,9})?(?: ?(Z|[+-]\d{2}(?::?[0-5]\d)?))?)?$/i;

function fromText(text: string, timeZone: string): ReadResult<Moment> {
	if (/^\d+$/.test(text)) return fromNumber(Number(text), timeZone);
	const match = ISO.exec(text);
	if (!match) return { expected: `year, month, day and time in this order, ${EXAMPLE}` };
	const [, date = '', time, offset] = match;
	if (time === undefined) return { expected: `both a date and a time, ${EXAMPLE}` };
	const utc = DateTime.fromISO(`${date}T${time}`, { zone: 'utc' });
	// Luxon reads 24:00 as the next day.
	if (!utc.isValid || utc.toISODate() !== date) return { expected: 'a date and time that exists' };
	if (offset === undefined) return fromLocal(utc, timeZone);
	const moment = DateTime.fromISO(`${date}T${time}${offset.toUpperCase()}`, { setZone: true });
	// No place on earth has a larger offset.
	if (moment.offset < -12 * 60 || moment.offset > 14 * 60)
		return { expected: 'an offset from -12:00 to +14:00' };
	return momentAt(moment.toMillis(), timeZone);
}

/** @param utc the local time, as if the time zone were UTC */
function fromLocal(utc: DateTime, timeZone: string): ReadResult<Moment> {
	const local = utc.setZone(timeZone, { keepLocalTime: true });
	if (local.toFormat(LOCAL) !== utc.toFormat(LOCAL)) {
		return {
			expected: `an existing time (clocks in ${timeZone}, the workflow’s time zone, skip this one)`,
		};
	}
	const moments = local.getPossibleOffsets();
	if (moments.length === 1) return momentAt(local.toMillis(), timeZone);
	const offsets = moments.map((moment) => moment.toFormat('ZZ')).join(' or ');
	return {
		expected: `the offset ${offsets} with this time (it occurs twice in ${timeZone}, the workflow’s time zone)`,
	};
}

const LOCAL = "yyyy-MM-dd'T'HH:mm:ss";

function momentAt(ms: number, timeZone: string): ReadResult<Moment> {
	const moment = DateTime.fromMillis(Math.floor(ms / 1000) * 1000, { zone: timeZone });
	// Other years have another form, which the service may not support.
	if (!(moment.year >= 1 && moment.year <= 9999)) return { expected: 'a year from 1 to 9999' };
	return { value: { iso: isoOf(moment), ms: moment.toMillis() } };
}

/** In UTC if the offset is not one of whole minutes, as before 1972 in some places. */
const isoOf = (moment: DateTime): string =>
	(Number.isInteger(moment.offset) ? moment : moment.toUTC()).toFormat(`${LOCAL}ZZ`);

/** An IANA time zone, e.g. "Europe/Berlin". */
export function readTimeZone(value: unknown): ReadResult<string> {
	const timeZone = readText(value).value;
	if (timeZone !== undefined && IANAZone.isValidZone(timeZone)) return { value: timeZone };
	return { expected: 'the name of a time zone, e.g. Europe/Berlin' };
}

/** A moment in a time zone: ISO 8601 with its offset, and in words, "Monday 5 May 2031 09:00, Europe/Berlin". */
export function shownMoment(ms: number, timeZone: string): { iso: string; text: string } {
	const moment = DateTime.fromMillis(ms, { zone: timeZone, locale: 'en-GB' });
	return { iso: isoOf(moment), text: `${moment.toFormat('EEEE d MMMM yyyy HH:mm')}, ${timeZone}` };
}

/** What a clock in the time zone shows at a moment, in minutes since midnight. */
export function minuteOfDay(ms: number, timeZone: string): number {
	const { hour, minute } = DateTime.fromMillis(ms, { zone: timeZone });
	return hour * 60 + minute;
}
