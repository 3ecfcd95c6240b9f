import { recordOf } from '../../nodes/ConversationalMessaging/api/response/response.ts';
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import {
	addFieldValues,
	customFieldsOf,
	type CustomFields,
} from '../../nodes/ConversationalMessaging/api/response/contact.ts';
import {
	findField,
	isSimilar,
} from '../../nodes/ConversationalMessaging/resources/shared/customFields.ts';

const CUID = 'cm4k2w8qx0001v8l4a1b2c3d4';
const field = { label: 'City', id: 'f', value: 'Berlin' };
const all = (...fields: CustomFields['fields']): CustomFields => ({ fields, isComplete: true });

const customFieldsIn = (json: unknown) =>
	customFieldsOf(recordOf(json, 'GET /contacts/{id}').record);

describe('the custom fields of a contact', () => {
	test.each<[form: string, contact: IDataObject]>([
		['a list', { customFields: [field] }],
		[
			'a list in snake_case',
			{ custom_fields: [{ field_id: 'f', label: 'City ', value: 'Berlin' }] },
		],
		['a list called as their route', { fields: [field] }],
		['a list with fieldId', { customFields: [{ ...field, id: 'v', fieldId: 'f' }] }],
	])('are found in %s', (_form, contact) => {
		expect(customFieldsOf(contact)).toStrictEqual(all(field));
	});

	test('have no IDs in a list of labels and values', () => {
		const contact = { customFields: [{ label: 'City', value: 'Berlin' }] };
		expect(customFieldsOf(contact)).toEqual(all({ label: 'City', value: 'Berlin' }));
	});

	test.each([[[]], [null]])('there are none in %j', (value) => {
		expect(customFieldsOf({ customFields: value })).toStrictEqual(all());
	});

	test.each<[form: string, value: unknown]>([
		['a map by label', { City: 'Berlin' }],
		['a map by ID', { [CUID]: { label: 'City', value: 'Berlin' } }],
		['a list without labels', [{ id: 'f', name: 'City', value: 'Berlin' }]],
		['a list of values', ['Berlin']],
	])('cannot be read from %s', (_form, value) => {
		expect(customFieldsOf({ customFields: value as IDataObject })).toStrictEqual({
			fields: [],
			isComplete: false,
		});
	});

	test('those that can be read are found among others', () => {
		expect(customFieldsOf({ customFields: [field, 'x'] })).toStrictEqual({
			fields: [field],
			isComplete: false,
		});
	});

	test.each<[what: string, contact: IDataObject]>([
		['nothing', { id: 'c' }],
		['segments and tags', { segments: [{ id: 's', label: 'S' }], tags: [{ id: 't', label: 'T' }] }],
		[
			'email addresses with labels',
			{ emails: [{ id: 'e', label: 'work', value: 'a@example.com' }] },
		],
	])('are not taken from %s', (_what, contact) => {
		expect(customFieldsOf(contact)).toBeUndefined();
	});

	test('any JSON is read without throwing', () => {
		fc.assert(
			fc.property(fc.jsonValue(), (value) => {
				customFieldsOf({ customFields: value });
				customFieldsIn({ data: { contact: value, fields: value } });
			}),
		);
	});
});

describe('the values by their labels', () => {
	const valuesOf = (contact: IDataObject) => {
		addFieldValues(contact);
		return contact.customFieldValues;
	};
	const named = (label: unknown, value?: unknown) => ({ label, value });

	test.each<[what: string, fields: unknown, values: unknown]>([
		['each label', [named('City', 'Berlin'), named('Age', 7)], { City: 'Berlin', Age: 7 }],
		[
			'a label that occurs several times, with a list',
			[named('A', 1), named('B', 2), named('A', null), named(' A ', [3])],
			{ A: [1, null, [3]], B: 2 },
		],
		['a list, which stays one value', [named('A', ['x'])], { A: ['x'] }],
		['nothing, as null', [named('A', null), named('B')], { A: null, B: null }],
		['no empty label', [named(' ', 1), named('A', 2)], { A: 2 }],
		['other spellings as other labels', [named('a', 1), named('A', 2)], { a: 1, A: 2 }],
		['what can be read', [named('A', 1), 'x', named(7, 2)], { A: 1 }],
		['no field', [], {}],
		['null', null, {}],
		['a map, which is no list', { A: 1 }, undefined],
		['a list of something else', ['x'], undefined],
	])('have %s', (_what, fields, expected) => {
		expect(valuesOf({ customFields: fields as IDataObject[] })).toStrictEqual(expected);
		expect(valuesOf({ fields: fields as IDataObject[] })).toStrictEqual(expected);
	});

	test('have labels that every object has', () => {
		const labels = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
		const contact = { customFields: labels.map((label) => named(label, { a: 1 })) };
		expect(Object.entries(valuesOf(contact as IDataObject) as object)).toStrictEqual(
			labels.map((label) => [label, { a: 1 }]),
		);
		expect(({} as IDataObject).a).toBeUndefined();
	});

	test('do not replace what the service has under this name', () => {
		expect(valuesOf({ customFields: [field], customFieldValues: 'own' })).toBe('own');
	});
});

test.each<[where: string, json: unknown, found: CustomFields | undefined]>([
	['inside the contact', { data: { id: 'c', customFields: [field] } }, all(field)],
	[
		'inside the wrapped contact, before others next to it',
		{ data: { contact: { id: 'c', customFields: [] }, customFields: [field] } },
		all(),
	],
	[
		'next to the wrapped contact',
		{ data: { contact: { id: 'c' }, customFields: [field] } },
		all(field),
	],
	['nowhere', { data: 'x' }, undefined],
])('the custom fields in a response are found %s', (_where, json, found) => {
	expect(customFieldsIn(json)).toStrictEqual(found);
});

/** With its messages as text. */
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('the field with a label', () => {
	const plan = { label: 'plan', id: 'p' };

	test.each<[what: string, fields: CustomFields, expected: unknown]>([
		['is found', all(plan, field), { field }],
		[
			'is found although not all fields can be read',
			{ fields: [field], isComplete: false },
			{ field },
		],
		['is missing', all(plan), { field: undefined }],
	])('%s', (_what, fields, expected) => {
		expect(findField(fields, 'City')).toStrictEqual(expected);
	});

	test.each<[what: string, fields: CustomFields | undefined, reason: RegExp, step: RegExp]>([
		[
			'occurs twice',
			all(plan, { label: 'plan' }),
			/has 2 fields with the label plan$/,
			/p, no ID\.$/,
		],
		[
			'may be hidden',
			{ fields: [], isComplete: false },
			/^It is unknown whether/,
			/Contact Field → Add/,
		],
	])('cannot be told if it %s', (_what, fields, reason, step) => {
		expect(asJson(findField(fields, 'plan'))).toStrictEqual({
			reason: expect.stringMatching(reason),
			step: expect.stringMatching(step),
		});
	});

	test.each(['p lan', 'ｐＬａｎ'])(
		'in another spelling, such as %s, is no other field',
		(label) => {
			expect(asJson(findField(all(plan), label))).toStrictEqual({
				reason: `The contact has the field plan, but not ${label}`,
				step: 'Enter the label as the service spells it.',
			});
			expect(findField(all(plan, { label }), label)).toStrictEqual({ field: { label } });
		},
	);

	test('with other letters is another field', () => {
		expect(isSimilar('Plan', 'Plan 2')).toBe(false);
		expect(isSimilar('Plan', 'Plán')).toBe(false);
	});
});
