import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import {
	differencesForNew,
	compare,
} from '../../../../nodes/ConversationalMessaging/resources/contact/sync/differences.ts';
import type { MatchBy } from '../../../../nodes/ConversationalMessaging/resources/contact/sync/item.ts';
import type { WantedValue } from '../../../../nodes/ConversationalMessaging/resources/contact/sync/values.ts';
import { contact, item, wanted, withFields } from './items.mts';

const byWaId: MatchBy = { by: 'waId' };
const byField: MatchBy = { by: 'customField', label: 'CRM ID' };
const SAME = { differences: [] };
const own = (field: string, text: string) => wanted(field, text, { isCustom: false });

test('only what differs is listed, with what the contact has', () => {
	const record = { name: 'Ann', customName: null, ...withFields({ City: 'Rome', Tier: 'gold' }) };
	const values = [
		own('name', 'Ann'),
		own('customName', 'Annie'),
		wanted('City', 'Paris'),
		wanted('Tier', 'gold'),
		wanted('Age', '7'),
	];
	expect(compare(item('1', { values }), contact('a', record), byWaId)).toEqual({
		differences: [
			{ field: 'customName', isCustom: false, from: null, to: 'Annie' },
			{ field: 'City', isCustom: true, from: 'Rome', to: 'Paris', fieldId: 'id of City' },
			{ field: 'Age', isCustom: true, from: null, to: '7' },
		],
	});
});

test('clearing changes only what has a value', () => {
	const record = { customName: 'A', igUsername: null, ...withFields({ City: 'Rome', Tier: '' }) };
	const values = [
		own('customName', ''),
		own('igUsername', ''),
		...['City', 'Tier', 'New'].map((label) => wanted(label, '')),
	];
	const { differences } = compare(item('1', { values }), contact('a', record), byWaId);
	expect(differences.map(({ field }) => field)).toStrictEqual(['customName', 'City']);
});

describe('addresses', () => {
	const address = { waId: '12025550143', igId: undefined };
	test.each([
		[{ waId: '+1 202 555 0143' }, []],
		[{ waId: '12025550144' }, ['waId']],
	])('those of %j are compared if a custom field identifies the contact', (record, fields) => {
		const { differences } = compare(item('7', { address }), contact('a', record), byField);
		expect(differences.map(({ field }) => field)).toStrictEqual(fields);
	});

	test('another WhatsApp ID of the same number is no difference', () => {
		const of = (own: string, waId: string) =>
			compare(item('7', { address: { waId: own } }), contact('a', { waId }), byField).differences;
		expect(of('525512345678', '+5215512345678')).toStrictEqual([]);
		expect(of('525512345678', '5215512345679')).toHaveLength(1);
	});

	test.each([
		[{ waId: '12025550143', igId: '8' }, ['igId']],
		[{ waId: '12025550144', igId: '7' }, ['waId']],
	])('those of %j are compared each with its own', (record, fields) => {
		const both = item('7', { address: { waId: '12025550143', igId: '7' } });
		const { differences } = compare(both, contact('a', record), byField);
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
		['has the field without an ID', { customFields: { City: 'Rome' } }, /does not return its ID$/],
		[
			'shows no custom fields',
			{ customFields: undefined },
			/^It is unknown whether the contact has a field City/,
		],
	])('%s', (_name, record, conflict) => {
		expect(compare(item('1', { values }), contact('a', record), byWaId)).toStrictEqual({
			differences: [],
			conflict: expect.stringMatching(conflict),
		});
	});

	test.each<[what: string, record: IDataObject, values: WantedValue[]]>([
		['already has the value, without an ID', { customFields: { City: 'Paris' } }, values],
	])('is unchanged if it %s', (_name, record, wantedValues) => {
		const one = item('1', { values: wantedValues });
		expect(compare(one, contact('a', { name: 'Ann', ...record }), byWaId)).toStrictEqual(SAME);
	});
});

test('a new contact differs in everything that the item says, except in what is empty', () => {
	const values = [
		own('name', 'Ann'),
		own('customName', ''),
		wanted('City', 'Rome'),
		wanted('Tier', ''),
	];
	const address = { waId: '12025550143', igId: '7' };
	expect(differencesForNew(item('7', { address, values }))).toEqual([
		{ field: 'waId', isCustom: false, from: null, to: '12025550143' },
		{ field: 'igId', isCustom: false, from: null, to: '7' },
		{ field: 'name', isCustom: false, from: null, to: 'Ann' },
		{ field: 'City', isCustom: true, from: null, to: 'Rome' },
	]);
});

test('a contact that got its differences has none', () => {
	const label = fc.constantFrom('City', 'Tier', 'Age');
	const text = fc.constantFrom('', 'a', 'A', ' a ', '0', 'ü', 'u\u0308');
	const values = fc.uniqueArray(fc.tuple(label, text), { selector: ([name]) => name });
	fc.assert(
		fc.property(values, values, text, (before, after, name) => {
			const one = item('1', {
				values: [
					...after.map(([field, value]) => wanted(field, value.trim())),
					own('customName', name.trim()),
				],
			});
			const record = { customName: 'a', ...withFields(Object.fromEntries(before)) };
			const { differences } = compare(one, contact('a', record), byWaId);
			const fields: Record<string, string> = Object.fromEntries(before);
			const changed: IDataObject = { customName: 'a' };
			for (const { field, isCustom, to } of differences) {
				if (isCustom) fields[field] = to;
				else changed[field] = to;
			}
			expect(
				compare(one, contact('a', { ...changed, ...withFields(fields) }), byWaId),
			).toStrictEqual(SAME);
			// Nothing that the item says nothing about.
			const said = new Set(one.values.map(({ field }) => field));
			expect(differences.filter(({ field }) => !said.has(field))).toStrictEqual([]);
		}),
	);
});
