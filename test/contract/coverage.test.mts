import type { INodeParameters, INodeProperties, NodeParameterValueType } from 'n8n-workflow';
import { resources } from '../../nodes/ConversationalMessaging/resources/index.ts';
import type { Operation } from '../../nodes/ConversationalMessaging/resources/operation.ts';
import type { SeenRequest } from '../../sandbox/server.mts';
import { openBench, type Bench } from '../engine/bench.mts';
import { contractParameters } from './parameters.mts';

/** Endpoints that no operation calls yet. This list only shrinks. */
const MISSING = [
	'DELETE /contacts/{id}/fields/{fieldId}',
	'DELETE /segments/{id}',
	'DELETE /templates/{id}',
	'GET /broadcasts',
	'GET /broadcasts/csv-template',
	'GET /broadcasts/{id}',
	'GET /chats',
	'GET /chats/session',
	'GET /chats/{id}',
	'GET /chats/{id}/messages',
	'GET /contacts/export',
	'GET /contacts/import-template',
	'GET /contacts/imports',
	'GET /contacts/imports/{id}',
	'GET /contacts/imports/{id}/errors',
	'GET /flows',
	'GET /segments',
	'GET /segments/{id}',
	'GET /templates',
	'PATCH /contacts/{id}/fields/{fieldId}',
	'POST /broadcasts',
	'POST /chats/session',
	'POST /chats/{id}/assign',
	'POST /chats/{id}/de-escalate',
	'POST /chats/{id}/escalate',
	'POST /contacts/import',
	'POST /contacts/{id}/fields',
	'POST /flows/trigger',
	'POST /segments',
	'POST /templates',
	'POST /templates/sync',
	'PUT /segments/{id}/members',
];

const routes = contractParameters();
const operations = resources.flatMap((resource) =>
	resource.operations.map(
		(operation) => [`${resource.value}: ${operation.value}`, resource.value, operation] as const,
	),
);
const endpointsOf = ({ endpoint, otherEndpoints = [] }: Operation): string[] => [
	endpoint,
	...otherEndpoints,
];

test('every endpoint of the contract has an operation, but for those that are still missing', () => {
	const covered = new Set(operations.flatMap(([, , operation]) => endpointsOf(operation)));
	expect([...covered].filter((endpoint) => !routes.has(endpoint))).toEqual([]);
	expect([...routes.keys()].filter((endpoint) => !covered.has(endpoint)).sort()).toEqual(MISSING);
});

describe('every parameter of an endpoint can be set, and nothing else is sent', () => {
	let bench: Bench;
	// Anew each time: what one operation makes must not be found by the next.
	beforeEach(async () => {
		bench = await openBench({ rateLimit: { requests: 0 } });
	});
	afterEach(async () => await bench.close());

	test.each(operations)('%s', async (_name, resource, operation) => {
		bench.sandbox.requests.length = 0;
		for (const parameters of variants(operation.fields)) {
			await bench.run({ resource, operation: operation.value, ...parameters });
		}
		for (const endpoint of endpointsOf(operation)) {
			const seen = bench.sandbox.requests.filter(({ route }) => route === endpoint);
			const sent = new Set(seen.flatMap(namesIn));
			expect([endpoint, [...sent].sort()]).toEqual([endpoint, [...routes.get(endpoint)!].sort()]);
		}
		const known = endpointsOf(operation);
		expect(
			bench.sandbox.requests
				.map(({ route }) => route)
				.filter((route) => !known.includes(String(route))),
		).toEqual([]);
	});
});

function namesIn({ route, query, body }: SeenRequest): string[] {
	const path = [...String(route).matchAll(/\{(\w+)\}/g)].map(([, name]) => `path ${name!}`);
	const of = (place: string, values: unknown) =>
		Object.keys((values ?? {}) as object).map((name) => `${place} ${name}`);
	return [...path, ...of('query', query), ...of('body', body)];
}

/** The fields of an operation all filled in, once for every combination of what its lists and modes offer. */
function variants(fields: INodeProperties[]): INodeParameters[] {
	let all: INodeParameters[] = [{}];
	for (const field of fields) {
		all = all.flatMap((parameters) =>
			samples(field).map((sample) => ({ ...parameters, [field.name]: sample })),
		);
	}
	return all;
}

function samples(field: INodeProperties): NodeParameterValueType[] {
	const options = (field.options ?? []) as INodeProperties[];
	switch (field.type) {
		case 'options':
			return options.map((option) => (option as unknown as { value: string }).value);
		case 'resourceLocator':
			// From List and By ID send the same.
			return field
				.modes!.filter(({ name }) => name !== 'list')
				.map(({ name }) => ({ __rl: true, mode: name, value: '7' }));
		case 'collection':
			return [
				Object.fromEntries(
					options.map((option) => [option.name, samples(option)[0]]),
				) as INodeParameters,
			];
		case 'boolean':
			return [true];
		case 'number':
			return [7];
		case 'json':
			return ['[{ "type": "body" }]'];
		default:
			return ['7'];
	}
}
