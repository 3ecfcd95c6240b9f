import { ExecuteContext } from 'n8n-core';
import type { INodeParameters } from 'n8n-workflow';
import { byId, openHarness, type Harness, WELCOME_COMPONENTS } from './harness.mts';

/** The cost per item does not depend on the number of items. */
let harness: Harness;
beforeAll(async () => {
	harness = await openHarness({ tickets: 250, rateLimit: { requests: 0 } });
});
afterAll(async () => await harness.close());
beforeEach(() => (harness.sandbox.requests.length = 0));
afterEach(() => jest.restoreAllMocks());

const settings = { onError: 'continueRegularOutput' as const };
const items = (count: number) =>
	Array.from({ length: count }, (_, index) => ({
		ticket: String(1001 + (index % 250)),
		waId: `12025550${100 + (index % 100)}`,
	}));
/** With LONG, so many that anything that is not linear takes minutes. */
const MANY = process.env.LONG ? 20_000 : 2_000;
const LIMIT_MS = 300_000;

const WAYS: [string, () => INodeParameters][] = [
	[
		'an import',
		() => ({
			resource: 'contactImport',
			operation: 'start',
			source: 'items',
			name: 'N',
			waId: '12025550143',
			igId: '',
		}),
	],
	[
		'members of a segment',
		() => ({
			resource: 'segment',
			operation: 'addContacts',
			segmentId: byId(harness.sandbox.world.segments.filter(({ isDynamic }) => !isDynamic)[0]!.id),
			contactId: byId(harness.sandbox.world.findContactByWaId('12015550100')!.id),
		}),
	],
	[
		'a broadcast',
		() => ({
			resource: 'broadcast',
			operation: 'create',
			name: 'B',
			templateBy: 'name',
			templateName: 'welcome',
			templateComponents: WELCOME_COMPONENTS,
			audience: 'items',
			recipient: '12025550143',
		}),
	],
	['a list', () => ({ resource: 'ticket', operation: 'getAll', limit: 1 })],
	[
		'updates',
		() => ({
			resource: 'ticket',
			operation: 'update',
			ticketId: byId('={{ $json.ticket }}'),
			updateFields: { priority: 'LOW' },
		}),
	],
	[
		'values that cannot be used',
		() => ({
			resource: 'ticket',
			operation: 'update',
			ticketId: byId('={{ $json.nothing }}'),
			updateFields: { priority: 'LOW' },
		}),
	],
];

test.each(WAYS)(
	'the credential and expressions are read equally often per item for %s, and all else once',
	async (_name, parameters) => {
		const readings = async (count: number) => {
			const context = ExecuteContext.prototype as unknown as {
				_getNodeParameter: (this: ExecuteContext) => unknown;
			};
			const values = jest.spyOn(context, '_getNodeParameter');
			const credentials = jest.spyOn(ExecuteContext.prototype, 'getCredentials');
			await harness.run(parameters(), { items: items(count), settings });
			// Not what the node before reads of its own.
			const own = values.mock.contexts.filter((each) => each.getNode().name === 'Node');
			const read = { values: own.length, credentials: credentials.mock.calls.length };
			jest.restoreAllMocks();
			return read;
		};
		const [ten, hundred] = [await readings(10), await readings(100)];
		const expressions = JSON.stringify(parameters()).includes('"={{') ? 1 : 0;
		expect(hundred.values - ten.values).toBe(90 * expressions);
		// One for each item, and none for the requests.
		expect([ten.credentials, hundred.credentials]).toEqual([10, 100]);
	},
);

test('the credential is read once for a list of many pages', async () => {
	const credentials = jest.spyOn(ExecuteContext.prototype, 'getCredentials');
	await harness.run({ resource: 'ticket', operation: 'getAll', returnAll: true });
	expect(harness.sandbox.requests.length).toBeGreaterThan(1);
	expect(credentials).toHaveBeenCalledTimes(1);
});

describe('thousands of items', () => {
	const JOINED = ['an import', 'members of a segment', 'a broadcast'];
	test.each(WAYS.filter(([name]) => JOINED.includes(name)))(
		'thousands of items become one request: %s',
		async (name, parameters) => {
			const count = name === 'an import' ? 5 * MANY : MANY;
			const { items: output } = await harness.run(parameters(), { items: items(count), settings });
			const writes = harness.sandbox.requests.filter(({ method }) => method !== 'GET');
			expect(writes).toHaveLength(1);
			expect(output).toHaveLength(1);
			expect(output[0]!.json.error).toBeUndefined();
			expect(output[0]!.pairedItem).toHaveLength(count);
			expect((output[0]!.pairedItem as object[]).at(-1)).toEqual({ item: count - 1 });
		},
		LIMIT_MS,
	);

	test(
		'each of thousands of items has the rejection of their combined request',
		async () => {
			harness.sandbox.faults.add({ kind: 'status', status: 400 });
			const [, [, members]] = WAYS as [unknown, (typeof WAYS)[number]];
			const { items: output } = await harness.run(members(), { items: items(MANY), settings });
			expect(harness.sandbox.requests).toHaveLength(1);
			expect(output).toHaveLength(MANY);
			expect(output.at(-1)).toMatchObject({
				json: { error: expect.stringContaining('400 Bad Request') },
				pairedItem: { item: MANY - 1 },
			});
		},
		LIMIT_MS,
	);

	test(
		'a list for thousands of items is read once, and each item has its own objects',
		async () => {
			const { items: output } = await harness.run(
				{ resource: 'ticket', operation: 'getAll', limit: 1 },
				{ items: items(MANY) },
			);
			expect(output).toHaveLength(MANY);
			expect(output[0]!.json).not.toBe(output[1]!.json);
			expect(harness.sandbox.requests).toHaveLength(1);
		},
		LIMIT_MS,
	);

	test(
		'each of thousands of unusable items has its message, and without Continue the first one ends the run',
		async () => {
			const [, unusable] = WAYS.at(-1)!;
			const { items: output } = await harness.run(unusable(), { items: items(MANY), settings });
			expect(output).toHaveLength(MANY);
			const messages = new Set(output.map(({ json }) => json.error));
			expect([...messages]).toEqual([expect.stringMatching(/^Ticket is empty/)]);
			expect(output.at(-1)!.pairedItem).toEqual({ item: MANY - 1 });
			expect(harness.sandbox.requests).toEqual([]);

			const credentials = jest.spyOn(ExecuteContext.prototype, 'getCredentials');
			const { error } = await harness.run(unusable(), { items: items(MANY) });
			expect(error).toMatchObject({ context: { itemIndex: 0 } });
			// Several are named, and n8n reads the credential of each.
			expect(credentials.mock.calls.length).toBeLessThanOrEqual(100);
		},
		LIMIT_MS,
	);
});
