import type { IDataObject } from 'n8n-workflow';
import {
	decide,
	type Decision,
	type Difference,
} from '../../../../nodes/ConversationalMessaging/resources/contact/sync/decide.ts';
import type { KnownContact } from '../../../../nodes/ConversationalMessaging/resources/contact/sync/contacts.ts';
import type {
	MatchBy,
	SyncItem,
} from '../../../../nodes/ConversationalMessaging/resources/contact/sync/item.ts';
import type { WantedValue } from '../../../../nodes/ConversationalMessaging/resources/contact/sync/values.ts';
import type { Match } from '../../../../nodes/ConversationalMessaging/resources/contact/sync/match.ts';
import { contact, item, wanted, withFields } from './items.mts';

const byWaId: MatchBy = { by: 'waId' };
const byField: MatchBy = { by: 'customField', label: 'CRM ID' };
const own = (field: string, text: string) => wanted(field, text, { isCustom: false });

const found = (record: IDataObject = {}): Match => ({
	kind: 'found',
	contact: contact('a', record),
});

/** What is updated so that the contact matches the item. */
function differencesOf(one: SyncItem, record: IDataObject, matchBy: MatchBy): Difference[] {
	const { action } = decide(one, found(record), matchBy);
	return action?.kind === 'update' ? action.differences : [];
}

describe('the decision for an item', () => {
	const address = { waId: '1' };
	const nameless = {
		id: undefined,
		address: {},
		fields: undefined,
	} satisfies Partial<KnownContact>;
	const missing = (field: string, to: string) => ({ field, isCustom: false, from: null, to });
	const added = (field: string, to: string) => ({ field, isCustom: true, from: null, to });
	test.each<[what: string, values: WantedValue[], match: Match, decision: Decision]>([
		[
			'that matches is that nothing changes',
			[own('name', 'Ann')],
			found({ name: 'Ann' }),
			{ outcome: { result: 'unchanged', contactId: 'a', changes: [] } },
		],
		[
			'that matches, whose contact has no ID, is that nothing changes',
			[own('name', 'Ann')],
			{ kind: 'found', contact: { ...nameless, record: { name: 'Ann' } } },
			{ outcome: { result: 'unchanged', changes: [] } },
		],
		[
			'whose contact is ambiguous is a conflict',
			[own('name', 'Ann')],
			{ kind: 'conflict', reason: 'Two', contactId: 'a' },
			{ outcome: { result: 'conflict', reason: 'Two', contactId: 'a', changes: [] } },
		],
		[
			'that differs is an update',
			[own('name', 'Bea'), wanted('City', '')],
			found({ ...withFields({ City: 'Rome' }) }),
			{
				outcome: {
					result: 'updated',
					contactId: 'a',
					changes: [
						{ field: 'name', from: null, to: 'Bea' },
						{ customField: 'City', from: 'Rome', to: null },
					],
				},
				action: {
					kind: 'update',
					contactId: 'a',
					differences: [
						missing('name', 'Bea'),
						{ field: 'City', isCustom: true, from: 'Rome', to: '', fieldId: 'id of City' },
					],
				},
			},
		],
		[
			'that differs, whose contact has no ID, is a conflict',
			[own('name', 'Bea')],
			{ kind: 'found', contact: { ...nameless, record: {} } },
			{
				outcome: {
					result: 'conflict',
					reason: 'The contact differs, but the service does not return its ID',
					changes: [],
				},
			},
		],
		[
			'without a contact is a new one, completed after it was created',
			[own('name', 'Ann'), own('customName', 'A'), own('igUsername', ''), wanted('City', 'Rome')],
			{ kind: 'new' },
			{
				outcome: {
					result: 'created',
					changes: [
						{ field: 'waId', from: null, to: '1' },
						{ field: 'name', from: null, to: 'Ann' },
						{ field: 'customName', from: null, to: 'A' },
						{ customField: 'City', from: null, to: 'Rome' },
					],
				},
				action: {
					kind: 'create',
					body: { name: 'Ann', waId: '1' },
					rest: [missing('customName', 'A'), added('City', 'Rome')],
				},
			},
		],
	])('%s', (_name, values, match, decision) => {
		expect(decide(item('1', { address, values }), match, byWaId)).toEqual(decision);
	});
});

