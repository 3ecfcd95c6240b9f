import {
	type INodeParameters,
	type INodeProperties,
	type INodePropertyCollection,
	type NodeParameterValueType,
	NodeHelpers,
} from 'n8n-workflow';
import { Parameters } from '../../nodes/ConversationalMessaging/parameters/parameters.ts';
import { allFields, type Operation } from '../../nodes/ConversationalMessaging/runner/operation.ts';
import type { NodeRun } from '../engine/harness.mts';
import { SharedHarness } from '../engine/sharedHarness.mts';
import { whatShows } from '../engine/fieldPlaces.mts';
import type { Fixture, Values } from '../fixtures/fixture.mts';
import { fixtureOf } from '../fixtures/index.mts';
import { NODE } from '../support/node.mts';
import { operations } from '../support/operationList.mts';
import type { ReceivedRequest } from '../../sandbox/server.mts';
import type { World } from '../../sandbox/world.mts';
import { addChat, addImportJob, addSegment, addTemplate, addText } from '../support/records.mts';
import { operations as contract } from '../support/contractOperations.mts';

/** The names that a request to each route may contain. */
const routes = new Map(contract.map(({ route, names }) => [route, new Set(names)]));

/** Headers of HTTP, which the contract does not name. */
const OF_HTTP =
	/^(?:accept(?:-encoding)?|authorization|connection|content-(?:length|type)|host|transfer-encoding|user-agent)$/;
const endpointsOf = ({ endpoint, otherEndpoints = [] }: Operation): string[] => [
	endpoint,
	...otherEndpoints,
];

test('every endpoint of the contract has an operation', () => {
	const covered = new Set(operations.flatMap(([, , operation]) => endpointsOf(operation)));
	expect([...covered].filter((endpoint) => !routes.has(endpoint))).toStrictEqual([]);
	expect([...routes.keys()].filter((endpoint) => !covered.has(endpoint))).toStrictEqual([]);
});

describe('the requests of the operations', () => {
	const service = new SharedHarness({
		...{ contacts: 30, tickets: 20 },
		shapes: { chatActivity: 'lastMessage' },
	});
	const sent = new Map<string, Set<string>>();
	const used = new Map<string, Set<string>>();
	/** Why no request to a route was accepted. */
	const violations = new Map<string, string>();
	const undeclared: unknown[] = [];
	const unlikeShown: string[] = [];

	// Before the first test: every operation with all its fields filled in, once for every option and mode.
	beforeEach(async () => {
		if (sent.size > 0) return;
		const reading = jest.spyOn(reader, 'read');
		for (const [name, resource, operation] of operations) {
			const own = endpointsOf(operation);
			service.requests.length = 0;
			for (const { what, make } of variants(allFields(operation))) {
				const given = make(records(service.world, fixtureOf(resource, operation.value)));
				// It does not apply to a CSV file.
				if (given.audience === 'csv') delete (given.options as INodeParameters).excludeSegments;
				reading.mockClear();
				const { error } = await service.run(
					{ resource, operation: operation.value, ...given },
					{
						items: [{ phone: NUMBER, '1': '7' }],
						file: FILES[resource] ?? `name,waId\n7,${NUMBER}`,
					},
				);
				const fields = allFields(operation).filter(({ type }) => type !== 'notice');
				const shown = NodeHelpers.getNodeParameters(fields, given, true, false, NODE, null)!;
				const read = new Set(reading.mock.calls.flat());
				// Only shown.
				if (read.has('templateId') && fields.some(({ name: own }) => own === 'templateText'))
					read.add('templateText');
				const hidden = [...read].filter((field) => !(field in shown));
				// What stops an operation may keep it from reading the rest.
				const unread = error ? [] : Object.keys(shown).filter((field) => !read.has(field));
				unlikeShown.push(
					...hidden.map((field) => `${name} reads ${field}, which is hidden with ${what}`),
					...unread.map((field) => `${name} does not read ${field}, which is shown with ${what}`),
				);
			}
			for (const request of service.requests) {
				const route = String(request.route);
				const add = (to: typeof sent, names: Iterable<string>) =>
					to.set(route, new Set([...(to.get(route) ?? []), ...names]));
				add(sent, namesIn(request));
				if (request.status === 200) add(used, [...pathNames(route), ...request.used]);
				if (request.violation) violations.set(route, request.violation);
				if (!own.includes(route)) undeclared.push([name, request.method, request.path]);
			}
		}
	}, 300_000);

	test.each([...routes])('%s is sent nothing that the contract does not define', (route, names) => {
		expect([...(sent.get(route) ?? [])].filter((name) => !names.has(name))).toStrictEqual([]);
	});

	test.each([...routes])(
		'%s accepts and uses every parameter of the contract that is sent',
		(route, names) => {
			const accepted = used.get(route) ?? [violations.get(route) ?? 'no request'];
			expect([...accepted].sort()).toStrictEqual([...names].sort());
		},
	);

	test('operations read the fields that are shown, and no others', () => {
		expect(unlikeShown).toStrictEqual([]);
	});

	test('operations call the endpoints that they name, and no other', () => {
		expect(undeclared).toStrictEqual([]);
	});
});

