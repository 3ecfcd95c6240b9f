import fc from 'fast-check';
import { fieldsOf } from '../../nodes/ConversationalMessaging/resources/contactField/existing.ts';

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
		['a list of values', { customFields: ['Berlin'] }],
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
