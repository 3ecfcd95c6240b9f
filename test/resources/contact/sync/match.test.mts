import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import type { KnownContact } from '../../../../nodes/ConversationalMessaging/resources/contact/sync/contacts.ts';
import {
	addressOf,
	fieldValues,
} from '../../../../nodes/ConversationalMessaging/resources/contact/sync/contacts.ts';
import { hidesIdentity } from '../../../../nodes/ConversationalMessaging/resources/contact/sync/indexes.ts';
import type { SyncItem } from '../../../../nodes/ConversationalMessaging/resources/contact/sync/item.ts';
import {
	contactsOf,
	matchFound,
	matchItems,
	type MatchBy,
} from '../../../../nodes/ConversationalMessaging/resources/contact/sync/match.ts';
import { contact, item, withFields } from './items.mts';

const byWaId: MatchBy = { by: 'waId' };
const byField: MatchBy = { by: 'customField', label: 'CRM ID' };

/** "found a", "new" or the reason of the conflict. */
const texts = (items: SyncItem[], contacts: KnownContact[], matchBy: MatchBy): string[] =>
	matchItems(
		items.map((one, index) => ({ ...one, index })),
		contacts,
		matchBy,
	).map((match) => {
		if (match.kind === 'found') return `found ${match.contact.id!}`;
		return match.kind === 'new' ? 'new' : match.reason;
	});
const text = (one: SyncItem, contacts: KnownContact[], matchBy: MatchBy): string =>
	texts([one], contacts, matchBy)[0]!;

describe('by WhatsApp ID', () => {
	const [one, two] = ['12025550143', '12025550144'];
	test.each([['12025550143'], ['+12025550143'], ['+1 (202) 555-0143'], [12025550143]])(
		'the contact with the number %j is found',
		(waId) => {
			expect(text(item(one), [contact('a', { waId }), contact('b', { waId: two })], byWaId)).toBe(
				'found a',
			);
		},
	);

	test('without a contact, the item is new if it has a name', () => {
		const known = [contact('a', { waId: two })];
		expect(text(item(one), known, byWaId)).toBe('new');
		expect(text(item(one, { name: undefined }), known, byWaId)).toBe('A new contact needs a name');
	});

	test('several contacts with the number, in whatever spelling, are a conflict', () => {
		const known = [contact('a', { waId: one }), contact('b', { waId: `+${one}` })];
		expect(text(item(one), known, byWaId)).toBe(
			`Several contacts have the WhatsApp ID ${one}: a, b`,
		);
	});

	test('several items with the number are conflicts, the others are not', () => {
		expect(texts([item(one), item(two), item(one)], [contact('a', { waId: one })], byWaId)).toEqual(
			[
				`Items 0, 2 have the same WhatsApp ID: ${one}`,
				'new',
				`Items 0, 2 have the same WhatsApp ID: ${one}`,
			],
		);
	});

	test('a contact on Instagram with the same digits is another contact', () => {
		expect(text(item(one), [contact('a', { igId: one })], byWaId)).toBe('new');
	});
});

