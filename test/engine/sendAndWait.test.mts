import axios, { type AxiosResponse } from 'axios';
import { type IDataObject, type INodeParameters, WorkflowDataProxy } from 'n8n-workflow';
import { outputOf } from '../../tools/engine/engine.mts';
import { oneNode } from '../../tools/engine/oneNode.mts';
import { WaitingExecutions } from '../../tools/engine/waiting.mts';
import { actionNode } from '../../tools/engine/workflows.mts';
import { addTemplate } from '../support/records.mts';
import { byId } from './harness.mts';
import { lateCustomer, openChat } from '../support/openChat.mts';
import { CONTINUE, SharedHarness } from './sharedHarness.mts';

/** n8n itself waits, in real time. */
const service = new SharedHarness({ contacts: 30, tickets: 1 }, false);
let waiting: WaitingExecutions;
beforeAll(async () => {
	waiting = await WaitingExecutions.start(service.engine);
});
afterAll(async () => await waiting.close());

const approver = () => openChat(service.world).to;

const ask = (more: INodeParameters = {}): INodeParameters => ({
	resource: 'message',
	operation: 'sendAndWait',
	to: byId(approver()),
	message: 'Refund 40 € to Ann?',
	agentId: service.agentId,
	...more,
});

const fileOf = (parameters: INodeParameters, items?: IDataObject[]) =>
	oneNode(actionNode('Ask', parameters), items);

/** Runs the node until it waits. Returns the ID of the execution. */
async function start(parameters: INodeParameters, items?: IDataObject[]): Promise<string> {
	const id = await waiting.run(fileOf(parameters, items), { credential: service.credential });
	const { data, status } = waiting.runOf(id);
	expect([status, data.resultData.error?.message]).toStrictEqual(['waiting', undefined]);
	return id;
}

const sent = () => service.bodies('POST /messages');

/** The links of the latest message, in their order. */
const links = (): string[] => (sent().at(-1)!.text as string).match(/http\S+/g) ?? [];

const open = async (url: string): Promise<AxiosResponse<string>> =>
	await axios.get(url, { validateStatus: () => true });

/** Sends the form of the page behind a link, as a browser does: in the encoding that the form says. */
async function submit(url: string, form: Record<string, string>): Promise<AxiosResponse<string>> {
	const isMultipart = String((await open(url)).data).includes('enctype="multipart/form-data"');
	if (isMultipart) return await axios.postForm(url, form, { validateStatus: () => true });
	return await axios.post(url, new URLSearchParams(form), { validateStatus: () => true });
}

/** The time of a response: tests wait for nothing, so it is now. */
const respondedAt: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]+\.\d{3}Z$/);

const output = (id: string): IDataObject[] =>
	outputOf(waiting.runOf(id), 'Ask').map(({ json }) => json);

describe('an approval', () => {
	test('is a message with a link per decision and without a preview', async () => {
		await start(ask({ message: 'Refund 40 € to Ann?\n\n\n' }));
		const [message] = sent();
		expect(sent()).toHaveLength(1);
		expect(message).toMatchObject({ to: approver(), type: 'text', previewUrl: false });
		expect(message!.text).toMatch(
			/^Refund 40 € to Ann\?\n\nApprove: http:\S+approved=true\S*\nDecline: http:\S+approved=false\S*$/,
		);
	});

	test('opening the links, as previews and scanners do, decides nothing; sending the form does', async () => {
		const id = await start(ask());
		const [approve = '', decline = ''] = links();
		for (const link of [approve, decline, approve]) {
			const { status, data, headers } = await open(link);
			expect([status, headers['content-type']]).toStrictEqual([200, 'text/html; charset=utf-8']);
			expect(headers['content-security-policy']).toContain("default-src 'none'");
			expect(headers).toMatchObject({
				'cache-control': 'no-store',
				'referrer-policy': 'no-referrer',
			});
			expect(data).toContain('Refund 40 € to Ann?');
			// The decision of the link alone.
			const decisions = [...data.matchAll(/name="approved" value="(\w+)"/g)];
			expect(decisions.map(([, value]) => value)).toStrictEqual([String(link === approve)]);
		}
		expect(waiting.runOf(id).status).toBe('waiting');

		const { data, headers } = await submit(approve, { approved: 'true' });
		expect(data).toContain('Recorded: Approve');
		expect(data).toContain('<html lang="en" dir="ltr">');
		expect(headers).toMatchObject({
			'content-type': 'text/html; charset=utf-8',
			'cache-control': 'no-store',
			'referrer-policy': 'no-referrer',
		});
		expect(waiting.runOf(id).status).toBe('success');
		expect(output(id)).toStrictEqual([{ timedOut: false, data: { respondedAt, approved: true } }]);
	});

	test('can have one button, with another label', async () => {
		await start(
			ask({ approvalOptions: { values: { approvalType: 'single', approveLabel: 'Seen' } } }),
		);
		expect(sent()[0]!.text).toMatch(/\n\nSeen: http:\S+$/);
		const { data } = await open(links()[0]!);
		expect(data.match(/<button/g)).toHaveLength(1);
	});

	test('counts once', async () => {
		const id = await start(ask());
		const [approve = '', decline = ''] = links();
		await submit(approve, { approved: 'true' });
		for (const link of [approve, decline]) {
			expect((await open(link)).status).toBe(200);
			expect((await submit(link, { approved: 'false' })).data).not.toContain('Recorded');
		}
		expect(output(id)).toStrictEqual([{ timedOut: false, data: { respondedAt, approved: true } }]);
	});

	test('a link with a wrong signature, or none, or another parameter is rejected', async () => {
		const id = await start(ask());
		const [approve = '', decline = ''] = links();
		const forged = new URL(approve);
		forged.searchParams.set('signature', new URL(decline).searchParams.get('signature')!);
		const unsigned = new URL(approve);
		unsigned.searchParams.delete('signature');
		const other = new URL(approve);
		other.searchParams.set('question', 'another');
		for (const url of [forged, unsigned, other])
			expect((await submit(url.href, { approved: 'true' })).status).toBe(401);
		expect(waiting.runOf(id).status).toBe('waiting');
	});
});

