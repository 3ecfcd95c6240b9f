import type { INodeProperties } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';
import { outputFields } from '../descriptions/outputFields';
import type { Operation, Resource } from './operation';
import { returnsRecords } from './operation';

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
		options: resource.operations.map(({ name, value, action, description }) => ({
			name,
			value,
			action,
			description,
		})),
		default: resource.operations[0]?.value ?? '',
	};
}

function operationFields(resource: Resource): INodeProperties[] {
	const fieldsFor = (operations: Operation[], fields: INodeProperties[]) => {
		const show = { resource: [resource.value], operation: operations.map(({ value }) => value) };
		return updateDisplayOptions({ show }, fields);
	};
	return [
		...resource.operations.flatMap((operation) => fieldsFor([operation], operation.fields)),
		...fieldsFor(resource.operations.filter(returnsRecords), outputFields),
	];
}