describe('a number with two WhatsApp IDs', () => {
	const [mx, mx1] = ['525512345678', '5215512345678'];
	const step = 'Enter the WhatsApp ID as the contact has it';
	const reason = (own: string, other: string, id = 'a') =>
		`The WhatsApp ID ${own} and that of an existing contact belong to the same number: ${other} (${id}). ${step}`;

	test.each([
		[mx, mx1],
		[mx1, mx],
		['541123456789', '5491123456789'],
		['551187654321', '5511987654321'],
	])('a contact with the other one is no match, and %s is not new', (own, other) => {
		for (const waId of [other, `+${other}`]) {
			const known = [contact('b', { waId: '12025550143' }), contact('a', { waId })];
			expect(text(item(own), known, byWaId)).toBe(reason(own, other));
			expect(text(item(own, { name: undefined }), known, byWaId)).toBe(reason(own, other));
			expect(text(item('9', { address: { waId: own } }), known, byField)).toBe(reason(own, other));
		}
	});

	test('a contact with the same one is found, whoever has the other', () => {
		const known = [contact('a', { waId: mx }), contact('b', { waId: mx1 })];
		expect(texts([item(mx), item(mx1)], known, byWaId)).toEqual(['found a', 'found b']);
		const keyed = [contact('a', { waId: mx, ...withFields({ 'CRM ID': '7' }) }), known[1]!];
		expect(text(item('7', { address: { waId: mx } }), keyed, byField)).toBe('found a');
	});

	test('two new items with one number are conflicts', () => {
		const same = `Items 0, 2 have WhatsApp IDs of the same number: ${mx}, ${mx1}`;
		expect(texts([item(mx), item('12025550143'), item(mx1)], [], byWaId)).toEqual([
			same,
			'new',
			same,
		]);
		const keyed = [mx, mx1].map((waId, key) => item(String(key), { address: { waId } }));
		const shared = 'Items 0, 1 have the same WhatsApp ID or Instagram ID';
		expect(texts(keyed, [], byField)).toEqual([shared, shared]);
	});

	test('by a custom field, no contact gets a number that another contact has', () => {
		const a = contact('a', { waId: '12025550143', ...withFields({ 'CRM ID': '7' }) });
		const b = contact('b', { waId: mx1 });
		expect(text(item('7', { address: { waId: mx } }), [a, b], byField)).toBe(
			'Another contact has this item’s WhatsApp ID or Instagram ID: b',
		);
		const c = contact('c', { igId: '5' });
		expect(text(item('9', { address: { waId: mx, igId: '5' } }), [b, c], byField)).toBe(
			'Several contacts have this item’s WhatsApp ID or Instagram ID: c, b',
		);
	});

	test('by a custom field, such a contact is named, even if others hide their keys', () => {
		const known = [contact('a', { waId: mx1, customFields: 'x' })];
		expect(text(item('7', { address: { waId: mx } }), known, byField)).toBe(reason(mx, mx1));
	});

	test('the contacts that may be the item’s are known', () => {
		const known = [contact('a', { waId: mx1 }), contact('b', { waId: `+${mx1}` })];
		const [match] = matchItems([item(mx)], known, byWaId);
		expect(contactsOf(match!)).toEqual(known);
	});
});

test('by Instagram ID', () => {
	const one = item('17841400000000001', { address: { igId: '17841400000000001' } });
	const [a, b] = [
		contact('a', { igId: '17841400000000001' }),
		contact('b', { waId: '17841400000000001' }),
	];
	expect(text(one, [a, b], { by: 'igId' })).toBe('found a');
	expect(text(one, [b], { by: 'igId' })).toBe('new');
});

