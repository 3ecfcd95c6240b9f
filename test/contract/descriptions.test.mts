import {
	type INode,
	type INodeParameters,
	type INodeProperties,
	type INodePropertyCollection,
	type INodePropertyOptions,
	type INodeType,
	type INodeTypes,
	NodeHelpers,
	Workflow,
} from 'n8n-workflow';
import { ConversationalMessaging } from '../../nodes/ConversationalMessaging/ConversationalMessaging.node.ts';
import { ConversationalMessagingTrigger } from '../../nodes/ConversationalMessaging/ConversationalMessagingTrigger.node.ts';
import { allFields, type Operation } from '../../nodes/ConversationalMessaging/runner/operation.ts';
import { resources } from '../../nodes/ConversationalMessaging/resources/index.ts';
import { readContract } from '../../sandbox/contract.mts';
import { NODE } from '../support/node.mts';

/** Paths that accept any ID of a contact. */
const takesAddresses = new Set(
	Object.entries(readContract().paths as Record<string, { parameters?: { $ref?: string }[] }>)
		.filter(([, { parameters = [] }]) =>
			parameters.some(({ $ref }) => $ref === '#/components/parameters/contactKey'),
		)
		.map(([path]) => path),
);

/** The texts with which users and AI agents choose and fill in an operation. */
const operations = resources.flatMap((resource) =>
	resource.operations.map(
		(operation) => [`${resource.value}: ${operation.value}`, operation] as const,
	),
);

/** A field with the fields inside it. */
function withInner(field: INodeProperties): INodeProperties[] {
	const { type, options = [] } = field;
	if (type === 'collection') return [field, ...(options as INodeProperties[]).flatMap(withInner)];
	if (type !== 'fixedCollection') return [field];
	const inner = (options as INodePropertyCollection[]).flatMap(({ values }) => values);
	return [field, ...inner.flatMap(withInner)];
}

test('the operations below are all that the node offers', () => {
	const { properties } = new ConversationalMessaging().description;
	const offered = properties
		.filter(({ name }) => name === 'operation')
		.flatMap(({ options, displayOptions }) =>
			(options as INodePropertyOptions[]).map(
				({ value }) => `${displayOptions!.show!.resource![0] as string}: ${String(value)}`,
			),
		);
	expect(offered.sort()).toStrictEqual(operations.map(([name]) => name).sort());
	const shown = properties.find(({ name }) => name === 'resource')!
		.options as INodePropertyOptions[];
	expect(shown.map(({ value }) => value)).toStrictEqual(resources.map(({ value }) => value));
});

test('no two operations have the same action or description', () => {
	const actions = operations.map(([, { action }]) => action);
	expect(new Set(actions).size).toBe(actions.length);
	const descriptions = operations.map(([, { description }]) => description);
	expect(new Set(descriptions).size).toBe(descriptions.length);
});

test('resources are in alphabetical order, and so are the operations of each', () => {
	const sorted = (names: string[]) => names.toSorted((a, b) => a.localeCompare(b));
	for (const entries of [resources, ...resources.map(({ operations: own }) => own)]) {
		const names = entries.map(({ name }) => name);
		expect(names).toStrictEqual(sorted(names));
	}
});

/** The names of the choices of each list, however deep. */
function choicesIn(value: unknown): string[][] {
	if (typeof value !== 'object' || value === null) return [];
	const inner = Object.values(value).flatMap(choicesIn);
	const { type, options } = value as INodeProperties;
	if (type !== 'options') return inner;
	return [(options as INodePropertyOptions[]).map(({ name }) => name), ...inner];
}

test('choices are in alphabetical order, as n8n asks (Node UI design, Lists), unless their order has a meaning', () => {
	const lists = [new ConversationalMessaging(), new ConversationalMessagingTrigger()].flatMap(
		({ description }) => choicesIn(description.properties),
	);
	const sorted = (names: string[]) => names.toSorted((a, b) => a.localeCompare(b));
	const unsorted = lists.map(String).filter((list, i) => list !== String(sorted(lists[i]!)));
	expect(new Set(unsorted)).toStrictEqual(
		new Set(['Low,Medium,High,Urgent', 'Open,In Progress,Resolved,Closed']),
	);
});

/** What is wrong with any operation: its name, and what a check found. */
const found = <T,>(check: (operation: Operation) => T[]): string[] =>
	operations.flatMap(([name, operation]) =>
		check(operation).map((problem) => `${name}: ${String(problem)}`),
	);

const allFieldsOf = (operation: Operation) => allFields(operation).flatMap(withInner);

