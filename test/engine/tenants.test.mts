import { ExecuteContext } from 'n8n-core';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { type ReceivedRequest, startSandbox } from '../../sandbox/server.mts';
import type { World } from '../../sandbox/world.mts';
import { clock } from '../../nodes/ConversationalMessaging/api/base/clock.ts';
import { byId, type NodeRun, WELCOME_BROADCAST } from './harness.mts';
import { CONTINUE, SharedHarness } from './sharedHarness.mts';

/** Items of both tenants. */
const COUNT = process.env.LONG ? 1_000 : 40;

/** The token is an expression: half of the items belong to one organization, half to another. */
const service = new SharedHarness({ tickets: COUNT / 2, contacts: 20 });

const TOKEN = '={{ $json.token }}';
const own = () => service.sandbox.tokens.all.value;
const other = () => service.sandbox.tokens.otherOrganization.value;
const tokenOf = (index: number) => (index % 2 === 0 ? own() : other());
const worldOf = (index: number): World =>
	index % 2 === 0 ? service.sandbox.world : service.sandbox.otherWorld;
const bearer = ({ headers }: ReceivedRequest) =>
	String(headers.authorization).replace('Bearer ', '');

const mixed = (count: number, more: (index: number) => IDataObject = () => ({})): IDataObject[] =>
	Array.from({ length: count }, (_, index) => ({ token: tokenOf(index), ...more(index) }));
const run = async (parameters: INodeParameters, items: IDataObject[], more: NodeRun = {}) =>
	await service.run(parameters, { token: TOKEN, items, ...more });

/** Affects only the requests of one token. */
const from = (token: string) => ({
	matches: (request: object) => bearer(request as ReceivedRequest) === token,
});

/** A wait of 40 s, for the next request of this token. */
const makeWait = (token: string) =>
	service.sandbox.faults.add(
		{ kind: 'status', status: 429, headers: { 'retry-after': '40' } },
		from(token),
	);

const itemOf = ({ pairedItem }: { pairedItem?: unknown }) => (pairedItem as { item: number }).item;

describe('many items of two tenants', () => {
	test('each item changes the record of its own tenant', async () => {
		const items = mixed(COUNT, (index) => ({ ticket: String(1001 + Math.floor(index / 2)) }));
		const priorityOf = (index: number) => (index % 2 === 0 ? 'LOW' : 'URGENT');
		const { items: output } = await run(
			{
				resource: 'ticket',
				operation: 'update',
				ticketId: byId('={{ $json.ticket }}'),
				updateFields: { priority: '={{ $itemIndex % 2 === 0 ? "LOW" : "URGENT" }}' },
			},
			items,
		);
		expect(output).toHaveLength(COUNT);
		for (const item of output) {
			const index = itemOf(item);
			const ticket = worldOf(index).findTicket(items[index]!.ticket as string)!;
			expect([item.json.id, item.json.priority]).toStrictEqual([ticket.id, priorityOf(index)]);
		}
		for (const world of [service.sandbox.world, service.sandbox.otherWorld]) {
			const expected = world === service.sandbox.world ? 'LOW' : 'URGENT';
			expect(
				new Set(world.tickets.filter(() => true).map(({ priority }) => priority)),
			).toStrictEqual(new Set([expected]));
		}
	});

	test('each item gets the list of its own tenant, which is read once per tenant', async () => {
		const { items: output } = await run(
			{ resource: 'ticket', operation: 'getAll', limit: 2 },
			mixed(COUNT),
		);
		expect(service.requests.map(bearer).sort()).toStrictEqual([own(), other()].sort());
		expect(output).toHaveLength(2 * COUNT);
		for (const item of output)
			expect(worldOf(itemOf(item)).tickets.get(item.json.id as string)).toBeDefined();
	});

	test('each tenant’s items make one broadcast, and items that differ keep both from being sent', async () => {
		const broadcast = (name: string) => ({ ...WELCOME_BROADCAST, name, audience: 'items' });
		const items = mixed(COUNT, (index) => ({ waId: String(12025550000 + index), index }));
		const { json } = await run(broadcast('={{ $json.index % 2 ? "Other" : "Own" }}'), items);
		expect(json).toMatchObject([
			{ name: 'Own', recipientCount: COUNT / 2 },
			{ name: 'Other', recipientCount: COUNT / 2 },
		]);
		service.requests.length = 0;
		const oneDiffers = '={{ $json.index === 21 ? "Third" : $json.index % 2 ? "Other" : "Own" }}';
		const { error } = await run(broadcast(oneDiffers), items);
		expect(error!.message).toBe(
			'Name differs between input items: "Other" (item 1), "Third" (item 21)',
		);
		expect(service.requests).toStrictEqual([]);
	});
});

test('one tenant’s rate limit delays no other tenant', async () => {
	const waits: number[] = [];
	const sentBy = (token: string) => service.requests.filter((request) => bearer(request) === token);
	clock.sleep = async (ms, signal) => {
		// The wait lasts until the other tenant has finished.
		for (let turn = 0; turn < 100_000 && ms >= 40_000 && sentBy(other()).length < 10; turn++)
			await new Promise((resolve) => setImmediate(resolve));
		if (!signal?.aborted) service.time.clock.advance(ms);
		waits.push(ms);
	};
	makeWait(own());
	// The same for both.
	const ticketId = byId('={{ 1001 + Math.floor($itemIndex / 2) }}');
	const note = { resource: 'ticket', operation: 'addNote', ticketId, body: 'Note' };
	const { json } = await run(note, mixed(20));
	expect(json).toHaveLength(20);
	expect(sentBy(own())).toHaveLength(11);
	expect(waits).toContain(40_000);
});

