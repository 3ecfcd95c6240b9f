import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { shown } from '../api/access/shown';
import type { Collection } from '../parameters/collection';
import type { FieldReader } from '../parameters/fieldReader';
import type { Parameters } from '../parameters/parameters';
import { withoutUndefined } from '../parameters/values';
import { choicesField } from './basicFields';
import { optionsCollection } from './collections';

/**
 * Options with Clear Fields. An empty value is not sent, so that an expression without a result erases nothing;
 * clearing is a separate option.
 */
export const clearOptions = (
	fields: INodeProperties[],
	others: INodeProperties[] = [],
): INodeProperties =>
	optionsCollection([
		...others,
		choicesField('Clear Fields', 'clearFields', {
			options: fields.map(({ displayName, name }) => ({ name: displayName, value: name })),
			description: 'Fields to set to empty. Other fields without a value stay unchanged.',
		}),
	]);

/**
 * The values of an update, with empty text for the fields to clear.
 *
 * @param values by the service's names; undefined ones stay unchanged
 * @throws NodeOperationError if a field has a value and is also to be cleared
 */
export function withCleared(
	parameters: Parameters,
	fields: FieldReader,
	values: IDataObject,
): IDataObject {
	const body = withoutUndefined(values);
	for (const name of parameters.collection('options').options('clearFields')) {
		if (body[name] !== undefined) {
			throw parameters.invalid(
				shown`${fields.label(name)} has a value and is also in Clear Fields`,
				'Remove it from one of the two.',
			);
		}
		body[name] = '';
	}
	return body;
}

/** The body of an update of Update Fields. @throws NodeOperationError if there is nothing to send; also as `withCleared` does */
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
