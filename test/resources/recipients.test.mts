import fc from 'fast-check';
import { NumberSet } from '../../nodes/ConversationalMessaging/resources/broadcast/numberSet.ts';
import {
	findPhoneColumn,
	isPhoneName,
	phoneColumnOf,
} from '../../nodes/ConversationalMessaging/resources/broadcast/phoneColumn.ts';
import {
	comparableNumber,
	RecipientFilter,
} from '../../nodes/ConversationalMessaging/resources/broadcast/recipientFilter.ts';

test('every number is kept once, excluded, or repeated', () => {
	const digits = fc.integer({ min: 1_000_000, max: 1_000_030 }).map(String);
	fc.assert(
		fc.property(fc.array(digits), fc.uniqueArray(digits), (numbers, others) => {
			const excluded = new NumberSet();
			for (const each of others) excluded.add(Number(each));
			const filter = new RecipientFilter(excluded);
			const kept = numbers.filter((each) => filter.judge(each) === 'kept');
			expect(kept).toEqual([...new Set(numbers)].filter((each) => !others.includes(each)));
			expect(kept.length + filter.repeated + filter.excluded).toBe(numbers.length);
			expect(filter.excluded).toBe(numbers.filter((each) => others.includes(each)).length);
		}),
	);
});

test('a value that is no valid number is repeated if it may be one and has the same digits, with the same zeros', () => {
	const filter = new RecipientFilter();
	const verdicts = (...values: string[]) => values.map((value) => filter.judgeInvalid(value));
	expect(verdicts('0151 234567', '0151-234567', '00151234567')).toEqual([
		'kept',
		'repeated',
		'kept',
	]);
	// The same digits as a valid number are another number.
	expect(filter.judge('151234567')).toBe('kept');
	expect(verdicts('', '', 'n/a', 'n/a', '012345', '012345')).not.toContain('repeated');
	expect(verdicts('0'.repeat(15), '0'.repeat(14), '0'.repeat(15))).toEqual([
		'kept',
		'kept',
		'repeated',
	]);
	expect(filter.repeated).toBe(2);
});

// The number that is dialed, and the WhatsApp ID of the same account.
test.each([
	['525512345678', '5215512345678'],
	['541123456789', '5491123456789'],
	['551187654321', '5511987654321'],
	['551161234567', '5511961234567'],
])('%s and %s are one recipient, in either order, and each excludes the other', (one, other) => {
	for (const [first, second] of [
		[one, other],
		[other, one],
	] as const) {
		const filter = new RecipientFilter();
		expect([filter.judge(first), filter.judge(second)]).toEqual(['kept', 'repeated']);
		expect(filter.judgeInvalid(`00${second}`)).toBe('repeated');
		const excluded = new NumberSet();
		excluded.add(comparableNumber(first));
		expect(new RecipientFilter(excluded).judge(second)).toBe('excluded');
	}
});

test.each([
	// Another length.
	['52551234567', '521551234567'],
	['5255123456789', '52155123456789'],
	['54112345678', '549112345678'],
	['5411234567890', '54911234567890'],
	// A landline in Brazil has no 9.
	['551132345678', '5511932345678'],
	['551152345678', '5511952345678'],
	['5511876543210', '55119876543210'],
	// Another country.
	['57112345678', '579112345678'],
	['12025550143', '112025550143'],
])('%s and %s are two recipients', (one, other) => {
	const filter = new RecipientFilter();
	expect([filter.judge(one), filter.judge(other)]).toEqual(['kept', 'kept']);
});

test('a valid number after 00 is repeated after that number, but not the other way round', () => {
	const filter = new RecipientFilter();
	expect(filter.judge('4915123456789')).toBe('kept');
	expect(filter.judgeInvalid('0049 151 23456789')).toBe('repeated');
	expect(filter.judgeInvalid('049 151 23456789')).toBe('kept');
	// This is not only digits and what people write between them, and the service may know it as something else.
	expect(filter.judgeInvalid('tel:4915123456789')).toBe('kept');
	expect(filter.judgeInvalid('0049 151 23456780')).toBe('kept');
	// The service may not deliver to a number with 00.
	expect(filter.judge('4915123456780')).toBe('kept');
	expect(filter.repeated).toBe(1);
	const excluded = new NumberSet();
	excluded.add(comparableNumber('4915123456789'));
	const other = new RecipientFilter(excluded);
	expect(other.judge('4915123456789')).toBe('excluded');
	// It is not compared with the excluded numbers, and stops the run elsewhere.
	expect(other.judgeInvalid('0049 151 23456789')).toBe('kept');
});

