import {
	readChosenTemplate,
	filledVariables,
} from '../../nodes/ConversationalMessaging/parameters/chosenTemplate.ts';
import { choices, field, parametersOf } from './parameters.mts';

const FIELDS = [
	field('templateBy', { type: 'options', options: choices('list', 'name') }),
	field('templateId', { displayName: 'Template', type: 'resourceLocator' }),
	field('templateName', { displayName: 'Template Name' }),
	field('templateLanguage', { displayName: 'Template Language' }),
	field('templateComponents', { displayName: 'Template Components', type: 'json' }),
	field('templateVariables', { displayName: 'Template Variables', type: 'resourceMapper' }),
];
const parameters = (values: Record<string, unknown>) => parametersOf(FIELDS, values);

test.each<[values: Record<string, unknown>, template: object]>([
	[
		{ templateBy: 'list', templateId: { mode: 'list', value: '12 sale en_US' } },
		{ id: '12', name: 'sale', language: 'en_US' },
	],
	[{ templateBy: 'list', templateId: { mode: 'id', value: '12' } }, { id: '12' }],
	[
		{ templateBy: 'name', templateName: ' sale ', templateLanguage: 'en_US' },
		{ name: 'sale', language: 'en_US' },
	],
])('with the parameters %j, the template is %j', (values, template) => {
	expect(readChosenTemplate(parameters(values))).toStrictEqual(template);
});

test.each<[values: Record<string, unknown>, message: string]>([
	[{ templateBy: 'list' }, 'Template is empty'],
	[{ templateBy: 'name', templateLanguage: 'en_US' }, 'Template Name is empty'],
	[{ templateBy: 'name', templateName: 'sale' }, 'Template Language is empty'],
	[{}, 'templateBy is empty'],
])('with the parameters %j, a template is missing: %s', (values, message) => {
	expect(() => readChosenTemplate(parameters(values))).toThrow(message);
});

test.each<[entered: unknown, components: unknown]>([
	['[{"type":"body"}]', [{ type: 'body' }]],
	['[]', undefined],
	[undefined, undefined],
])('the variables of a template by name are its components: %j is read as %j', (entered, read) => {
	const values = { templateBy: 'name', templateComponents: entered };
	expect(filledVariables(parameters(values))).toStrictEqual(read);
});

describe('the variables of a template from the list', () => {
	const variable = (id: string, displayName: unknown, required: unknown = true) => ({
		id,
		displayName,
		required,
	});
	const SCHEMA = [
		variable('body:1', 'Body {{1}}'),
		variable('body:2', ''),
		variable('button:0:quick_reply', 'Button “Yes”, payload', false),
	];
	const filled = (value: unknown, schema: unknown = SCHEMA) =>
		filledVariables(parameters({ templateBy: 'list', templateVariables: { value, schema } }));

	test('are sent as components, and known by their names on screen, or by their ids', () => {
		expect(filled({ 'body:1': ' Ann ', 'body:2': 7 })).toStrictEqual([
			{
				type: 'body',
				parameters: [
					{ type: 'text', text: ' Ann ' },
					{ type: 'text', text: '7' },
				],
			},
		]);
	});

	test.each<[mapper: unknown]>([[undefined], [{ value: null, schema: [] }]])(
		'are none in %j',
		(templateVariables) => {
			const values = { templateBy: 'list', templateVariables };
			expect(filledVariables(parameters(values))).toBeUndefined();
		},
	);

	const ENTER = 'Enter a value under Template Variables, or check the expression.';
	const CHECK = 'Check the value, or the expression that returns it.';

	test.each<[value: unknown, message: string, step: string]>([
		[{ 'body:1': 'Ann', 'body:2': ' ' }, 'Template variable body:2 is empty', ENTER],
		[{ 'body:2': 'Ann' }, 'Template variable Body {{1}} is empty', ENTER],
		[
			{ 'body:1': ['a'], 'body:2': 'b' },
			'Template variable Body {{1}} expects one value, but got a list: ["a"]',
			CHECK,
		],
		[
			{ 'body:1': 'a', 'body:2': 'b', 'body:3': 'c' },
			'The template has no variable body:3',
			'Refresh Template Variables, and remove the variables that the template does not have.',
		],
		['text', 'Template Variables expects variables, but got "text"', CHECK],
	])('%j is rejected: %s', (value, message, description) => {
		expect(() => filled(value)).toThrow(
			expect.objectContaining({ name: 'NodeOperationError', message, description }),
		);
	});

	test('that the template does not have are accepted while they are empty', () => {
		const value = { 'body:1': 'a', 'body:2': 'b', 'body:3': ' ', 'body:4': null };
		expect(filled(value)).toStrictEqual([
			{ type: 'body', parameters: ['a', 'b'].map((text) => ({ type: 'text', text })) },
		]);
	});
});
