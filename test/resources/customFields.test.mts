import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import {
	fieldsIn,
	fieldsOf,
	mentionsFields,
} from '../../nodes/ConversationalMessaging/resources/shared/customFields.ts';

const CUID = 'cm4k2w8qx0001v8l4a1b2c3d4';
const field = { label: 'City', id: 'f', value: 'Berlin' };

describe('the custom fields of a contact', () => {
	test.each([
		['a list', { customFields: [{ id: 'f', label: 'City', value: 'Berlin' }] }],
		['a list called fields', { fields: [{ id: 'f', label: 'City', value: 'Berlin' }] }],
		[
			'a list of another name',
			{ more: [{ id: 'f', label: 'City', value: 'Berlin' }], tags: ['x'] },
		],
		[
			'a list in a wrapper',
			{ customFields: { data: [{ id: 'f', label: 'City', value: 'Berlin' }] } },
		],
		['a list with names', { customFields: [{ _id: 'f', name: 'City ', value: 'Berlin' }] }],
		[
			'a list with fieldId',
			{ customFields: [{ id: 'v', fieldId: 'f', label: 'City', value: 'Berlin' }] },
		],
		['a map by label with spaces', { customFields: { ' City ': { id: 'f', value: 'Berlin' } } }],
		[
			'a list of definitions',
			{ customFields: [{ field: { id: 'f', label: 'City' }, value: 'Berlin' }] },
		],
		['a map by ID', { customFields: { f: { label: 'City', value: 'Berlin' } } }],
		['a map by label', { customFields: { City: { id: 'f', value: 'Berlin' } } }],
		[
			'two names, one of them empty',
			{ customFields: [], fields: { f: { label: 'City', value: 'Berlin' } } },
		],
	])('custom fields are found in %s', (_name, contact) => {
		expect(fieldsOf(contact)).toEqual({ fields: [field], isComplete: true });
	});

	test('a map of labels and values yields fields without IDs', () => {
		expect(fieldsOf({ customFields: { City: 'Berlin', Age: 7 } })).toEqual({
			fields: [
				{ label: 'City', value: 'Berlin' },
				{ label: 'Age', value: 7 },
			],
			isComplete: true,
		});
	});

	test.each([
		['a list', { customFields: [{ label: 'City', value: 'Berlin' }] }],
		['a map of records by label', { customFields: { City: { value: 'Berlin' } } }],
		['a map of records by label with spaces', { customFields: { ' City ': { value: 'Berlin' } } }],
		['a map of values by label with spaces', { customFields: { ' City ': 'Berlin' } }],
	])('%s without IDs yields fields without IDs', (_name, contact) => {
		expect(fieldsOf(contact)).toEqual({
			fields: [{ label: 'City', value: 'Berlin' }],
			isComplete: true,
		});
	});

	test('an ID that is a number is returned as text', () => {
		const entry = { id: 'v', fieldId: 7, label: 'City', value: 'Berlin' };
		expect(fieldsOf({ customFields: [entry] }).fields).toEqual([{ ...field, id: '7' }]);
	});

	test.each([
		CUID,
		'3f2504e0-4f89-41d3-9a0c-0305e82c3301',
		'3F2504E0-4F89-41D3-9A0C-0305E82C3301',
		'123456',
		'17841400000000001',
	])('the key %s of a map is an ID', (key) => {
		expect(fieldsOf({ customFields: { [key]: 'Berlin' } }).isComplete).toBe(false);
		expect(fieldsOf({ customFields: { [key]: { name: 'City', value: 'Berlin' } } })).toEqual({
			fields: [{ ...field, id: key }],
			isComplete: true,
		});
	});

	test.each([
		'City',
		'Country',
		'2026',
		'12345',
		'no 123456',
		'123456 km',
		`old ${CUID}`,
		`${CUID} (old)`,
		'old 3f2504e0-4f89-41d3-9a0c-0305e82c3301',
		'3f2504e0-4f89-41d3-9a0c-0305e82c3301 (old)',
		'zf2504e0-4f89-41d3-9a0c-0305e82c3301',
		'3f2504e0-4f89-41d3-9a0c-0305e82c330z',
	])('the key %s of a map is a label', (key) => {
		expect(fieldsOf({ customFields: { [key]: 'Berlin' } })).toEqual({
			fields: [{ label: key, value: 'Berlin' }],
			isComplete: true,
		});
	});

	test('a map by ID whose entries have names yields fields with IDs', () => {
		expect(fieldsOf({ fields: { [CUID]: { name: 'City', value: 'Berlin' } } }).fields).toEqual([
			{ ...field, id: CUID },
		]);
	});

	test.each([
		['an empty list', { customFields: [] }],
		['an empty map', { customFields: {} }],
		['null', { customFields: null }],
	])('a contact has no custom fields with %s', (_name, contact) => {
		expect(fieldsOf(contact)).toEqual({ fields: [], isComplete: true });
	});

	test.each([
		['a contact without anything like fields', { id: 'c', segments: [{ id: 's', name: 'S' }] }],
		['a map of values by ID', { customFields: { [CUID]: 'Berlin' } }],
		['a map of records by ID without labels', { customFields: { [CUID]: { value: 'Berlin' } } }],
		['a list of values', { customFields: ['Berlin'] }],
		['a list without labels', { customFields: [{ id: 'f', value: 'Berlin' }] }],
		['other records with labels', { tags: [{ id: 't', label: 'VIP' }] }],
		['a list of another name, without labels', { team: [{ id: 't', name: 'Sales' }] }],
		[
			'a list of another name, in which a record has no label',
			{ more: [{ id: 'f', label: 'City', value: 'Berlin' }, { id: 't' }] },
		],
		['a number', { customFields: 3 }],
		['an empty list of another name', { more: [] }],
	])('custom fields cannot be determined from %s', (_name, contact) => {
		expect(fieldsOf(contact)).toEqual({ fields: [], isComplete: false });
	});

	test('any JSON is read without throwing', () => {
		fc.assert(
			fc.property(fc.jsonValue(), (value) => {
				fieldsOf({ customFields: value as string });
				fieldsOf({ other: value as string });
			}),
		);
	});
});

