import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { Parameters } from '../../nodes/ConversationalMessaging/parameters/parameters.ts';
import { SavedParameters } from '../../nodes/ConversationalMessaging/parameters/savedParameters.ts';
import { NODE } from '../support/node.mts';
import { field, parametersOf } from '../support/parameters.mts';

const FIELDS: INodeProperties[] = [
	field('returnAll', { displayName: 'Return All', type: 'boolean' }),
	field('limit', { displayName: 'Limit', type: 'number' }),
	field('when', { displayName: 'Send At' }),
	field('filters', {
		displayName: 'Filters',
		type: 'collection',
		options: [
			field('status', { displayName: 'Status' }),
			field('agent', { displayName: 'Agent', type: 'resourceLocator' }),
		],
	}),
	field('options', {
		displayName: 'Options',
		type: 'collection',
		options: [field('ignoreEmptyFilters', { displayName: 'Ignore Empty Filters' })],
	}),
];

const parameters = (values: Record<string, unknown>) => parametersOf(FIELDS, values);

describe('how many rows a list has', () => {
	test.each([
		[{ returnAll: true, limit: 5 }, Infinity],
		[{ returnAll: false, limit: '1' }, 1],
	])('%j means %s', (values, limit) => {
		expect(parameters(values).rowLimit()).toBe(limit);
	});

	test.each([
		[{ returnAll: false }, 'Limit is empty'],
		[{ returnAll: false, limit: 0 }, 'Limit expects a whole number of 1 or more, but got 0'],
		[{ returnAll: false, limit: 1.5 }, 'Limit expects a whole number of 1 or more, but got 1.5'],
	])('%j is rejected', (values, message) => {
		expect(() => parameters(values).rowLimit()).toThrow(message);
	});
});

describe('the filters of a list', () => {
	const thrownBy = (read: () => unknown): unknown => {
		try {
			return read();
		} catch (error) {
			return error;
		}
	};

	test('are read by their names', () => {
		const filters = parameters({
			filters: { status: ' OPEN ', agent: { mode: 'id', value: 'u1' } },
		}).filters();
		expect([filters.text('status'), filters.id('agent')]).toStrictEqual(['OPEN', 'u1']);
	});

	test('of every kind may be empty with Ignore Empty Filters', () => {
		const filters = { status: null, agent: { mode: 'id', value: '' }, isOpen: '', count: ' ' };
		const found = parameters({ filters, options: { ignoreEmptyFilters: true } }).filters();
		expect([
			found.text('status'),
			found.id('agent'),
			found.boolean('isOpen'),
			found.number('count'),
		]).toStrictEqual([undefined, undefined, undefined, undefined]);
	});

	test('are none without the collection, which cannot be a text', () => {
		expect(parameters({}).filters().text('status')).toBeUndefined();
		expect(thrownBy(() => parameters({ filters: 'text' }).filters())).toMatchObject({
			message: 'Filters expects a JSON object, but got "text"',
		});
	});
});

test('a date without an offset is in the time zone of the workflow', () => {
	expect(parameters({ when: '2031-05-06T10:00' }).requiredMoment('when').iso).toBe(
		'2031-05-06T10:00:00+02:00',
	);
	expect(() => parameters({}).requiredMoment('when')).toThrow('Send At is empty');
	expect(() => parameters({ when: 'soon' }).requiredMoment('when')).toThrow('Send At expects');
});

test.each<[what: string, results: unknown[]]>([
	['nothing', [undefined, undefined]],
	['another value each time', [1, 2]],
])('an expression is evaluated once, even if it returns %s', (_what, results) => {
	const asked: unknown[] = [];
	const context = {
		getNode: () => ({ ...NODE, parameters: { limit: '={{ $json.limit }}' } }),
		getNodeParameter: (...all: unknown[]) => {
			asked.push(all);
			return results[asked.length - 1];
		},
	} as unknown as IExecuteFunctions;
	const read = new Parameters(context, 3, FIELDS, SavedParameters.ofAction(context));
	expect([read.raw('limit'), read.raw('limit')]).toStrictEqual([results[0], results[0]]);
	expect(asked).toStrictEqual([['limit', 3, null]]);
});

describe('what may differ between items', () => {
	const fields = [
		...FIELDS,
		field('name', { displayName: 'Name' }),
		field('sendAt', { displayName: 'Date and Time', type: 'dateTime' }),
		field('variables', { displayName: 'Variables', type: 'resourceMapper' }),
	];
	type Values = Record<string, unknown>;
	const itemSettings = (values: Values, saved: Values, except: string[] = []) =>
		parametersOf(fields, values, saved)
			.itemSettings(except)
			.map(({ label, value }) => [label, value]);

	test('is every field with an expression, except those named', () => {
		const values = { name: 'Ann', limit: 5, when: 'x' };
		const saved = { name: '={{ $json.name }}', limit: 5, when: '={{ $json.when }}' };
		expect(itemSettings(values, saved, ['when'])).toStrictEqual([['Name', 'Ann']]);
		expect(itemSettings(values, saved)).toStrictEqual([
			['Send At', 'x'],
			['Name', 'Ann'],
		]);
	});

	test.each([
		['={{ $now.plus({ days: 1 }) }}', false],
		['=Sale of {{ $today.toISODate() }}, {{ $workflow.name }}', false],
		['=5 $ off', false],
		['={{ DateTime.now() }}', false],
		['={{ $vars.name }} {{ $execution.id }} {{ $env.NAME }}', false],
		['={{\n\t$json.name\n}}', true],
		['=Sale {{ $now }} for {{ $json.name }}', true],
		['={{ $now.plus({ days: $json.days }) }}', true],
		['={{ $("Customers").item.json.name }}', true],
		['={{ $itemIndex }}', true],
		['={{ $nowhere }}', true],
		['={{ $("Settings").first().json.days }}', false],
		['={{ $input.all().length }}', false],
		['={{ $input.item.json.name }}', true],
		['={{ "US$ 20 until " + $now }}', false],
		['{{ $json.name }}', false],
	])('is a field whose expression reads something of the item: %s', (name, isVarying) => {
		expect(itemSettings({ name: 'Ann' }, { name })).toStrictEqual(
			isVarying ? [['Name', 'Ann']] : [],
		);
	});

	test.each<[what: string, values: Values, saved: Values, varying: unknown[]]>([
		[
			'each field of a collection by itself',
			{ filters: { status: 'OPEN', agent: 'a1' } },
			{ filters: { status: '={{ $json.x }}', agent: 'a1' } },
			[['Status', 'OPEN']],
		],
		[
			'each variable of a template by itself',
			{ variables: { value: { 'body:1': 'Ann', 'body:2': 'x' } } },
			{ variables: { value: { 'body:1': '={{ $json.x }}', 'body:2': 'x' } } },
			[['The value of "body:1"', 'Ann']],
		],
		[
			'a field whose expression returns nothing',
			{},
			{ name: '={{ $json.name }}' },
			[['Name', undefined]],
		],
		[
			'a whole collection that is an expression',
			{ filters: { status: 'OPEN' } },
			{ filters: '={{ $json.x }}' },
			[['Filters', { status: 'OPEN' }]],
		],
	])('is %s', (_what, values, saved, expected) => {
		expect(itemSettings(values, saved)).toStrictEqual(expected);
	});
});
