import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { ACTION_NODE } from '../../tools/engine/workflows.mts';
import { addTemplate } from '../support/records.mts';
import { runs } from '../support/runs.mts';
import { on, SharedHarness } from './sharedHarness.mts';

/**
 * Templates with parts that have no field, such as a carousel, and those whose variables nobody was asked for: what Preview says,
 * and that Create and a fallback template stop before anything is sent.
 */
const service = new SharedHarness({ contacts: 3, tickets: 1 });

const BODY = { type: 'BODY', text: 'Hello' };
const button = (type: string) => ({
	type: 'BUTTONS',
	buttons: [
		{ type: 'QUICK_REPLY', text: 'Yes' },
		{ type, text: 'Go' },
	],
});

/** A part of a template, its name, and an entry for it in Template Components. */
type Part = [part: IDataObject, name: string, entry: IDataObject];
const CARDS = [
	{
		components: [
			{ type: 'HEADER', format: 'IMAGE' },
			{ type: 'BODY', text: 'Card {{1}}' },
		],
	},
];
const PARTS: Part[] = [
	[{ type: 'CAROUSEL', cards: CARDS }, 'carousel', { type: 'carousel', cards: [] }],
	[{ type: 'carousel', cards: [] }, 'carousel', { type: 'CAROUSEL', cards: [] }],
	[
		{ type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'Ends soon', has_expiration: true } },
		'limited time offer',
		{ type: 'limited_time_offer', parameters: [{ type: 'limited_time_offer' }] },
	],
	[
		{ type: 'HEADER', format: 'LOCATION' },
		'location header',
		{ type: 'header', parameters: [{ type: 'location', location: { latitude: '1' } }] },
	],
	[
		{ type: 'header', format: 'product' },
		'product header',
		{ type: 'header', parameters: [{ type: 'product', product: {} }] },
	],
	[
		button('MPM'),
		'mpm button',
		{ type: 'button', sub_type: 'mpm', index: 1, parameters: [{ type: 'action', action: {} }] },
	],
	[
		button('ORDER_DETAILS'),
		'order details button',
		{
			type: 'BUTTON',
			sub_type: 'order_details',
			index: '1',
			parameters: [{ type: 'action', action: {} }],
		},
	],
	[
		{ type: 'TAP_TARGET_CONFIGURATION' },
		'tap target configuration',
		{ type: 'tap_target_configuration' },
	],
];
/** What needs no value, or has a field that may be empty. */
const HARMLESS: IDataObject[] = [
	{ type: 'FOOTER', text: 'Bye' },
	{ type: 'HEADER', text: 'Hi' },
	{ type: 'HEADER', format: 'TEXT', text: 'Hi' },
	button('QUICK_REPLY'),
	button('PHONE_NUMBER'),
	button('FLOW'),
	button('CATALOG'),
	button('VOICE_CALL'),
	{ type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Shop', url: 'https://shop.example.com' }] },
	{ type: 'CALL_PERMISSION_REQUEST' },
];

/** An entry for the variable of a body. */
const variable = (text: string): IDataObject => {
	const parameter_name = /{{(\D+)}}/.exec(text)?.[1];
	return { type: 'body', parameters: [{ type: 'text', text: 'x', parameter_name }] };
};

let next = 0;
/** A template with these components. */
function template(components: unknown[], status = 'APPROVED'): string {
	const name = `parts_${next++}`;
	addTemplate(service.world, {
		id: `9${String(next).padStart(5, '0')}`,
		name,
		status: status as 'APPROVED',
		components,
	});
	return `${name} en_US`;
}

const broadcast = (value: string, more: INodeParameters = {}): INodeParameters => ({
	resource: 'broadcast',
	name: 'B',
	templateId: { __rl: true, mode: 'name', value },
	audience: 'list',
	recipients: '12025550143',
	...more,
});
const components = (...entries: IDataObject[]) => ({
	options: { templateComponents: JSON.stringify(entries) },
});

async function preview(parameters: INodeParameters) {
	const { json, error } = await service.run({ ...parameters, operation: 'preview' });
	expect(error).toBeUndefined();
	return json[0]!;
}
/** What Create did: how many requests it sent, and its error. */
async function create(parameters: INodeParameters) {
	service.requests.length = 0;
	service.sandbox.faults.clear();
	service.respond({ success: true, data: { id: 'b1' } }, on('POST'));
	const { error, hints } = await service.run({ ...parameters, operation: 'create' });
	return { sent: service.sent('POST /broadcasts').length, error, hints };
}

describe('a part without a field', () => {
	test('several are named together, each once', async () => {
		const value = template([BODY, ...PARTS.map(([part]) => part)]);
		const [body, [[, , carousel]]] = [{ type: 'body', parameters: [] }, PARTS as [Part]];
		for (const filled of [undefined, components(body), components(body, carousel)])
			expect((await preview(broadcast(value, filled))).ready).toBe(false);
		expect(await preview(broadcast(value))).toMatchObject({ ready: false, recipients: 1 });
		const { sent, error } = await create(broadcast(value));
		expect([sent, error?.message, error?.description]).toStrictEqual([
			0,
			expect.stringMatching(/^The template has parts without a field: carousel, limited/),
			'Nothing was sent. Add the option Template Components, with an entry for each of them and for each variable.',
		]);
		expect((await preview(broadcast(value))).message).toMatch(
			/: carousel, limited time offer, location header, product header, mpm button, order details button, tap target configuration\. Add/,
		);
	});

	test('a CSV may contain it: Preview says what to check', async () => {
		const value = template([BODY, PARTS[0]![0]]);
		const { json } = await service.run(
			{ ...broadcast(value, { audience: 'csv' }), operation: 'preview' },
			{ file: 'phone\n12025550143' },
		);
		expect(json[0]).toMatchObject({
			ready: true,
			notes: [
				'The template has parts without a field: carousel. Check that its CSV has columns for them',
			],
		});
	});

	test('Create stops for exactly those templates that need a value', async () => {
		const part = fc.oneof(
			fc.constantFrom(...HARMLESS).map((component) => ({ component, entry: undefined })),
			fc.constantFrom(...PARTS).map(([component, , entry]) => ({ component, entry })),
			fc.constantFrom('{{1}}', 'Hi {{name}}!', 'no variable', '{ {1} }').map((text) => ({
				component: { type: 'BODY', text },
				entry: text.includes('{{') ? variable(text) : undefined,
			})),
		);
		const property = fc.asyncProperty(fc.array(part, { maxLength: 4 }), async (parts) => {
			const value = template([BODY, ...parts.map(({ component }) => component)]);
			const entries = parts.flatMap(({ entry }): IDataObject[] =>
				entry === undefined ? [] : [entry],
			);
			const expectSent = async (parameters: INodeParameters, ready: boolean) => {
				expect({ parts, ...(await preview(parameters)) }).toMatchObject({ parts, ready });
				expect((await create(parameters)).sent).toBe(ready ? 1 : 0);
			};
			await expectSent(broadcast(value), entries.length === 0);
			await expectSent(broadcast(value, components(...entries)), true);
		});
		await fc.assert(property, { numRuns: runs(20, 2_000) });
	});

	test('the editor names it, and a run of what was picked stops without a request', async () => {
		const load = async (method: string, value: string) =>
			await service.engine.mapFields(ACTION_NODE, method, {
				credential: service.credential,
				parameters: { templateId: { __rl: true, mode: 'name', value } },
			});
		const notice =
			'Parts without a field: carousel. Add the option Template Components, with an entry for each of them and for each variable.';
		const empty = template([BODY, PARTS[0]![0]]);
		expect(await load('getTemplateVariables', empty)).toStrictEqual({
			fields: [],
			emptyFieldsNotice: notice,
		});
		expect((await load('getTemplateText', empty)).emptyFieldsNotice).toBe(`Hello<br><br>${notice}`);

		const value = template([{ type: 'BODY', text: 'Hello {{1}}' }, PARTS[0]![0]]);
		const { fields: schema } = await load('getTemplateVariables', value);
		const templateVariables = {
			mappingMode: 'defineBelow',
			value: { 'body:1': 'Ann' },
			schema,
		} as unknown as INodeParameters;
		for (const parameters of [
			broadcast(value, { operation: 'create', templateVariables }),
			{
				resource: 'message',
				operation: 'send',
				to: '12025550143',
				type: 'template',
				templateId: { __rl: true, mode: 'name', value },
				templateVariables,
			},
		]) {
			service.requests.length = 0;
			const { error } = await service.run(parameters);
			expect([error?.message, service.requests]).toStrictEqual([
				'The template has parts without a field: carousel',
				[],
			]);
		}
	});
});

describe('a template without values', () => {
	test('is looked up by Create, which stops if it has variables', async () => {
		const { sent, error } = await create(broadcast('welcome en_US'));
		expect([sent, error?.message, error?.description]).toStrictEqual([
			0,
			'Template variable name is empty',
			'Nothing was sent. Enter a value for it.',
		]);
		expect(service.routes()).toStrictEqual(['GET /templates']);
	});

	test('is sent if the token may not list templates, or the template is not listed or not shown', async () => {
		const { all } = service.sandbox.tokens;
		all.permissions = ['broadcasts.send', 'chats.reply'];
		const unchecked = await create(broadcast('welcome en_US'));
		expect([unchecked.sent, unchecked.hints]).toStrictEqual([
			1,
			[
				'The variables of the template were not checked, because the token may not list templates (templates.view)',
			],
		]);
		// Of an ID alone, the name is unknown.
		const templateId = { __rl: true, mode: 'id', value: '1234567890123456' };
		const unnamed = await create({ ...broadcast('welcome en_US'), templateId });
		expect([unnamed.sent, unnamed.hints, unnamed.error?.message]).toStrictEqual([
			0,
			[],
			expect.stringMatching(/"List templates".*\(403/),
		]);
		service.refill();
		expect((await create(broadcast('unknown en_US'))).sent).toBe(1);
		expect((await create(broadcast(template([{ kind: 'x' }])))).sent).toBe(1);
	});

	test('is not sent if the list cannot be read', async () => {
		service.reject(500, on('GET /templates', 9));
		const { error } = await service.run({ ...broadcast('welcome en_US'), operation: 'create' });
		expect([error?.message, service.sent('POST /broadcasts').length]).toStrictEqual([
			expect.stringMatching(/"List templates"/),
			0,
		]);
	});
});

test.each(['PENDING', 'x'])(
	'a template with the status %s is not ready, and its status is named',
	async (status) => {
		expect(await preview(broadcast(template([BODY], status)))).toMatchObject({
			ready: false,
			message: `The template is not approved: its status is ${status}. Choose another one, or run Template → Sync to refresh its status.`,
		});
	},
);

describe('a fallback template', () => {
	const send = async (value: string, variables: Record<string, string> = {}) => {
		service.requests.length = 0;
		const variable = Object.entries(variables).map(([id, text]) => ({ id, value: text }));
		const options = {
			takeOver: true,
			templateId: { __rl: true, mode: 'name', value },
			...(variable.length > 0 && { fallbackVariables: { variable } }),
		};
		const outcome = await service.run(service.message({ options }));
		return { ...outcome, sent: service.sent('POST /messages').length };
	};

	test('is checked before the message is sent, and its text is shown', async () => {
		const { error, sent } = await send('ticket_update en_US', { 1: 'Ann', 3: 'done' });
		expect([sent, error?.message, error?.description]).toStrictEqual([
			0,
			'Fallback Template: Template variable 2 is empty',
			'Nothing was sent. Correct the values under Fallback Template Variables, or choose another template. Its text: Hello [1], your ticket [2] is now [3].',
		]);
		expect((await send('ticket_update en_US', { 1: 'Ann', 2: '7', 3: 'done' })).sent).toBe(1);
	});

	test.each<
		[components: unknown[], variables: Record<string, string>, message: string | undefined]
	>([
		[[BODY], {}, undefined],
		[[{ type: 'BODY', text: '{{name}}' }], {}, 'Template variable name is empty'],
		[[{ type: 'BODY', text: '{{1}} {{2}}' }], { 1: 'a', 3: 'c' }, 'The template has no variable 3'],
		[[BODY], { name: 'a' }, 'The template has no variable name'],
		[[BODY, PARTS[0]![0]], {}, 'The template has parts without a field: carousel'],
		[[{ kind: 'x' }], { 1: 'a' }, undefined],
	])('%j with %j: %s', async (list, variables, message) => {
		const { error, sent } = await send(template(list), variables);
		expect([sent, error?.message]).toStrictEqual(
			message === undefined ? [1, undefined] : [0, `Fallback Template: ${message}`],
		);
	});

	test('that is not approved or not listed is named, and the message is sent', async () => {
		const paused = await send(template([BODY], 'PAUSED'));
		expect([paused.sent, paused.hints.join()]).toStrictEqual([
			1,
			expect.stringContaining('Fallback Template is not approved: its status is PAUSED.'),
		]);
		const missing = await send('nope en_US');
		expect([missing.sent, missing.hints.join()]).toStrictEqual([
			1,
			expect.stringContaining('Fallback Template is not in the service’s list.'),
		]);
	});

	test('stops no message if the templates cannot be listed', async () => {
		service.reject(404, on('GET /templates', 9));
		const { sent, hints } = await send('welcome en_US');
		expect([sent, hints.join()]).toStrictEqual([
			1,
			expect.stringContaining('Fallback Template was not checked.'),
		]);
	});

	test('is looked up once for all items, and not at all if the token may not list templates', async () => {
		const { all } = service.sandbox.tokens;
		all.permissions = ['broadcasts.send', 'chats.reply'];
		const { sent, hints } = await send('welcome en_US');
		expect([sent, hints.length]).toStrictEqual([1, 1]);
		const options = { templateId: { __rl: true, mode: 'name', value: 'welcome en_US' } };
		service.requests.length = 0;
		await service.run(
			{ resource: 'message', operation: 'send', text: 'Hello', to: '={{ $json.to }}', options },
			{
				items: ['12025550101', '12025550102', '12025550103'].map((to) => ({ to })),
				settings: { onError: 'continueRegularOutput' },
			},
		);
		expect(service.sent('GET /templates')).toHaveLength(1);
		expect(service.routes().slice(0, 2)).toStrictEqual(['GET /templates', 'POST /messages']);
	});
});
