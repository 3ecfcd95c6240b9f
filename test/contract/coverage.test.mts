import type { INodeParameters, INodeProperties, NodeParameterValueType } from 'n8n-workflow';
import { resources } from '../../nodes/ConversationalMessaging/resources/index.ts';
import type { Operation } from '../../nodes/ConversationalMessaging/resources/operation.ts';
import type { ReceivedRequest } from '../../sandbox/server.mts';
import { openHarness, type Harness } from '../engine/harness.mts';
import { FakeTime } from '../time.mts';
import { contractParameters } from './parameters.mts';

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

test('every endpoint of the contract has an operation', () => {
	const covered = new Set(operations.flatMap(([, , operation]) => endpointsOf(operation)));
	expect([...covered].filter((endpoint) => !routes.has(endpoint))).toEqual([]);
	expect([...routes.keys()].filter((endpoint) => !covered.has(endpoint))).toEqual([]);
});

describe('the requests of the operations', () => {
	let harness: Harness;
	let time: FakeTime;
	const sent = new Map<string, Set<string>>();
	const undeclared: unknown[] = [];

	// Every operation with all its fields filled in, once for every combination of options and modes.
	beforeAll(async () => {
		time = new FakeTime().install();
		harness = await openHarness({ rateLimit: { requests: 0 }, clock: time.clock });
		for (const [name, resource, operation] of operations) {
			const own = endpointsOf(operation);
			harness.sandbox.requests.length = 0;
			for (const parameters of variants(operation.fields)) {
				await harness.run(
					{ resource, operation: operation.value, ...parameters },
					{ file: 'name,waId\n7,7' },
				);
			}
			for (const request of harness.sandbox.requests) {
				const route = String(request.route);
				sent.set(route, new Set([...(sent.get(route) ?? []), ...namesIn(request)]));
				if (!own.includes(route)) undeclared.push([name, request.method, request.path]);
			}
		}
	}, 300_000);
	afterAll(async () => {
		time.restore();
		await harness.close();
	});

	test.each([...routes])(
		'%s is sent with every parameter of the contract, and nothing else',
		(endpoint, names) => {
			expect([...(sent.get(endpoint) ?? [])].sort()).toEqual([...names].sort());
		},
	);

	test('operations call the endpoints that they name, and no other', () => {
		expect(undeclared).toEqual([]);
	});
});

function namesIn({ route, query, body }: ReceivedRequest): string[] {
	const path = [...String(route).matchAll(/\{(\w+)\}/g)].map(([, name]) => `path ${name!}`);
	const of = (place: string, values: unknown) =>
		Object.keys((values ?? {}) as object).map((name) => `${place} ${name}`);
	return [...path, ...of('query', query), ...of('body', body)];
}

const NUMBER = '12025550143';

/** All fields of an operation filled in, once for every combination of options and modes. */
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
			return (
				field
					.modes!.filter(({ name }) => name !== 'list')
					// A template from the list includes ID, name and language.
					.map(({ name }) => ({
						__rl: true,
						mode: name,
						value: locatorValue(field.name, name),
					}))
			);
		case 'collection':
			return [
				Object.fromEntries(
					options.flatMap((option) =>
						samples(option)
							.slice(0, 1)
							.map((value) => [option.name, value]),
					),
				) as INodeParameters,
			];
		case 'boolean':
			return [true];
		case 'number':
			return [7];
		case 'json':
			return [
				JSON.stringify(field.default).startsWith('"{')
					? '{ "channel": "WHATSAPP" }'
					: '[{ "type": "body" }]',
			];
		case 'dateTime':
			return ['2030-01-01T09:00:00'];
		case 'resourceMapper':
			return [
				{
					mappingMode: 'defineBelow',
					value: { 'body:1': '7' },
					schema: [{ id: 'body:1', displayName: '1', required: true }],
				} as unknown as NodeParameterValueType,
			];
		case 'multiOptions':
			// Clear Fields would contain fields that have a value here.
			return [];
		case 'fixedCollection':
			return [{ column: [{ name: 'city', value: '7' }] }];
		default:
			return [/^(waId|recipients?)$/.test(field.name) ? NUMBER : '7'];
	}
}

/** The value of a resource locator. */
function locatorValue(field: string, mode: string): string {
	if (field === 'templateId') return '7 welcome en_US';
	return field === 'to' || mode === 'waId' ? NUMBER : '7';
}
