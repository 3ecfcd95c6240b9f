import {
	findTemplate,
	parseTemplateValue,
	parseTemplateKey,
	formatTemplateKey,
	templateFromRow,
} from '../../nodes/ConversationalMessaging/parameters/template.ts';

const SALE = { id: '12', name: 'sale', language: 'en_US' };

test('the value of a template from the list contains ID, name and language', () => {
	expect(formatTemplateKey(SALE)).toBe('12 sale en_US');
	expect(parseTemplateKey(formatTemplateKey(SALE))).toStrictEqual(SALE);
});

test.each(['12', '12 sale', '12  en_US', ' sale en_US', ''])(
	'the value %j is that of a template’s ID alone',
	(value) => {
		expect(parseTemplateKey(value)).toBeUndefined();
		expect(parseTemplateValue(value)).toStrictEqual({ id: value });
	},
);

test.each<[row: unknown, template: object | undefined]>([
	[{ hsm_id: '12', id: '7', name: 'sale', language: 'en_US' }, SALE],
	[{ id: 12, name: 'sale', language: 'en_US' }, SALE],
	[
		{ ...SALE, category: 'UTILITY' },
		{ ...SALE, category: 'UTILITY' },
	],
	[{ ...SALE, id: undefined }, undefined],
	[{ ...SALE, language: undefined }, undefined],
	['sale', undefined],
	[null, undefined],
])('the row %j is the template %j', (row, template) => {
	expect(templateFromRow(row)).toEqual(template);
});

test('a template is found in a list by its ID', () => {
	const other = { ...SALE, id: '13' };
	const json = { data: { templates: [null, { name: 'broken' }, other, SALE] } };
	expect(findTemplate(json, '12')).toStrictEqual(SALE);
	expect(findTemplate(json, '14')).toBeUndefined();
	expect(findTemplate({ data: 'none' }, '12')).toBeUndefined();
});