test('every operation has a short description and an action in sentence case', () => {
	const wrong = ({ description, action }: { description: string; action: string }) => [
		...(description.length > 110 ? [description] : []),
		...(/^[A-Z][^A-Z]*(CSV [^A-Z]*)?$/.test(action) ? [] : [action]),
	];
	expect(found(wrong)).toStrictEqual([]);
});

test('every field of an operation has a description', () => {
	const without = (operation: Operation) =>
		allFieldsOf(operation)
			.filter(({ type }) => !['collection', 'fixedCollection', 'notice'].includes(type))
			.filter(({ description }) => !description)
			.map(({ name }) => name);
	expect(found(without)).toStrictEqual([]);
});

test('an operation can be filled in without lists: every picker accepts text, every mapper has a JSON field', () => {
	const onlyFromLists = (operation: Operation) => {
		const fields = allFieldsOf(operation);
		const hasJson = fields.some(({ type }) => type === 'json');
		const isFromList = ({ type, modes }: INodeProperties) =>
			(type === 'resourceLocator' && modes!.every((mode) => mode.type === 'list')) ||
			(type === 'resourceMapper' && !hasJson);
		return fields.filter(isFromList).map(({ name }) => name);
	};
	expect(found(onlyFromLists)).toStrictEqual([]);
});

test('a mode of a picker that n8n’s editor names itself is called as n8n calls it', () => {
	const inEditor = new Map([
		['list', 'From List'],
		['id', 'By ID'],
		['url', 'By URL'],
	]);
	const others = (operation: Operation) =>
		allFieldsOf(operation)
			.flatMap(({ modes = [] }) => modes)
			.filter(({ name, displayName }) => (inEditor.get(name) ?? displayName) !== displayName)
			.map(({ displayName }) => displayName);
	expect(found(others)).toStrictEqual([]);
});

test('a phone number is the example of a contact only where the service accepts one', () => {
	const wrongExamples = (operation: Operation) => {
		const routes = [operation.endpoint, ...(operation.otherEndpoints ?? [])];
		if (routes.some((route) => takesAddresses.has(route.split(' ')[1]!))) return [];
		return allFieldsOf(operation)
			.filter(({ name }) => name === 'contactId')
			.map(({ modes = [] }) => modes.find(({ name }) => name === 'id')!.placeholder!)
			.filter((placeholder) => !/^e\.g\. c[a-z0-9]{24}$/.test(placeholder));
	};
	expect(found(wrongExamples)).toStrictEqual([]);
});

test('no operation has two fields with the same name and conditions', () => {
	const repeated = (operation: Operation) => {
		const places = allFields(operation).map(({ name, displayOptions }) =>
			JSON.stringify([name, displayOptions]),
		);
		return places.filter((place, index) => places.indexOf(place) !== index);
	};
	expect(found(repeated)).toStrictEqual([]);
});

describe('below a node, the canvas shows', () => {
	const actionNode = new ConversationalMessaging();
	const triggerNode = new ConversationalMessagingTrigger();

	/** The subtitle of a node with these parameters, as n8n evaluates it. */
	function subtitleOf({ description }: INodeType, parameters: INodeParameters): unknown {
		const node = { id: 'n', name: 'Node', type: 't', typeVersion: 1, position: [0, 0], parameters };
		const nodeTypes = { getByNameAndVersion: () => ({ description }) } as unknown as INodeTypes;
		const workflow = new Workflow({
			nodes: [node as INode],
			connections: {},
			active: false,
			nodeTypes,
		});
		return workflow.expression.getSimpleParameterValue(
			workflow.getNode('Node')!,
			description.subtitle,
			'internal',
			{},
		);
	}

	test('what every operation does, in the words of the list of actions', () => {
		for (const resource of resources) {
			for (const { value, action } of resource.operations) {
				const parameters = { resource: resource.value, operation: value };
				expect(subtitleOf(actionNode, parameters)).toBe(action);
			}
		}
	});

	test.each<[INodeParameters['events'], string]>([
		[['messageReceived'], 'Message Received'],
		[
			['messageReceived', 'ticketStatusChanged', 'importJobStatusChanged'],
			'Message Received, Ticket Status Changed, Import Job Status Changed',
		],
		['={{ ["broadcastStatusChanged"] }}', 'Broadcast Status Changed'],
		['={{ "chatEscalationChanged" }}', 'Chat Escalation Changed'],
		[[], ''],
	])('the chosen events %j as "%s"', (events, shown) => {
		expect(subtitleOf(triggerNode, { events })).toBe(shown);
	});

	test.each([
		['message', 'sendAndWait', /continues once somebody responds/],
		['message', 'send', /^$/],
	])('while %s: %s waits: %s', (resource, operation, text) => {
		const description = {
			...actionNode.description,
			subtitle: actionNode.description.waitingNodeTooltip!,
		};
		expect(subtitleOf({ description }, { resource, operation })).toMatch(text);
	});
});