describe('by a custom field', () => {
	const crm = (id: string, key: unknown, more: IDataObject = {}) =>
		contact(id, { ...withFields({ 'CRM ID': key }), ...more });
	const of = (key: string, waId?: string, igId?: string) => item(key, { address: { waId, igId } });

	test.each([
		['text', 'A-17', 'A-17', 'found a'],
		['a number that the service returns as text', '17', '17', 'found a'],
		['text that the service returns as a number', '17', 17, 'found a'],
		['spaces around it', '17', ' 17 ', 'found a'],
		[
			'leading zeros',
			'17',
			'0017',
			'The CRM ID 17 differs only in spelling from that of an existing contact: 0017 (a)',
		],
		[
			'another case',
			'a-17',
			'A-17',
			'The CRM ID a-17 differs only in spelling from that of an existing contact: A-17 (a)',
		],
		[
			'other punctuation',
			'A 17',
			'A-17',
			'The CRM ID A 17 differs only in spelling from that of an existing contact: A-17 (a)',
		],
		['another key', '18', '17', 'new'],
		['another place of the dash', '1-23', '12-3', 'new'],
		['another place of the dot', 'a1.23', 'a12.3', 'new'],
		['another key with a dash', '1-23', '1-24', 'new'],
		...(
			[
				['another sign in the same place', '1-23', '1 / 23'],
				['zeros before a dash', '17', '00-17'],
				['zeros before divided digits', '1-7', '001-7'],
				['no dash', '1-23', '123'],
				['a dash', '123', '12-3'],
				['a dash between letters and digits', 'ab1', 'a-b-1'],
				['another grouping of a phone number', '+1 202 5550143', '1-202-555-0143'],
				['another grouping of a number that may be a phone number', '1-2345678', '12-345678'],
				['digits of another script', '１-23', '1-23'],
			] as const
		).map(([name, key, stored]): [string, string, unknown, string] => [
			name,
			key,
			stored,
			`The CRM ID ${key} differs only in spelling from that of an existing contact: ${stored} (a)`,
		]),
	])('%s', (_name, key, stored, expected) => {
		expect(text(of(key, '12025550143'), [crm('a', stored)], byField)).toBe(expected);
	});

	test('a contact that was created without its key, or has none yet, is found by its address', () => {
		const known = [contact('a', { waId: '+12025550143' }), contact('b', { igId: '7' })];
		expect(text(of('17', '12025550143'), known, byField)).toBe('found a');
		expect(text(of('17', undefined, '7'), known, byField)).toBe('found b');
	});

	test.each([
		[
			'the contact with the address has another key',
			[crm('a', '18', { waId: '12025550143' })],
			/^The contact a has this item’s WhatsApp ID or Instagram ID, but its CRM ID is 18$/,
		],
		[
			'two contacts have one address each',
			[contact('a', { waId: '12025550143' }), contact('b', { igId: '7' })],
			/^Several contacts have this item’s WhatsApp ID or Instagram ID: a, b$/,
		],
		[
			'its new address belongs to another contact',
			[crm('a', '17'), contact('b', { waId: '12025550143' })],
			/^Another contact has this item’s WhatsApp ID or Instagram ID: b$/,
		],
		[
			'several contacts have the key',
			[crm('a', '17'), crm('b', '17')],
			/^Several contacts have the CRM ID 17: a, b$/,
		],
		[
			'the contact has two keys',
			[
				contact('a', {
					customFields: [
						{ id: '1', label: 'CRM ID', value: '17' },
						{ id: '2', label: 'CRM ID', value: '18' },
					],
				}),
			],
			/^The contact a has several fields with the label CRM ID$/,
		],
		[
			'the fields of a contact are not shown',
			[contact('a', { customFields: undefined })],
			/^It is unknown whether a contact has the CRM ID 17/,
		],
		[
			'the fields of the contact with the address are not shown',
			[contact('a', { waId: '12025550143', customFields: undefined })],
			/^It is unknown whether the contact a has another CRM ID/,
		],
	] as [string, KnownContact[], RegExp][])('it is a conflict if %s', (_name, known, reason) => {
		expect(text(of('17', '12025550143', '7'), known, byField)).toMatch(reason);
	});

	test('a new contact needs an address', () => {
		expect(text(of('17'), [], byField)).toBe(
			'A new contact needs a WhatsApp ID or an Instagram ID',
		);
		expect(text(of('17', undefined, '7'), [], byField)).toBe('new');
	});

	test.each([
		[
			'the same address',
			[of('17', '1'), of('18', '1')],
			[
				/^Items 0, 1 have the same WhatsApp ID or Instagram ID$/,
				/^Items 0, 1 have the same WhatsApp ID or Instagram ID$/,
			],
		],
		[
			'keys that differ only in their spelling',
			[of('17', '1'), of('017', '2')],
			[/only in spelling/, /only in spelling/],
		],
		[
			'digits that are divided and not divided',
			[of('1-23', '1'), of('12-3', '2'), of('123', '3')],
			[/^Items 0, 2 .* only in spelling/, /^Items 1, 2 /, /^Items 0, 1, 2 /],
		],
	] as [string, SyncItem[], RegExp[]][])(
		'new items with %s are conflicts',
		(_name, items, reasons) => {
			const found = texts(items, [], byField);
			for (const [position, reason] of reasons.entries()) expect(found[position]).toMatch(reason);
		},
	);

	test.each([
		['1 - 23', '1-23', false],
		['1 - 23', '12-3', true],
		['1 - 23', '1--23', false],
	])('new items with the keys %s and %s are both new: %s', (one, other, areNew) => {
		const items = [one, other].map((key, n) => item(key, { address: { waId: `1202555014${n}` } }));
		expect(texts(items, [], byField).every((each) => each === 'new')).toBe(areNew);
	});

	test('a contact that has its key twice is one contact', () => {
		const twice = ['1', '2'].map((id) => ({ id, label: 'CRM ID', value: '7' }));
		expect(text(item('7'), [contact('a', { customFields: twice })], byField)).toBe(
			'The contact a has several fields with the label CRM ID',
		);
	});

	test('new items whose digits are divided in different places are not', () => {
		expect(texts([of('1-23', '1'), of('12-3', '2')], [], byField)).toEqual(['new', 'new']);
	});

	test('two items for one contact, one by its key and one by its address, are conflicts', () => {
		const known = [contact('a', { waId: '1', igId: '2' })];
		expect(texts([of('17', '1'), of('18', undefined, '2')], known, byField)).toEqual([
			'Items 0, 1 match the same contact a',
			'Items 0, 1 match the same contact a',
		]);
	});
});

