import { ExecuteContext } from 'n8n-core';
import type { INodeParameters } from 'n8n-workflow';
import { clock } from '../../nodes/ConversationalMessaging/api/base/clock.ts';
import { byId, WELCOME_BROADCAST } from './harness.mts';
import { CONTINUE, SharedHarness } from './sharedHarness.mts';

/** The cost per item does not depend on the number of items. */
const service = new SharedHarness({ contacts: 1, tickets: 250 });

const items = (count: number) =>
	Array.from({ length: count }, (_, index) => ({ ticket: String(1001 + (index % 250)) }));
/** With LONG, so many that anything that is not linear takes minutes. */
const MANY = process.env.LONG ? 20_000 : 300;
const LIMIT_MS = 300_000;

/** Values that do not depend on the item make one request of all items. */
const COMBINED: Record<string, () => INodeParameters> = {
	'an import': () => ({
		resource: 'contactImport',
		operation: 'start',
		source: 'items',
		name: 'N',
		waId: '12025550143',
		igId: '',
	}),
	'members of a segment': () => ({
		resource: 'segment',
		operation: 'addContacts',
		segmentId: byId(service.world.segments.find(({ isDynamic }) => !isDynamic)!.id),
		contactId: byId(service.world.findContactByWaId('12015550100')!.id),
	}),
	'a broadcast': () => ({
		...WELCOME_BROADCAST,
		audience: 'items',
		recipient: '12025550143',
	}),
};
const LIST = { resource: 'ticket', operation: 'getAll', limit: 1 };
const update = (ticketId: string): INodeParameters => ({
	resource: 'ticket',
	operation: 'update',
	ticketId: byId(ticketId),
	updateFields: { priority: 'LOW' },
});
const UNUSABLE = update('={{ $json.nothing }}');

const watchCredentials = () => jest.spyOn(ExecuteContext.prototype, 'getCredentials');

test.each<[what: string, parameters: () => INodeParameters, expressions: number]>([
	...Object.entries(COMBINED).map(([what, of]): [string, typeof of, number] => [what, of, 0]),
	['a list', () => LIST, 0],
	['updates', () => update('={{ $json.ticket }}'), 1],
	['values that cannot be used', () => UNUSABLE, 1],
])(
	'the credential and expressions are read equally often per item for %s, and all else once',
	async (_what, parameters, expressions) => {
		const readings = async (count: number) => {
			const context = ExecuteContext.prototype as unknown as {
				_getNodeParameter: (this: ExecuteContext) => unknown;
			};
			const values = jest.spyOn(context, '_getNodeParameter');
			const credentials = watchCredentials();
			await service.run(parameters(), { items: items(count), ...CONTINUE });
			// Not what the node before reads of its own.
			const own = values.mock.contexts.filter((each) => each.getNode().name === 'Node');
			const read = { values: own.length, credentials: credentials.mock.calls.length };
			jest.restoreAllMocks();
			return read;
		};
		const [ten, fifty] = [await readings(10), await readings(50)];
		expect(fifty.values - ten.values).toBe(40 * expressions);
		// One for each item, and none for the requests.
		expect([ten.credentials, fifty.credentials]).toStrictEqual([10, 50]);
	},
);

test('of settings that differ, there is one error for all items', async () => {
	const read = jest.spyOn(ExecuteContext.prototype, 'getNode');
	const readings = async (count: number) => {
		read.mockClear();
		const differing = { ...COMBINED['a broadcast']!(), name: '={{ $json.ticket }}' };
		const { json } = await service.run(differing, { items: items(count), ...CONTINUE });
		expect(json).toHaveLength(count);
		// Of each error, the node is a part.
		return read.mock.calls.length;
	};
	expect(await readings(50)).toBe(await readings(10));
	jest.restoreAllMocks();
});

test('the credential is read once for a list of many pages', async () => {
	const credentials = watchCredentials();
	await service.run({ ...LIST, returnAll: true });
	expect(service.requests.length).toBeGreaterThan(1);
	expect(credentials).toHaveBeenCalledTimes(1);
});

/** A millisecond passes each time that the clock is read: work takes time, and a list reads it once for each entry. */
const watchTurns = () => {
	let now = 0;
	jest.spyOn(clock, 'elapsed').mockImplementation(() => now++);
	return jest.spyOn(clock, 'yieldToOthers');
};

test('n8n has a turn after every 10 ms in which items are read', async () => {
	const read = watchCredentials();
	const turns = watchTurns();
	await service.run(COMBINED['an import']!(), { items: items(600) });
	const orders = (spy: { mock: { invocationCallOrder: number[] } }) => spy.mock.invocationCallOrder;
	const all = [
		...orders(read).map((order) => ({ order, isTurn: false })),
		...orders(turns).map((order) => ({ order, isTurn: true })),
	].sort((a, b) => a.order - b.order);
	let longest = 0;
	let current = 0;
	for (const { isTurn } of all) longest = Math.max(longest, (current = isTurn ? 0 : current + 1));
	expect(orders(read)).toHaveLength(600);
	expect(longest).toBe(10);
	jest.restoreAllMocks();
});

