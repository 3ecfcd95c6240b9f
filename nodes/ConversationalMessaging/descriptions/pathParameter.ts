import type { INodeProperties } from 'n8n-workflow';
import type { Parameters } from '../parameters/parameters';

/** The record in the path of an endpoint: its field, and how an operation reads it. */
export interface PathParameter {
	field: INodeProperties;
	/** The ID as the service expects it. @throws NodeOperationError if there is none */
	id: (parameters: Parameters) => string;
	/** The values for `{id}`. @throws NodeOperationError if there is none */
	path: (parameters: Parameters) => { id: string };
	/** The same key for the same record, so that operations on it keep their order. */
	orderingKey: (parameters: Parameters) => string;
}

/**
 * @param normalize from what users write to the service's form
 * @param keyOf makes all variants of one record's ID the same
 * @param read reads the field
 */
export function pathParameter(
	field: INodeProperties,
	normalize: (id: string) => string = (id) => id,
	keyOf: (id: string) => string = normalize,
	read = (parameters: Parameters): string => parameters.id(field.name, 'required'),
): PathParameter {
	const id = (parameters: Parameters): string => normalize(read(parameters));
	return {
		field,
		id,
		path: (parameters) => ({ id: id(parameters) }),
		orderingKey: (parameters) => keyOf(read(parameters)),
	};
}