describe('whatever the items and contacts are', () => {
	const key = fc.constantFrom('1', '01', '2', 'a', 'A', 'b', '123', '1-23', '12-3', '1 23');
	const waId = fc.constantFrom('12025550143', '12025550144', '12025550145');
	const igId = fc.constantFrom('71', '72');
	const optional = <T,>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
	const items = fc.array(
		fc
			.record({ key, waId: optional(waId), igId: optional(igId) })
			.map((one) => item(one.key, { address: { waId: one.waId, igId: one.igId } })),
		{ maxLength: 6 },
	);
	const contacts = fc
		.array(
			fc.record({
				key: optional(key),
				waId: optional(waId),
				plus: fc.boolean(),
				igId: optional(igId),
			}),
			{ maxLength: 6 },
		)
		.map((list) =>
			list.map((one, index) =>
				contact(`id ${index}`, {
					waId: one.waId && `${one.plus ? '+' : ''}${one.waId}`,
					igId: one.igId,
					...withFields(one.key === undefined ? {} : { 'CRM ID': one.key }),
				}),
			),
		);

	test('a contact has one item at most, and a new contact shares no key and no address with any other', () => {
		fc.assert(
			fc.property(items, contacts, (list, known) => {
				const numbered = list.map((one, index) => ({ ...one, index }));
				const matches = matchItems(numbered, known, byField);
				const found = matches.flatMap((match) => (match.kind === 'found' ? match.contact.id! : []));
				expect(new Set(found).size).toBe(found.length);
				for (const [position, match] of matches.entries()) {
					const { key: own, address } = numbered[position]!;
					const others = numbered.filter((_one, other) => other !== position);
					if (match.kind === 'found') {
						const keys = fieldValues(match.contact, 'CRM ID');
						expect(keys.length === 0 || keys.includes(own)).toBe(true);
					}
					if (match.kind !== 'new') continue;
					const shares = (other: { waId?: string; igId?: string }) =>
						(address.waId !== undefined && other.waId === address.waId) ||
						(address.igId !== undefined && other.igId === address.igId);
					expect(known.filter((one) => shares(addressOf(one)))).toEqual([]);
					expect(known.filter((one) => fieldValues(one, 'CRM ID').includes(own))).toEqual([]);
					expect(others.filter((other) => other.key === own || shares(other.address))).toEqual([]);
				}
			}),
			{ numRuns: 2_000 },
		);
	});

	test('the order of contacts does not matter', () => {
		fc.assert(
			fc.property(items, contacts, (list, known) => {
				const kinds = (of: KnownContact[]) =>
					matchItems(list, of, byField).map((match) =>
						match.kind === 'found' ? match.contact.id : match.kind,
					);
				expect(kinds([...known].reverse())).toEqual(kinds(known));
			}),
		);
	});
});

describe('contacts that the service found by an item’s address', () => {
	const key = (...values: string[]): IDataObject => ({
		customFields: values.map((value, i) => ({ id: String(i), label: 'CRM ID', value })),
	});
	test.each<[what: string, found: KnownContact[], matchBy: MatchBy, expected: string]>([
		['none', [], byField, 'new'],
		['one, by its number', [contact('a', { customFields: 'x' })], byWaId, 'found a'],
		['one with the key', [contact('a', key('7'))], byField, 'found a'],
		['one without a key', [contact('a')], byField, 'found a'],
		[
			'one with another key',
			[contact('a', key('8'))],
			byField,
			'The contact a has this item’s WhatsApp ID or Instagram ID, but its CRM ID is 8',
		],
		[
			'one with the key and another one',
			[contact('a', key('7', '8'))],
			byField,
			'The contact a has this item’s WhatsApp ID or Instagram ID, but its CRM ID is 7, 8',
		],
		[
			'one that may have another key',
			[contact('a', { customFields: 'x' })],
			byField,
			'It is unknown whether the contact a has another CRM ID: the service does not return all of its custom fields',
		],
		[
			'two',
			[contact('a'), contact('b')],
			byWaId,
			'Several contacts have this item’s WhatsApp ID or Instagram ID: a, b',
		],
	])('%s', (_what, found, matchBy, expected) => {
		const match = matchFound(item('7'), found, matchBy);
		const shown = match.kind === 'found' ? `found ${match.contact.id!}` : match.kind;
		expect(match.kind === 'conflict' ? match.reason : shown).toBe(expected);
		if (match.kind === 'conflict') expect(match.contacts).toEqual(found);
	});
});