describe('n8n has a turn after every 10 ms also when items', () => {
	/** How many times items are gone through, by the turns that n8n has for 250 more items. */
	const passes = async (parameters: INodeParameters) => {
		const rows = (count: number) =>
			Array.from({ length: count }, (_, n) => ({
				name: `C${n}`,
				waId: String(4_915_110_000_000 + n),
			}));
		const turnsOf = async (count: number) => {
			const turns = watchTurns();
			const { error } = await service.run(parameters, { items: rows(count) });
			expect(error).toBeUndefined();
			const { length } = turns.mock.calls;
			jest.restoreAllMocks();
			return length;
		};
		return ((await turnsOf(350)) - (await turnsOf(100))) / 25;
	};
	const fields = { name: '={{ $json.name }}', waId: '={{ $json.waId }}' };

	test('are compared with contacts', async () => {
		const sync = {
			resource: 'contact',
			operation: 'sync',
			matchBy: 'waId',
			dryRun: true,
			...fields,
		};
		// Read, indexed, matched, decided on, returned.
		expect(await passes(sync)).toBeGreaterThanOrEqual(5);
	});

	test('are written into a file', async () => {
		const start = { resource: 'contactImport', operation: 'start', source: 'items', ...fields };
		// Read, searched for an ID, made rows, written.
		expect(await passes({ ...start, igId: '' })).toBeGreaterThanOrEqual(4);
	});

	describe('are the recipients of a broadcast', () => {
		const members = Array.from({ length: 1_200 }, (_, n) => ({ waId: String(15_550_000_000 + n) }));
		const out = { id: 's1', name: 'Out', isDynamic: false, members };
		const preview = { ...WELCOME_BROADCAST, operation: 'preview' };
		const options = { excludeSegments: { segment: [{ segmentId: byId('s1') }] } };
		beforeEach(() => {
			const meta = { total: 1_200, limit: 1_200, totalPages: 1 };
			const path = (end: string) => ({
				matches: (request: { path: string }) => request.path.endsWith(end),
				times: 2,
			});
			service.respond({ data: out, meta }, path('/s1'));
			service.respondWith('text/csv', 'waId,name\n', path('/csv-template'));
		});

		test('in a list', async () => {
			const recipients = { audience: 'items', recipient: fields.waId, options };
			// Read, left out or kept, checked in two ways, counted by country.
			expect(await passes({ ...preview, ...recipients })).toBeGreaterThanOrEqual(5);
		});

		test('in a CSV', async () => {
			const csv = { audience: 'csvItems', phoneColumn: 'waId', options };
			// Also named, made rows, written.
			expect(await passes({ ...preview, ...csv })).toBeGreaterThanOrEqual(8);
		});
	});
});

test.each(Object.entries(COMBINED))(
	'many items become one request: %s',
	async (_what, parameters) => {
		const { items: output } = await service.run(parameters(), { items: items(MANY) });
		expect(service.requests.filter(({ method }) => method !== 'GET')).toHaveLength(1);
		expect(output).toHaveLength(1);
		expect(output[0]!.pairedItem).toHaveLength(MANY);
		expect((output[0]!.pairedItem as object[]).at(-1)).toStrictEqual({ item: MANY - 1 });
	},
	LIMIT_MS,
);

test(
	'a list for many items is read once, and each item has its own objects',
	async () => {
		const chats = { ...LIST, resource: 'chat' };
		const { json } = await service.run(chats, { items: items(MANY) });
		expect(json).toHaveLength(MANY);
		expect(service.requests).toHaveLength(1);
		const [first, second, ...others] = json;
		const before = structuredClone(second);
		Object.assign(first!.contact as object, { name: 'Changed by the next node' });
		expect(second).toStrictEqual(before);
		for (const each of others) expect(each).toStrictEqual(before);
	},
	LIMIT_MS,
);

test(
	'each of many unusable items has its message, and without Continue the first one ends the run',
	async () => {
		const { items: output } = await service.run(UNUSABLE, { items: items(MANY), ...CONTINUE });
		expect(output).toHaveLength(MANY);
		const messages = new Set(output.map(({ json }) => json.error));
		expect([...messages]).toStrictEqual([expect.stringMatching(/^Ticket is empty/)]);
		expect(output.at(-1)!.pairedItem).toStrictEqual({ item: MANY - 1 });
		expect(service.requests).toStrictEqual([]);

		const credentials = watchCredentials();
		const { error } = await service.run(UNUSABLE, { items: items(MANY) });
		expect(error).toMatchObject({ context: { itemIndex: 0 } });
		// Several are named, and n8n reads the credential of each.
		expect(credentials.mock.calls.length).toBeLessThanOrEqual(100);
	},
	LIMIT_MS,
);
