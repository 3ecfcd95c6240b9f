import type { INodeParameters } from 'n8n-workflow';
import { closedAfterEach, routed, TOKEN, type Route } from '../support/plainService.mts';
import { byId, WELCOME_BROADCAST } from './harness.mts';
import { RateLimiter } from '../../nodes/ConversationalMessaging/api/rate/rateLimiter.ts';
import { pairs, SharedHarness } from './sharedHarness.mts';

/** Lists on n8n's engine; `test/api/lists` has the rules for every length, order and failure. */
const ALL_TICKETS = { resource: 'ticket', operation: 'getAll', returnAll: true };
const COUNT = 230;

const service = new SharedHarness({ tickets: COUNT, contacts: 5, pageCap: 50 });

const ids = (rows: { id?: unknown }[]) => rows.map(({ id }) => id);
const stored = () => ids([...service.world.tickets.newestFirst()]);
const pages = () => service.requests.map(({ query }) => Number(query.page));

test('a list is read in pages of the endpoint’s largest size, page 1 first, each page once', async () => {
	const { json } = await service.run(ALL_TICKETS);
	expect(ids(json)).toStrictEqual(stored());
	expect(pages()[0]).toBe(1);
	expect(pages().toSorted()).toStrictEqual(
		Array.from({ length: Math.ceil(json.length / 50) }, (_, index) => index + 1),
	);
	expect(new Set(service.requests.map(({ query }) => query.limit))).toStrictEqual(new Set(['200']));
});

test('the pages after the first are read side by side', async () => {
	const started = jest.spyOn(RateLimiter.prototype, 'acquire');
	const ended = jest.spyOn(RateLimiter.prototype, 'release');
	await service.run({ ...ALL_TICKETS, returnAll: false, limit: COUNT });
	const events = [
		...started.mock.invocationCallOrder.map((order) => ({ order, change: 1 })),
		...ended.mock.invocationCallOrder.map((order) => ({ order, change: -1 })),
	];
	let underWay = 0;
	const course = events
		.toSorted((a, b) => a.order - b.order)
		.map(({ change }) => (underWay += change));
	// Page 1 alone, then the other four.
	expect(course.slice(0, 6)).toStrictEqual([1, 0, 1, 2, 3, 4]);
	expect(course.at(-1)).toBe(0);
});

test('a list without pages is requested with the entered limit, however large, or twice as many where it is approximate', async () => {
	await service.run({ resource: 'contactImport', operation: 'getAll', limit: 120 });
	await service.run({ resource: 'template', operation: 'getAll', limit: 500 });
	expect(service.requests.map(({ query }) => query.limit)).toStrictEqual(['120', '1000']);
});

test('each item gets as many rows as its own limit', async () => {
	const parameters = { ...ALL_TICKETS, returnAll: false, limit: '={{ $json.limit }}' };
	const { items } = await service.run(parameters, { items: [{ limit: 1 }, { limit: 3 }] });
	expect(pairs(items)).toStrictEqual([0, 1, 1, 1]);
	expect(ids(items.map(({ json }) => json))).toStrictEqual([0, 0, 1, 2].map((n) => stored()[n]));
});

test('rows that shift while the list is read are neither lost nor repeated; new ones are missing, and a hint says so', async () => {
	const before = stored();
	service.sandbox.faults.shiftRows('/tickets', 3, 2);
	const { json, hints } = await service.run(ALL_TICKETS);
	expect(ids(json).toSorted()).toStrictEqual(before.toSorted());
	expect(hints).toStrictEqual([
		`The list changed while being read: got ${COUNT} of ${COUNT + 6} rows. Run it again later.`,
	]);
});

