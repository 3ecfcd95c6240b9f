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

test.each(['sale', 'order update en_US', 'big order update en_US'])(
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

test.each<[chosen: string | undefined, listed: (string | null | undefined)[], found: number]>([
	['C1', ['C2', null, 'C1'], 2],
	['C1', ['C2', null], 1],
	['C1', ['C2', undefined], 1],
	['C1', ['C2'], 0],
	[undefined, ['C2', null], 1],
	[undefined, ['C2', 'C1'], 0],
])(
	'with the channel %j, of templates of one name on the channels %j, number %i is found',
	(chosen, listed, found) => {
		const rows = listed.map((channelId) => ({ ...SALE, channelId }));
		const { name, language } = SALE;
		expect(findTemplate({ data: rows }, { name, language }, chosen)).toBe(rows[found]);
	},
);
