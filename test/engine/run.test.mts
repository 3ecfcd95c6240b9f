import { ExecuteContext, WorkflowExecute } from 'n8n-core';
import {
	type EngineResponse,
	type IDataObject,
	type INode,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeParameters,
	type INodeType,
	NodeConnectionTypes,
} from 'n8n-workflow';
import { clock } from '../../nodes/ConversationalMessaging/api/base/clock.ts';
import {
	INITIAL_LIMIT,
	RateLimiter,
} from '../../nodes/ConversationalMessaging/api/rate/rateLimiter.ts';
import type { FaultyRequest } from '../../sandbox/faults.mts';
import { Engine, outputOf } from '../../tools/engine/engine.mts';
import { itemsNode, oneNode } from '../../tools/engine/oneNode.mts';
import { ACTION_NODE, actionNode } from '../../tools/engine/workflows.mts';
import { byId, PACKAGE, WELCOME_BROADCAST } from './harness.mts';
import { captureLog, CONTINUE, pairs, SharedHarness } from './sharedHarness.mts';

const service = new SharedHarness({ tickets: 120, contacts: 12, pageCap: 100 });

const update = {
	resource: 'ticket',
	operation: 'update',
	ticketId: byId('={{ $json.ticket }}'),
	updateFields: { priority: '={{ $json.priority }}' },
};
const numbers = (count: number) =>
	Array.from({ length: count }, (_, index) => ({ ticket: String(1001 + index), priority: 'HIGH' }));
/** The service does not process the first request to a path before it has received so many of the others. */
function hold(path: string, other: (request: FaultyRequest) => boolean, count: number): void {
	let left = count;
	let isHeld = false;
	let release: () => void;
	const until = new Promise<void>((resolve) => (release = resolve));
	const matches = (request: FaultyRequest) => {
		if (other(request) && --left === 0) release();
		if (isHeld || request.path !== path) return false;
		isHeld = true;
		return true;
	};
	service.sandbox.faults.add({ kind: 'held', until }, { matches, times: Infinity });
}

const settled = async () => await new Promise((resolve) => setImmediate(resolve));

const SYNC = { resource: 'contact', operation: 'sync', matchBy: 'waId', dryRun: true };

test('writes that have succeeded stay so if n8n cannot show the hints, or write the log', async () => {
	const fail = () => {
		throw new RangeError('Maximum call stack size exceeded');
	};
	jest.spyOn(ExecuteContext.prototype, 'addExecutionHints').mockImplementation(fail);
	captureLog(fail);
	// Selected Fields with an unknown name makes a notice once the request has succeeded.
	const options = { outputFieldNames: 'id, nothing' };
	for (const more of [{}, CONTINUE]) {
		const parameters = { ...update, options };
		const { error, json } = await service.run(parameters, { items: numbers(2), ...more });
		expect(error).toBeUndefined();
		expect(json).toStrictEqual([{ id: expect.any(String) }, { id: expect.any(String) }]);
	}
	jest.restoreAllMocks();
});

test('items are returned in input order, each paired with its input, although they run concurrently', async () => {
	// The first is the slowest.
	hold('/tickets/1001', ({ path }) => path !== '/tickets/1001', 29);
	const { items, json } = await service.run(update, { items: numbers(30) });
	expect(json.map(({ ticketNumber }) => ticketNumber)).toStrictEqual(
		numbers(30).map(({ ticket }) => ticket),
	);
	expect(pairs(items)).toStrictEqual([...Array(30).keys()]);
});

test('without an item, no request is sent', async () => {
	const { json } = await service.run(update, { items: [] });
	expect(json).toStrictEqual([]);
	expect(service.requests).toStrictEqual([]);
});

test('a list is fetched again if its filters differ', async () => {
	const list = { resource: 'ticket', operation: 'getAll', limit: 1 };
	const items = ['OPEN', 'CLOSED', 'OPEN'].map((status) => ({ status }));
	await service.run({ ...list, filters: { status: '={{ $json.status }}' } }, { items });
	const statuses = service.requests.map(({ query }) => query.status);
	expect(statuses.sort()).toStrictEqual(['CLOSED', 'OPEN']);
});

