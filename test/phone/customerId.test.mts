import fc from 'fast-check';
import { readWhatsAppId } from '../../nodes/ConversationalMessaging/parameters/customer.ts';
import { customerId } from '../../nodes/ConversationalMessaging/phone/customerId.ts';
import { searchText } from '../../nodes/ConversationalMessaging/phone/readPhoneNumber.ts';
import { runs } from '../support/runs.mts';

const keyOf = (text: string) => customerId(text).key;

const USER_ID = 'US.13491208655302741918';

test.each([USER_ID, 'CO.1092712345', `GB.${'A1'.repeat(64)}`])(
	'a business-scoped user ID stays as it is: %s',
	(id) => {
		expect(readWhatsAppId(` ${id} `)).toStrictEqual({ value: id });
		expect(customerId(id)).toMatchObject({ kind: 'userId', id, key: id, variants: [id] });
	},
);

test('a user ID is never compared as a phone number', () => {
	expect(keyOf('CO.1092712345')).not.toBe(keyOf('1092712345'));
	expect(keyOf('us.1a')).toBe(keyOf('US.1a'));
	expect(keyOf('US.1A')).not.toBe(keyOf('US.1a'));
});

test.each([
	['4915123456789', '4915123456789'],
	['+49 151 234-567.89', '4915123456789'],
	['0049 151/23456789', '4915123456789'],
	['(+49) 151 23456789', '4915123456789'],
	['tel:+4915123456789', '4915123456789'],
	['whatsapp:+4915123456789', '4915123456789'],
	['4915123456789@c.us', '4915123456789'],
	['000151 23456789', undefined],
	['0151/23456789', undefined],
	['+49 (0)151 23456789', '4915123456789'],
	['49015123456789', '4915123456789'],
])('the number in %j is %j', (text, number) => {
	const id = customerId(text);
	expect(id.kind === 'phoneNumber' ? id.key : undefined).toBe(number);
});

test.each<[what: string, one: string, other: string]>([
	['Mexico', '525512345678', '5215512345678'],
	['Argentina', '541123456789', '5491123456789'],
	['Brazil', '551187654321', '5511987654321'],
	['Brazil, from 6 on', '551161234567', '5511961234567'],
])('a number of %s may have two WhatsApp IDs: %s and %s', (_what, one, other) => {
	expect(keyOf(`+${one}`)).toBe(keyOf(other));
	expect(customerId(one).variants).toStrictEqual([one, `+${one}`, other, `+${other}`]);
	expect(customerId(other).variants).toStrictEqual([other, `+${other}`, one, `+${one}`]);
});

test.each([
	['of another country', '12025550143'],
	['in Brazil, on a landline', '551131234567'],
])('a number %s has one WhatsApp ID: %s', (_what, digits) => {
	expect(customerId(digits).variants).toStrictEqual([digits, `+${digits}`]);
	expect(keyOf(digits)).toBe(digits);
});

test('all stored forms of a number are the same contact, and those of one are those of all', () => {
	const digits = fc
		.tuple(
			fc.constantFrom('52', '521', '54', '549', '55', '1', '49'),
			fc.stringMatching(/^\d{8,11}$/),
		)
		.map((parts) => parts.join(''));
	fc.assert(
		fc.property(digits, (number) => {
			const forms = customerId(number).variants;
			expect(new Set(forms.map(keyOf)).size).toBe(1);
			for (const form of forms)
				expect(new Set(customerId(form).variants)).toStrictEqual(new Set(forms));
		}),
		{ numRuns: runs(200, 20_000) },
	);
});

describe('a WhatsApp ID', () => {
	test.each([
		['+1 (202) 555-0143', '12025550143'],
		['1.202.555.0143', '12025550143'],
		['\u202a+1\u00a0202\u2011555\u20110143\u202c', '12025550143'],
		[12025550143, '12025550143'],
		['6834123', '6834123'],
	])('%p is sent as the number %j', (value, number) => {
		expect(readWhatsAppId(value)).toStrictEqual({ value: number });
	});

	test.each([
		['4.91511E+12'],
		['n/a'],
		['12'],
		['0151 23456789'],
		['1'.repeat(16)],
		['12025550143, 12025550144'],
		['+1 202 555 0143 ext 5'],
		['nathan.smith'],
		['US.'],
		['US.1 2'],
		['USA.1'],
		[`US.${'1'.repeat(129)}`],
		[-12025550143],
		['12025550143.0'],
		['1202555\n3334444'],
		[true],
		[['12025550143']],
	])('%p is rejected as a WhatsApp ID', (value) => {
		expect(readWhatsAppId(value)).toMatchObject({
			expected: 'a phone number with country code, or a user ID',
		});
	});
});

test.each([
	['cm4k2w8qx0001v8l4a1b2c3d4', 'cm4k2w8qx0001v8l4a1b2c3d4'],
	['nathan.smith', 'nathan.smith'],
	['+1 202 555 0143', '12025550143'],
])('the contact %j is sent as %j', (id, address) => {
	expect(customerId(id).id).toBe(address);
});

test.each([
	['+1 202', '1202'],
	['+1 (202) 555-0143', '12025550143'],
	['1 202', '1 202'],
	['+1 Smith', '+1 Smith'],
	['2026-05-06', '2026-05-06'],
])('contacts are searched for %j as %j', (text, sent) => {
	expect(searchText(text)).toBe(sent);
});