test('eight organizations that wait for their rate limit hold up no other', async () => {
	const tokens = Array.from({ length: 12 }, (_, n) => `wa_pk_organization${n}`);
	const sent = (of: string[]) =>
		of.map((token) => service.requests.filter((request) => bearer(request) === token).length);
	for (const token of tokens.slice(0, 8)) makeWait(token);
	let meanwhile: number[] = [];
	clock.sleep = async (ms, signal) => {
		// The waits last until the others have finished.
		for (let turn = 0; turn < 10_000 && sent(tokens.slice(8)).includes(0); turn++)
			await new Promise((resolve) => setImmediate(resolve));
		meanwhile = sent(tokens);
		if (!signal?.aborted) service.time.clock.advance(ms);
	};
	const get = { resource: 'ticket', operation: 'get', ticketId: byId('1001') };
	// None of these tokens exists.
	const items = tokens.map((token) => ({ token }));
	const { json } = await run(get, items, CONTINUE);
	expect(json).toHaveLength(12);
	expect(meanwhile).toStrictEqual(Array(12).fill(1));
	expect(sent(tokens)).toStrictEqual([...Array<number>(8).fill(2), ...Array<number>(4).fill(1)]);
});

describe('a credential that cannot be used for one item', () => {
	const get = { resource: 'ticket', operation: 'get', ticketId: byId('1001') };

	test.each<[string, IDataObject['token'], RegExp]>([
		['nothing', undefined, /no API token/],
		['empty', ' ', /no API token/],
		['a list', ['wa_pk_secret1'], /no API token/],
		...['wa_pk_öne', 'Bearer wa_pk_secret1', 'wa_pk_secret1\nX-Other: 1'].map(
			(token): [string, string, RegExp] => [
				JSON.stringify(token),
				token,
				/is not one of the service’s, which begin with wa_pk_/,
			],
		),
	])(
		'ends the run before anything is sent, or has its message with Continue, if the token is %s',
		async (_name, token, message) => {
			const read = jest.spyOn(ExecuteContext.prototype, 'getCredentials');
			const { error } = await run(get, [{ token: own() }, { token }, { token: own() }]);
			// The others probably have the same.
			expect(read).toHaveBeenCalledTimes(2);
			expect(error).toMatchObject({
				message: expect.stringMatching(message),
				description: expect.stringMatching(
					/^If the token is an expression, check what it returns for this item\. Nothing was sent\. /,
				),
				context: { itemIndex: 1 },
			});
			expect(service.requests).toStrictEqual([]);
			expect(JSON.stringify([error!.message, error!.description])).not.toContain('secret1');

			const items = [{ token: own() }, { token }, { token: other() }];
			const { json } = await run(get, items, CONTINUE);
			expect(json).toStrictEqual([
				expect.objectContaining({ id: service.sandbox.world.findTicket('1001')!.id }),
				{ error: expect.stringMatching(message) },
				expect.objectContaining({ id: service.sandbox.otherWorld.findTicket('1001')!.id }),
			]);
		},
	);
});

test('items can have different base URLs, and share nothing', async () => {
	const second = await startSandbox({ seed: 7, contacts: 5, rateLimit: { requests: 0 } });
	const sandboxes = [service.sandbox, second, service.sandbox, second];
	const { json, error } = await service.run(
		{ resource: 'organization', operation: 'get' },
		{ baseUrl: '={{ $json.baseUrl }}', items: sandboxes.map(({ baseUrl }) => ({ baseUrl })) },
	);
	await second.close();
	expect(error).toBeUndefined();
	expect(json.map(({ id }) => id)).toStrictEqual(
		sandboxes.map(({ world }) => world.organization.id),
	);
});

test('no message contains a token, neither the item’s own nor another’s', async () => {
	for (const [requested, named] of [
		[own(), other()],
		[other(), own()],
	] as const)
		service.reject(400, { times: 2, ...from(requested) }, { error: `Bad token ${named}` });
	const { json, run: whole } = await run(
		{ resource: 'ticket', operation: 'create', title: 'T' },
		mixed(4),
		CONTINUE,
	);
	expect(json.map(({ error }) => error)).toStrictEqual(
		Array(4).fill(expect.stringContaining('Bad token ***')),
	);
	const output = whole.data.resultData.runData.Node!;
	for (const token of [own(), other()]) expect(JSON.stringify(output)).not.toContain(token);
});

describe('in the editor, where there are no items', () => {
	const search = async (apiToken: string) =>
		await service.search('searchTickets', {}, { apiToken });

	test('a list is read with a token from an expression that needs no item', async () => {
		const { results } = await search(`={{ "${other()}" }}`);
		expect(service.sandbox.otherWorld.tickets.get(String(results[0]!.value))).toBeDefined();
	});

	test('a token from an expression that needs an item is reported', async () => {
		await expect(search(TOKEN)).rejects.toMatchObject({
			name: 'NodeOperationError',
			description:
				'If a credential field is an expression, it may need an input item, and lists and triggers have none. Enter a fixed value in the credential; in an action node, you can also enter IDs instead of picking from lists.',
		});
		expect(service.requests).toStrictEqual([]);
	});
});
