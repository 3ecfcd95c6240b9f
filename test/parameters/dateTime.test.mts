import fc from 'fast-check';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { readMoment } from '../../nodes/ConversationalMessaging/parameters/dateTime.ts';
import { runs } from '../support/runs.mts';

/** The part of Luxon's DateTime that is used; n8n's own copy, and another one. */
interface DateTime {
	isValid: boolean;
	toMillis(): number;
	toFormat(format: string): string;
	toISO(): string;
	/** Minutes ahead of UTC. */
	offset: number;
}
interface Luxon {
	DateTime: {
		fromISO(text: string, options?: { zone: string }): DateTime;
		fromMillis(ms: number, options?: { zone: string }): DateTime;
	};
}
const n8nRequire = createRequire(require.resolve('n8n-workflow'));
const { DateTime } = n8nRequire('luxon') as Luxon;
const other = n8nRequire(
	join(dirname(n8nRequire.resolve('luxon')), '../cjs-browser/luxon.js'),
) as Luxon;

const read = (value: unknown, zone = 'Europe/Berlin') => readMoment(zone)(value);

/** 6 May 2031, 10:00 in Berlin. */
const MS = Date.UTC(2031, 4, 6, 8);
const ISO = '2031-05-06T10:00:00+02:00';

test.each<[string, unknown]>([
	['ISO text', '2031-05-06T10:00:00'],
	['without seconds', '2031-05-06T10:00'],
	['with a space', '2031-05-06 10:00'],
	['with spaces around it', ' 2031-05-06 10:00\n'],
	['in UTC', '2031-05-06T08:00:00.000Z'],
	['with an offset in four digits', '2031-05-06T03:00-0500'],
	['with an offset in two digits', '2031-05-06 08:00:00+00'],
	['with the smallest offset', '2031-05-05T20:00-12:00'],
	['with the largest offset', '2031-05-06T22:00+14:00'],
	['with a space before the offset', '2031-05-06 13:30:00 +05:30'],
	['a DateTime', DateTime.fromMillis(MS)],
	['a DateTime of another zone', DateTime.fromMillis(MS, { zone: 'Asia/Tokyo' })],
	['a DateTime of another Luxon', other.DateTime.fromMillis(MS)],
	['a DateTime as n8n puts it into text', DateTime.fromMillis(MS).toISO()],
	['a Date', new Date(MS)],
	['a Date of another realm', runInNewContext(`new Date(${MS})`)],
	['milliseconds', MS],
	['milliseconds as text', String(MS)],
])('a time is read: %s', (_name, value) => {
	expect(read(value)).toStrictEqual({ value: { iso: ISO, ms: MS } });
});

test('a time whose offset has seconds is in UTC', () => {
	const ms = Date.UTC(1912, 0, 1, 0, 16, 7);
	expect(read(new Date(ms), 'Africa/Abidjan').value).toStrictEqual({
		iso: '1912-01-01T00:16:07+00:00',
		ms,
	});
});

test('this test file compares two different copies of Luxon', () => {
	expect(other.DateTime).not.toBe(DateTime);
});

test.each(['+02:00', '+01:00'])('of two equal local times, the offset %s chooses one', (offset) => {
	const iso = `2026-10-25T02:30:00${offset}`;
	expect(read(`2026-10-25T02:30${offset}`).value?.iso).toBe(iso);
});

/** Values that are not a date and time, and what is expected instead. */
test.each<[unknown, RegExp]>([
	['01.02.2027', /year, month, day/],
	['02/01/2027', /year, month, day/],
	['2027-2-1 10:00', /year, month, day/],
	['2027-05-06', /both a date and a time/],
	['2027-02-29 10:00', /that exists$/],
	['2027-13-01T10:00', /that exists$/],
	['2027-05-06T25:00', /that exists$/],
	// Luxon reads it as the next day.
	['2027-05-06T24:00', /that exists$/],
	['2027-05-06T10:00+02:75', /year, month, day/],
	['2027-05-06T10:00-13:00', /-12:00 to \+14:00/],
	['2027-05-06T10:00+14:01', /-12:00 to \+14:00/],
	['2027-05-06T10:00-99', /-12:00 to \+14:00/],
	['2027-05-06 10:00 pm', /year, month, day/],
	['tomorrow', /year, month, day/],
	['6 May 2031 10:00', /year, month, day/],
	['Invalid DateTime', /year, month, day/],
	[MS / 1000, /13 digits/],
	[0, /13 digits/],
	[NaN, /13 digits/],
	[1e13, /13 digits/],
	[null, /^a date and time, e\.g\./],
	[['2031-05-06T10:00'], /^a date and time, e\.g\./],
	[{ date: '2031-05-06' }, /^a date and time, e\.g\./],
	// As Luxon's Duration, which is no point in time.
	[{ toMillis: () => MS }, /^a date and time, e\.g\./],
	[new Date('x'), /^a valid date and time$/],
	[DateTime.fromISO('x'), /^a valid date and time$/],
	[new Date(Date.UTC(10_000, 0, 1)), /^a year from 1 to 9999$/],
	['2027-03-28T02:30', /skip this one/],
	['2027-10-31T02:30', /\+02:00 or \+01:00.*twice/],
])('%j is not a date and time, and the reason is given', (value, expected) => {
	expect(read(value)).toStrictEqual({ expected: expect.stringMatching(expected) });
});

