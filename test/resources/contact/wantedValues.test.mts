import fc from 'fast-check';
import { DateTime } from 'luxon';
import {
	isSameValue,
	readFieldValue,
} from '../../../nodes/ConversationalMessaging/resources/contact/wantedValues.ts';

const read = readFieldValue('Europe/Berlin');

describe('a value for a custom field', () => {
	test.each([
		['text with spaces around it', ' Berlin\n', 'Berlin'],
		['a number', 7, '7'],
		['true', true, 'true'],
		['a Date', new Date(Date.UTC(2031, 4, 6, 8)), '2031-05-06T10:00:00+02:00'],
		[
			'a Luxon DateTime',
			DateTime.fromISO('2031-05-06T08:00:00Z', { zone: 'utc' }),
			'2031-05-06T10:00:00+02:00',
		],
		['a list', ['a', 7, true], 'a, 7, true'],
		['a list with empty entries', ['a', null, '', 'b'], 'a, b'],
	])('%s is sent as text', (_name, value, text) => {
		expect(read(value)).toStrictEqual({ value: text });
	});

	test.each([
		['an object', { a: 1 }, 'one value'],
		['a list of objects', [{ a: 1 }], 'one value or a list of simple values'],
		['NaN', NaN, 'text or a number'],
		['a number that is not exact', 2 ** 60, expect.stringContaining('not exact')],
		['an invalid Date', new Date(NaN), 'a valid date and time'],
	])('%s is rejected', (_name, value, expected) => {
		expect(read(value)).toStrictEqual({ expected });
	});
});

describe('a value that the contact has', () => {
	test.each([
		['text that the service trimmed', 'Berlin ', 'Berlin'],
		['text with other line breaks', 'a\nb', 'a\r\nb'],
		['the same character, composed differently', 'Zürich', 'Zu\u0308rich'],
		['a number that the service returns as one', '7', 7],
		['a list', 'a, b', ['a', 'b']],
		['nothing, which is to be cleared', '', null],
		['an empty list, which is to be cleared', '', []],
	])('%s is the same', (_name, text, existing) => {
		expect(isSameValue(text, existing)).toBe(true);
	});

	test.each([
		['other text', 'Berlin', 'Bonn'],
		['something that is to be cleared', '', 'Berlin'],
		['another spelling of a number', '7', '7.0'],
		['another spelling of a moment', '2031-05-06T10:00:00+02:00', '2031-05-06T08:00:00Z'],
		['a list in another order', 'a, b', ['b', 'a']],
	])('%s differs', (_name, text, existing) => {
		expect(isSameValue(text, existing)).toBe(false);
	});

	test('whatever was sent is the same once the service returns it', () => {
		const simple = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.double({ noNaN: true }));
		fc.assert(
			fc.property(fc.oneof(simple, fc.array(simple), fc.date({ noInvalidDate: true })), (raw) => {
				const { value } = read(raw);
				if (value === undefined) return;
				expect(isSameValue(value, value)).toBe(true);
			}),
		);
	});
});