test.each([
	[{ customFields: [] }, true],
	[{ fields: null }, true],
	[{ customFields: undefined }, false],
	[{ tags: [] }, false],
])('%j mentions custom fields: %s', (contact, isMentioned) => {
	expect(mentionsFields(contact as IDataObject)).toBe(isMentioned);
});

describe('the custom fields in a response', () => {
	const none = { fields: [], isComplete: true };
	test.each<[where: string, json: unknown, found: object]>([
		[
			'inside the contact',
			{ data: { id: 'c', customFields: [field] } },
			{ fields: [field], isComplete: true },
		],
		[
			'inside the wrapped contact, before others next to it',
			{ data: { contact: { id: 'c', customFields: [field] }, customFields: [] } },
			{ fields: [field], isComplete: true },
		],
		[
			'inside the wrapped contact, which has none',
			{ data: { contact: { id: 'c', customFields: [] }, customFields: [field] } },
			none,
		],
		[
			'inside the wrapped contact, not all of which can be read',
			{ data: { contact: { id: 'c', customFields: [field, 'x'] }, customFields: [] } },
			{ fields: [field], isComplete: false },
		],
		[
			'next to the wrapped contact',
			{ data: { contact: { id: 'c' }, customFields: [field] } },
			{ fields: [field], isComplete: true },
		],
		['nowhere', { data: 'x' }, { fields: [], isComplete: false }],
		['nowhere, without an envelope', null, { fields: [], isComplete: false }],
	])('are found %s', (_where, json, found) => {
		expect(fieldsIn(json)).toEqual(found);
	});
});
