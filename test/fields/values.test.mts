import fc from 'fast-check';
import { withOffset } from '../../nodes/ConversationalMessaging/fields/dateTime.ts';
import { fileNameIn } from '../../nodes/ConversationalMessaging/api/files.ts';
import { templateIn, templateKey } from '../../nodes/ConversationalMessaging/fields/template.ts';

describe('a date and time with its offset', () => {
	test.each([
		['summer', '2026-07-01T09:00:00', 'Europe/Berlin', '2026-07-01T09:00:00+02:00'],
		['winter', '2026-01-15T09:00:00', 'Europe/Berlin', '2026-01-15T09:00:00+01:00'],
		[
			'a space in the place of the T',
			'2026-01-15 09:00',
			'America/New_York',
			'2026-01-15T09:00:00-05:00',
		],
		['half an hour', '2026-01-15T09:00:00', 'Asia/Kolkata', '2026-01-15T09:00:00+05:30'],
		['UTC', '2026-01-15T09:00:00', 'UTC', '2026-01-15T09:00:00+00:00'],
		['an offset of its own', '2026-01-15T09:00:00Z', 'Europe/Berlin', '2026-01-15T10:00:00+01:00'],
		[
			'another offset of its own',
			'2026-01-15T09:00:00-05:00',
			'Europe/Berlin',
			'2026-01-15T15:00:00+01:00',
		],
		[
			'just before the clocks go forward',
			'2026-03-29T01:59:00',
			'Europe/Berlin',
			'2026-03-29T01:59:00+01:00',
		],
		['just after', '2026-03-29T03:00:00', 'Europe/Berlin', '2026-03-29T03:00:00+02:00'],
		[
			'after the clocks went back',
			'2026-10-25T03:00:00',
			'Europe/Berlin',
			'2026-10-25T03:00:00+01:00',
		],
	])('%s', (_name, text, zone, expected) => {
		expect(withOffset(text, zone)).toBe(expected);
	});

	test('that is none', () => {
		expect(withOffset('tomorrow', 'UTC')).toBeUndefined();
	});

	test('is the same moment as the wall clock shows there', () => {
		const zone = fc.constantFrom(
			'Europe/Berlin',
			'America/New_York',
			'Asia/Kolkata',
			'Australia/Sydney',
			'UTC',
		);
		const time = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2030, 0, 1) });
		fc.assert(
			fc.property(zone, time, (timeZone, at) => {
				const iso = withOffset(new Date(at).toISOString(), timeZone)!;
				expect(Date.parse(iso)).toBe(Math.floor(at / 1000) * 1000);
			}),
		);
	});
});

describe('the file name of a download', () => {
	test.each([
		['attachment; filename="contacts.csv"', 'contacts.csv'],
		['attachment; filename=contacts.csv', 'contacts.csv'],
		['attachment; filename="a \\"b\\".csv"', 'a "b".csv'],
		["attachment; filename=x.csv; filename*=UTF-8''kund%C3%A9.csv", 'kundé.csv'],
		["attachment; filename=x.csv; filename*=UTF-8''%E0%A4%A", 'x.csv'],
		['attachment; filename="../../etc/passwd"', 'passwd'],
		['attachment; filename="C:\\\\temp\\\\a.csv"', 'a.csv'],
		['attachment', undefined],
		[undefined, undefined],
	])('%j', (disposition, expected) => {
		expect(fileNameIn(disposition)).toBe(expected);
	});
});

test('a template from the list brings ID, name and language', () => {
	const template = { id: '12', name: 'ticket_update', language: 'en_US' };
	expect(templateIn(templateKey(template))).toEqual(template);
	expect(templateIn('12')).toBeUndefined();
});