describe('the time is up', () => {
	const limited = (more: INodeParameters = {}) =>
		ask({ limitWaitTime: true, resumeAmount: 2, resumeUnit: 'hours', ...more });

	test.each([
		['hours', 3_600_000],
		['minutes', 60_000],
		['days', 86_400_000],
	])('the execution waits 2 %s, and continues as declined', async (resumeUnit, unitMs) => {
		const before = Date.now();
		const id = await start(limited({ resumeUnit }));
		const { waitTill } = waiting.runOf(id);
		expect(Math.abs(waitTill!.getTime() - before - 2 * unitMs)).toBeLessThan(60_000);
		const [link = ''] = links();
		await waiting.timeUp(id);
		expect(output(id)).toMatchObject([{ timedOut: true, data: { approved: false } }]);
		expect((await submit(link, { approved: 'true' })).data).not.toContain('Recorded');
	});

	test('from then on, neither link nor form does anything, even before n8n continues the execution', async () => {
		const id = await start(
			limited({ options: { page: { texts: { title: 'Example Shop', expired: 'Too late.' } } } }),
		);
		const [link = ''] = links();
		const late = waiting.runOf(id).waitTill!.getTime();
		const now = jest.spyOn(Date, 'now').mockReturnValue(late);
		const [shown, sentLate] = [await open(link), await submit(link, { approved: 'true' })];
		now.mockRestore();
		for (const { status, data } of [shown, sentLate]) {
			expect(status).toBe(410);
			expect(data).toContain('<h1 dir="auto">Example Shop</h1>\n<p dir="auto">Too late.</p>');
		}
		expect(waiting.runOf(id).status).toBe('waiting');
		expect((await submit(link, { approved: 'true' })).data).toContain('Recorded: Approve');
	});

	test('an earlier approval in the input does not count as this one', async () => {
		const id = await start(limited(), [{ approved: true, data: { approved: true } }]);
		await waiting.timeUp(id);
		expect(output(id)[0]).not.toHaveProperty('approved');
		expect(output(id)[0]).toMatchObject({ timedOut: true, data: { approved: false } });
	});

	test('366 days are the longest time; without a limit, the execution waits as long as n8n can', async () => {
		const longest = await start(limited({ resumeAmount: 366 * 24 }));
		expect(waiting.runOf(longest).status).toBe('waiting');
		const unlimited = await start(ask());
		expect(waiting.runOf(unlimited).waitTill!.getFullYear()).toBeGreaterThan(2900);
	});

	test.each([
		[0, 'Wait at Most expects a time above 0 and up to 366 days'],
		[367 * 24, 'Wait at Most expects a time above 0 and up to 366 days'],
		["={{ $fromAI('hours') }}", 'Wait at Most is empty'],
	])('%j hours are no time to wait: %s', async (resumeAmount, expected) => {
		const { message } = await service.rejected(limited({ resumeAmount }));
		expect(message).toContain(expected);
	});
});

test('fields are read from a page that was opened before an update, too', async () => {
	const id = await start(ask({ responseType: 'freeText' }));
	await axios.post(links()[0]!, new URLSearchParams({ 'field-0': 'Yes' }));
	expect(output(id)).toMatchObject([{ data: { text: 'Yes' } }]);
});