describe('the contacts that a conflict may concern, which therefore stay in the segment', () => {
	const idsIn = (items: SyncItem[], contacts: KnownContact[], matchBy: MatchBy) =>
		matchItems(items, contacts, matchBy).map((match) =>
			match.kind === 'conflict' ? match.contacts.map(({ id }) => id ?? 'no ID') : match.kind,
		);
	const a = contact('a', { waId: '12025550143', ...withFields({ 'CRM ID': '7' }) });
	const b = contact('b', { waId: '12025550144', ...withFields({ 'CRM ID': '8' }) });
	const at = (waId: string) => ({ address: { waId } });

	test('with the key of one and the number of another: both', () => {
		expect(idsIn([item('7', at('12025550144'))], [a, b], byField)).toEqual([['a', 'b']]);
	});

	test('several items for one contact, by key and by number: that contact', () => {
		const c = contact('c', { waId: '12025550145', igId: '5' });
		const items = [item('9', at('12025550145')), item('10', { address: { igId: '5' } })];
		expect(idsIn(items, [c], byField)).toEqual([['c'], ['c']]);
	});

	test('of new items that cannot be created, or are similar: none', () => {
		const items = [item('A-1', at('12025550146')), item('A 1', at('12025550147'))];
		expect(idsIn(items, [a], byField)).toEqual([[], []]);
		expect(idsIn([item('9', { address: {} })], [a], byField)).toEqual([[]]);
		expect(idsIn([item('9', { ...at('12025550146'), name: undefined })], [a], byField)).toEqual([
			[],
		]);
		const hidden = contact('h', { customFields: 'x' });
		expect(idsIn([item('9', at('12025550146'))], [a, hidden], byField)).toEqual([[]]);
		const oneNumber = ['525512345678', '5215512345678'].map((waId) => item(waId));
		expect(idsIn(oneNumber, [a], byWaId)).toEqual([[], []]);
	});

	test('of an item that matches, its contact; of a new item, none', () => {
		const matches = matchItems([item('7', at('12025550143'))], [a], byField);
		expect(matches.map(contactsOf)).toEqual([[a]]);
		expect(contactsOf({ kind: 'new' })).toHaveLength(0);
	});

	test('a contact without the key hides none if its fields are shown', () => {
		const known = [a, contact('without')];
		expect(idsIn([item('9', at('12025550146'))], known, byField)).toEqual(['new']);
		// One that shows its key has no other.
		const partly = contact('p', { customFields: { 'CRM ID': '5' } });
		expect(idsIn([item('9', at('12025550146'))], [a, partly], byField)).toEqual(['new']);
	});
});

test('by Instagram ID, a conflict says so', () => {
	const known = ['a', 'b'].map((id) => contact(id, { igId: '5' }));
	expect(text(item('5', { address: { igId: '5' } }), known, { by: 'igId' })).toBe(
		'Several contacts have the Instagram ID 5: a, b',
	);
});

const HIDDEN = { customFields: 'x' };
const KEY = { id: 'f', label: 'CRM ID', value: '7' };
test.each<[record: IDataObject, matchBy: MatchBy, hides: boolean]>([
	[{ waId: '12025550143' }, byWaId, false],
	[{ waId: null }, byWaId, false],
	[{ igId: '7' }, byWaId, false],
	[{}, byWaId, true],
	[{ waId: '12025550143', ...HIDDEN }, byWaId, false],
	[{ waId: '12025550143' }, byField, false],
	[{ waId: '12025550143', ...withFields({ 'CRM ID': '7' }) }, byField, false],
	[{ waId: '12025550143', ...HIDDEN }, byField, true],
	[{ waId: '12025550143', customFields: [KEY, 'x'] }, byField, false],
	[withFields({ 'CRM ID': '7' }), byField, true],
])('the contact %j may be that of any item by %j: %s', (record, matchBy, hides) => {
	expect(hidesIdentity(contact('a', record), matchBy)).toBe(hides);
});