test('items that change the same record keep their order, whatever the others do', async () => {
	const notes = ({ path }: FaultyRequest) => path === '/tickets/1002/notes';
	hold('/tickets/1001/notes', notes, 6);
	const items = Array.from({ length: 12 }, (_, n) => ({
		ticket: 1001 + (n % 2),
		text: `note ${n}`,
	}));
	const { notes: known } = service.world.findTicket('1001')!;
	const before = known.length;
	const note = { ticketId: byId('={{ $json.ticket }}'), body: '={{ $json.text }}' };
	await service.run({ resource: 'ticket', operation: 'addNote', ...note }, { items });
	expect(known.slice(before).map(({ body }) => body)).toStrictEqual(
		[0, 2, 4, 6, 8, 10].map((n) => `note ${n}`),
	);
});

describe('an item that is rejected', () => {
	const items = [
		{ ticket: '1001', priority: 'LOW' },
		{ ticket: '0', priority: 'LOW' },
		{ ticket: '', priority: 'LOW' },
		{ ticket: '1002', priority: 'LOW' },
	];

	test('the run stops at an item with an unusable parameter before anything is sent, says so, and others are named', async () => {
		const unusable = [...items, { ticket: ' ', priority: 'LOW' }, { ticket: '1003', priority: 1 }];
		expect(await service.rejected(update, { items: unusable })).toMatchObject({
			message: 'Ticket is empty',
			description: expect.stringMatching(
				/Items 4, 5 cannot be used either\. .*Nothing was sent\. To run the other items, set On Error to Continue in the settings/,
			),
			context: { itemIndex: 2 },
		});
	});

	test.each([
		['ticket', 'fly', 'fly'],
		// n8n saves no operation that its resource does not show.
		['unknown', 'get', 'null'],
	])('the run stops if %s has no operation %s', async (resource, operation, shown) => {
		expect(await service.rejected({ ...update, resource, operation })).toMatchObject({
			message: `This node has no operation "${shown}" for the resource "${resource}"`,
			description: 'Choose Resource and Operation from their lists.',
		});
	});

	test.each<[what: string, tickets: string[], sent: number]>([
		[
			'as many as the service can handle',
			numbers(INITIAL_LIMIT + 2).map(({ ticket }) => ticket),
			INITIAL_LIMIT,
		],
		['one per record', ['1001', '1001', '1002', '1002'], 2],
	])(
		'the run stops at the first one: nothing more is sent, and what is under way (%s) ends and counts',
		async (_what, tickets, sent) => {
			const released = jest.spyOn(RateLimiter.prototype, 'release');
			const isFirst = ({ path }: FaultyRequest) => path === '/tickets/1001';
			service.reject(404, { matches: isFirst });
			const rejected = async () => {
				while (released.mock.calls.length === 0) await settled();
				await settled();
			};
			const held = { kind: 'held', until: rejected() } as const;
			service.sandbox.faults.add(held, { times: 99, matches: (request) => !isFirst(request) });
			const error = await service.error(update, {
				items: tickets.map((ticket) => ({ ticket, priority: 'LOW' })),
			});
			expect(error).toMatchObject({ httpCode: '404', context: { itemIndex: 0 } });
			expect(error.description).toContain(
				`${sent - 1} of ${tickets.length} items had already succeeded; running the node again repeats them.`,
			);
			expect(service.requests).toHaveLength(sent);
		},
	);

	test('with Continue, every item has one result, in order', async () => {
		const { json, items: output, error } = await service.run(update, { items, ...CONTINUE });
		expect(error).toBeUndefined();
		expect(pairs(output)).toStrictEqual([0, 1, 2, 3]);
		expect(json[1]!.error).toMatch(
			/^The service rejected "Update ticket": Ticket not found \(404 Not Found\)\. Check that the record exists/,
		);
		expect(json[2]!.error).toMatch(/^Ticket is empty\. Pick or enter one/);
		expect([json[0]!.ticketNumber, json[3]!.ticketNumber]).toStrictEqual(['1001', '1002']);
	});

	test('with the error output, rejected items go there with their input', async () => {
		const { json, errorItems } = await service.run(update, {
			items,
			settings: { onError: 'continueErrorOutput' },
		});
		expect(json.map(({ ticketNumber }) => ticketNumber)).toStrictEqual(['1001', '1002']);
		expect(errorItems.map(({ json: item }) => item)).toStrictEqual([
			{ ticket: '0', priority: 'LOW', error: expect.stringMatching(/Ticket not found/) },
			{ ticket: '', priority: 'LOW', error: expect.stringMatching(/Ticket is empty/) },
		]);
		expect(pairs(errorItems)).toStrictEqual([1, 2]);
	});

	const retrying = { retryOnFail: true, maxTries: 3, waitBetweenTries: 0 };

	test('with Retry On Fail and Continue, n8n does not send the other items again', async () => {
		const settings = { ...retrying, ...CONTINUE.settings };
		const { json } = await service.run(update, { items: [items[1]!, items[0]!], settings });
		expect(service.requests.filter(({ path }) => path === '/tickets/1001')).toHaveLength(1);
		expect(json[0]!.error).toMatch(/Ticket not found .*\. Check that the record exists/);
	});

	test.each<[what: string, INodeParameters, more: object | undefined, isShown: boolean]>([
		['a write', { ...update, ticketId: byId('1001') }, {}, true],
		['a write that continues on fail', update, CONTINUE.settings, false],
		['a read', { resource: 'ticket', operation: 'getAll' }, {}, false],
		['Sync, which does only what is left', SYNC, {}, false],
	])('a hint names Retry On Fail for %s: %s', async (_what, parameters, more, isShown) => {
		const settings = { ...retrying, ...more };
		const item = { ticket: '1001', priority: 'LOW', waId: '12015550100' };
		const { hints } = await service.run(parameters, { items: [item], settings });
		expect(hints.some((hint) => hint.startsWith('Retry On Fail is on'))).toBe(isShown);
	});
});