test('free text is asked for on the page, and returned', async () => {
	const id = await start(
		ask({ responseType: 'freeText', options: { messageButtonLabel: 'Reply' } }),
	);
	expect(sent()[0]!.text).toMatch(/\n\nReply: http:\S+$/);
	const [link = ''] = links();
	expect((await submit(link, { 'field-0': '' })).status).toBe(422);
	await submit(link, { 'field-0': 'Send a <b>new</b> one' });
	expect(output(id)).toStrictEqual([
		{ timedOut: false, data: { respondedAt, text: 'Send a <b>new</b> one' } },
	]);
});

describe('a form', () => {
	const values = [
		{ fieldLabel: 'Solution', fieldType: 'dropdown', fieldChoices: 'Refund, Refund, Replacement' },
		{ fieldLabel: 'Amount', fieldType: 'number', requiredField: true },
	];
	const form = (fields: IDataObject[] = values) =>
		ask({ responseType: 'customForm', formFields: { values: fields } as never });

	test('is shown again until it can be used, and its fields are returned', async () => {
		const id = await start(form());
		const [link = ''] = links();
		const again = await submit(link, { 'field-0': 'Refund', 'field-1': 'much' });
		expect(again.status).toBe(422);
		expect(again.data).toContain('value="much"');
		expect(again.data).toContain('<option value="Refund" selected>');
		// Each choice once; only Amount is required.
		const choices = [...again.data.matchAll(/<option value="([^"]*)"/g)].map(([, value]) => value);
		expect(choices).toStrictEqual(['', 'Refund', 'Replacement']);
		expect(again.data).toMatch(/<select name="field-0" dir="auto">/);
		expect(again.data).toMatch(/<input name="field-1"[^>]* required/);
		expect(waiting.runOf(id).status).toBe('waiting');
		await submit(link, { 'field-0': 'Refund', 'field-1': '40' });
		expect(output(id)).toStrictEqual([
			{ timedOut: false, data: { respondedAt, Solution: 'Refund', Amount: 40 } },
		]);
	});

	test.each([
		[[], 'Form Fields is empty'],
		[[{ fieldLabel: 'A' }, { fieldLabel: ' A ' }], 'Two form fields have the label A'],
		[[{ fieldLabel: '' }], 'Label is empty'],
		[[{ fieldLabel: 'A', fieldType: 'dropdown', fieldChoices: ' , ' }], 'Choices is empty'],
	])('with the fields %j is rejected before anything is sent', async (fields, message) => {
		expect((await service.rejected(form(fields))).message).toContain(message);
	});
});

describe('the 24 hours of WhatsApp', () => {
	const components = JSON.stringify([
		{ type: 'body', parameters: [{ type: 'text', parameter_name: 'name', text: 'Ann: [link]' }] },
		{ type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: '[link]' }] },
	]);
	beforeEach(() => {
		const url = { type: 'URL', text: 'Respond', url: 'https://n8n.example.com/{{1}}' };
		addTemplate(service.world, {
			id: '771',
			name: 'decision',
			components: [
				{ type: 'BODY', text: 'Hello {{name}}' },
				{ type: 'BUTTONS', buttons: [url] },
			],
		});
	});
	const template = (more: INodeParameters = {}) =>
		ask({
			to: byId(lateCustomer(service.world)),
			messageType: 'template',
			templateId: byId('decision en_US'),
			options: { templateComponents: components },
			...more,
		});

	test('a template contains the link in its body, and the end of the link in a URL button', async () => {
		const id = await start(template());
		const [body, button] = sent()[0]!.templateComponents as { parameters: { text: string }[] }[];
		const link = body!.parameters[0]!.text.replace('Ann: ', '');
		const { origin } = new URL(link);
		expect(`${origin}/${button!.parameters[0]!.text}`).toBe(link);
		const { data } = await open(link);
		expect(data.match(/<button/g)).toHaveLength(2);
		await submit(link, { approved: 'false' });
		expect(output(id)).toStrictEqual([{ timedOut: false, data: { respondedAt, approved: false } }]);
	});

	test('a template without the link is rejected before anything is sent', async () => {
		const { error } = await service.run(template({ options: {} }));
		expect(error!.message).toContain('do not contain [link]');
		expect(sent()).toStrictEqual([]);
	});

	test('the fallback template is sent if the window is closed', async () => {
		const options = {
			templateId: byId('771 decision en_US'),
			fallbackVariables: {
				variable: [
					{ id: 'body:name', value: 'Ann: [link]' },
					{ id: 'button:0:url', value: '[link]' },
				],
			},
		};
		const id = await start(ask({ to: byId(lateCustomer(service.world)), options }));
		expect(sent().map(({ type }) => type)).toStrictEqual(['text', 'template']);
		const [body] = sent()[1]!.templateComponents as { parameters: { text: string }[] }[];
		await submit(body!.parameters[0]!.text.replace('Ann: ', ''), { approved: 'true' });
		expect(output(id)).toStrictEqual([{ timedOut: false, data: { respondedAt, approved: true } }]);
	});
});