function pathNames(route: string): string[] {
	return [...route.matchAll(/\{(\w+)\}/g)].map(([, name]) => `path ${name!}`);
}

function namesIn({ route, query, headers, body }: ReceivedRequest): string[] {
	const of = (place: string, values: unknown) =>
		Object.keys(values ?? {}).map((name) => `${place} ${name}`);
	const own = of('header', headers).filter((name) => !OF_HTTP.test(name.slice('header '.length)));
	return [...pathNames(String(route)), ...of('query', query), ...own, ...of('body', body)];
}

const NUMBER = '12025550143';

/** The file that an operation of the resource accepts, if it is no list of contacts. */
const FILES: Record<string, NodeRun['file']> = {
	broadcast: `phone,1\n${NUMBER},7`,
	message: { bytes: Buffer.from('x'), fileName: 'a.mp3', mimeType: 'audio/mpeg' },
};

let runs = 0;

/** Makes the records that one run uses up, and returns the values that the service accepts for them. */
function records(world: World, fixture: Fixture): Values {
	const n = ++runs;
	const agents = [...world.users.newestFirst()];
	const channelId = world.defaultChannel('WHATSAPP')!.id;
	const waId = String(12_025_600_000 + n);
	const contact = world.addContact({ name: 'Ann', waId, igId: `ig-${n}` });
	contact.customFields.push({ id: `field-${n}`, label: 'city', value: 'Oslo' });
	const chat = addChat(world, contact.id, {
		needsEscalation: true,
		assigneeId: agents[0]!.id,
		session: null,
	});
	const { id: cursor } = addText(world, chat, 'Hi');
	const template = {
		name: `name_${n}`,
		components: [{ type: 'BODY', text: 'Hello {{1}}' }],
	};
	addTemplate(world, { ...template, id: `own-${n}`, channelId });
	addTemplate(world, { ...template, id: `shared-${n}` });
	const segment = addSegment(world, [contact.id]);
	const other = world.addContact({ name: 'Bob', waId: String(12_025_800_000 + n), igId: null });
	const excluded = addSegment(world, [other.id]);
	const job = addImportJob(world);
	world.credits = { session: 9, flowTrigger: 9 };
	return {
		// What a field without a value here needs; `people` and it have the same ticket.
		...(fixture.runs[0].make?.(world, n) as Values),
		contactId: contact.id,
		'contactId by waId': waId,
		'contactId by igId': `ig-${n}`,
		// So that a chat matches all filters.
		'channel in a collection': 'WHATSAPP',
		waId,
		igId: `ig-${n}`,
		to: waId,
		agentId: agents[0]!.id,
		authorId: agents[0]!.id,
		assigneeId: agents[0]!.id,
		channelId,
		chatId: chat.id,
		cursor,
		contextId: cursor,
		fieldId: `field-${n}`,
		flowId: world.flows.find(({ active }) => active)!.id,
		'flowId by keyword': world.flows.find(({ active }) => active)!.keyword,
		segmentId: segment.id,
		importId: job.id,
		broadcastId: world.broadcasts.find(() => true)!.id,
		ticketId: String(1001 + (n % 2)),
		templateId: `own-${n} name_${n} en_US`,
		templateName: `name_${n}`,
		name: `name_${n}_new`,
		recipient: NUMBER,
		// In every other run: without it, a segment is sent as such.
		excludeSegments: n % 2 === 0 ? excluded.id : undefined,
		maxRecipients: '100',
		mediaUrl: 'https://cdn.example.com/a.png',
		quietHours: '21:00-08:00',
		'skipRepeatedNumbers in a collection': 'false',
		countryOfNumbers: 'US',
		recipientTimeZone: 'Europe/Berlin',
		// The two options after it apply to this one only.
		'apiType in a collection': 'marketing_messages',
		giveUpAfterHours: '24',
		recipients: NUMBER,
		phoneColumn: 'phone',
		binaryPropertyName: 'data',
		body: 'Hello {{1}}',
		headerText: 'Order {{1}}',
		customFieldValues: '{ "plan": "7" }',
		components: '[{ "type": "BODY", "text": "Hello" }]',
		rules: '{ "channel": "WHATSAPP" }',
		waitForReplyMinutes: '1',
		sendOnceKey: `order ${n}`,
		...fixture.values?.({ n, world, chat }),
	};
}

