import type { IDataObject } from 'n8n-workflow';
import type { KnownContact } from '../../../../nodes/ConversationalMessaging/resources/contact/sync/contacts.ts';
import type {
	MatchBy,
	SyncItem,
} from '../../../../nodes/ConversationalMessaging/resources/contact/sync/item.ts';
import {
	matchItems,
	matchOwners,
} from '../../../../nodes/ConversationalMessaging/resources/contact/sync/match.ts';
import { contact, item, withFields } from './items.mts';

const byWaId: MatchBy = { by: 'waId' };
const byField: MatchBy = { by: 'customField', label: 'CRM ID' };

const matched = async (items: SyncItem[], contacts: KnownContact[], matchBy: MatchBy) =>
	await matchItems(
		items.map((one, index) => ({ ...one, index })),
		contacts,
		matchBy,
	);
/** "found a", "new" or the reason of the conflict. */
const texts = async (items: SyncItem[], contacts: KnownContact[], matchBy: MatchBy) =>
	(await matched(items, contacts, matchBy)).map((match) => {
		if (match.kind === 'found') return `found ${match.contact.id!}`;
		return match.kind === 'new' ? 'new' : match.reason;
	});
const text = async (one: SyncItem, contacts: KnownContact[], matchBy: MatchBy) =>
	(await texts([one], contacts, matchBy))[0]!;

describe('by WhatsApp ID', () => {
	const [one, two] = ['12025550143', '12025550144'];
	test.each(['+12025550143', '+1 (202) 555-0143', 12025550143])(
		'the contact with the number %j is found',
		async (waId) => {
			expect(
				await text(item(one), [contact('a', { waId }), contact('b', { waId: two })], byWaId),
			).toBe('found a');
		},
	);

	test.each([['525512345678', '5215512345678']])(
		'%s finds the contact with the other WhatsApp ID of its number',
		async (own, other) => {
			for (const waId of [other, `+${other}`])
				expect(await text(item(own), [contact('a', { waId })], byWaId)).toBe('found a');
		},
	);

	test('a user ID finds the contact with the same text, and no number', async () => {
		const known = [
			contact('a', { waId: '1092712345' }),
			contact('b', { waId: 'CO.1092712345' }),
			contact('c', { waId: null }),
		];
		expect(await text(item('CO.1092712345'), known, byWaId)).toBe('found b');
		expect(await text(item('1092712345'), known, byWaId)).toBe('found a');
		expect(await text(item('PE.1092712345'), known, byWaId)).toBe('new');
	});

	test('without a contact, the item is new if it has a name', async () => {
		const known = [contact('a', { waId: two })];
		expect(await text(item(one), known, byWaId)).toBe('new');
		expect(await text(item(one, { name: undefined }), known, byWaId)).toBe(
			'A new contact needs a name',
		);
	});

	test('several contacts with the number, in whatever spelling, are a conflict', async () => {
		const known = [contact('a', { waId: one }), contact('b', { waId: `+${one}` })];
		expect(await text(item(one), known, byWaId)).toBe(
			`Several contacts have the WhatsApp ID ${one}: a, b`,
		);
	});

	test('several items with the number are conflicts, the others are not', async () => {
		const same = `Ann (row 1), Ann (row 3) have the same WhatsApp ID: ${one}`;
		const items = [item(one), item(two), item(one)];
		expect(await texts(items, [contact('a', { waId: one })], byWaId)).toStrictEqual([
			same,
			'new',
			same,
		]);
	});

	test('a contact on Instagram with the same digits is another contact', async () => {
		expect(await text(item(one), [contact('a', { igId: one })], byWaId)).toBe('new');
	});
});

test('by Instagram ID', async () => {
	const id = '17841400000000001';
	const one = item(id, { address: { igId: id } });
	const [a, b, c] = [
		contact('a', { igId: id }),
		contact('b', { waId: id }),
		contact('c', { igId: id }),
	];
	expect(await text(one, [a, b], { by: 'igId' })).toBe('found a');
	expect(await text(one, [b], { by: 'igId' })).toBe('new');
	expect(await text(one, [a, c], { by: 'igId' })).toBe(
		`Several contacts have the Instagram ID ${id}: a, c`,
	);
});

