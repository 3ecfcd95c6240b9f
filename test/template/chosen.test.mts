import fc from 'fast-check';
import {
	formatTemplate,
	parseTemplate,
	readTemplate,
} from '../../nodes/ConversationalMessaging/template/chosen.ts';
import {
	findTemplate,
	templateFromRow,
} from '../../nodes/ConversationalMessaging/template/list.ts';
import { field, parametersOf } from '../support/parameters.mts';

const FIELD = field('templateId', { displayName: 'Template', type: 'resourceLocator' });
const picked = (mode: string, value: unknown) =>
	parametersOf([FIELD], { templateId: { __rl: true, mode, value } });

const SALE = { id: '12', name: 'sale', language: 'en_US' };

test('the value of a template from the list contains ID, name and language', () => {
	expect(formatTemplate(SALE)).toBe('12 sale en_US');
	expect(parseTemplate(formatTemplate(SALE))).toStrictEqual(SALE);
});

test.each<[mode: string, value: unknown, template: object | undefined]>([
	['list', '12 sale en_US', SALE],
	['id', 12, { id: '12' }],
	['id', 'a sale en_US today', { id: 'a sale en_US today' }],
	['name', ' sale  en_US ', { name: 'sale', language: 'en_US' }],
	['name', '12 sale en_US', SALE],
	['list', '', undefined],
])('in the mode %s, the value %j is the template %j', (mode, value, template) => {
	expect(readTemplate(picked(mode, value))).toStrictEqual(template);
});

// The third is the title of a template in events, and its name in the list.
test.each(['sale', 'order update en_US', 'sale (en_US)', 'big order update en_US'])(
	'what is no name with a language is rejected: %s',
	(value) => {
		expect(() => readTemplate(picked('name', value))).toThrow(
			`Template expects a name and a language code, such as ticket_update en_US, but got "${value}"`,
		);
	},
);

test.each<[row: unknown, template: object | undefined]>([
	[{ hsm_id: '12', id: '7', name: 'sale', language: 'en_US' }, SALE],
	[{ id: 12, name: 'sale', language: 'en_US' }, SALE],
	[{ templateId: '12', name: 'sale', language: 'en_US' }, SALE],
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

describe('a template in the list', () => {
	test('is found by its ID; otherwise by its name, its language and its channel, or the first of these', () => {
		const rows = [
			{ ...SALE, id: '1', language: 'de' },
			{ ...SALE, id: '2', channelId: 'a' },
			{ ...SALE, id: '3', channelId: null },
			{ ...SALE, id: '4', channel_id: 'b', hsm_id: '44' },
			...['5', '6'].map((id) => ({ ...SALE, id, language: 'fr', channelId: `of ${id}` })),
		];
		const idOf = (template: object, channelId?: string) =>
			findTemplate(rows, { ...SALE, id: undefined, ...template }, channelId)?.id;
		expect([idOf({}), idOf({}, 'a'), idOf({}, 'b'), idOf({}, 'c')]).toStrictEqual([
			...['3', '2', '4', '3'],
		]);
		expect(idOf({ language: 'de' })).toBe('1');
		expect([idOf({ language: 'fr' }), idOf({ language: 'fr' }, 'a')]).toStrictEqual(['5', '5']);
		expect([idOf({ id: '4' }, 'a'), idOf({ id: '44' }, 'a')]).toStrictEqual(['4', '4']);
		// Never another one with the same name.
		expect([idOf({ id: '9' }), idOf({ name: 'other' })]).toStrictEqual([undefined, undefined]);
	});

	test('is found in any rows without an exception', () => {
		fc.assert(fc.property(fc.array(fc.jsonValue()), (rows) => void findTemplate(rows, SALE, 'a')));
	});
});
