import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { Collection, Fields, Parameters } from '../parameters/parameters';
import { withoutUndefined } from '../parameters/parameters';

/** Update Fields of an operation: what a user leaves empty stays as it is. */
export const updateFields = (options: INodeProperties[]): INodeProperties => ({
	displayName: 'Update Fields',
	name: 'updateFields',
	type: 'collection',
	placeholder: 'Add Field',
	default: {},
	options,
});

/**
 * Options with Clear Fields: an empty value is not sent, so that an expression that finds nothing erases nothing.
 * Clearing has a switch of its own.
 *
 * @param fields that can be cleared
 */
export const clearOptions = (fields: INodeProperties[]): INodeProperties => ({
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add Option',
	default: {},
	options: [
		{
			displayName: 'Clear Fields',
			name: 'clearFields',
			type: 'multiOptions',
			options: fields.map(({ displayName, name }) => ({ name: displayName, value: name })),
			default: [],
			description: 'Fields to set to empty. Other fields without a value stay unchanged.',
		},
	],
});

/**
 * The values of an update, with the fields to clear as empty text.
 *
 * @param fields that the values are read from
 * @param values by the names that the service has for them; undefined is left as it is
 * @throws NodeOperationError when a field has a value and is to be cleared
 */
export function withCleared(
	parameters: Parameters,
	fields: Fields,
	values: IDataObject,
): IDataObject {
	const body = withoutUndefined(values);
	for (const name of parameters.collection('options').options('clearFields')) {
		if (body[name] !== undefined) {
			throw parameters.invalid(
				`${fields.label(name)} has a value and is also in Clear Fields`,
				'Remove it from one of the two.',
			);
		}
		body[name] = '';
	}
	return body;
}

/**
 * The body of an update of Update Fields.
 *
 * @throws NodeOperationError when nothing is left to send, as for `withCleared` else
 */
export function updateBody(
	parameters: Parameters,
	read: (values: Collection) => IDataObject,
): IDataObject {
	const values = parameters.collection('updateFields');
	const body = withCleared(parameters, values, read(values));
	if (Object.keys(body).length > 0) return body;
	throw parameters.invalid(
		'Nothing to update',
		'No field has a value. Enter one under Update Fields, or check the expressions there.',
	);
}
