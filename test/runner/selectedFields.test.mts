import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import {
	hasField,
	selectFields,
} from '../../nodes/ConversationalMessaging/runner/selectedFields.ts';

const TICKET = {
	id: 'a',
	number: 1042,
	agent: null,
	contact: { id: 'c', name: 'Ann', address: { city: 'Oslo', zip: '0150' } },
	notes: [
		{ body: 'first', author: { name: 'Bo' } },
		{ body: 'second', author: null },
	],
	tags: ['vip'],
	files: [],
	'utm.source': 'ad',
	utm: { source: 'mail' },
};

test.each<[string[], unknown]>([
	[['agent'], { agent: null }],
	[['contact.address.city'], { contact: { address: { city: 'Oslo' } } }],
	[['contact', 'contact.name'], { contact: TICKET.contact }],
	[
		['notes.author.name', 'notes.body'],
		{ notes: [{ author: { name: 'Bo' }, body: 'first' }, { body: 'second' }] },
	],
	[['files.name', 'files.size'], { files: [] }],
	// A key with a dot, and not a field within a field.
	[['utm.source'], { 'utm.source': 'ad' }],
	[['nobody', 'contact.nobody', 'id.nobody', 'tags.nobody', 'agent.name', '', '.'], {}],
	[['toString', 'constructor', '__proto__', 'contact.__proto__.polluted'], {}],
])('%j of a ticket', (names, expected) => {
	const before = structuredClone(TICKET);
	expect(selectFields(TICKET, names)).toStrictEqual(expected);
	expect(TICKET).toStrictEqual(before);
	for (const name of names) {
		const own = selectFields(TICKET, [name]);
		expect([name, hasField(TICKET, name)]).toStrictEqual([name, Object.keys(own).length > 0]);
	}
});

test('a key __proto__ is copied as any other', () => {
	const record = JSON.parse('{"__proto__": {"a": 1, "b": 2}, "x": 1}') as IDataObject;
	expect(JSON.stringify(selectFields(record, ['__proto__.a']))).toBe('{"__proto__":{"a":1}}');
	expect(({} as { a?: unknown }).a).toBeUndefined();
});

test('whatever the record and the names: only values of the record, and the record is unchanged', () => {
	const key = fc.constantFrom('a', 'b', 'a.b', '__proto__', '');
	const { record } = fc.letrec<{ value: unknown; record: IDataObject }>((tie) => ({
		value: fc.oneof(
			{ depthSize: 'small' },
			fc.integer(),
			fc.constant(null),
			tie('record'),
			fc.array(tie('value'), { maxLength: 3 }),
		),
		record: fc.dictionary(key, tie('value'), { maxKeys: 4 }) as fc.Arbitrary<IDataObject>,
	}));
	const name = fc.array(key, { minLength: 1, maxLength: 3 }).map((keys) => keys.join('.'));
	fc.assert(
		fc.property(record, fc.array(name, { maxLength: 4 }), (from, names) => {
			const before = JSON.stringify(from);
			const selected = selectFields(from, names);
			expect(JSON.stringify(from)).toBe(before);
			expect(isPartOf(selected, from)).toBe(true);
			// Once more, nothing is left to leave out.
			expect(selectFields(selected, names)).toStrictEqual(selected);
		}),
	);
});

function isPartOf(part: unknown, whole: unknown): boolean {
	if (Array.isArray(part)) {
		return (
			Array.isArray(whole) &&
			part.length === whole.length &&
			// An entry of which nothing is selected is {}.
			part.every((entry, i) => isEmpty(entry) || isPartOf(entry, whole[i]))
		);
	}
	if (typeof part !== 'object' || part === null) return Object.is(part, whole);
	if (typeof whole !== 'object' || whole === null) return false;
	return Object.entries(part).every(
		([key, value]) =>
			Object.hasOwn(whole, key) && isPartOf(value, (whole as Record<string, unknown>)[key]),
	);
}

const isEmpty = (value: unknown): boolean =>
	typeof value === 'object' && value !== null && Object.keys(value).length === 0;