describe('a missing permission that the service does not name', () => {
	const message = { resource: 'message', operation: 'send', to: byId('12015550100') };
	const field = { label: 'city', value: 'Oslo', contactId: byId('12015550100') };

	test.each<[path: string, permission: string, INodeParameters]>([
		// The details of a contact, read for its fields; the list of templates, for an ID; the operation itself.
		[
			'/contacts/12015550100',
			'contacts.view',
			{ resource: 'contactField', operation: 'set', ...field },
		],
		['/templates', 'templates.view', { ...message, type: 'template', templateId: byId('t-1') }],
		['/messages', 'chats.reply', { ...message, text: 'Hello' }],
	])(
		'of %s is the permission of the rejected request, %s',
		async (path, permission, parameters) => {
			service.reject(403, { matches: (request) => request.path === path }, { error: 'Forbidden' });
			expect(await service.error(parameters)).toMatchObject({
				httpCode: '403',
				description: expect.stringContaining(`lacks the permission ${permission}.`),
			});
		},
	);
});

describe('an execution that the user stops', () => {
	/** Resolves when a wait of at least a second begins, which only the user ends. */
	const aWait = async () =>
		await new Promise<void>((begun) => {
			clock.sleep = async (ms, signal) => {
				if (ms < 1_000) return;
				begun();
				await new Promise((resolve) => signal?.addEventListener('abort', resolve));
			};
		});

	test.each<[what: string, arrange: () => Promise<void>]>([
		[
			'it waits for a response',
			async () =>
				await new Promise<void>((begun) => {
					const matches = () => {
						begun();
						return true;
					};
					service.sandbox.faults.add({ kind: 'hang' }, { matches });
				}),
		],
		[
			'it waits for the rate limit',
			async () => {
				service.reject(429);
				await aWait();
			},
		],
		[
			'it waits to retry',
			async () => {
				const headers = { 'retry-after': '200' };
				service.sandbox.faults.add({ kind: 'status', status: 503, headers });
				await aWait();
			},
		],
	])(
		'ends at once while %s, also with Continue, and sends nothing more',
		async (_name, arrange) => {
			const begun = arrange();
			const stop = new AbortController();
			const run = service.run(
				{ resource: 'ticket', operation: 'get', ticketId: byId('={{ $json.ticket }}') },
				{ items: numbers(1), signal: stop.signal, ...CONTINUE },
			);
			await begun;
			stop.abort();
			expect((await run).run.status).toBe('canceled');
			expect(service.requests).toHaveLength(1);
		},
	);

	test('starts no item that waits for another with its record, also with Continue', async () => {
		const stop = new AbortController();
		const matches = () => {
			stop.abort();
			return true;
		};
		service.sandbox.faults.add({ kind: 'latency', ms: 1 }, { matches });
		const items = Array(3).fill({ ticket: '1001', priority: 'LOW' });
		const { run } = await service.run(update, { items, signal: stop.signal, ...CONTINUE });
		expect(run.status).toBe('canceled');
		expect(service.requests).toHaveLength(1);
	});

	test('reads no more items, and sends nothing', async () => {
		const stop = new AbortController();
		const read = jest
			.spyOn(ExecuteContext.prototype, 'getCredentials')
			.mockImplementation(async () => {
				stop.abort();
				return await Promise.resolve(service.credential as object as never);
			});
		const { run } = await service.run(update, { items: numbers(3), signal: stop.signal });
		expect(run.status).toBe('canceled');
		expect(read).toHaveBeenCalledTimes(1);
		expect(service.requests).toStrictEqual([]);
	});

	test('ends at once while it waits for a broadcast', async () => {
		const stop = new AbortController();
		const begun = aWait();
		const sendAt = new Date(service.time.clock.now() + 86_400_000).toISOString();
		const broadcast = {
			...{ ...WELCOME_BROADCAST, audience: 'list', recipients: '12015550100' },
			...{ scheduleType: 'schedule', sendAt, options: { waitForCompletionMinutes: 10 } },
		};
		const run = service.run(broadcast, { signal: stop.signal });
		await begun;
		stop.abort();
		expect((await run).run.status).toBe('canceled');
		expect(service.routes()).toStrictEqual(['POST /broadcasts']);
	});
});

