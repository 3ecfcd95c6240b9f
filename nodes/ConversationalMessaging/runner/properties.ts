import type { INodeProperties } from 'n8n-workflow';
import type { Resource } from './operation';
import { allFields } from './operation';

/** The properties of the action node: resource, operation, then the fields of each operation. */
export function buildProperties(resources: Resource[]): INodeProperties[] {
	const resourceField: INodeProperties = {
		displayName: 'Resource',
		name: 'resource',
		type: 'options',
		noDataExpression: true,
		options: resources.map(({ name, value }) => ({ name, value })),
		default: 'message',
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

const OPERATION_FIELD: INodeProperties = {
	displayName: 'Operation',
	name: 'operation',
	type: 'options',
	noDataExpression: true,
	default: '',
};

function operationField(resource: Resource): INodeProperties {
	return {
		...OPERATION_FIELD,
		displayOptions: { show: { resource: [resource.value] } },
		options: resource.operations.map(({ name, value, action, description, builderHint }) => ({
			name,
			value,
			action,
			description,
			...(builderHint !== undefined && { builderHint: { propertyHint: builderHint } }),
		})),
		default: (resource.defaultOperation ?? resource.operations[0])?.value ?? '',
	};
}

/**
 * The fields of a resource's operations. Resource and operation are the first conditions: n8n shows a field once it finds
 * an expression in the field of a condition, without looking at the conditions after it.
 */
function operationFields({ value, operations }: Resource): INodeProperties[] {
	const fields = operations.flatMap((operation) =>
		allFields(operation).map((field) => ({ operation: operation.value, field })),
	);
	const isShared = ({ name }: INodeProperties) =>
		fields.filter(({ field }) => field.name === name).length > 1;
	return fields.map(({ operation, field }) => ({
		...field,
		displayOptions: {
			...field.displayOptions,
			show: {
				resource: [value],
				[isCollection(field) && isShared(field) ? '/operation' : 'operation']: [operation],
				...field.displayOptions?.show,
			},
		},
	}));
}

/**
 * Whether a field has fields in it. If several operations have one of this name, its conditions name the operation by its
 * path from the root, `/operation`.
 *
 * When the operation changes, n8n's editor removes every collection whose conditions name it as `operation`, even if both
 * operations have the same: with a change from Preview to Create, Exclude Segment would be gone without a message. A
 * collection of one operation has nothing to lose, and n8n offers what has no condition `operation` to agents that build
 * workflows, for each operation of the resource.
 */
const isCollection = ({ type }: INodeProperties): boolean =>
	['collection', 'fixedCollection'].includes(type);
