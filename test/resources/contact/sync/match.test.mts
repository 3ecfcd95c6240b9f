/** Why an item has no contact. Which contact it has: test/engine/syncTables has a reference for any table. */
import type { IDataObject } from 'n8n-workflow';
import type { KnownContact } from '../../../../nodes/ConversationalMessaging/resources/contact/knownContact.ts';
import type {
	MatchBy,
	SyncItem,
} from '../../../../nodes/ConversationalMessaging/resources/contact/sync/item.ts';
import {
	type Match,
	matchItems,
	matchOwners,
} from '../../../../nodes/ConversationalMessaging/resources/contact/sync/match.ts';
import { contact, item, withFields } from './items.mts';

const byWaId: MatchBy = { by: 'waId' };
const byIgId: MatchBy = { by: 'igId' };
const byField: MatchBy = { by: 'customField', label: 'CRM ID' };

/** "found a", "new", or the reason of the conflict, with the contact that it may be: "… (a)". */
function shown(match: Match): string {
	if (match.kind === 'found') return `found ${match.contact.id!}`;
	if (match.kind === 'new') return 'new';
	return match.reason + (match.contactId === undefined ? '' : ` (${match.contactId})`);
}

const WA_ID = '12025550143';
const IG_ID = '17841400000000001';
const of = (key: string, waId?: string, igId?: string) => item(key, { address: { waId, igId } });
const crm = (id: string, key: unknown, more: IDataObject = {}) =>
	contact(id, { ...withFields({ 'CRM ID': key }), ...more });
const [rows, address] = ['Ann (row 1), Ann (row 2)', 'WhatsApp ID or Instagram ID'];

test.each<[reasons: string[], matchBy: MatchBy, items: SyncItem[], contacts: KnownContact[]]>([
	[['A new contact needs a name'], byWaId, [item(WA_ID, { name: undefined })], []],
	[
		[`Several contacts have the WhatsApp ID ${WA_ID}: a, b`],
		byWaId,
		[item(WA_ID)],
		[contact('a', { waId: WA_ID }), contact('b', { waId: `+${WA_ID}` })],
	],
	[
		[...[1, 2].map(() => `${rows} have the same WhatsApp ID: ${WA_ID} (a)`), 'new'],
		byWaId,
		[item(WA_ID), item(WA_ID), item('12025550144')],
		[contact('a', { waId: WA_ID })],
	],
	[
		[`Several contacts have the Instagram ID ${IG_ID}: a, c`],
		byIgId,
		[of(IG_ID, undefined, IG_ID)],
		[contact('a', { igId: IG_ID }), contact('b', { waId: IG_ID }), contact('c', { igId: IG_ID })],
	],
	[['A new contact needs a WhatsApp ID or an Instagram ID'], byField, [of('17')], []],
	[
		[`The contact a has this item’s ${address}, but its CRM ID is 18 (a)`],
		byField,
		[of('17', WA_ID)],
		[crm('a', '18', { waId: WA_ID })],
	],
	[
		[`Several contacts have this item’s ${address}: a, b`],
		byField,
		[of('17', WA_ID, '7')],
		[contact('a', { waId: WA_ID }), contact('b', { igId: '7' })],
	],
	[
		[`Another contact has this item’s ${address}: b (a)`],
		byField,
		[of('17', WA_ID)],
		[crm('a', '17'), contact('b', { waId: WA_ID })],
	],
	[
		['Several contacts have the CRM ID 17: a, b'],
		byField,
		[of('17')],
		[crm('a', '17'), crm('b', 17)],
	],
	[[1, 2].map(() => `${rows} have the same CRM ID: 17`), byField, [of('17', WA_ID), of('17')], []],
	[
		[1, 2].map(() => `${rows} have the same ${address}`),
		byField,
		[of('17', '525512345678'), of('18', '5215512345678')],
		[],
	],
	[
		[1, 2].map(() => `${rows} match the same contact c (c)`),
		byField,
		[of('17', WA_ID), of('18', undefined, '99')],
		[contact('c', { waId: WA_ID, igId: '99' })],
	],
])('a conflict says why: %j', async (reasons, matchBy, items, contacts) => {
	const indexed = items.map((one, index) => ({ ...one, index }));
	const matches = await matchItems(indexed, contacts, matchBy);
	expect([...matches.values()].map(shown)).toStrictEqual(reasons);
});

describe('contacts that the service found by an item’s address', () => {
	const key = (...values: string[]): IDataObject => ({
		customFields: values.map((value, i) => ({ id: String(i), label: 'CRM ID', value })),
	});
	const other = `The contact a has this item’s ${address}, but its CRM ID is`;
	test.each<[what: string, found: KnownContact[], matchBy: MatchBy, match: string]>([
		['one, by its number', [contact('a', { customFields: 'x' })], byWaId, 'found a'],
		['one whose key field is empty', [contact('a', key(' '))], byField, 'found a'],
		['one with another key', [contact('a', key('8'))], byField, `${other} 8 (a)`],
		['one with another one, too', [contact('a', key('7', '8'))], byField, `${other} 7, 8 (a)`],
		[
			'two',
			[contact('a'), contact('b')],
			byWaId,
			`Several contacts have this item’s ${address}: a, b`,
		],
	])('%s', (_what, found, matchBy, match) => {
		expect(shown(matchOwners(item('7'), found, matchBy))).toBe(match);
	});
});
