/** What an input item says about its contact. */
import type { IDataObject } from 'n8n-workflow';
import { fields } from '../../../../nodes/ConversationalMessaging/resources/contact/sync/fields.ts';
import {
	readItem,
	type MatchBy,
} from '../../../../nodes/ConversationalMessaging/resources/contact/sync/item.ts';
import { computedMs } from '../../../support/computedMs.mts';
import { parametersOf } from '../../../support/parameters.mts';

const BY_PHONE: MatchBy = { by: 'waId' };
const BY_CRM_ID: MatchBy = { by: 'customField', label: 'CRM ID' };

const read = (values: Record<string, unknown>, matchBy: MatchBy = BY_PHONE, clearEmpty = false) =>
	readItem(parametersOf(fields, values), matchBy, clearEmpty ? 'clearing' : 'mayBeEmpty');

const customFields = (...entries: unknown[]): IDataObject => ({
	customFields: { field: entries as IDataObject[] },
});

test('a list as a name cannot be used, and the message names the field', () => {
	expect(() => read({ waId: '12025550143', name: ['Ann'] })).toThrow(/^Name expects /);
});

describe('a value besides key and name', () => {
	const given = (value: unknown, clearEmpty: boolean) => {
		const custom = customFields({ label: ' City ', value });
		const values = { waId: '12025550143', additionalFields: { igUsername: value }, ...custom };
		return read(values, BY_PHONE, clearEmpty).values;
	};
	const both = (text: string) => [
		{ field: 'igUsername', isCustom: false, text },
		{ field: 'City', isCustom: true, text },
	];

	test.each([' ann ', 7, 0, false])('is text: %j', (value) => {
		expect(given(value, false)).toStrictEqual(both(String(value).trim()));
	});

	test.each([null, '', '  '])('that is empty, %j, clears it only if that is asked for', (value) => {
		expect(given(value, false)).toStrictEqual([]);
		expect(given(value, true)).toMatchObject([
			{ field: 'igUsername', text: '' },
			{ field: 'City', text: '' },
		]);
	});
});

describe('custom fields in an object', () => {
	const fieldsIn = (customFieldValues: unknown, more = {}, matchBy: MatchBy = BY_PHONE) =>
		read({ waId: '12025550143', keyValue: 7, options: { customFieldValues }, ...more }, matchBy)
			.values.filter(({ isCustom }) => isCustom)
			.map(({ field, text }) => [field, text]);
	const values = { City: 'Berlin', ' Age ': 7, tags: ['a', 'b'], none: null, empty: '' };
	const read7 = [
		['City', 'Berlin'],
		['Age', '7'],
		['tags', 'a, b'],
	];

	test.each<[given: unknown, fields: string[][]]>([
		[values, read7],
		[JSON.stringify(values), read7],
		[{}, []],
		[null, []],
		['', []],
		[JSON.parse('{ "__proto__": "x" }'), [['__proto__', 'x']]],
	])('%j is set by its labels', (given, fields) => {
		expect(fieldsIn(given)).toStrictEqual(fields);
	});

	test('are set besides those that are entered, and without the key', () => {
		const more = customFields({ label: 'plan', value: 'pro' });
		expect(fieldsIn({ 'crm id': 'x', City: 'Rome' }, more, BY_CRM_ID)).toStrictEqual([
			['CRM ID', '7'],
			['City', 'Rome'],
			['plan', 'pro'],
		]);
	});

	test.each<[given: unknown, message: string, entered?: IDataObject[], by?: MatchBy]>([
		['x', 'Custom Field Values expects a JSON object'],
		[['x'], 'Custom Field Values expects a JSON object'],
		[new Date(0), 'Custom Field Values expects a JSON object'],
		[new Map([['City', 'Berlin']]), 'Custom Field Values expects a JSON object'],
		[{ City: {} }, 'The custom field City expects'],
		[{ PLAN: 'x' }, 'Custom Fields contains the label plan twice'],
		[{ ' ': 'x' }, 'A value under Custom Fields has no label'],
		[
			{},
			'Custom Fields contains crm ID, which is also the key field',
			[{ label: ' crm ID', value: 'x' }],
			BY_CRM_ID,
		],
		[
			{},
			'Custom Fields contains the label City twice',
			[
				{ label: 'City', value: 'x' },
				{ label: 'City ', value: '' },
			],
		],
	])('%j cannot be used: %s', (given, message, entered = [{ label: 'plan', value: 'y' }], by) => {
		expect(() => fieldsIn(given, customFields(...entered), by)).toThrow(message);
	});

	test('are read in a moment, however many there are', () => {
		const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`L${i}`, 'x']));
		const start = computedMs();
		expect(fieldsIn(many)).toHaveLength(20_000);
		expect(computedMs() - start).toBeLessThan(2_000);
	});
});

test('what is no list of fields, or no field, sets nothing', () => {
	for (const more of [
		{ customFields: { field: 'x' } },
		customFields(null, 'x', { label: '', value: '' }, { label: ' ', value: null }, {}),
	])
		expect(read({ waId: '12025550143', ...more })).toMatchObject({ values: [] });
});
