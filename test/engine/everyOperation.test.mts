import { LoggerProxy, type IDataObject, type INodeParameters } from 'n8n-workflow';
import { permissionOf } from '../../nodes/ConversationalMessaging/api/permissions.ts';
import { resources } from '../../nodes/ConversationalMessaging/resources/index.ts';
import type { Operation } from '../../nodes/ConversationalMessaging/resources/operation.ts';
import { readContract } from '../../sandbox/contract.mts';
import type { FaultyRequest } from '../../sandbox/faults.mts';
import { startSandbox, type Sandbox, type ReceivedRequest } from '../../sandbox/server.mts';
import { FakeTime } from '../time.mts';
import { byId, openHarness, type Harness, type NodeRun, type Outcome } from './harness.mts';
import { faultTable, TRIES, type FaultCase } from './faultTable.mts';
import { RAW } from './rawExceptions.mts';
import { nameOf, people, scenarios, SMALL_WORLD } from './scenarios.mts';

/** Requirements for every operation. */
const operations = resources.flatMap((resource) =>
	resource.operations.map(
		(operation) => [`${resource.value}: ${operation.value}`, resource.value, operation] as const,
	),
);

/** Enough parameters for every operation to send its request. */
const enough: INodeParameters = {
	name: 'n',
	label: 'L',
	value: 'V',
	waId: '12025550143',
	title: 'T',
	body: 'B',
	type: 'text',
	text: 'x',
	message: 'M',
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

let harness: Harness;
let time: FakeTime;
beforeAll(async () => {
	time = new FakeTime().install();
	harness = await openHarness({ rateLimit: { requests: 0 }, clock: time.clock });
});
afterAll(async () => {
	time.restore();
	await harness.close();
});
beforeEach(() => {
	harness.sandbox.faults.clear();
	harness.sandbox.requests.length = 0;
});

const run = async (resource: string, { value }: Operation, options: NodeRun = {}) =>
	await harness.run(
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
	test('every rejection that the endpoint lists is reported with the service’s message and a next step', async () => {
		for (const status of listedFor(operation.endpoint).filter((listed) => listed !== 429)) {
			// For Create or Update, a 404 means that the contact has to be created.
			if (operation.value === 'upsert' && status === 404) continue;
			harness.sandbox.faults.clear();
			const body = JSON.stringify({ error: { message: 'No, because' } });
			harness.sandbox.faults.add({
				kind: 'status',
				status,
				headers: { 'content-type': 'application/json' },
				body,
			});
			const { error } = await run(resource, operation);
			expect(error).toMatchObject({
				httpCode: String(status),
				message: expect.stringContaining(
					`The service rejected "${operation.action}": No, because (${status}`,
				),
			});
			expect(error!.description).toMatch(/\w+ \w+/);
		}
	});

	test('a missing permission is named, with what to do', async () => {
		const { readOnly } = harness.sandbox.tokens;
		readOnly.permissions = [];
		const { error } = await run(resource, operation, { token: readOnly.value });
		const [, permission] = /Missing permission: (\S+) \(403 Forbidden\)$/.exec(error!.message)!;
		expect(error!.description).toContain(`Add the permission ${permission!} to the token`);
		// Its first request may be a lookup; otherwise, the permission is the operation's own.
		if (!operation.otherEndpoints || operation.result !== 'custom')
			expect(permission).toBe(permissionOf(operation.endpoint));
	});

	test.each([
		['unknown', '401', /Create one in the dashboard under API Access/],
		['expired', '403', /inactive or expired/],
		['inactive', '403', /inactive or expired/],
	] as const)('a token that is %s is rejected with the next step', async (name, status, step) => {
		const token = name === 'unknown' ? 'wa_pk_nobody' : harness.sandbox.tokens[name].value;
		const { error } = await run(resource, operation, { token });
		expect(error).toMatchObject({ httpCode: status, description: expect.stringMatching(step) });
	});

	test('after a 429, the node waits as long as the service says, and sends the same request again', async () => {
		const sent = ({ method, path, query, headers, sha256, file }: ReceivedRequest) => ({
			method,
			path,
			query,
			// The boundary of an upload is random.
			headers: { ...headers, 'content-type': headers['content-type']?.toString().split(';')[0] },
			sha256,
			file,
		});
		await run(resource, operation);
		const undisturbed = harness.sandbox.requests.map(sent)[0]!;
		harness.sandbox.requests.length = 0;
		time.waits.length = 0;
		harness.sandbox.faults.add({ kind: 'status', status: 429, headers: { 'retry-after': '7' } });
		await run(resource, operation);
		const [first, second] = harness.sandbox.requests;
		expect(first!.status).toBe(429);
		expect(second!.status).not.toBe(429);
		// A file is not read before the rejection.
		expect(sent(first!)).toEqual({ ...undisturbed, file: undefined });
		expect(sent(second!)).toEqual(undisturbed);
		expect(time.waits[0]).toBe(7_000);
	});

	test('the item has the message if the node continues', async () => {
		harness.sandbox.faults.add({ kind: 'status', status: 403 });
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
	const respondWith = (body: IDataObject) =>
		harness.sandbox.faults.add({
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
	])('rows are found %s', async (_shape, body) => {
		respondWith(body);
		respondWith({ success: true, data: [] });
		expect((await run(resource, operation)).json).toEqual(rows);
	});

	test.each([
		['an empty list', { success: true, data: [], meta: { ...meta, total: 0, totalPages: 0 } }],
		['an empty list under a name', { success: true, data: { anything: [] } }],
		['null', { success: true, data: null }],
	])('the list returns nothing for %s', async (_shape, body) => {
		respondWith(body);
		const { json, error } = await run(resource, operation);
		expect([json, error]).toEqual([[], undefined]);
	});
});

/** A request of a scenario: its number in the run, and its route. */
interface Place {
	index: number;
	route: string;
	page?: string;
	isFile: boolean;
}

/** Everything that was written to n8n's log. */
const logged: unknown[] = [];

/** Any eight characters of a token reveal a part of it, except for the ordinary word at its end. */
const partsOf = (token: string): string[] =>
	Array.from({ length: token.indexOf('permissions') - 7 }, (_, index) =>
		token.slice(index, index + 8),
	);

const routeOf = ({ route, method, path }: ReceivedRequest): string => route ?? `${method} ${path}`;

describe('every operation, whatever happens to its requests', () => {
	const token = 'wa_pk_sandbox_all_permissions';
	const table = faultTable(token);

	beforeAll(() => {
		const write = (...entry: unknown[]) => void logged.push(entry);
		LoggerProxy.init({ debug: write, info: write, warn: write, error: write });
	});

	test('every operation has a scenario', () => {
		const covered = new Set(
			scenarios.map(({ resource, operation }) => `${resource}: ${operation}`),
		);
		expect(operations.map(([name]) => name).filter((name) => !covered.has(name))).toEqual([]);
	});

	describe.each(scenarios.map((scenario) => [nameOf(scenario), scenario] as const))(
		'%s',
		(_name, scenario) => {
			const own = operations.find(
				([, resource, { value }]) => resource === scenario.resource && value === scenario.operation,
			)?.[2];
			const kind = own?.result;
			const isList = kind === 'pages' || kind === 'rows' || kind === 'history';
			const toItems =
				scenario.parameters.output === 'items' || scenario.variant === 'returning failed rows';

			let sandbox: Sandbox;
			let runs = 0;
			beforeAll(async () => {
				sandbox = await startSandbox({
					...SMALL_WORLD,
					rateLimit: { requests: 0 },
					clock: time.clock,
				});
			});
			afterAll(async () => await sandbox.close());

			async function attempt(count: number, settings: NodeRun['settings']) {
				sandbox.requests.length = 0;
				logged.length = 0;
				const items = Array.from({ length: count }, () => {
					const n = runs++;
					return { ...people(sandbox.world, n), ...scenario.make?.(sandbox.world, n) };
				});
				const { resource, operation, parameters } = scenario;
				const outcome = await harness.run(
					{ resource, operation, ...parameters },
					{
						items,
						settings,
						baseUrl: sandbox.baseUrl,
						file: 'phone,name,waId\n12025550143,N,12025550143',
					},
				);
				return { outcome, requests: [...sandbox.requests] };
			}

			/** One run without faults for one item, and one for two: what they send, and how often. */
			async function clean(count: number) {
				sandbox.faults.clear();
				const { outcome, requests } = await attempt(count, {});
				return { outcome, requests };
			}

			function placesIn(requests: ReceivedRequest[]): Place[] {
				const known = new Set<string>();
				return requests.flatMap((request, index) => {
					const { page, cursor } = request.query;
					// Of many pages or many reads of a job, the second.
					const times = requests.slice(0, index).filter(({ path }) => path === request.path).length;
					const key = `${routeOf(request)} ${Math.min(1, times)}`;
					if (known.has(key)) return [];
					known.add(key);
					const isFile = /csv-template|import-template|export|\/errors$/.test(request.path);
					return [{ index, route: routeOf(request), page: page ?? cursor, isFile }];
				});
			}

			/** From this request on, all requests of its route. */
			function strike({ fault, times }: FaultCase, place: Place): void {
				let count = 0;
				const matches = ({ route, query }: FaultyRequest): boolean => {
					const index = count++;
					return (
						index >= place.index &&
						route === place.route &&
						(place.index === 0 || (query.page ?? query.cursor) === place.page)
					);
				};
				sandbox.faults.clear();
				sandbox.faults.add(fault, { matches, times: times ?? Infinity });
			}

			function holds(
				faultCase: FaultCase,
				place: Place,
				count: number,
				{ outcome, requests }: { outcome: Outcome; requests: ReceivedRequest[] },
				undisturbed: ReceivedRequest[],
			): void {
				const expected = faultCase.outcome;
				// One output item per input item; a list returns its rows, or none.
				const pairs = outcome.items.map(
					({ pairedItem }) => [pairedItem].flat() as { item: number }[],
				);
				const from = new Set(pairs.flat().map((pair) => pair.item));
				expect([...from].filter((item) => !(item >= 0 && item < count))).toEqual([]);
				if (!isList && !toItems) expect(from.size).toBe(count);
				// Successful results are returned; the others have an `error`, and none of their rows are returned. A
				// failed row of an import has a column of that name too.
				const failed = outcome.json.filter((json) => Object.keys(json).join() === 'error');
				if (expected === 'notProcessed') expect(failed).toEqual([]);
				if (['rejected', 'uncertain'].includes(expected) && !isTolerated(faultCase, place)) {
					expect(outcome.json).toHaveLength(count);
					expect(failed).toHaveLength(count);
				}
				for (const { error } of failed) {
					expect(error).not.toMatch(RAW);
					expect(error).toMatch(/^.{10,}\. \S+ \w+/s);
				}
				// Nothing is written twice, except requests that were rejected before they took effect.
				const writes = (list: ReceivedRequest[]) => list.filter(({ method }) => method !== 'GET');
				const rejectedEarly = requests.filter(({ status }) => status === 429).length;
				for (const route of new Set(writes(requests).map(routeOf))) {
					const same = (request: ReceivedRequest) => routeOf(request) === route;
					const most = Math.max(
						undisturbed.filter(same).length,
						(scenario.most?.[route] ?? 0) * count,
					);
					expect([route, requests.filter(same).length - rejectedEarly <= most]).toEqual([
						route,
						true,
					]);
				}
				// A limit: a list whose counts are wrong is read twice, each time with pages beyond its end: up to eight,
				// or as many as a long list has, because the number of requests at once grows while it is read.
				const pages = undisturbed.filter(({ query }) => query.page !== undefined).length;
				const beyond = pages > 0 ? 2 * Math.max(8, pages) : 0;
				const twice = pages > 8 ? pages : 0;
				const most = Object.values(scenario.most ?? {}).reduce((sum, each) => sum + each, 0);
				expect(requests.length).toBeLessThanOrEqual(
					Math.max(
						TRIES[expected] * undisturbed.length + twice + (2 + beyond) * count,
						most * count,
					),
				);
				// No token anywhere.
				const everything = JSON.stringify([
					outcome.json,
					outcome.items,
					outcome.hints,
					outcome.error,
					outcome.error?.description,
					outcome.error?.context,
					logged,
				]);
				expect(partsOf(token).filter((part) => everything.includes(part))).toEqual([]);
				expect(({} as Record<string, unknown>).polluted).toBeUndefined();
			}

			/** Whether the operation takes effect even if this request does not. */
			const isTolerated = ({ name }: FaultCase, { route, index }: Place): boolean =>
				((index > 0 || route !== own?.endpoint) && scenario.optional?.includes(route) === true) ||
				(scenario.operation === 'upsert' && ['404', '409'].includes(name) && index < 2);

			let one: ReceivedRequest[];
			let two: ReceivedRequest[];
			test('an undisturbed run returns a result for every item', async () => {
				one = (await clean(1)).requests;
				const { outcome, requests } = scenario.oneItem ? await clean(1) : await clean(2);
				two = requests;
				expect(outcome.error).toBeUndefined();
				const from = outcome.items.flatMap(
					({ pairedItem }) => [pairedItem].flat() as { item: number }[],
				);
				const indexes = new Set(scenario.oneItem ? [0] : [0, 1]);
				if (!toItems) expect(new Set(from.map(({ item }) => item))).toEqual(indexes);
			});

			test.each(table.map((row) => [row.name, row] as const))(
				'after “%s”, each item has its result, no write is repeated, and no token is shown',
				async (_fault, row) => {
					for (const place of placesIn(one)) {
						const { isFile, page } = place;
						if (row.only === 'file' && !isFile) continue;
						if (row.only === 'json' && isFile) continue;
						if (row.only === 'pages' && page === undefined) continue;
						const count = place.index === 0 && !scenario.oneItem ? 2 : 1;
						strike(row, place);
						const result = await attempt(count, { onError: 'continueRegularOutput' });
						expect(result.outcome.error).toBeUndefined();
						try {
							holds(row, place, count, result, count === 2 ? two : one);
						} catch (error) {
							(error as Error).message +=
								`\n\nat request ${place.index} of a run: ${place.route} ${place.page ?? ''}\n${JSON.stringify(result.outcome.json).slice(0, 600)}\n${result.requests
									.map(
										({ method, path, query, status }) =>
											`${method} ${path} ${JSON.stringify(query)} ${status}`,
									)
									.slice(0, 12)
									.join('\n')}`;
							throw error;
						}
					}
				},
			);
		},
	);
});