test('only what differs is listed, with what the contact has', () => {
	const record = { name: 'Ann', customName: null, ...withFields({ City: 'Rome', Tier: 'gold' }) };
	const values = [
		own('name', 'Ann'),
		own('customName', 'Annie'),
		wanted('City', 'Paris'),
		wanted('Tier', 'gold'),
		wanted('Age', '7'),
	];
	expect(differencesOf(item('1', { values }), record, byWaId)).toEqual([
		{ field: 'customName', isCustom: false, from: null, to: 'Annie' },
		{ field: 'City', isCustom: true, from: 'Rome', to: 'Paris', fieldId: 'id of City' },
		{ field: 'Age', isCustom: true, from: null, to: '7' },
	]);
});

test('clearing changes only what has a value', () => {
	const record = { customName: 'A', igUsername: null, ...withFields({ City: 'Rome', Tier: '' }) };
	const values = [
		own('customName', ''),
		own('igUsername', ''),
		...['City', 'Tier', 'New'].map((label) => wanted(label, '')),
	];
	const differences = differencesOf(item('1', { values }), record, byWaId);
	expect(differences.map(({ field }) => field)).toStrictEqual(['customName', 'City']);
});

describe('addresses', () => {
	const address = { waId: '12025550143', igId: undefined };
	test.each([
		[{ waId: '+1 202 555 0143' }, []],
		[{ waId: '12025550144' }, ['waId']],
	])('those of %j are compared if a custom field identifies the contact', (record, fields) => {
		const differences = differencesOf(item('7', { address }), record, byField);
		expect(differences.map(({ field }) => field)).toStrictEqual(fields);
	});

	test('another WhatsApp ID of the same number is no difference', () => {
		const of = (own: string, waId: string) =>
			differencesOf(item('7', { address: { waId: own } }), { waId }, byField);
		expect(of('525512345678', '+5215512345678')).toStrictEqual([]);
		expect(of('525512345678', '5215512345679')).toHaveLength(1);
	});

	test.each([
		[{ waId: '12025550143', igId: '8' }, ['igId']],
		[{ waId: '12025550144', igId: '7' }, ['waId']],
	])('those of %j are compared each with its own', (record, fields) => {
		const both = item('7', { address: { waId: '12025550143', igId: '7' } });
		const differences = differencesOf(both, record, byField);
		expect(differences.map(({ field }) => field)).toStrictEqual(fields);
	});
});

describe('a contact that cannot be made to match', () => {
	const values = [wanted('City', 'Paris')];
	test.each<[what: string, record: IDataObject, conflict: RegExp]>([
		[
			'has the field in another spelling',
			withFields({ CITY: 'Paris' }),
			/^The contact has the field CITY, but not City\. Enter the label as the service spells it$/,
		],
		[
			'has the field without an ID',
			{ customFields: [{ label: 'City', value: 'Rome' }] },
			/does not return its ID$/,
		],
		[
			'shows no custom fields',
			{ customFields: undefined },
			/^It is unknown whether the contact has a field City/,
		],
	])('%s', (_name, record, conflict) => {
		expect(decide(item('1', { values }), found(record), byWaId)).toStrictEqual({
			outcome: {
				result: 'conflict',
				contactId: 'a',
				changes: [],
				reason: expect.stringMatching(conflict),
			},
		});
	});

	test('is unchanged if it already has the value, without an ID', () => {
		const match = found({ customFields: [{ label: 'City', value: 'Paris' }] });
		expect(decide(item('1', { values }), match, byWaId).outcome.result).toBe('unchanged');
	});
});

test('a new contact gets everything that the item says, except what is empty', () => {
	const values = [
		own('name', 'Ann'),
		own('customName', ''),
		wanted('City', 'Rome'),
		wanted('Tier', ''),
	];
	const address = { waId: '12025550143', igId: '7' };
	const { outcome } = decide(item('7', { address, values }), { kind: 'new' }, byWaId);
	expect(outcome.changes).toStrictEqual([
		{ field: 'waId', from: null, to: '12025550143' },
		{ field: 'igId', from: null, to: '7' },
		{ field: 'name', from: null, to: 'Ann' },
		{ customField: 'City', from: null, to: 'Rome' },
	]);
});
