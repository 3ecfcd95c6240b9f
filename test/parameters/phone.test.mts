import fc from 'fast-check';
import {
	comparableDigits,
	otherWhatsAppId,
} from '../../nodes/ConversationalMessaging/parameters/phone.ts';

test.each<[what: string, one: string, other: string]>([
	['Mexico', '525512345678', '5215512345678'],
	['Argentina', '541123456789', '5491123456789'],
	['Brazil', '551187654321', '5511987654321'],
])('a number of %s may have two WhatsApp IDs: %s and %s', (_what, one, other) => {
	expect([otherWhatsAppId(one), otherWhatsAppId(other)]).toEqual([other, one]);
	expect(comparableDigits(one)).toBe(comparableDigits(other));
});

test.each([
	['of another country', '12025550143'],
	['in Brazil, on a landline', '551131234567'],
	['in Mexico, with a digit too few', '52551234567'],
	['in Mexico, with a digit too many', '52155123456789'],
	['in Argentina, with a digit too many', '54911234567890'],
	['that contains one of Mexico', '555211234567890'],
	['that contains one of Argentina', '525491234567890'],
	['that ends like one of Brazil', '525511987654321'],
	['in Brazil, with a digit too many', '55119876543210'],
	['that is none', 'abc'],
])('a number %s has one WhatsApp ID: %s', (_what, digits) => {
	expect(otherWhatsAppId(digits)).toBeUndefined();
	expect(comparableDigits(digits)).toBe(digits);
});

test('the other WhatsApp ID of a number belongs to the same number, and its other one is the first', () => {
	const digits = fc
		.tuple(
			fc.constantFrom('52', '521', '54', '549', '55', '1', ''),
			fc.stringMatching(/^\d{8,11}$/),
		)
		.map((parts) => parts.join(''));
	fc.assert(
		fc.property(digits, (one) => {
			const other = otherWhatsAppId(one);
			if (other === undefined) return;
			expect(other).not.toBe(one);
			expect(comparableDigits(other)).toBe(comparableDigits(one));
			expect(otherWhatsAppId(other)).toBe(one);
		}),
		{ numRuns: 2_000 },
	);
});