/** Reads all fields of a node. */
const reader = Object.getPrototypeOf(Parameters.prototype) as { read: (name: string) => unknown };

/** Builds one combination of the fields' values. */
interface Variant {
	/** The field that has another value than usual, and which. */
	what: string;
	make: (values: Values) => INodeParameters;
}

/**
 * All fields of an operation filled in, once for every option and mode. The other fields have their defaults, or what
 * the varied field is shown with.
 * With LONG, once for every combination of them.
 */
function variants(fields: INodeProperties[]): Variant[] {
	const choices = fields
		.map((field) => ({ name: field.name, shown: whatShows(field), all: samples(field) }))
		.filter(({ all }) => all.length > 0);
	if (process.env.LONG) return combinations(choices);
	const usual = (values: Values): INodeParameters =>
		Object.fromEntries(choices.map(({ name, all }) => [name, all[0]!(values)]));
	const others = choices.flatMap(({ name, shown, all }) =>
		all.slice(1).map((sample) => ({
			what: `${name} ${JSON.stringify(sample({}))}`,
			make: (values: Values) => ({ ...usual(values), ...shown, [name]: sample(values) }),
		})),
	);
	return [{ what: 'as usual', make: usual }, ...others];
}

function combinations(choices: { name: string; all: Sample[] }[]): Variant[] {
	let all: Variant[] = [{ what: '', make: () => ({}) }];
	for (const { name, all: own } of choices) {
		all = all.flatMap(({ what, make }) =>
			own.map((sample) => ({
				what: own.length === 1 ? what : `${what} ${name} ${JSON.stringify(sample({}))}`,
				make: (values: Values) => ({ ...make(values), [name]: sample(values) }),
			})),
		);
	}
	return all;
}

type Sample = (values: Values) => NodeParameterValueType;

function samples(field: INodeProperties): Sample[] {
	const options = (field.options ?? []) as INodeProperties[];
	const own: Sample = (values) => values[field.name] ?? '7';
	switch (field.type) {
		case 'options':
			return (options as unknown as { value: string }[])
				.map(({ value }) => value)
				.sort((one, other) => Number(other === field.default) - Number(one === field.default))
				.map((value) => () => value);
		case 'resourceLocator':
			// From List and By ID send the same.
			return field
				.modes!.filter(({ name }) => name !== 'list')
				.map(({ name: mode }) => (values) => ({
					__rl: true,
					mode,
					value: values[`${field.name} by ${mode}`] ?? own(values),
				}));
		case 'collection':
			return [
				(values) =>
					Object.fromEntries<INodeParameters[string]>(
						options
							.filter(({ name }) => name !== 'excludeSegments' || values[name] !== undefined)
							// It replaces the template's variables.
							.filter(({ name }) => name !== 'templateComponents')
							.flatMap((option) =>
								samples(option)
									.slice(0, 1)
									.map((sample) => [
										option.name,
										values[`${option.name} in a collection`] ?? sample(values),
									]),
							),
					),
			];
		case 'boolean':
			return [() => true, () => false];
		case 'number':
			return [(values) => Number(values[field.name] ?? 24)];
		case 'json':
			return [(values) => values[field.name] ?? BODY];
		case 'dateTime':
			return [() => '2030-01-01T09:00:00'];
		case 'resourceMapper':
			return [
				() => ({
					mappingMode: 'defineBelow',
					value: { 'body:1': '[link]' },
					schema: [{ id: 'body:1', displayName: '1', required: true }],
				}),
			];
		case 'multiOptions':
			// Clear Fields would contain fields that have a value here.
			return [];
		case 'fixedCollection': {
			// A name or a label first, then its value. The variables of the template have numbers.
			const [group] = field.options as INodePropertyCollection[];
			const isNumbered = /Examples|fallbackVariables|csvColumns/.test(field.name);
			const texts = isNumbered ? ['1', '[link]'] : ['city', '7'];
			const isText = ({ type }: INodeProperties) => ['string', 'resourceLocator'].includes(type);
			const entry = (values: Values) =>
				group!.values.map((inner, at, { length }) => [
					inner.name,
					!isText(inner) ? inner.default : length === 1 ? own(values) : (texts[at] ?? '7'),
				]);
			return [(values) => ({ [group!.name]: [Object.fromEntries(entry(values))] })];
		}
		default:
			return [own];
	}
}

/** The variables of a template with one text in its body. */
const BODY = '[{ "type": "body", "parameters": [{ "type": "text", "text": "[link]" }] }]';