describe('any time in any time zone', () => {
	const zone = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
	const time = fc.integer({ min: Date.UTC(2004, 0, 1) / 1000, max: Date.UTC(2100, 0, 1) / 1000 });
	/** Most mistakes happen around clock changes; on Lord Howe Island, clocks change by half an hour. */
	const changing = fc.constantFrom(
		...['Europe/Berlin', 'America/New_York', 'America/Santiago'],
		...['Australia/Lord_Howe', 'Africa/Casablanca', 'Asia/Tehran'],
	);
	const nearChange = fc
		.tuple(fc.oneof(changing, zone), time, fc.integer({ min: -7200, max: 7200 }))
		.map(([timeZone, at, by]) => ({ timeZone, seconds: lastChange(timeZone, at) + by }));
	const anyTime = fc.oneof(
		{ weight: 1, arbitrary: fc.record({ timeZone: zone, seconds: time }) },
		{ weight: 3, arbitrary: nearChange },
	);

	test('every form of a time is read as the same moment', () => {
		fc.assert(
			fc.property(anyTime, ({ timeZone, seconds }) => {
				const ms = seconds * 1000;
				const dateTime = DateTime.fromMillis(ms, { zone: timeZone });
				const iso = dateTime.toFormat("yyyy-MM-dd'T'HH:mm:ssZZ");
				for (const value of [
					ms,
					String(ms),
					new Date(ms),
					new Date(ms).toISOString(),
					dateTime,
					iso,
				])
					expect(read(value, timeZone)).toStrictEqual({ value: { iso, ms } });
			}),
			{ numRuns: runs(20, 2_000) },
		);
	});

	test('a local time is read if it exists once, and rejected if clocks skip or repeat it', () => {
		const seen = { once: 0, twice: 0, never: 0 };
		fc.assert(
			fc.property(anyTime, ({ timeZone, seconds }) => {
				// As if the zone were UTC, so that skipped times occur too.
				const text = new Date(seconds * 1000).toISOString().slice(0, 19);
				const moments = momentsShowing(seconds * 1000, timeZone);
				const reading = read(text, timeZone);
				if (moments.length === 0) {
					seen.never++;
					expect(reading.expected).toMatch(/skip this one/);
				} else if (moments.length === 2) {
					seen.twice++;
					expect(reading.expected).toMatch(/twice/);
				} else {
					seen.once++;
					expect([reading.value?.ms]).toStrictEqual(moments);
				}
			}),
			{ numRuns: runs(60, 3_000) },
		);
		expect(Math.min(seen.once, seen.twice, seen.never)).toBeGreaterThan(0);
	});

	test('any value is read as a moment or rejected with a reason', () => {
		fc.assert(
			fc.property(fc.oneof(fc.anything(), fc.date(), fc.string()), zone, (value, timeZone) => {
				const { value: moment, expected } = read(value, timeZone);
				if (moment) expect(Date.parse(moment.iso)).toBe(moment.ms);
				else expect(expected).toMatch(/\w/);
			}),
		);
	});
});

/**
 * Every moment at which a clock in the zone shows this time. Tries all offsets, which are multiples of 15 minutes in
 * these years.
 */
function momentsShowing(wall: number, timeZone: string): number[] {
	const offsets = Array.from({ length: 4 * 28 + 1 }, (_, quarter) => (quarter - 4 * 14) * 15);
	return offsets
		.filter((minutes) => {
			const at = DateTime.fromMillis(wall - minutes * 60_000, { zone: timeZone });
			return at.offset === minutes;
		})
		.map((minutes) => wall - minutes * 60_000);
}

/** When a zone last changed its offset, as local time before the change, given as if it were UTC, in seconds. */
function lastChange(timeZone: string, before: number): number {
	const offset = (seconds: number) => {
		const at = DateTime.fromMillis(seconds * 1000, { zone: timeZone });
		return Date.parse(`${at.toFormat("yyyy-MM-dd'T'HH:mm:ss")}Z`) / 1000 - seconds;
	};
	const step = 30 * 86_400;
	let late = before;
	for (let steps = 0; steps < 12 && offset(late - step) === offset(late); steps++) late -= step;
	let early = late - step;
	while (late - early > 60) {
		const middle = Math.floor((early + late) / 2);
		if (offset(middle) === offset(late)) late = middle;
		else early = middle;
	}
	return late + offset(late);
}
