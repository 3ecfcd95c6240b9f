import type { INodeProperties } from 'n8n-workflow';
import type { RequestInfo } from '../api/failures';
import type { Parameters } from '../parameters/parameters';

/** The record in the path of an endpoint: its field, and how an operation reads it. */
export interface PathParameter {
	field: INodeProperties;
	/** The ID for `{id}`, as the service expects it. @throws NodeOperationError if there is none */
	id: (parameters: Parameters) => string;
	/** The same key for the same record, so that operations on it keep their order. */
	orderingKey: (parameters: Parameters) => string;
	/** The next step if the service rejects it. */
	errorHint?: RequestInfo['errorHint'];
}

interface Settings {
	/** From what users write to the service's form. */
	normalize?: (id: string) => string;
	/** Makes all variants of one record's ID the same. */
	keyOf?: (id: string) => string;
	read?: (parameters: Parameters) => string;
	errorHint?: PathParameter['errorHint'];
}

export function pathParameter(
	field: INodeProperties,
	{
		normalize = (id) => id,
		keyOf = normalize,
		read = (parameters) => parameters.id(field.name, 'required'),
		errorHint,
	}: Settings = {},
): PathParameter {
	return {
		field,
		id: (parameters) => normalize(read(parameters)),
		orderingKey: (parameters) => keyOf(read(parameters)),
		errorHint,
	};
}
