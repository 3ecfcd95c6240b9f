import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { permissionOf } from '../../nodes/ConversationalMessaging/api/endpoint.ts';
import { allFields, type Operation } from '../../nodes/ConversationalMessaging/runner/operation.ts';
import { readContract } from '../../sandbox/contract.mts';
import type { ReceivedRequest } from '../../sandbox/server.mts';
import { fixtureOf } from '../fixtures/index.mts';
import { people } from '../fixtures/world.mts';
import type { NodeRun } from './harness.mts';
import { operations } from '../support/operationList.mts';
import { SharedHarness } from './sharedHarness.mts';

const service = new SharedHarness({ contacts: 12, tickets: 5 });

/** A run of the operation's fixture: with all of its parameters, or only with these, and always with the same item. */
async function run(
	resource: string,
	{ value }: Operation,
	options: NodeRun = {},
	names?: readonly string[],
) {
	const [{ parameters, make }] = fixtureOf(resource, value).runs;
	const given = Object.entries(parameters).filter(([name]) => names?.includes(name) ?? true);
	item ??= { ...people(service.world, 0), ...make?.(service.world, 0) };
	return await service.run(
		{ resource, operation: value, ...Object.fromEntries(given) },
		{ items: [item], file: 'name,waId\nN,12345678', ...options },
	);
}

let item: IDataObject | undefined;
beforeEach(() => {
	item = undefined;
});

/** Statuses of rejections that the contract lists for an endpoint. */
function listedFor(endpoint: string): number[] {
	const [method = '', path = ''] = endpoint.split(' ');
	const paths = readContract().paths as Record<
		string,
		Record<string, { responses: Record<string, unknown> }>
	>;
	return Object.keys(paths[path]![method.toLowerCase()]!.responses)
		.map(Number)
		.filter((status) => ![200, ...SAME].includes(status));
}

/** Statuses that no operation reads in its own way: an unknown token, a missing permission, the rate limit. */
const SAME = process.env.LONG ? [429] : [401, 403, 429];

/** What is required together with other fields, so that n8n does not ask for it. */
const TOGETHER = ['waId', 'updateFields', 'value', 'returnAll', 'bodyExamples', 'templateName'];

/** The fields that n8n asks for, as long as all others are as they were when the node was added. */
const requiredOf = (operation: Operation): string[] => {
	const fields = allFields(operation);
	const initial = new Map(fields.map(({ name, default: value }) => [name, value]));
	const isShown = ({ displayOptions }: INodeProperties) =>
		Object.entries(displayOptions?.show ?? {}).every(([name, values]) =>
			(values as unknown[]).includes(initial.get(name)),
		);
	return fields.filter((field) => field.required && isShown(field)).map(({ name }) => name);
};

describe.each(operations)('%s', (_name, resource, operation) => {
	test('the fields that n8n asks for are enough for a request that the contract accepts', async () => {
		await run(resource, operation, {}, [...requiredOf(operation), ...TOGETHER]);
		expect(service.requests).not.toHaveLength(0);
		expect(service.requests.map(({ violation }) => violation).filter(Boolean)).toStrictEqual([]);
	});

	test('every rejection that the endpoint lists is reported with the service’s message and a next step', async () => {
		// A preview reads the template first.
		const firstAction = operation.value === 'preview' ? 'List templates' : operation.action;
		for (const status of listedFor(operation.endpoint)) {
			// For Create or Update, a 404 means that the contact has to be created.
			if (operation.value === 'upsert' && status === 404) continue;
			service.sandbox.faults.clear();
			// Some look up a template first.
			const isOwn = ({ path }: { path: string }) =>
				path !== '/templates' || operation.endpoint.endsWith(path);
			service.reject(status, { matches: isOwn }, { error: { message: 'No, because' } });
			const { error } = await run(resource, operation);
			expect(error).toMatchObject({
				httpCode: String(status),
				message: expect.stringContaining(
					`The service rejected "${firstAction}": No, because (${status}`,
				),
			});
			expect(error!.description).toMatch(/\w+ \w+/);
		}
	});

	test('a missing permission is named, with what to do', async () => {
		const { readOnly } = service.sandbox.tokens;
		readOnly.permissions = [];
		const { error } = await run(resource, operation, { token: readOnly.value });
		const [, permission] = /Missing permission: (\S+) \(403 Forbidden\)$/.exec(error!.message)!;
		expect(error!.description).toContain(`Add the permission ${permission!} to the token`);
		// Its first request may be a lookup; otherwise, the permission is the operation's own.
		if (!operation.otherEndpoints || operation.result !== 'custom')
			expect(permission).toBe(permissionOf(operation.endpoint));
	});

	test('after a 429, the node waits as long as the service says, and sends the same request again', async () => {
		const sent = ({ method, path, query, sha256, file }: ReceivedRequest) => ({
			...{ method, path, query, sha256, file },
		});
		const headersOf = ({ headers }: ReceivedRequest) => ({
			...headers,
			// The boundary of an upload is random.
			'content-type': headers['content-type']?.toString().split(';')[0],
		});
		await run(resource, operation);
		const undisturbed = service.requests.map(sent)[0]!;
		service.requests.length = 0;
		service.time.waits.length = 0;
		service.sandbox.faults.add({ kind: 'status', status: 429, headers: { 'retry-after': '7' } });
		await run(resource, operation);
		const [first, second] = service.requests;
		expect(first!.status).toBe(429);
		expect(second!.status).not.toBe(429);
		// A file is not read before the rejection.
		expect(sent(first!)).toStrictEqual({ ...undisturbed, file: undefined });
		expect(sent(second!)).toStrictEqual(undisturbed);
		expect(headersOf(second!)).toStrictEqual(headersOf(first!));
		expect(service.time.waits[0]).toBe(7_000);
	});
});
