import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Table } from '../../sandbox/table.mts';
import type { World } from '../../sandbox/world.mts';
import { startService, type Service, useService } from '../support/sandboxClient.mts';
import { configOf, examplesOf, type Example } from './examples.mts';
import { operations, type Operation, type Schema } from '../support/contractOperations.mts';
import { addText } from '../support/records.mts';

/** What the service responds with: generated from the contract, with accepted requests. */

const service = useService({ rateLimit: { requests: 1_000_000 } });

const named = (list: Operation[]) => list.map((one): [string, Operation] => [one.route, one]);
const send = async (operation: Operation, example: Example, http = service.http) =>
	await http.request(configOf(operation, example));

const ajv = new Ajv2020({ strict: false, allErrors: true });
(addFormats as unknown as { default: (target: Ajv2020) => void }).default(ajv);

/** A record in a response has every field that the contract names, in its type. One without a value is null. */
function inResponses({ properties = {} }: Schema): object {
	const types = Object.entries(properties).map(([name, schema]) => [
		name,
		{ ...schema, type: [schema.type, 'null'].flat() },
	]);
	return {
		type: 'object',
		required: Object.keys(properties),
		properties: Object.fromEntries(types),
	};
}

/** Lists only have counts, and so has the one record with a page in it. */
const isCounted = ({ isList, pageSize }: Operation) => isList || pageSize !== undefined;

describe('a success', () => {
	test.each(named(operations))('%s has the shape of the contract', async (_route, operation) => {
		const { id, success, isList, record, statuses } = operation;
		const isRecord = ajv.compile(record ? inResponses(record) : {});
		const { length } = examplesOf(service.sandbox.world, id);
		for (let n = 0; n < length; n++) {
			const example = examplesOf(service.sandbox.world, id)[n]!;
			const { status, headers, data } = await send(operation, example);
			expect(status).toBe(200);
			// The limit is counted where the contract lists 429, and nowhere else.
			expect('ratelimit-remaining' in headers).toBe(statuses.includes('429'));
			if (success.type === 'text/csv') {
				expect(headers['content-type']).toBe('text/csv; charset=utf-8');
				expect(headers['content-disposition']).toMatch(/^attachment; filename="[\w-]+\.csv"$/);
				expect(typeof data).toBe('string');
				continue;
			}
			expect(headers['content-type']).toBe('application/json; charset=utf-8');
			expect(ajv.validate(success.schema, data) || ajv.errors).toBe(true);
			const counts = isCounted(operation) ? ['meta'] : [];
			expect(Object.keys(data as object)).toStrictEqual(['success', 'data', ...counts]);
			expect(data.success).toBe(true);
			expect(Array.isArray(data.data)).toBe(isList);
			const rows = isList ? data.data : [data.data];
			for (const row of rows) expect(isRecord(row) || isRecord.errors).toBe(true);
			if (!isCounted(operation)) continue;
			const { total, page, limit, totalPages, ...others } = data.meta;
			expect([total, page, limit].every(Number.isInteger)).toBe(true);
			expect([totalPages, others]).toStrictEqual([Math.ceil(total / limit), {}]);
		}
	});
});

describe('a record that does not exist', () => {
	const addressed = operations.filter(({ path }) => path.includes('{'));

	test.each(named(addressed))('%s: nor one of another organization', async (_route, operation) => {
		const { world, otherWorld } = service.sandbox;
		const [own] = examplesOf(world, operation.id);
		const status = operation.statuses.includes('404') ? 404 : 400;
		const foreign = examplesOf(otherWorld, operation.id)[0]!.path!;
		const paths = [['x', 'x'], foreign];
		// A field of another contact, and an unknown one.
		if (foreign.length === 2) paths.push([own!.path![0]!, foreign[1]!], [own!.path![0]!, 'x']);
		for (const path of paths)
			expect([path, (await send(operation, { ...own!, path })).status]).toStrictEqual([
				path,
				status,
			]);
	});

	test.each(['POST', 'PATCH', 'DELETE'])(
		'%s of a field by the address of a contact, and not its ID',
		async (method) => {
			const { world } = service.sandbox;
			for (const address of ['waId', 'igId'] as const) {
				const contact = world.contacts.find((row) => row[address] !== null)!;
				contact.customFields.push({ id: `of-${address}`, label: 'city', value: 'Oslo' });
				const place = method === 'POST' ? '' : `/of-${address}`;
				const url = `/contacts/${contact[address]!}/fields${place}`;
				const data = method === 'DELETE' ? undefined : { label: 'L', value: 'V' };
				expect((await service.http.request({ method, url, data })).status).toBe(404);
			}
		},
	);
});

