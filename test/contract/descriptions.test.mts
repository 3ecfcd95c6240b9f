import type { INodeProperties, INodePropertyCollection, INodePropertyOptions } from 'n8n-workflow';
import { ConversationalMessaging } from '../../nodes/ConversationalMessaging/ConversationalMessaging.node.ts';
import { resources } from '../../nodes/ConversationalMessaging/resources/index.ts';
import { readContract } from '../../sandbox/contract.mts';

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
	expect(offered.sort()).toEqual(operations.map(([name]) => name).sort());
	const shown = properties.find(({ name }) => name === 'resource')!
		.options as INodePropertyOptions[];
	expect(shown.map(({ value }) => value)).toEqual(resources.map(({ value }) => value));
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
		expect(names).toEqual(sorted(names));
	}
});

describe.each(operations)('%s', (_name, operation) => {
	const fields = operation.fields.flatMap(withInner);

	test('the operation has a short description and an action in sentence case', () => {
		expect(operation.description.length).toBeLessThanOrEqual(110);
		expect(operation.action).toMatch(/^[A-Z][^A-Z]*(CSV [^A-Z]*)?$/);
	});

	test('every field of the operation has a description', () => {
		expect(
			fields
				.filter(
					({ description, type }) =>
						!description && type !== 'collection' && type !== 'fixedCollection',
				)
				.map(({ name }) => name),
		).toEqual([]);
	});

	test('the operation can be filled in without lists: every picker accepts an ID, every mapper has a JSON field', () => {
		for (const field of fields) {
			if (field.type === 'resourceLocator')
				expect(field.modes!.map(({ name }) => name)).toEqual(
					expect.arrayContaining(['list', 'id']),
				);
			if (field.type === 'resourceMapper') expect(fields.map(({ type }) => type)).toContain('json');
		}
	});

	test('a phone number is the example of a contact only where the service accepts one', () => {
		const routes = [operation.endpoint, ...(operation.otherEndpoints ?? [])];
		if (routes.some((route) => takesAddresses.has(route.split(' ')[1]!))) return;
		for (const { modes = [] } of fields.filter(({ name }) => name === 'contactId'))
			expect(modes.find(({ name }) => name === 'id')!.placeholder).toMatch(
				/^e\.g\. c[a-z0-9]{24}$/,
			);
	});

	test('the operation has no two fields with the same name and conditions', () => {
		const places = operation.fields.map(({ name, displayOptions }) =>
			JSON.stringify([name, displayOptions]),
		);
		expect(new Set(places).size).toBe(places.length);
	});
});