test('several items are rejected before anything is sent, and each is to have its own execution', async () => {
	const { message, description } = await service.rejected(ask(), { items: [{}, {}, {}] });
	expect(message).toContain('accepts one item, but got 3');
	expect(description).toMatch(
		/Loop Over Items, then Execute Sub-workflow .*Wait For Sub-Workflow Completion off/,
	);
});

test.each([
	[{ language: 'German' }, 'Language expects a language code'],
	[{ recorded: '={{ null }}' }, 'Recorded Text is empty'],
])('the text %j of the page is rejected before anything is sent', async (texts, message) => {
	const asked = ask({ options: { page: { texts } } });
	expect((await service.rejected(asked)).message).toContain(message);
});

test('a rejected message does not wait', async () => {
	const { run, json } = await service.run(ask({ to: byId(lateCustomer(service.world)) }), CONTINUE);
	expect(run.status).toBe('success');
	expect(json).toStrictEqual([
		{
			error: expect.stringMatching(
				/set Message Type to Template, with \[link\].+, or add the option Fallback Template/,
			),
		},
	]);
});

test('the page shows what was sent, even if the expression returns something else by then', async () => {
	await start(ask({ message: '=Code {{ Math.random() }} for {{ $json.data.name }}' }), [
		{ data: { name: 'Ann' } },
	]);
	const [, code] = /^(Code [\d.e-]+ for Ann)\n/.exec(sent()[0]!.text as string)!;
	expect((await open(links()[0]!)).data).toContain(code);
});

test('in a loop, the link of an earlier round does not answer a later one', async () => {
	const file = fileOf(ask());
	const again = { ...file.connections.Items };
	const id = await waiting.run(
		{ ...file, connections: { ...file.connections, Ask: again } },
		{ credential: service.credential },
	);
	const [first = ''] = links();
	await submit(first, { approved: 'true' });
	expect(waiting.runOf(id).status).toBe('waiting');
	expect(sent()).toHaveLength(2);
	expect((await open(first)).status).toBe(410);
	expect((await submit(first, { approved: 'true' })).status).toBe(410);
	expect(sent()).toHaveLength(2);
	await submit(links()[1]!, { approved: 'false' });
	expect(sent()).toHaveLength(3);
});

test('an address that only this machine can open is pointed out', async () => {
	const { hints } = await service.run(ask());
	expect(hints).toStrictEqual([
		expect.stringMatching(/begins with http:\/\/localhost:5678, .*WEBHOOK_URL/),
	]);
});

describe('a question with an object', () => {
	/** What n8n enters for a human review step. An agent gives the node the name and the input of the tool. */
	const review = (toolParameters: unknown, message: string = REVIEW) =>
		start(ask({ message }), [{ tool: 'Refund', toolParameters } as IDataObject]);
	const REVIEW =
		'=The agent wants to run this tool: {{ $tool.name }}\n\nInput:\n{{ $tool.parameters }}';

	// Versions of n8n without human review have no $tool.
	const testReview = String(WorkflowDataProxy).includes('$tool') ? test : test.skip;

	testReview.each<[unknown, string]>([
		[{ Title: 'Refund 120 € to Alva' }, 'Title: Refund 120 € to Alva'],
		[{ Order: 7, Urgent: false, Note: null }, 'Order: 7\nUrgent: false\nNote: null'],
		[{ Items: [1, { id: 'a' }], Empty: '' }, 'Items: [1,{"id":"a"}]\nEmpty: '],
		// What a customer or a model has written is no expression.
		[{ Title: '{{ $json.tool }} $& \\n' }, 'Title: {{ $json.tool }} $& \\n'],
		['Refund 1042', 'Refund 1042'],
		[{}, ''],
	])('shows the input of a tool, %j, with a parameter per line', async (input, shown) => {
		await review(input);
		const text = `The agent wants to run this tool: Refund\n\nInput:\n${shown}`;
		expect(sent()[0]!.text).toMatch(/\n\nApprove: /);
		expect((sent()[0]!.text as string).split('\n\nApprove: ')[0]).toBe(text.trimEnd());
		const { data } = await open(links()[0]!);
		expect(data).toContain('The agent wants to run this tool: Refund');
		for (const line of shown.split('\n'))
			expect(data).toContain(line.replace(/&/g, '&amp;').replace(/"/g, '&quot;'));
	});

	test.each(['=Refund {{ $json }}?', '={{ $tool }}: {{ $json.order }} {{ $tool.parameters }}'])(
		'%j is rejected before anything is sent',
		async (message) => {
			const items = [{ order: { id: 7 }, tool: 'Refund', toolParameters: { Title: 'x' } }];
			const { error } = await service.run(ask({ message }), { items });
			expect(error!.message).toContain('Question contains [object Object]');
			expect(sent()).toStrictEqual([]);
		},
	);
});
