import fc from 'fast-check';
import { shownMoment } from '../../nodes/ConversationalMessaging/parameters/dateTime.ts';
import {
	endOfQuietHours,
	readQuietHours,
} from '../../nodes/ConversationalMessaging/parameters/quietHours.ts';
import { runs } from '../support/runs.mts';

const BERLIN = 'Europe/Berlin';
const NIGHT = { from: 21 * 60, until: 8 * 60 };

test.each<[text: unknown, from: number, until: number]>([
	['21:00-08:00', 1260, 480],
	[' 21:00 – 8:00 ', 1260, 480],
	['21.30 to 07.15', 1290, 435],
	['22:00-24:00', 1320, 0],
])('%j is quiet from minute %i until minute %i', (text, from, until) => {
	expect(readQuietHours(text)).toStrictEqual({ value: { from, until } });
});

test.each<[text: unknown]>([
	['21-8'],
	['21:00-21:00'],
	['00:00-24:00'],
	['21:00-07:60'],
	['9pm-8am'],
	[21],
	[['21:00-08:00']],
])('%j is rejected as quiet hours', (text) => {
	expect(readQuietHours(text)).toStrictEqual({
		expected: 'two different times of day, e.g. 21:00-08:00',
	});
});

const end = (iso: string, hours = NIGHT, zone = BERLIN) => {
	const found = endOfQuietHours(Date.parse(iso), hours, zone);
	return found === undefined ? undefined : shownMoment(found, zone).iso;
};

type Case = [what: string, start: string, end: string | undefined, hours?: typeof NIGHT];

test.each<Case>([
	['a minute before they begin', '2031-05-06T20:59:59+02:00', undefined],
	['exactly when they begin', '2031-05-06T21:00:00+02:00', '2031-05-07T08:00:00+02:00'],
	['a second before they end', '2031-05-07T07:59:59+02:00', '2031-05-07T08:00:00+02:00'],
	['exactly when they end', '2031-05-07T08:00:00+02:00', undefined],
	[
		'within one day',
		'2031-05-07T12:30:00+02:00',
		'2031-05-07T13:00:00+02:00',
		{ from: 720, until: 780 },
	],
	// On 30 March 2031, clocks in Berlin skip from 02:00 to 03:00; on 26 October, they repeat 02:00 to 03:00.
	['in the night with an hour less', '2031-03-29T22:00:00+01:00', '2031-03-30T08:00:00+02:00'],
	['in the night with an hour more', '2031-10-25T22:00:00+02:00', '2031-10-26T08:00:00+01:00'],
	[
		'until a time that clocks skip',
		'2031-03-30T01:30:00+01:00',
		'2031-03-30T03:00:00+02:00',
		{ from: 1260, until: 150 },
	],
	[
		'until a time that clocks repeat',
		'2031-10-26T02:15:00+02:00',
		'2031-10-26T02:30:00+02:00',
		{ from: 1260, until: 150 },
	],
	[
		'between the two times that read like their end',
		'2031-10-26T02:45:00+02:00',
		undefined,
		{ from: 1260, until: 150 },
	],
	[
		'from a time that clocks repeat',
		'2031-10-26T02:30:00+02:00',
		'2031-10-26T02:00:00+01:00',
		{ from: 150, until: 360 },
	],
])('a start %s: %s has the end %s', (...[, start, expected, hours]) => {
	expect(end(start, hours)).toBe(expected);
});

const ZONES = [BERLIN, 'UTC', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe'];

test('the end of quiet hours is later than the start, at most a day and some hours, and not quiet itself', () => {
	const hours = fc
		.tuple(fc.integer({ min: 0, max: 1439 }), fc.integer({ min: 0, max: 1439 }))
		.filter(([from, until]) => from !== until)
		.map(([from, until]) => ({ from, until }));
	const start = fc.integer({ min: Date.UTC(2030, 0), max: Date.UTC(2032, 0) });
	// Half of them in the days around the changes of the clocks in Berlin and New York.
	const near = fc
		.constantFrom(
			Date.UTC(2031, 2, 9),
			Date.UTC(2031, 2, 30),
			Date.UTC(2031, 9, 26),
			Date.UTC(2031, 10, 2),
		)
		.chain((day) => fc.integer({ min: day - 86_400_000, max: day + 2 * 86_400_000 }));
	fc.assert(
		fc.property(fc.oneof(start, near), hours, fc.constantFrom(...ZONES), (ms, quiet, zone) => {
			const found = endOfQuietHours(ms, quiet, zone);
			const [, hour, minute] = /T(\d\d):(\d\d)/.exec(shownMoment(ms, zone).iso)!;
			const time = Number(hour) * 60 + Number(minute);
			const reads =
				quiet.from < quiet.until
					? time >= quiet.from && time < quiet.until
					: time >= quiet.from || time < quiet.until;
			// Whatever a clock on the wall shows as quiet is quiet, and nothing else.
			expect(found !== undefined).toBe(reads);
			if (found === undefined) return;
			expect(found).toBeGreaterThan(ms);
			expect(found - ms).toBeLessThan(50 * 3_600_000);
			expect(endOfQuietHours(found, quiet, zone)).toBeUndefined();
		}),
		{ numRuns: runs(40, 2_000) },
	);
});
