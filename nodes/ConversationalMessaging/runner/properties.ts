import type { INodeProperties } from 'n8n-workflow';
import { sortedOptions } from '../descriptions/collections';
import { type Resource, allFields } from './operation';

/** Spread, because n8n's lint would have the default of a field with this type as a literal. */
const SELECTION = { type: 'options', noDataExpression: true } as const;

/** @param defaultResource what a node was saved with that has none: n8n does not save defaults */
export function buildProperties(
	resources: Resource[],
	defaultResource: Resource,
): INodeProperties[] {
	const resourceField: INodeProperties = {
		displayName: 'Resource',
		name: 'resource',
		...SELECTION,
		options: resources.map(({ name, value }) => ({ name, value })),
		default: defaultResource.value,
	};
	return [resourceField, ...resources.map(operationField), ...resources.flatMap(operationFields)];
}

/** What the operation does, in its own words, below the node on the canvas. */
export function subtitleFor(resources: Resource[]): string {
	const actions = resources.flatMap((resource) =>
		resource.operations.map(({ value, action }) => [`${resource.value}.${value}`, action]),
	);
	const table = JSON.stringify(Object.fromEntries(actions));
	return `={{ (${table})[$parameter["resource"] + "." + $parameter["operation"]] }}`;
}

function operationField(resource: Resource): INodeProperties {
	return {
		displayName: 'Operation',
		name: 'operation',
		...SELECTION,
		displayOptions: { show: { resource: [resource.value] } },
		options: resource.operations.map(({ name, value, action, description, builderHint }) => ({
			name,
			value,
			action,
			description,
			...(builderHint !== undefined && { builderHint: { propertyHint: builderHint } }),
		})),
		default: resource.defaultOperation.value,
	};
}

interface OperationField {
	operation: string;
	field: INodeProperties;
}

/**
 * The fields of a resource's operations. Resource and operation are the first conditions: n8n shows a field once it finds
 * an expression in the field of a condition, without looking at the conditions after it.
 *
 * A collection that several operations have is one field for all of them. When the operation changes, n8n's editor removes
 * every collection whose conditions name it as `operation`, even if both operations have the same: with a change from
 * Preview to Create, Exclude Segments would be gone without a message. So its conditions name the operation by its path from
 * the root, and so do those of fields in it that only some of the operations have: agents that build workflows see them.
 */
function operationFields({ value, operations }: Resource): INodeProperties[] {
	const fields = operations.flatMap((operation) =>
		allFields(operation).map((field): OperationField => ({ operation: operation.value, field })),
	);
	return fields.flatMap((one) => {
		const shared = fields.filter(
			({ field }) =>
				['collection', 'fixedCollection'].includes(field.type) && field.name === one.field.name,
		);
		if (shared.length < 2)
			return [shownFor(one.field, { resource: [value], operation: [one.operation] })];
		// After the other fields of each operation.
		if (one !== shared.at(-1)) return [];
		const names = shared.map(({ operation }) => operation);
		const options = mergedOptions(shared);
		return [shownFor({ ...one.field, options }, { resource: [value], '/operation': names })];
	});
}

/** The fields in the collections of several operations, each once, for the operations that have it. */
function mergedOptions(collections: OperationField[]): INodeProperties[] {
	const found = new Map<string, { option: INodeProperties; operations: string[] }>();
	for (const { operation, field } of collections) {
		for (const option of (field.options ?? []) as INodeProperties[]) {
			const key = JSON.stringify(option);
			const known = found.get(key) ?? { option, operations: [] };
			found.set(key, { option, operations: [...known.operations, operation] });
		}
	}
	return sortedOptions(
		[...found.values()].map(({ option, operations }) =>
			operations.length === collections.length
				? option
				: shownFor(option, { '/operation': operations }),
		),
	);
}

const shownFor = (
	field: INodeProperties,
	conditions: Record<string, string[]>,
): INodeProperties => ({
	...field,
	displayOptions: {
		...field.displayOptions,
		show: { ...conditions, ...field.displayOptions?.show },
	},
});