describe('a service that is unlike the sandbox', () => {
	const start = closedAfterEach();
	/** The output of an operation with this service. */
	const run = async (parameters: INodeParameters, routes: Record<string, Route>) => {
		const { baseUrl, requests } = await start(routed(routes));
		const outcome = await service.run(parameters, { baseUrl, token: TOKEN });
		return { ...outcome, requests: requests.length };
	};
	const records = (count: number) =>
		Array.from({ length: count }, (_, index) => ({ id: `r${index}` }));

	test.each([
		[204, 'application/json'],
		[204, 'text/html'],
		[200, 'text/csv'],
	])('a file without content (%d, %s) has no rows, or is an empty file', async (status, type) => {
		const none: Route = () => ({ status, headers: { 'content-type': type }, body: '' });
		const routes = { 'contacts/imports/*/errors': none, 'contacts/export': none };
		for (const parameters of [
			{ resource: 'contactImport', operation: 'getFailedRows', importId: byId('j1') },
			{ resource: 'contact', operation: 'export' },
		]) {
			const { json, error } = await run({ ...parameters, output: 'items' }, routes);
			expect([error, json]).toStrictEqual([undefined, []]);
			expect((await run(parameters, routes)).items[0]!.binary!.data).toMatchObject({
				fileName: expect.stringMatching(/\.csv$/),
				mimeType: 'text/csv',
			});
		}
	});

	test.each([
		[2, ['12025550143']],
		[3, ['12025550143', '+12025550143']],
	])(
		'up to %d chats of a number are read by as many of its forms as needed: %j',
		async (limit, forms) => {
			const asked: unknown[] = [];
			const chats: Route = (query) => {
				asked.push(query.get('waId'));
				return { body: { data: records(2), meta: { total: 2 } } };
			};
			const filters = { waId: '12025550143' };
			await run({ resource: 'chat', operation: 'getAll', limit, filters }, { chats });
			expect(asked).toStrictEqual(forms);
		},
	);

	test.each<[count: number, limit: number | undefined, found: number, isCut: boolean]>([
		[45, 50, 45, false],
		[60, 50, 50, false],
		[500, 50, 50, false],
		[180, undefined, 180, false],
		[200, undefined, 200, true],
		[1_500, undefined, 900, true],
	])(
		'a tenth of the limit is missing: of %d templates, the limit %s returns %d, with a hint: %s',
		async (count, limit, found, isCut) => {
			const templates: Route = (query) => ({
				body: { data: records(count).slice(0, Math.floor(Number(query.get('limit')) * 0.9)) },
			});
			const wanted = limit === undefined ? { returnAll: true } : { limit };
			const all = { resource: 'template', operation: 'getAll', ...wanted };
			const { json, hints } = await run(all, { templates });
			const hint = `The service returns no more in one request: got ${found} rows, and there may be more.`;
			expect([json.length, hints]).toStrictEqual([found, isCut ? [hint] : []]);
		},
	);

	test.each<[guard: string, INodeParameters, message: string]>([
		[
			'Exclude Segments',
			{
				audience: 'list',
				recipients: '12025550143',
				options: { excludeSegments: { segment: [{ segmentId: byId('s1') }] } },
			},
			'Exclude Segments ("s1"): members may be missing, because the service returned the same rows again: got 200 rows, and there may be more',
		],
		[
			'Max Recipients',
			{ audience: 'segment', segmentId: byId('s1'), options: { maxRecipients: 1000 } },
			'The number of recipients is unknown, so Max Recipients (1000) cannot be checked',
		],
	])(
		'no broadcast is sent if the service ignores the page of members: %s',
		async (_what, more, message) => {
			const members = records(200).map(({ id }, index) => ({ id, waId: `1202555${1000 + index}` }));
			const created = jest.fn(() => ({ body: { success: true, data: { id: 'b1' } } }));
			const { error } = await run(
				{ ...WELCOME_BROADCAST, ...more },
				{
					'segments/*': () => ({ body: { success: true, data: { id: 's1', members } } }),
					broadcasts: created,
					templates: () => ({ body: { success: true, data: [] } }),
				},
			);
			expect(error?.message).toBe(message);
			expect(created).not.toHaveBeenCalled();
		},
	);
});

test.each([
	['broadcast', 'getAll', 'channelId'],
	['chat', 'getAll', 'agentId'],
	['chat', 'getAll', 'channelId'],
	['chat', 'getAll', 'contactId'],
	['contact', 'export', 'segmentId'],
	['contact', 'getAll', 'segmentId'],
	['template', 'getAll', 'channelId'],
	['ticket', 'getAll', 'agentId'],
	['ticket', 'getAll', 'contactId'],
])('%s %s does not filter %s by a name, which would find nothing', async (...of) => {
	const [resource, operation, name] = of;
	for (const text of ['Ann Lee', 'ann@example.com']) {
		const filters = { [name]: byId('={{ $json.text }}') };
		const { message } = await service.rejected(
			{ resource, operation, filters },
			{ items: [{ text }] },
		);
		expect(message).toMatch(
			`expects an ID, but got "${text}": IDs contain no spaces and no @. Pick the record from the list, or enter the ID that Get Many returns`,
		);
	}
	const picked = { __rl: true, mode: 'list', value: 'picked one' };
	await service.run({ resource, operation, filters: { [name]: picked } });
	expect(JSON.stringify(service.requests.map(({ query }) => query))).toContain('picked one');
});
