import { readVariables } from '../../nodes/ConversationalMessaging/template/values.ts';
import { field, parametersOf } from '../support/parameters.mts';

const COMPONENTS = field('templateComponents', {
	displayName: 'Template Components',
	type: 'json',
});
const FIELDS = [
	field('templateVariables', { displayName: 'Template Variables', type: 'resourceMapper' }),
	field('options', { type: 'collection', options: [COMPONENTS] }),
];
const parameters = (values: Record<string, unknown>, saved = values) =>
	parametersOf(FIELDS, values, saved);

test.each<[entered: unknown, components: unknown]>([
	['[{"type":"footer"}]', [{ type: 'footer' }]],
	['[]', [{ type: 'body', parameters: [{ type: 'text', text: 'Ann' }] }]],
])('Template Components replace Template Variables if there are any: %j', (entered, read) => {
	const templateVariables = { value: { 'body:1': 'Ann' }, schema: [{ id: 'body:1' }] };
	const values = { templateVariables, options: { templateComponents: entered } };
	expect(readVariables(parameters(values))).toStrictEqual(read);
});

describe('the variables of a template from the list', () => {
	const variable = (id: string, displayName: unknown, required: unknown = true) => ({
		id,
		displayName,
		required,
	});
	const SCHEMA = [
		{ ...variable('body:1', 'Body {{1}}: Hello …'), label: 'Body {{1}}' },
		variable('body:2', ''),
		variable('button:0:quick_reply', 'Button “Yes”, payload', false),
	];
	const filled = (value: unknown, schema: unknown = SCHEMA) =>
		readVariables(parameters({ templateVariables: { value, schema } }));

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
			expect(readVariables(parameters({ templateVariables }))).toBeUndefined();
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

	test('are empty if a model writes null', () => {
		const value = { 'body:1': 'Ann', 'body:2': 'null' };
		const saved = { templateVariables: { value: { 'body:2': "={{ $fromAI('2') }}" } } };
		const given = parameters({ templateVariables: { value, schema: SCHEMA } }, saved);
		expect(() => readVariables(given)).toThrow('Template variable body:2 is empty');
	});

	test('that the template does not have are accepted while they are empty', () => {
		const value = { 'body:1': 'a', 'body:2': 'b', 'body:3': ' ', 'body:4': null };
		expect(filled(value)).toStrictEqual([
			{ type: 'body', parameters: ['a', 'b'].map((text) => ({ type: 'text', text })) },
		]);
	});

	describe('that were entered for another template', () => {
		const forTemplate = (templateId: unknown, chosen: unknown = templateId, schema = SCHEMA) => {
			const of = (value: unknown) => ({
				templateId: { __rl: true, mode: 'list', value },
				templateVariables: {
					value: { 'body:1': 'a', 'body:2': 'b' },
					schema: schema.map((each) => ({ ...each, templateName: 'ticket_update' })),
				},
			});
			const fields = [...FIELDS, field('templateId', { type: 'resourceLocator' })];
			return () => readVariables(parametersOf(fields, of(templateId), of(chosen)));
		};

		test.each(['1 welcome en_US', 'welcome de'])('are rejected: %s', (templateId) => {
			expect(forTemplate(templateId)).toThrow(
				expect.objectContaining({
					name: 'NodeOperationError',
					message:
						'Template Variables are those of the template ticket_update, but Template is welcome',
					description:
						'Close the node, open it again, and check the values. If the message comes again, choose Refresh Variable List under ⋮ beside Template Variables.',
				}),
			);
		});

		test.each<[templateId: string, chosen?: string]>([
			['1 ticket_update en_US'],
			['2 ticket_update de'],
			['1000000000000002'],
			['welcome de', '={{ $json.template }}'],
		])('are sent if it has the same name, or its name is not known: %s %s', (...chosen) => {
			expect(forTemplate(...chosen)).not.toThrow();
		});
	});
});