describe('an expression is evaluated once per item, because it may return another value the next time', () => {
	const ids = ['12025550101', '12025550102'];
	/** Every context reads its parameters with it; n8n's types hide it. */
	const contexts = ExecuteContext.prototype as unknown as {
		_getNodeParameter: (name: string, itemIndex: number) => unknown;
	};
	const [to, broadcast] = [byId('={{ $json.id }}'), { ...WELCOME_BROADCAST, audience: 'items' }];
	test.each<[string, INodeParameters]>([
		['a message', { resource: 'message', operation: 'send', to, text: 'Hi' }],
		['a broadcast to a field of all items', { ...broadcast, recipient: '={{ $json.id }}' }],
		['a contact', { resource: 'contact', operation: 'upsert', waId: '={{ $json.id }}', name: 'A' }],
		['a list', { resource: 'ticket', operation: 'getAll', limit: '={{ $json.id.length }}' }],
	])('%s', async (_name, parameters) => {
		const read = jest.spyOn(contexts, '_getNodeParameter');
		const { error } = await service.run(parameters, { items: ids.map((id) => ({ id })) });
		const names = read.mock.calls.map(([name, itemIndex]) => `${name} ${itemIndex}`);
		read.mockRestore();
		expect(error?.message ?? '').not.toMatch(/expects|empty/);
		expect(names.length).toBeGreaterThan(2 * ids.length);
		expect(names.filter((name, index) => names.indexOf(name) !== index)).toStrictEqual([]);
	});
});

