import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { permissionOf } from '../../nodes/ConversationalMessaging/api/permissions.ts';
import { resources } from '../../nodes/ConversationalMessaging/resources/index.ts';
import type { Operation } from '../../nodes/ConversationalMessaging/resources/operation.ts';
import { readContract } from '../../sandbox/contract.mts';
import { FakeTime } from '../time.mts';
import { byId, openBench, type Bench, type NodeRun } from './bench.mts';

/** What holds for every operation, whichever it is. */
const operations = resources.flatMap((resource) =>
	resource.operations.map(
		(operation) => [`${resource.value}: ${operation.value}`, resource.value, operation] as const,
	),
);

/** Enough parameters for every operation to get as far as the service. */
const enough: INodeParameters = {
	name: 'n',
	label: 'L',
	value: 'V',
	waId: '12025550143',
	title: 'T',
	body: 'B',
	type: 'text',
	text: 'x',
	fieldId: 'x',
	templateName: 'welcome',
	templateId: byId('1 welcome en_US'),
	updateFields: { name: 'N', status: 'OPEN', label: 'L' },
	returnAll: true,
	...Object.fromEntries(
		[
			'contactId',
			'ticketId',
			'chatId',
			'agentId',
			'channelId',
			'segmentId',
			'broadcastId',
			'importId',
			'flowId',
		].map((name) => [name, byId('x')]),
	),
	to: byId('12025550143'),
};

let bench: Bench;
let time: FakeTime;
beforeAll(async () => {
	time = new FakeTime().install();
	bench = await openBench({ rateLimit: { requests: 0 }, clock: time.clock });
});
afterAll(async () => {
	time.restore();
	await bench.close();
});
beforeEach(() => {
	bench.sandbox.faults.clear();
	bench.sandbox.requests.length = 0;
});

const run = async (resource: string, { value }: Operation, options: NodeRun = {}) =>
	await bench.run(
		{ resource, operation: value, ...enough },
		{ file: 'name,waId\nN,12345678', ...options },
	);

/** Statuses besides 200 that the contract lists for an endpoint. */
function listedFor(endpoint: string): number[] {
	const [method = '', path = ''] = endpoint.split(' ');
	const paths = readContract().paths as Record<
		string,
		Record<string, { responses: Record<string, unknown> }>
	>;
	return Object.keys(paths[path]![method.toLowerCase()]!.responses)
		.map(Number)
		.filter((status) => status !== 200);
}

describe.each(operations)('%s', (_name, resource, operation) => {
	test('tells every refusal that its endpoint lists, with the service’s words and a next step', async () => {
		for (const status of listedFor(operation.endpoint).filter((listed) => listed !== 429)) {
			// Create or Update takes a 404 for what it is: somebody to create.
			if (operation.value === 'upsert' && status === 404) continue;
			bench.sandbox.faults.clear();
			const body = JSON.stringify({ error: { message: 'No, because' } });
			bench.sandbox.faults.add({
				kind: 'status',
				status,
				headers: { 'content-type': 'application/json' },
				body,
			});
			const { error } = await run(resource, operation);
			expect(error).toMatchObject({
				httpCode: String(status),
				message: expect.stringContaining(`${operation.action} was refused: No, because (${status}`),
			});
			expect(error!.description).toMatch(/\w+ \w+/);
		}
	});

	test('without its permission says which one to add', async () => {
		const { readOnly } = bench.sandbox.tokens;
		readOnly.permissions = [];
		const { error } = await run(resource, operation, { token: readOnly.value });
		const [, permission] = /Missing permission: (\S+) \(403 Forbidden\)$/.exec(error!.message)!;
		expect(error!.description).toContain(`Add the permission ${permission!} to the token`);
		// The first thing it does may be to look something up; otherwise it is the permission it names.
		if (!operation.otherEndpoints || operation.result !== 'steps')
			expect(permission).toBe(permissionOf(operation.endpoint));
	});

	test.each([
		['unknown', '401', /Create one in the dashboard under API Access/],
		['expired', '403', /inactive or expired/],
		['inactive', '403', /inactive or expired/],
	] as const)('with a token that is %s', async (name, status, step) => {
		const token = name === 'unknown' ? 'wa_pk_nobody' : bench.sandbox.tokens[name].value;
		const { error } = await run(resource, operation, { token });
		expect(error).toMatchObject({ httpCode: status, description: expect.stringMatching(step) });
	});

	test('waits out a 429', async () => {
		bench.sandbox.faults.add({ kind: 'status', status: 429, headers: { 'retry-after': '1' } });
		await run(resource, operation);
		expect(bench.sandbox.requests.map(({ status }) => status)[0]).toBe(429);
		expect(bench.sandbox.requests[1]).toMatchObject({
			route: bench.sandbox.requests[1]!.route,
			method: bench.sandbox.requests[0]!.method,
			path: bench.sandbox.requests[0]!.path,
		});
	});

	test('continues on fail with its message', async () => {
		bench.sandbox.faults.add({ kind: 'status', status: 403 });
		const { json, error } = await run(resource, operation, {
			settings: { onError: 'continueRegularOutput' },
		});
		expect(error).toBeUndefined();
		expect(json).toEqual([{ error: expect.stringMatching(/403/) }]);
	});
});

const lists = operations.filter(([, , { result }]) =>
	['pages', 'rows', 'history'].includes(result),
);

describe.each(lists)('%s', (_name, resource, operation) => {
	const answer = (body: IDataObject) =>
		bench.sandbox.faults.add({
			kind: 'status',
			status: 200,
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(body),
		});
	const rows = [{ id: 'a' }, { id: 'b' }];
	const meta = { total: 2, page: 1, limit: 100, totalPages: 1 };

	test.each([
		['bare', { success: true, data: rows, meta }],
		['under a name', { success: true, data: { anything: rows, total: 2 }, meta }],
		['without meta', { success: true, data: rows }],
		['without an envelope', rows as unknown as IDataObject],
	])('rows %s', async (_shape, body) => {
		answer(body);
		answer({ success: true, data: [] });
		expect((await run(resource, operation)).json).toEqual(rows);
	});

	test.each([
		['an empty list', { success: true, data: [], meta: { ...meta, total: 0, totalPages: 0 } }],
		['an empty list under a name', { success: true, data: { anything: [] } }],
		['null', { success: true, data: null }],
	])('nothing: %s', async (_shape, body) => {
		answer(body);
		const { json, error } = await run(resource, operation);
		expect([json, error]).toEqual([[], undefined]);
	});
});