describe('by a custom field', () => {
	const crm = (id: string, key: unknown, more: IDataObject = {}) =>
		contact(id, { ...withFields({ 'CRM ID': key }), ...more });
	const of = (key: string, waId?: string, igId?: string) => item(key, { address: { waId, igId } });

	test.each([
		['text', 'A-17', 'A-17', 'found a'],
		['text that the service returns as a number', '17', 17, 'found a'],
		['spaces around it', '17', ' 17 ', 'found a'],
		['leading zeros', '17', '0017', 'new'],
	])('keys match exactly: %s', async (_name, key, stored, expected) => {
		expect(await text(of(key, '12025550143'), [crm('a', stored)], byField)).toBe(expected);
	});

	test('a contact that was created without its key, or has none yet, is found by its address', async () => {
		const known = [contact('a', { waId: '+12025550143' }), contact('b', { igId: '7' })];
		expect(await text(of('17', '12025550143'), known, byField)).toBe('found a');
		expect(await text(of('17', undefined, '7'), known, byField)).toBe('found b');
	});

	test.each<[what: string, known: KnownContact[], reason: RegExp, contactId: string | undefined]>([
		[
			'the contact with the address has another key',
			[crm('a', '18', { waId: '12025550143' })],
			/^The contact a has this item’s WhatsApp ID or Instagram ID, but its CRM ID is 18$/,
			'a',
		],
		[
			'two contacts have one address each',
			[contact('a', { waId: '12025550143' }), contact('b', { igId: '7' })],
			/^Several contacts have this item’s WhatsApp ID or Instagram ID: a, b$/,
			undefined,
		],
		[
			'its new address belongs to another contact',
			[crm('a', '17'), contact('b', { waId: '12025550143' })],
			/^Another contact has this item’s WhatsApp ID or Instagram ID: b$/,
			'a',
		],
		[
			'several contacts have the key',
			[crm('a', '17'), crm('b', '17')],
			/^Several contacts have the CRM ID 17: a, b$/,
			undefined,
		],
	])('it is a conflict if %s', async (_name, known, reason, contactId) => {
		const [match] = await matched([of('17', '12025550143', '7')], known, byField);
		expect(match).toStrictEqual({
			kind: 'conflict',
			reason: expect.stringMatching(reason),
			contactId,
		});
	});

	test('a new contact needs an address', async () => {
		expect(await text(of('17'), [], byField)).toBe(
			'A new contact needs a WhatsApp ID or an Instagram ID',
		);
		expect(await text(of('17', undefined, '7'), [], byField)).toBe('new');
	});

	test.each<[what: string, items: SyncItem[], reason: string]>([
		[
			'one key',
			[of('17', '12025550143'), of('17')],
			'Ann (row 1), Ann (row 2) have the same CRM ID: 17',
		],
		[
			'one number',
			[of('17', '525512345678'), of('18', '5215512345678')],
			'Ann (row 1), Ann (row 2) have the same WhatsApp ID or Instagram ID',
		],
		[
			'one Instagram ID',
			[of('17', '12025550143', '7'), of('18', '12025550144', '7')],
			'Ann (row 1), Ann (row 2) have the same WhatsApp ID or Instagram ID',
		],
		[
			'the addresses of one contact',
			[of('17', '12025550199'), of('18', undefined, '99')],
			'Ann (row 1), Ann (row 2) match the same contact c',
		],
	])('items with %s are conflicts', async (_what, items, reason) => {
		const known = [contact('c', { waId: '12025550199', igId: '99' })];
		expect(await texts(items, known, byField)).toStrictEqual([reason, reason]);
	});
});

describe('contacts that the service found by an item’s address', () => {
	const key = (...values: string[]): IDataObject => ({
		customFields: values.map((value, i) => ({ id: String(i), label: 'CRM ID', value })),
	});
	test.each<[what: string, found: KnownContact[], matchBy: MatchBy, expected: string]>([
		['one, by its number', [contact('a', { customFields: 'x' })], byWaId, 'found a'],
		['one whose key field is empty', [contact('a', key(' '))], byField, 'found a'],
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
			'two',
			[contact('a'), contact('b')],
			byWaId,
			'Several contacts have this item’s WhatsApp ID or Instagram ID: a, b',
		],
	])('%s', (_what, found, matchBy, expected) => {
		const match = matchOwners(item('7'), found, matchBy);
		const shown = match.kind === 'found' ? `found ${match.contact.id!}` : match.kind;
		expect(match.kind === 'conflict' ? match.reason : shown).toBe(expected);
	});
});