test.each([
	...['to', 'To', 'recipient', 'number', 'phone', ' Phone ', 'mobile', 'MSISDN', 'waId', 'wa_id'],
	...['wa id', 'WA-ID', 'phoneno', 'phone no', 'phoneNumber', 'phone_number', 'Phone-Number'],
	...['mobile_id', 'mobile_no', 'customer phone', 'CustomerPhone', 'contact_mobile'],
	...['recipient-phone', 'customerPhoneNumber', 'whatsapp', 'Whats App', 'WhatsApp Number'],
	...['whatsapp_id', 'WhatsApp-Number', 'whatsappid', 'whatsapp phone', 'whats app phone'],
	...['whats app phone number', 'whatsapp_waid'],
])('%j is the name of a phone number', (name) => {
	expect(isPhoneName(name)).toBe(true);
});

test.each([
	...['', '1', 'name', 'igId', 'total', 'photo', 'phones', 'phone9number', 'phone model'],
	...['telephone book', 'microphone', 'number of seats', 'order number', 'order phone'],
	...['customer', 'contact', 'has whatsapp', 'whatsapp name', 'phone  number', 'phone/number'],
	...['wa/id', 'customer/phone', 'whatsapp/id'],
])('%j is not the name of a phone number', (name) => {
	expect(isPhoneName(name)).toBe(false);
});

test.each<[columns: string[], column: string | undefined, variables?: string[], own?: string[]]>([
	[[], undefined],
	[['name', '1'], undefined],
	[['name', ' to '], ' to '],
	// A variable with the only name of this kind: nothing else can be meant.
	[['name', 'phone'], 'phone', ['body:name', 'body:phone']],
	[['to', 'name', 'phone'], 'to', ['body:name', 'body:phone']],
	[['phone', 'name', 'To'], 'phone', ['body:name', 'body:to']],
	[['phone', 'number', 'mobile'], 'mobile', ['body:phone', 'body:number']],
	[['to', 'PHONE'], 'to', ['body:phone']],
	// A variable may have a column of another name.
	[['phone', 'to', 'body_phone'], 'phone', ['body:phone', 'body:to']],
	// Columns that the template's own CSV does not have
	[['number', 'phone'], 'phone', [], ['phone', 'name']],
	[['phone', 'name', 'waId'], 'waId', ['body:name'], ['waId', 'name']],
	[['Phone', 'name', 'waId'], 'Phone', ['body:name'], ['phone', 'name']],
	[['phone', 'number', 'to'], 'to', ['body:phone'], ['to', 'phone']],
	// The variable's own column is not in the file.
	[['phone', 'number'], 'phone', ['body:phone'], ['phone', 'body_phone']],
])('of the columns %j, the phone numbers are in %j', (...given) => {
	const [columns, name, variables, own] = given;
	expect(phoneColumnOf(columns, variables, own)).toEqual({ name, candidates: [] });
});

test.each<[columns: string[], candidates: string[], variables?: string[], own?: string[]]>([
	[
		['to', 'name', 'phone'],
		['to', 'phone'],
	],
	[['to', 'recipient', 'phone'], ['to', 'recipient'], ['body:phone']],
	// Both are variables, and the column of the recipients has another name.
	[
		['contact', 'phone', 'mobile'],
		['phone', 'mobile'],
		['body:phone', 'body:mobile'],
	],
	[
		['phone', 'name', 'phone'],
		['phone', 'phone'],
		['body:name', 'body:phone'],
	],
	[['phone', 'number'], ['phone'], ['body:phone'], ['telefono', 'phone']],
	[['Phone', 'To'], ['Phone', 'To'], [], ['telefono']],
])('of the columns %j, the phone numbers may be in any of %j', (...given) => {
	const [columns, candidates, variables, own] = given;
	expect(phoneColumnOf(columns, variables, own)).toEqual({ candidates });
});

test('the template is asked only if several columns have the name of a phone number', async () => {
	const asked: string[] = [];
	const template = {
		columns: async () => await Promise.resolve(asked.push('columns') ? ['to', 'phone'] : []),
		variables: async () => await Promise.resolve(asked.push('variables') ? ['body:phone'] : []),
	};
	expect(await findPhoneColumn(['phone', 'name'], template)).toEqual({
		name: 'phone',
		candidates: [],
	});
	expect(await findPhoneColumn(['name'], template)).toEqual({ candidates: [] });
	expect(asked).toEqual([]);
	expect(await findPhoneColumn(['phone', 'to', 'mobile'], template)).toEqual({
		name: 'to',
		candidates: [],
	});
	expect(asked).toEqual(['variables', 'columns']);
});