describe('a token gives access to one organization', () => {
	const other = () => service.as(service.sandbox.tokens.otherOrganization.value);

	test.each(named(operations.filter(({ isList, path }) => isList && !path.includes('{'))))(
		'%s has other records for the token of another',
		async (_route, operation) => {
			const { world, otherWorld } = service.sandbox;
			// Each of them has an import job then.
			for (const one of [world, otherWorld]) examplesOf(one, 'getContactImport');
			const idsFor = async (http: Service['http']) =>
				((await send(operation, {}, http)).data.data as { id: string }[]).map(({ id }) => id);
			const own = new Set(await idsFor(service.http));
			const others = await idsFor(other());
			expect(others.length).toBeGreaterThan(0);
			expect(others.filter((id) => own.has(id))).toStrictEqual([]);
		},
	);

	test('each organization has its own credits', async () => {
		const { world, otherWorld } = service.sandbox;
		const before = [world.credits.flowTrigger, otherWorld.credits.flowTrigger];
		const operation = operations.find(({ id }) => id === 'triggerFlow')!;
		const [example] = examplesOf(otherWorld, 'triggerFlow');
		expect((await send(operation, example!, other())).status).toBe(200);
		const after = [world.credits.flowTrigger, otherWorld.credits.flowTrigger];
		expect(after).toStrictEqual([before[0], before[1]! - 1]);
	});
});

/**
 * More rows than fit on the largest page of any list.
 *
 * @returns the ID of the record that has a list in it, by the part of the path before it
 */
function fill(world: World): Record<string, string> {
	examplesOf(world, 'getContactImport');
	const { contacts, chats, tickets, segments, broadcasts, imports, flows, users, channels } = world;
	const chat = chats.find(() => true)!;
	const segment = segments.find(({ isDynamic }) => !isDynamic)!;
	const tables = [contacts, chats, tickets, segments, broadcasts, imports, flows, users, channels];
	const largest = Math.max(...operations.map(({ pageSize }) => pageSize?.cap ?? 0));
	for (const table of tables as Table<{ id: string }>[]) {
		const sample = table.find(() => true)!;
		for (let n = 0; n <= largest; n++) table.add({ ...sample, id: `many-${n}` });
	}
	for (let n = 0; n <= largest; n++) {
		segment.members.add(`many-${n}`);
		addText(world, chat, 'Hi');
	}
	return { segments: segment.id, chats: chat.id };
}

describe('the size of a page', () => {
	let many: Service;
	let ids: ReturnType<typeof fill>;
	beforeAll(async () => {
		many = await startService();
		ids = fill(many.sandbox.world);
	});
	afterAll(async () => await many.close());

	const read = async ({ path }: Operation, params: object) => {
		const url = path.replace(/(\w+)\/\{id\}/, (_all, table: string) => `${table}/${ids[table]}`);
		const { data, meta } = (await many.http.get(url, { params })).data;
		const rows = Array.isArray(data) ? data : data.members;
		return { rows: rows.length as number, limit: meta.limit as number };
	};

	test.each(named(operations.filter(({ pageSize }) => pageSize)))(
		'%s: the default, what is requested, and at most the maximum',
		async (_route, operation) => {
			const { default: standard, cap } = operation.pageSize!;
			const name = 'take' in operation.query ? 'take' : 'limit';
			expect(await read(operation, {})).toStrictEqual({ rows: standard, limit: standard });
			for (const size of [1, cap])
				expect(await read(operation, { [name]: size })).toStrictEqual({ rows: size, limit: size });
			expect(await read(operation, { [name]: cap + 1 })).toStrictEqual({ rows: cap, limit: cap });
		},
	);

	const whole = operations.filter((one) => one.isList && Object.keys(one.query).length === 0);
	test.each(named(whole))('%s has all rows on one page', async (_route, { path }) => {
		const { data, meta } = (await many.http.get(path)).data;
		const table = many.sandbox.world[path.slice(1) as 'flows'];
		// All of them; of flows, the active ones.
		const rows = table.filter((row) => !('active' in row) || row.active);
		const idsOf = (list: { id: string }[]) => list.map(({ id }) => id).toSorted();
		expect(idsOf(data as { id: string }[])).toStrictEqual(idsOf(rows));
		expect(meta).toMatchObject({ total: rows.length, page: 1, totalPages: 1 });
	});
});