describe('as a tool of an AI agent, of whose errors the model gets only the message', () => {
	/** What a model gets from the tool: as n8n's agent runs it, or, in older versions, calls it. */
	const agentWith = (isCalled: boolean): INodeType => ({
		description: {
			...itemsNode.description,
			inputs: [NodeConnectionTypes.Main, { type: NodeConnectionTypes.AiTool }],
			properties: [],
		},
		async execute(this: IExecuteFunctions, response?: EngineResponse) {
			let observation: unknown = response?.actionResponses[0]?.data.data?.ai_tool?.[0]?.[0]?.json;
			if (isCalled) {
				const tools = await this.getInputConnectionData(NodeConnectionTypes.AiTool, 0);
				const [tool] = tools as { invoke: (input: object) => Promise<string> }[];
				const message = (thrown: unknown) => ({ error: (thrown as Error).message });
				observation = await tool!.invoke({}).catch(message);
			} else if (response?.actionResponses.length === 0) {
				const action = { nodeName: 'Tool', input: {}, type: NodeConnectionTypes.AiTool, id: '1' };
				const actions = [{ actionType: 'ExecutionNodeAction' as const, ...action, metadata: {} }];
				return { actions, metadata: {} };
			}
			return [[{ json: { observation } as IDataObject }]];
		},
	});

	async function observed(
		isCalled: boolean,
		parameters: INodeParameters,
		settings?: Partial<INode>,
	) {
		const action = service.engine.nodeType(ACTION_NODE);
		const outputs = [NodeConnectionTypes.AiTool];
		const engine = await Engine.load(PACKAGE, {
			agent: agentWith(isCalled),
			// As n8n makes it of every node that is usable as one.
			[`${ACTION_NODE}Tool`]: {
				...action,
				description: { ...action.description, inputs: [], outputs },
				async execute(this: IExecuteFunctions) {
					return (await action.execute!.call(this)) as INodeExecutionData[][];
				},
			},
		});
		const tool = actionNode('Tool', parameters, `${ACTION_NODE}Tool`, settings);
		const file = oneNode(actionNode('Agent', {}, 'agent', { credentials: undefined }));
		file.nodes.push(tool);
		// In the older order, n8n continues the agent before the tool has run.
		file.settings = { executionOrder: 'v1' };
		file.connections.Tool = { ai_tool: [[{ node: 'Agent', type: 'ai_tool', index: 0 }]] };
		const run = await engine.run(file, { credential: service.credential });
		return outputOf(run, 'Agent').map(({ json }) => json.observation);
	}

	const get = { resource: 'ticket', operation: 'get', ticketId: byId('9999') };

	test.each([false, true])(
		'with On Error → Continue, it is an output, which ends no agent; called: %j',
		async (isCalled) => {
			const [output] = await observed(isCalled, get, { onError: 'continueRegularOutput' });
			const [{ error }] = (isCalled ? JSON.parse(output as string) : [output]) as [IDataObject];
			expect(error).toMatch(/^The service rejected .*Check that the record exists/);
		},
	);

	// Older versions of n8n do not call the agent again after an error of a tool that they ran.
	const ways = String(WorkflowExecute).includes('isAiToolExecution') ? [false, true] : [true];
	test.each(ways)('the message contains the next step; called: %j', async (isCalled) => {
		expect(await observed(isCalled, get)).toStrictEqual([
			{
				error:
					'The service rejected "Get ticket": Ticket not found (404 Not Found). Check that the record exists, that its ID is complete, and that it belongs to the token’s organization.',
			},
		]);
		expect(await observed(isCalled, { ...get, ticketId: byId('') })).toStrictEqual([
			{ error: 'Ticket is empty. Pick or enter one, or check the expression.' },
		]);
	});
});