test('no collection is removed while it stays shown, as n8n’s editor does when a field changes that its conditions name', () => {
	const collections = [new ConversationalMessaging(), new ConversationalMessagingTrigger()]
		.flatMap(({ description }) => description.properties)
		.filter(({ type }) => ['collection', 'fixedCollection'].includes(type));
	const named = collections.flatMap((collection) => {
		const { show = {}, hide = {} } = collection.displayOptions ?? {};
		const names = Object.keys({ ...show, ...hide });
		return isOfOneOperation(collection) ? names.filter((name) => name !== 'operation') : names;
	});
	// A change of these hides the collection; options of another resource are removed on purpose.
	expect(new Set(named.filter((name) => !name.startsWith('/')))).toStrictEqual(
		new Set(['resource', 'source', 'responseType', 'defineUsing']),
	);
});

test('a collection that several operations have is one field, whose fields name the operations that have them', () => {
	const { properties } = new ConversationalMessaging().description;
	const optionsOf = (resource: string) =>
		properties.filter(
			({ name, displayOptions: { show } = {} }) =>
				name === 'options' && show?.resource?.includes(resource),
		);
	const [options, ...others] = optionsOf('contact');
	expect(others).toStrictEqual([]);
	expect(options?.displayOptions?.show).toStrictEqual({
		resource: ['contact'],
		'/operation': ['create', 'upsert', 'export', 'get', 'getAll', 'sync', 'update'],
	});
	const operationsOf = (label: string) =>
		((options?.options ?? []) as INodeProperties[])
			.filter(({ displayName }) => displayName === label)
			.map(({ displayOptions: { show } = {} }) => show?.['/operation']);
	expect(operationsOf('Ignore Empty Filters')).toStrictEqual([['export', 'getAll']]);
	// The two offer other fields to clear.
	expect(operationsOf('Clear Fields')).toStrictEqual([['upsert'], ['update']]);
});

test('a collection of one operation names it, so that n8n does not offer it to agents for the others of its resource', () => {
	const { properties } = new ConversationalMessaging().description;
	const ofOne = properties.filter((property) => isOfOneOperation(property));
	expect(ofOne.map(({ name }) => name)).toEqual(
		expect.arrayContaining(['updateFields', 'formFields', 'buttons']),
	);
});

/** Whether a collection is of one operation alone: nothing in it could stay when the operation changes. */
const isOfOneOperation = ({ type, displayOptions }: INodeProperties): boolean =>
	['collection', 'fixedCollection'].includes(type) && displayOptions?.show?.operation?.length === 1;

/** What a node runs that was saved without an operation. Nothing here deletes or ends something. */
const DEFAULTS = {
	broadcast: 'create',
	channel: 'get',
	chat: 'getAll',
	contact: 'create',
	contactField: 'add',
	contactImport: 'downloadTemplate',
	flow: 'getAll',
	message: 'send',
	organization: 'get',
	segment: 'getAll',
	session: 'get',
	template: 'create',
	ticket: 'create',
	user: 'getAll',
};

test('n8n saves neither the default resource nor a default operation: a saved node keeps both', () => {
	const { description } = new ConversationalMessaging();
	const parametersOf = (values: INodeParameters, withDefaults: boolean) =>
		NodeHelpers.getNodeParameters(
			description.properties,
			values,
			withDefaults,
			false,
			NODE,
			description,
		);
	for (const [resource, operation] of Object.entries(DEFAULTS)) {
		const saved = parametersOf({ resource, operation }, false)!;
		expect(saved).toStrictEqual(resource === 'message' ? {} : { resource });
		expect(parametersOf(saved, true)).toMatchObject({ resource, operation });
	}
	expect(Object.keys(DEFAULTS)).toStrictEqual(resources.map(({ value }) => value));
});

test('rows with a name are titled with it', () => {
	const untitled = (operation: Operation) =>
		allFieldsOf(operation)
			.filter(({ type, typeOptions }) => type === 'fixedCollection' && typeOptions?.multipleValues)
			.filter(({ typeOptions }) => !typeOptions?.fixedCollection?.itemTitle)
			.map(({ name }) => name);
	expect(found(untitled)).toStrictEqual([]);
});
